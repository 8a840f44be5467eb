"""Events and verdicts as the JSON that the widget draws; nothing in it is markup, and no character hides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from agentc.dsl.constants import visible
from agentc.errors import AgentcError, shorten
from agentc.logic.leaves import thaw
from agentc.trace.event import USER_MESSAGE, Event, Failed, Reading
from agentc.trace.json_text import dump_json
from agentc.trace.values import JSON, MISSING, Missing, freeze

__all__ = ["brief", "call_line", "event_json", "events_json", "printable", "value_json"]

LINE: Final = 200
"""Longest line that stands for an event in the list, in characters."""

MOST_CHARACTERS: Final = 20_000
"""Of one value; what is beyond is counted and not shown. Long traces get less, so that all fits in 16 MB."""

MOST_PARTS: Final = 500
"""Most elements or keys shown of one list or object."""

_PER_TRACE: Final = 16_000_000


def printable(text: str) -> str:
    """Return text to be shown on several lines: only line ends survive of what doesn't print.

    >>> printable("a\\u202eb\\tc\\nd")
    'a\\\\u202eb    c\\nd'
    """
    lines = text.replace("\r\n", "\n").replace("\t", "    ").split("\n")
    return "\n".join(map(visible, lines))


@dataclass(slots=True)
class _Budget:
    """How many characters may still be shown."""

    left: int

    def take(self, text: str) -> tuple[str, int]:
        """Return as much of a text as may be shown, and how many characters are left out."""
        kept = text[: max(self.left, 0)]
        self.left -= len(kept) + 2
        return kept, len(text) - len(kept)


def value_json(value: JSON | Missing | Failed, most: int = MOST_CHARACTERS) -> Any:
    """Return a value as the widget draws it.

    Text, true, false, null and lists are themselves; everything else is an object with one telling key: ``n``
    a number as written, ``o`` an object's pairs, ``s`` text that is cut, ``absent``, ``failed``; ``more``
    counts what is left out.

    >>> value_json({"a": [1.5, None]})
    {'o': [['a', [{'n': '1.5'}, None]]]}
    """
    return _node(value, _Budget(most))


def _node(value: Any, budget: _Budget) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        kept, more = budget.take(value)
        return {"s": printable(kept), "more": more} if more else printable(kept)
    if isinstance(value, (int, float, Decimal, Fraction)):
        return {"n": budget.take(_number(value))[0]}
    if value is MISSING:
        return {"absent": True}
    if isinstance(value, Failed):
        return {"failed": printable(shorten(value.reason, 400))}
    if isinstance(value, Mapping):
        return _object(value, budget)
    return _list(value, budget)


def _number(value: Any) -> str:
    try:
        return dump_json(value)
    except AgentcError:  # a fraction without a finite decimal
        return str(value)


def _object(value: Mapping[str, JSON], budget: _Budget) -> Any:
    pairs: list[list[Any]] = []
    for key, part in value.items():
        if len(pairs) >= MOST_PARTS or budget.left <= 0:
            return {"o": pairs, "more": len(value) - len(pairs)}
        pairs.append([visible(budget.take(key)[0]), _node(part, budget)])
    return {"o": pairs}


def _list(value: Sequence[JSON], budget: _Budget) -> Any:
    parts: list[Any] = []
    for part in value:
        if len(parts) >= MOST_PARTS or budget.left <= 0:
            return [*parts, {"more": len(value) - len(parts)}]
        parts.append(_node(part, budget))
    return parts


def call_line(event: Event, most: int = LINE) -> str:
    """Return an event on one line: a call's arguments, or what was said.

    >>> from agentc.trace.event import call, message
    >>> call_line(call("open", file="a.txt")), call_line(message("user", "Hello\\nthere"))
    ('file="a.txt"', 'Hello there')
    """
    if event.is_message:
        text = event.args.get("text", "")
        return shorten(" ".join(text[: 4 * most].split()) if isinstance(text, str) else brief(text), most)
    return shorten(", ".join(f"{shorten(k, 40)}={brief(v)}" for k, v in list(event.args.items())[:20]), most)


def brief(value: JSON | Missing, most: int = 80) -> str:
    """Return a value on one line of at most `most` characters.

    >>> brief({"a": [1, 2.5]}), brief(MISSING)
    ('{"a": [1, 2.5]}', 'absent')
    """
    if isinstance(value, str):
        value = value[: 2 * most]
    if value is MISSING:
        return "absent"
    try:
        return shorten(dump_json(value), most)
    except AgentcError:
        return shorten(str(value), most)


def events_json(events: Sequence[Event], notes: Mapping[int, str] | None = None) -> list[dict[str, Any]]:
    """Return events as the widget draws them.

    Parameters
    ----------
    events : sequence of Event
    notes : Mapping[int, str], optional
        What else is to be said of an event, by its 0-based position.
    """
    most = min(MOST_CHARACTERS, _PER_TRACE // (3 * max(len(events), 1)))
    told, found = notes or {}, []
    last_reading: dict[Reading, tuple[int, Any]] = {}
    last_call: dict[str, int] = {}
    for position, event in enumerate(events):
        shown = event_json(event, most)
        shown["state"] = [_reading(k, v, position, last_reading, most) for k, v in event.state.items()]
        shown |= {"before": last_call[event.tool]} if event.tool in last_call else {}
        shown |= {"note": printable(told[position])} if position in told else {}
        last_call[event.tool] = position
        found.append(shown)
    return found


def event_json(event: Event, most: int = MOST_CHARACTERS) -> dict[str, Any]:
    """Return one event without its state."""
    kind = ("user" if event.tool == USER_MESSAGE else "assistant") if event.is_message else "call"
    shown: dict[str, Any] = {"tool": visible(event.tool), "kind": kind, "line": call_line(event)}
    if kind == "call":
        shown |= {"args": _pairs(event.args, most), "output": value_json(event.output, most)}
    else:
        shown["text"] = value_json(event.args.get("text", MISSING), most)
    shown |= {"error": True} if event.error else {}
    shown |= {"id": printable(shorten(event.id, 80))} if event.id else {}
    return shown | ({"time": event.time} if event.time is not None else {})


def _pairs(args: Mapping[str, JSON], most: int) -> list[list[Any]]:
    budget = _Budget(most)
    return [[visible(shorten(name, 200)), _node(value, budget)] for name, value in args.items()]


def _reading(
    key: Reading, value: Any, position: int, last: dict[Reading, tuple[int, Any]], most: int
) -> dict[str, Any]:
    """Return a reading, and what it was when it was last taken, if that is something else."""
    name, args = key
    label = f"{visible(name)}({', '.join(brief(thaw(k)) for k in args)})"
    shown = {"name": visible(name), "label": shorten(label, LINE), "value": value_json(value, most)}
    if key in last and not _same(last[key][1], value):
        shown |= {"was": value_json(last[key][1], most), "since": last[key][0]}
    last[key] = (position, value)
    return shown


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Failed) or isinstance(other, Failed):
        return isinstance(one, Failed) and isinstance(other, Failed)
    return freeze(one) == freeze(other)
