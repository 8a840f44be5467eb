"""The command line's entrance: options, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Final

from agentc.cli.beside import refuse_other_project
from agentc.errors import AgentcError, shorten

__all__ = ["main", "parser"]

BAD_INPUT: Final = 2
BROKEN: Final = 70
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141

_ABOUT = "Judge recorded runs of LLM agents, and single calls, against policies about the order of actions."
_STATUS = """\
exit status:
  0    done; violations are results, not errors
  1    lint found errors in the specification
  2    the input can't be used: the message says what, where, what was found, and what to do
  3    the engine and the reference evaluator disagree: a fault of agentc
"""
_COMMANDS: Final = {
    "audit": "judge recorded traces to their end against a specification",
    "check": "show one trace verdict by verdict",
    "lint": "say what is wrong with a specification, before any trace",
    "replay": "run proposed calls on fresh environments of a domain, each checked before it runs",
    "demo": "judge tau2-bench's own solutions call by call, and recorded traces of yours",
}


def parser(version: str = "") -> ArgumentParser:
    """Return the parser of the whole command line."""
    top = ArgumentParser(
        _called(), description=_ABOUT, epilog=_STATUS, formatter_class=RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version=f"agentc {version}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    made = {name: commands.add_parser(name, help=text, description=text) for name, text in _COMMANDS.items()}
    spec = "a file that ends in .agentc, or a specification that comes with agentc: retail, airline"
    domain = (
        "rebuild the state on this domain (default: the specification's); `none`: take it from the traces"
    )
    made["audit"].add_argument("--spec", required=True, metavar="S", help=spec)
    made["audit"].add_argument(
        "--traces", required=True, nargs="+", metavar="FILE", help="trace files, of any format"
    )
    made["audit"].add_argument("--domain", default="", metavar="D", help=domain)
    made["audit"].add_argument(
        "--json", default="", metavar="OUT", help="write everything as one JSON document"
    )
    made["audit"].add_argument("--brief", action="store_true", help="print the sums only")
    made["check"].add_argument("spec", metavar="SPEC", help=spec)
    made["check"].add_argument("trace_file", metavar="TRACE", help="a trace file, of any format")
    made["check"].add_argument(
        "--trace", default="", metavar="T", help="which of its traces: name or 0-based position"
    )
    made["check"].add_argument("--domain", default="", metavar="D", help=domain)
    made["lint"].add_argument("spec", metavar="SPEC", help=spec)
    actions = 'a line each: {"id", "actions": [{"name", "arguments"}]}; messages: {"role", "content"}'
    group = (
        "add a group of constraints to those that calls and the database decide: dialogue, confirmation "
        "(both need messages) or letter; may be given again"
    )
    made["replay"].add_argument("actions", metavar="ACTIONS", help=actions)
    made["replay"].add_argument("--domain", required=True, metavar="D", help="retail or airline")
    made["replay"].add_argument(
        "--out", required=True, metavar="OUT", help="write a line of verdicts for each"
    )
    made["replay"].add_argument("--group", action="append", default=[], metavar="G", help=group)
    made["replay"].add_argument(
        "--all", action="store_true", help="run violating calls too, and tell what each of them breaks anew"
    )
    made["demo"].add_argument(
        "--traces", nargs="+", default=(), metavar="FILE", help="recorded traces to audit too"
    )
    made["demo"].add_argument(
        "--out", default="out/demo", metavar="DIR", help="where to write (default: out/demo)"
    )
    return top


def _called() -> str:
    """Return what the person typed: the name without a hyphen is another project's script."""
    return "agent-c" if os.path.basename(sys.argv[0]).startswith("agent-c") else "python -m agentc"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that can't show ✓ is no reason to stop
    try:
        refuse_other_project()
        args = parser(_version()).parse_args(argv)
        status = _run(args)
        sys.stdout.flush()
        return status
    except AgentcError as error:
        return _tell(error, BAD_INPUT)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _silence()
        return PIPE_CLOSED
    except Exception as problem:  # a person gets four parts, whatever broke
        if os.environ.get("AGENTC_TRACEBACK"):
            raise
        found = f"{type(problem).__name__}: {problem}"
        hint = "set AGENTC_TRACEBACK=1 to see where, and report it"
        return _tell(AgentcError("agentc itself failed", found=found, hint=hint), BROKEN)


def _run(args: Namespace) -> int:
    from agentc.logic.interrupt import leave_interrupts_to_python

    leave_interrupts_to_python()
    # jsonschema loads it, if it is there, to check a format that is never checked here: one to three seconds.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    run = import_module(f"agentc.cli.{args.command}").run
    return int(run(args))


def _version() -> str:
    return str(import_module("agentc").__version__)


def _tell(error: AgentcError, status: int) -> int:
    lines = [shorten(line, 500) for line in str(error).splitlines()]
    print("error:", "\n".join(lines), file=sys.stderr)
    return status


def _silence() -> None:
    """Nobody reads on: keep the interpreter from complaining when it flushes standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
