"""From a Z3 model of a slot back to a concrete event, values, state readings and all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import z3

from agentc.dsl import nodes as n
from agentc.dsl.regex import Alternatives, Characters, Concat, Literal, Regex
from agentc.logic.leaves import Leaf, thaw
from agentc.logic.schema import whole_text
from agentc.logic.slots import Slot, normal
from agentc.tools.accepts import complaint
from agentc.tools.signature import Schema, Tool
from agentc.trace.event import Event, Reading
from agentc.trace.values import JSON, MISSING, Missing, at_path, exact, freeze

__all__ = ["chosen_texts", "concrete", "sample"]

_Tree = dict[str | int, Any]


def chosen_texts(slots: Sequence[Slot], model: z3.ModelRef) -> dict[int, str]:
    """Return the text a model chose for each string that nothing was interned for, by its number."""
    texts: dict[int, str] = {}
    for slot in slots:
        for (kind, leaf), const in slot.made.items():
            val = model.eval(slot.val(leaf), model_completion=True)
            if kind == "text" and val.decl().name() == "str":
                ident = model.eval(val.arg(0), model_completion=True).as_long()
                texts.setdefault(ident, _unescape(model.eval(const, model_completion=True)))
    return texts


def concrete(slot: Slot, model: z3.ModelRef, texts: Mapping[int, str]) -> Event:
    """Return the event that a model makes of a slot; `texts` as of `chosen_texts` over all slots."""
    tool = slot.tool_in(model)
    maker = _Maker(slot, model, texts)
    args = maker.arguments(tool)
    error = z3.is_true(model.eval(slot.error, model_completion=True))
    signature = slot.tools[tool] if slot.tools is not None and tool in slot.tools else None
    return Event(tool, args, maker.output(signature, error), error, maker.state(args))


class _Maker:
    def __init__(self, slot: Slot, model: z3.ModelRef, texts: Mapping[int, str]) -> None:
        self.slot, self.model, self.interner, self.texts = slot, model, slot.interner, texts

    def arguments(self, tool: str) -> dict[str, JSON]:
        known = dict(self.slot.known.args) if self.slot.known else {}
        args = known | {
            leaf.name: value
            for leaf in self._roots(n.Arg)
            if leaf.name not in known and (value := self.value(leaf)) is not MISSING
        }
        tools = self.slot.tools
        if tools is not None and tool in tools and not (self.slot.known and self.slot.known.complete):
            args = _fill(tools[tool], args)
        return args

    def output(self, tool: Tool | None, error: bool) -> JSON | Missing:
        root = n.Output("first")
        if ("val", root) in self.slot.made:
            return self.value(root)
        if error or tool is None or tool.output is None:
            return MISSING
        return sample(tool.output)

    def state(self, args: Mapping[str, JSON]) -> dict[Reading, Any]:
        """Return the readings; of a complete call only those that were really taken."""
        known = self.slot.known
        readings: dict[Reading, Any] = dict(known.state) if known else {}
        if known is not None and known.complete:
            return readings
        for leaf in self._roots(n.State):
            key = (leaf.name, tuple(self._argument(a, args) for a in leaf.args))
            readings.setdefault(key, self.value(leaf))
        return readings

    def _argument(self, term: n.Term, args: Mapping[str, JSON]) -> tuple:
        if isinstance(term, n.Const):
            return freeze(term.value)
        return freeze(at_path(args.get(term.name, MISSING), term.path))  # type: ignore[union-attr]

    def _roots(self, kind: type) -> list[Any]:
        return [
            leaf
            for (what, leaf) in self.slot.made
            if what == "val" and isinstance(leaf, kind) and not leaf.path
        ]

    # ------------------------------------------------------------ values

    def value(self, leaf: Leaf) -> JSON | Missing:
        """Return the JSON value of a leaf, built with the parts of it that were read too."""
        val = self.model.eval(self.slot.val(leaf), model_completion=True)
        tag = val.decl().name()
        if tag in ("missing", "null"):
            return MISSING if tag == "missing" else None
        arg = val.arg(0)
        if tag == "bool":
            return z3.is_true(self.model.eval(arg, model_completion=True))
        if tag == "num":
            return exact(self.model.eval(arg, model_completion=True).as_fraction())
        ident = self.model.eval(arg, model_completion=True).as_long()
        if tag == "str":
            return self._text(leaf, ident)
        return self._compound(leaf, tag, ident)

    def _known(self, tag: str, ident: int) -> tuple | None:
        key = self.interner.key(ident)
        return key if key is not None and key[0] == tag else None

    def _text(self, leaf: Leaf, ident: int) -> str:
        if ident in self.texts:  # a number the query doesn't use may be taken for another string by the model
            return self.texts[ident]
        known = self._known("str", ident)
        return known[1] if known is not None else fresh_text(ident, self._size(leaf))

    def _size(self, leaf: Leaf) -> int | None:
        length = self._made("length", leaf)
        return None if length is None else self.model.eval(length, model_completion=True).as_long()

    def _made(self, kind: str, leaf: Leaf) -> z3.ExprRef | None:
        return self.slot.made.get((kind, normal(leaf)))

    def _compound(self, leaf: Leaf, tag: str, ident: int) -> JSON:
        parts = self._parts(leaf)
        known = self._known(tag, ident)
        if known is not None:
            return thaw(known)
        if tag == "dict":
            inside = {k: v for k, v in parts.items() if isinstance(k, str) and v is not MISSING}
            return inside or {"_": ident}  # distinct fresh objects must differ
        size = self._size(leaf)
        last = max((k for k, v in parts.items() if isinstance(k, int) and v is not MISSING), default=-1)
        count = last + 1 if size is None else min(size, 1000)
        items = [parts.get(i, None) for i in range(count)]
        return (
            [None if item is MISSING else item for item in items]
            if count
            else ([] if size == 0 else [f"item-{ident}"])
        )

    def _parts(self, leaf: Leaf) -> _Tree:
        root = normal(leaf)
        deeper = {
            other.path[len(root.path)]
            for (kind, other) in self.slot.made
            if kind == "val"
            and len(other.path) > len(root.path)
            and replace(other, path=root.path) == root
            and other.path[: len(root.path)] == root.path
        }
        return {step: self.value(replace(root, path=(*root.path, step))) for step in deeper}


def fresh_text(ident: int, size: int | None) -> str:
    """Return a string that stands for a number nothing was interned under; different numbers, different
    strings."""
    stem = f"value-{ident}" if ident >= 0 else f"value-m{-ident}"
    return (
        stem
        if size is None
        else (stem + "-" * size)[:size]
        if size >= len(stem)
        else stem[-size:]
        if size
        else ""
    )


def _unescape(text: z3.ExprRef) -> str:
    """Return a Z3 string's characters; Z3 prints those outside ASCII as ``\\u{...}``."""
    raw = text.as_string()
    return re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda m: chr(int(m.group(1), 16)), raw)


def _fill(tool: Tool, args: dict[str, JSON]) -> dict[str, JSON]:
    """Add what the schema requires and no formula read."""
    missing = {a: sample(tool.arguments[a]) for a in tool.required if a not in args and a in tool.arguments}
    return args | {a: v for a, v in missing.items() if v is not MISSING}


def sample(schema: Schema) -> JSON | Missing:
    """Return some value that a JSON schema allows, as small as it is easy to find."""
    if schema.get("not") == {}:
        return MISSING
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for some in schema.get("anyOf") or schema.get("oneOf") or ():
        return sample(some)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    match kind:
        case "string":
            return _some_text(schema)
        case "integer" | "number":
            return _number(schema)
        case "boolean":
            return False
        case "null":
            return None
        case "array":
            return [sample(schema.get("items", {})) for _ in range(int(schema.get("minItems", 0)))]
        case "object":
            required = schema.get("required", ())
            return {k: sample(schema.get("properties", {}).get(k, {})) for k in required}
    return "x"


def _some_text(schema: Schema) -> str:
    regex = whole_text(schema)
    if regex is not None:
        return _matching(regex)
    least, most = int(schema.get("minLength", 1)), schema.get("maxLength")
    return "x" * (max(least, 1) if most is None else min(max(least, 1), int(most)))


def _matching(regex: Regex) -> str:
    """Return a short text that matches a regular expression."""
    match regex:
        case Literal(text):
            return text
        case Characters(ranges):
            wanted = next((a for a, b in ranges if a <= ord("x") <= b), None)
            return "x" if wanted is not None else chr(ranges[0][0]) if ranges else ""
        case Concat(parts):
            return "".join(_matching(p) for p in parts)
        case Alternatives(options):
            return min((_matching(o) for o in options), key=len)
    return _matching(regex.part) * regex.low


def _number(schema: Schema) -> JSON:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 2))
    step = exact(schema.get("multipleOf", 1))
    even = -(-exact(low) // step) * step
    likely = (1, low, high, even, low + 1, high - 1, (exact(low) + exact(high)) / Fraction(2))
    return next((exact(v) for v in likely if complaint(schema, v) is None), low)
