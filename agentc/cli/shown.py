"""Calls, values, violations and repairs in words for a person; every text from outside is made printable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentc.errors import AgentcError, shorten
from agentc.logic.cells import Cell
from agentc.monitor.judgement import Obligation, Repair, Violation
from agentc.trace.event import Event
from agentc.trace.json_text import dump_json
from agentc.trace.values import JSON, MISSING, Missing

__all__ = [
    "call_text", "cell_text", "missing_lines", "obligation_text", "repair_lines", "value_text",
    "violation_lines",
]  # fmt: skip

Lines = Iterator[tuple[str, str]]
"""Labelled lines: (label, text)."""

_MOST_CELLS = 12
_MOST_VALUES = 3


def value_text(value: JSON | Missing, limit: int = 80) -> str:
    """Return a value as JSON, cut to `limit` characters.

    >>> value_text({"a": "\\x1b[31m"}), value_text(MISSING)
    ('{"a": "\\\\u001b[31m"}', 'absent')
    """
    if value is MISSING:
        return "absent"
    try:
        return shorten(dump_json(value), limit)
    except AgentcError:  # made by hand: no file holds such a value
        return shorten(repr(value), limit)


def call_text(event: Event, limit: int = 160) -> str:
    """Return an event as a call, or as what was said.

    >>> from agentc.trace.event import call, message
    >>> call_text(call("open", file="a.txt")), call_text(message("user", "Hello"))
    ('open(file="a.txt")', 'user_message: "Hello"')
    """
    if event.is_message:
        return shorten(f"{event.tool}: {value_text(event.args.get('text', MISSING), limit)}", limit)
    args = ", ".join(
        f"{shorten(name, 40)}={value_text(v, limit)}" for name, v in list(event.args.items())[:20]
    )
    return shorten(f"{event.tool}({args})", limit)


def cell_text(cell: Cell, at: int) -> str:
    """Return one value that a violation hangs on; `at` is the event that is being explained."""
    place = "" if cell.event == at else f"event {cell.event}: "
    if cell.part == "tool":
        return f"{place}a call of {shorten(str(cell.value), 60)}"
    name = f"{cell.part} {shorten(cell.name, 60)}".strip()
    return f"{place}{name} is {value_text(cell.value)}"


def violation_lines(violation: Violation, at: int) -> Lines:
    """Yield the constraint, the policy's sentence, and the values that break it."""
    yield "constraint", shorten(violation.constraint, 80)
    if violation.sentence:
        yield "policy", shorten(" ".join(violation.sentence.split()), 600)
    cells = [c for c in violation.cells if (c.event, c.part) != (at, "tool")]
    for number, cell in enumerate(cells[:_MOST_CELLS]):
        yield "" if number else "because", cell_text(cell, at)
    if len(cells) > _MOST_CELLS:
        yield "", f"and {len(cells) - _MOST_CELLS} values more"


def missing_lines(alternatives: Sequence[Sequence[str]]) -> Lines:
    """Yield the earlier calls that a constraint asks for and did not find; each is one of several tools."""
    for tools in alternatives:
        yield "missing", f"an earlier {_either(tools)} that fits"


def _either(tools: Sequence[str]) -> str:
    names = " or ".join(shorten(tool, 60) for tool in tools[:6])
    return names + (f" or {len(tools) - 6} others" if len(tools) > 6 else "")


def repair_lines(repairs: Sequence[Repair], call: Event | None) -> Lines:
    """Yield what would make a call legal, as a person may see it."""
    for number, repair in enumerate(repairs):
        yield "" if number else "legal if", _repair(repair, call)


def _repair(repair: Repair, call: Event | None) -> str:
    if repair.kind == "earlier call":
        example = f", for example {call_text(repair.call)}" if repair.call is not None else ""
        return f"{_either(repair.tools)} came before it{example}"
    found = repair.values or repair.private_values
    values = " or ".join(value_text(v, 60) for v in found[:_MOST_VALUES])
    values += f" or {len(found) - _MOST_VALUES} others" if len(found) > _MOST_VALUES else ""
    values += "" if repair.values else " (for a person's eyes only)"
    written: Mapping[str, JSON] = call.args if call is not None else {}
    instead = (
        f" instead of {value_text(written.get(repair.argument, MISSING), 60)}" if call is not None else ""
    )
    return f"argument {shorten(repair.argument, 60)} were {values}{instead}"


def obligation_text(obligation: Obligation) -> str:
    """Return what is still owed, and for which events."""
    owed = ", ".join(str(t) for t in obligation.triggers[:8])
    since = f" (for event {owed})" if owed else ""
    return f"{shorten(obligation.constraint, 60)}: {call_text(obligation.call, 100)}{since}"
