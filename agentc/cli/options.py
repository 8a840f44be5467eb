"""The command line's grammar."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Final

__all__ = ["parser"]

_ABOUT = "Judge recorded runs of LLM agents, and single calls, against policies about the order of actions."
_STATUS = """\
exit status:
  0    done; violations are results, not errors
  1    lint found errors in the specification
  2    the input can't be used: the message says what, where, what was found, and what to do
  3    the engine and the reference evaluator disagree: a fault of agentc
"""
_SPEC: Final = "a file that ends in .agentc, or a specification that comes with agentc: retail, airline"
_DOMAIN: Final = (
    "rebuild the state on this domain (default: the specification's); `none`: take it from the traces"
)
_GROUP: Final = (
    "of a specification that comes with agentc: which group of constraints to add to those that calls and "
    "the database decide: dialogue, confirmation (both need messages) or letter; may be given again"
)


def parser(version: str = "") -> ArgumentParser:
    """Return the parser of the whole command line."""
    top = ArgumentParser(
        _called(), description=_ABOUT, epilog=_STATUS, formatter_class=RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version=f"agentc {version}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (told, add) in _COMMANDS.items():
        add(commands.add_parser(name, help=told, description=told))
    return top


def _called() -> str:
    """Return what the person typed: the name without a hyphen is another project's script."""
    return "agent-c" if os.path.basename(sys.argv[0]).startswith("agent-c") else "python -m agentc"


def _audit(made: ArgumentParser) -> None:
    made.add_argument("--spec", required=True, metavar="S", help=_SPEC)
    made.add_argument("--traces", required=True, nargs="+", metavar="FILE", help="trace files, of any format")
    made.add_argument("--json", default="", metavar="OUT", help="write everything as one JSON document")
    made.add_argument("--brief", action="store_true", help="print the sums only")
    _add_state_and_groups(made)


def _check(made: ArgumentParser) -> None:
    made.add_argument("spec", metavar="SPEC", help=_SPEC)
    made.add_argument("trace_file", metavar="TRACE", help="a trace file, of any format")
    made.add_argument(
        "--trace", default="", metavar="T", help="which of its traces: name or 0-based position"
    )
    _add_state_and_groups(made)


def _add_state_and_groups(made: ArgumentParser) -> None:
    made.add_argument("--domain", default="", metavar="D", help=_DOMAIN)
    default = " (default: all; `none` for none)"
    made.add_argument("--group", action="append", metavar="G", help=_GROUP + default)


def _lint(made: ArgumentParser) -> None:
    made.add_argument("spec", metavar="SPEC", help=_SPEC)


def _replay(made: ArgumentParser) -> None:
    actions = 'a line each: {"id", "actions": [{"name", "arguments"}]}; messages: {"role", "content"}'
    every = "run violating calls too, and tell what each of them breaks anew"
    made.add_argument("actions", metavar="ACTIONS", help=actions)
    made.add_argument("--domain", required=True, metavar="D", help="retail or airline")
    made.add_argument("--out", required=True, metavar="OUT", help="write a line of verdicts for each")
    made.add_argument("--group", action="append", default=[], metavar="G", help=_GROUP)
    made.add_argument("--all", action="store_true", help=every)


def _demo(made: ArgumentParser) -> None:
    made.add_argument("--traces", nargs="+", default=(), metavar="FILE", help="recorded traces to audit too")
    made.add_argument("--out", default="out/demo", metavar="DIR", help="where to write (default: out/demo)")


_COMMANDS: Final = {
    "audit": ("judge recorded traces to their end against a specification", _audit),
    "check": ("show one trace verdict by verdict", _check),
    "lint": ("say what is wrong with a specification, before any trace", _lint),
    "replay": (
        "run proposed calls on fresh environments of a domain, each checked before it runs",
        _replay,
    ),
    "demo": ("judge tau2-bench's own solutions call by call, and recorded traces of yours", _demo),
}
