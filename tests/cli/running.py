"""Running the command line in this process, and small inputs for it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentc.cli.main import main

ROOT = Path(__file__).parent.parent.parent
RECORDED = ROOT.parent / "shared" / "traces" / "tau-bench-gpt-4o-airline.json"
"""200 recorded runs of tau-bench's airline, where that folder is present."""

FILES = """
specification files "Open before you read; close what you opened."
tool open(file: string)
tool read(file: string)
tool close(file: string)
constraint opened: "Open a file before you read it."
  Before(read(f), True, open(g), f == g)
constraint closed: "Close what you opened."
  After(open(f), True, close(g), f == g)
constraint no_root: "The root is never read."
  Forall(read as r, r.file != "/")
"""

OWNED = """
specification owned "Only the owner may refund."
tool refund(order: string, user: string)
projection owner(order: string) -> string
constraint owner_only: "Only the owner of an order gets a refund."
  Forall(refund as r, r.state.owner(r.order) == r.user)
"""


@dataclass(frozen=True)
class Ran:
    """What a command did: exit status and what it printed."""

    status: int
    out: str
    err: str


def agentc(*argv: object) -> Ran:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main([str(a) for a in argv])
        except SystemExit as stop:  # argparse
            status = int(stop.code or 0)
    return Ran(status, out.getvalue(), err.getvalue())


def spec_file(folder: Path, text: str, name: str = "policy.agentc") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def trace_file(folder: Path, *traces: tuple[str, Sequence[dict[str, Any]]], name: str = "runs.jsonl") -> Path:
    """Write traces, each a name and its events, in the project's own format."""
    lines: list[dict[str, Any]] = []
    for title, events in traces:
        lines += [{"format": "agentc-trace", "version": 1, "name": title}, *events]
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def event(
    tool: str, *, state: Iterable[dict[str, Any]] = (), error: bool = False, **args: Any
) -> dict[str, Any]:
    found: dict[str, Any] = {"tool": tool, "args": args}
    found |= {"error": True} if error else {}
    return found | ({"state": list(state)} if state else {})


def printable(text: str) -> bool:
    """Return whether nothing in a text but line ends could move a cursor or reorder what is shown."""
    return all(c.isprintable() or c == "\n" for c in text)
