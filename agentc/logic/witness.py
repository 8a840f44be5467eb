"""From a Z3 model of slots back to concrete events, values, state readings and all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import z3

from agentc.dsl import nodes as n
from agentc.logic.leaves import Leaf, thaw
from agentc.logic.sample import completed, sample
from agentc.logic.slots import Slot, normal
from agentc.tools.signature import Tool
from agentc.trace.event import Event, Reading
from agentc.trace.values import JSON, MISSING, Missing, at_path, exact, freeze

__all__ = ["concrete"]

_MAX_ITEMS = 1000
_Name = tuple[str, int]
"""What Z3 knows a string, list or object by: its kind and its number."""


def concrete(slots: Sequence[Slot], model: z3.ModelRef, spelt: bool = True) -> tuple[Event, ...]:
    """Return the events that a model makes of slots.

    Parameters
    ----------
    spelt : bool
        Whether what the model says of symbolic texts means anything; else every new string is made up here.
    """
    choices = _Choices(slots, model, spelt)
    return tuple(_event(slot, choices) for slot in slots)


def _event(slot: Slot, choices: _Choices) -> Event:
    tool = slot.tool_in(choices.model)
    signature = slot.tools[tool] if slot.tools is not None and tool in slot.tools else None
    args = _arguments(slot, signature, choices)
    error = z3.is_true(choices.model.eval(slot.error, model_completion=True))
    return Event(tool, args, _output(slot, signature, error, choices), error, _state(slot, args, choices))


def _arguments(slot: Slot, tool: Tool | None, choices: _Choices) -> dict[str, JSON]:
    known = dict(slot.known.args) if slot.known else {}
    made = {leaf.name: choices.value(slot, leaf) for leaf in _roots(slot, n.Arg) if leaf.name not in known}
    args = known | {name: value for name, value in made.items() if value is not MISSING}
    if tool is None or (slot.known and slot.known.complete):
        return args
    schemas = tool.arguments
    filled = {a: v if a in known else completed(schemas.get(a, {}), v) for a, v in args.items()}
    lacking = {a: sample(schemas[a]) for a in sorted(tool.required) if a not in args and a in schemas}
    return filled | {a: v for a, v in lacking.items() if v is not MISSING}


def _output(slot: Slot, tool: Tool | None, error: bool, choices: _Choices) -> JSON | Missing:
    root = n.Output("first")
    schema = None if error or tool is None else tool.output
    if ("val", root) not in slot.made:
        return MISSING if schema is None else sample(schema)
    value = choices.value(slot, root)
    return value if schema is None else completed(schema, value)


def _state(slot: Slot, args: Mapping[str, JSON], choices: _Choices) -> dict[Reading, Any]:
    """Return the readings; of a complete call only those that were really taken."""
    readings: dict[Reading, Any] = dict(slot.known.state) if slot.known else {}
    if slot.known is not None and slot.known.complete:
        return readings
    for leaf in _roots(slot, n.State):
        key = (leaf.name, tuple(_argument(a, args) for a in leaf.args))
        readings.setdefault(key, choices.value(slot, leaf))
    return readings


def _argument(term: n.Term, args: Mapping[str, JSON]) -> tuple:
    if isinstance(term, n.Const):
        return freeze(term.value)
    assert isinstance(term, n.Arg), "a projection's arguments are its event's own, and constants"
    return freeze(at_path(args.get(term.name, MISSING), term.path))


def _roots(slot: Slot, kind: type) -> list[Any]:
    return [a for (what, a) in slot.made if what == "val" and isinstance(a, kind) and not a.path]


class _Choices:
    """One value for each string, list and object of a model, whichever leaf of any slot it is read from."""

    def __init__(self, slots: Sequence[Slot], model: z3.ModelRef, spelt: bool) -> None:
        self.model, self._spelt = model, spelt
        self._interner = slots[0].interner if slots else None
        self._leaves: dict[_Name, list[tuple[Slot, Leaf]]] = {}
        for slot in slots:
            for what, leaf in list(slot.made):
                if what == "val" and (name := self._name(slot.val(leaf))) is not None:
                    self._leaves.setdefault(name, []).append((slot, leaf))
        self._values: dict[_Name, JSON] = {}

    def _eval(self, expr: z3.ExprRef) -> z3.ExprRef:
        return self.model.eval(expr, model_completion=True)

    def _name(self, val: z3.ExprRef) -> _Name | None:
        value = self._eval(val)
        tag = value.decl().name()
        return (tag, self._eval(value.arg(0)).as_long()) if tag in ("str", "list", "dict") else None

    def value(self, slot: Slot, leaf: Leaf) -> JSON | Missing:
        """Return the JSON value of a leaf, built with the parts of it that were read too."""
        value = self._eval(slot.val(leaf))
        tag = value.decl().name()
        if tag in ("missing", "null"):
            return MISSING if tag == "missing" else None
        if tag == "bool":
            return z3.is_true(self._eval(value.arg(0)))
        if tag == "num":
            return exact(self._eval(value.arg(0)).as_fraction())
        name = (tag, self._eval(value.arg(0)).as_long())
        if name not in self._values:
            self._values[name] = None  # a model's value may contain itself; as JSON it then fails the replay
            self._values[name] = self._made(name)
        return self._values[name]

    def _made(self, name: _Name) -> JSON:
        tag, ident = name
        text = self._text(name)
        if text is not None:  # a number the query doesn't use may be taken for another string by the model
            return text
        known = self._interner.key(ident) if self._interner is not None else None
        if known is not None and known[0] == tag:
            return thaw(known)
        if tag == "str":
            return self._new_text(name)
        parts = self._parts(name)
        if tag == "dict":
            inside = {k: v for k, v in parts.items() if isinstance(k, str) and v is not MISSING}
            return inside or {"_": ident}  # distinct new objects must differ
        return self._list(name, parts)

    def _list(self, name: _Name, parts: Mapping[str | int, JSON | Missing]) -> JSON:
        size = self._size(name)
        last = max((k for k, v in parts.items() if isinstance(k, int) and v is not MISSING), default=-1)
        count = last + 1 if size is None else min(size, _MAX_ITEMS)
        items = [parts.get(i, MISSING) for i in range(count)]
        if not count:
            return [] if size == 0 else [f"item-{name[1]}"]
        return [None if item is MISSING else item for item in items]

    def _text(self, name: _Name) -> str | None:
        if name[0] != "str" or not self._spelt:
            return None
        return next((_unescape(self._eval(const)) for const in self._consts(name, "text")), None)

    def _new_text(self, name: _Name) -> str:
        """Return a text for a number nothing was interned under: one that means nothing else yet."""
        text = _fresh_text(name[1], size := self._size(name))
        while size is None and self._interner is not None and self._interner.knows(("str", text)):
            text += "'"
        return text

    def _size(self, name: _Name) -> int | None:
        return next((self._eval(const).as_long() for const in self._consts(name, "length")), None)

    def _consts(self, name: _Name, kind: str) -> Iterator[z3.ExprRef]:
        for slot, leaf in self._leaves.get(name, ()):
            if (kind, leaf) in slot.made:
                yield slot.made[kind, leaf]

    def _parts(self, name: _Name) -> dict[str | int, JSON | Missing]:
        parts: dict[str | int, JSON | Missing] = {}
        for slot, leaf in self._leaves.get(name, ()):
            for step in _steps(slot, leaf):
                parts.setdefault(step, self.value(slot, replace(leaf, path=(*leaf.path, step))))
        return parts


def _steps(slot: Slot, leaf: Leaf) -> list[str | int]:
    """Return the keys and positions just below a leaf that the slot reads."""
    depth = len(leaf.path)
    below = [a for (what, a) in slot.made if what == "val" and len(a.path) == depth + 1]
    return [a.path[-1] for a in below if replace(a, path=a.path[:-1]) == normal(leaf)]


def _fresh_text(ident: int, size: int | None) -> str:
    """Return a string for a number nothing was interned under; different numbers, different strings."""
    stem = f"value-{ident}" if ident >= 0 else f"value-m{-ident}"
    if size is None:
        return stem
    return stem.ljust(size, "-") if size >= len(stem) else stem[len(stem) - size :]


def _unescape(text: z3.ExprRef) -> str:
    """Return a Z3 string's characters; Z3 prints those outside ASCII as ``\\u{...}``."""
    return re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda m: chr(int(m.group(1), 16)), text.as_string())
