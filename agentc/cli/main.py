"""The command line's entrance: options, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Final

from agentc.cli.beside import refuse_other_project
from agentc.cli.interrupts import clean_interrupts
from agentc.cli.options import parser
from agentc.errors import AgentcError, shorten

__all__ = ["main", "parser"]

BAD_INPUT: Final = 2
BROKEN: Final = 70
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that can't show ✓ is no reason to stop
    try:
        refuse_other_project()
        args = parser(_version()).parse_args(argv)
        with clean_interrupts():
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
