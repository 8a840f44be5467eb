"""What a tool's JSON schema says of the values a future call may have, as Z3 formulas over a slot's leaves.

Keywords this doesn't know are left out: that allows more futures, and a witness is checked against the whole
schema (`accepted`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import z3

from agentc.dsl import nodes as n
from agentc.dsl.regex import ANY, Alternatives, Concat, Regex, Repeat, parse_regex
from agentc.errors import SpecificationError
from agentc.logic.encode import Abstracted, z3_regex
from agentc.logic.leaves import Leaf
from agentc.logic.values import VAL, Interner, kind_test, number
from agentc.tools.accepts import accepts, complaint
from agentc.tools.signature import Schema, Tool, ToolSet
from agentc.tools.types import AnySchema
from agentc.trace.event import Event
from agentc.trace.values import MISSING, exact, freeze

__all__ = ["accepted", "allowed", "at", "value_count", "whole_text", "written_out"]

_KINDS = {
    "string": "str",
    "number": "num",
    "integer": "int",
    "boolean": "bool",
    "null": "null",
    "array": "list",
    "object": "dict",
}


class _Leaves(Protocol):
    interner: Interner

    def val(self, leaf: Leaf) -> z3.ExprRef: ...
    def text(self, leaf: Leaf) -> z3.SeqRef: ...
    def length(self, leaf: Leaf) -> z3.ExprRef: ...
    def on_text(self, test: z3.BoolRef) -> z3.BoolRef: ...


def accepted(tools: ToolSet | None, event: Event, made_up: bool = True) -> bool:
    """Return whether a tool's whole schema accepts an event's output, and arguments that are made up."""
    if tools is None or event.tool not in tools:
        return True
    tool = tools[event.tool]
    if made_up and accepts(tool, event.args) is not None:
        return False
    told = tool.output is not None and not event.error and event.output is not MISSING
    return not told or complaint(tool.output, event.output) is None


def allowed(tool: Tool, leaf: Leaf, val: z3.ExprRef, slot: _Leaves) -> z3.BoolRef | None:
    """Return what `tool`'s schema demands of a leaf's value, or None if nothing."""
    if isinstance(leaf, n.Output):
        return None if tool.output is None else _part(tool.output, leaf, val, slot, required=True)
    assert isinstance(leaf, n.Arg)
    if leaf.name not in tool.arguments:
        return None if tool.open else val == VAL.missing
    return _part(tool.arguments[leaf.name], leaf, val, slot, required=leaf.name in tool.required)


def value_count(tools: ToolSet, tool: str, leaf: Leaf) -> int | None:
    """Return how many values a leaf of a future call can have, absent included, or None if there is no such
    limit."""
    if tool not in tools or leaf.path or isinstance(leaf, n.State):
        return None
    signature = tools[tool]
    if isinstance(leaf, n.Output):
        return _values_of(signature.output) if signature.output is not None else None
    if leaf.name not in signature.arguments:
        return None if signature.open else 1
    count = _values_of(signature.arguments[leaf.name])
    return None if count is None else count + (leaf.name not in signature.required)


def _values_of(said: AnySchema) -> int | None:
    schema = written_out(said)
    if schema.get("not") == {} or "const" in schema:
        return 1
    if "enum" in schema:
        return len({freeze(v) for v in schema["enum"]})
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        counts = [_values_of(s) for s in alternatives]
        return None if any(c is None for c in counts) else sum(counts)  # type: ignore[arg-type]
    kinds = schema.get("type", "")
    sizes = [{"null": 1, "boolean": 2}.get(kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _part(schema: AnySchema, leaf: Leaf, val: z3.ExprRef, slot: _Leaves, required: bool) -> z3.BoolRef | None:
    if leaf.path:
        inner = at(schema, leaf.path)
        return None if inner is None else z3.Or(val == VAL.missing, _formula(inner, leaf, val, slot))
    demanded = _formula(schema, leaf, val, slot)
    return demanded if required else z3.Or(val == VAL.missing, demanded)


def written_out(schema: AnySchema) -> Schema:
    """Return a schema as an object: ``true`` accepts everything, ``false`` nothing."""
    return schema if isinstance(schema, Mapping) else {} if schema in (True, None) else _NOTHING


def at(schema: AnySchema, path: n.Path) -> Schema | None:
    """Return the schema of the part at a path, or None if the schema doesn't say."""
    found: Any = schema
    for step in path:
        if not isinstance(found, Mapping):
            return None
        if isinstance(step, str):
            closed = found.get("additionalProperties") is False and "patternProperties" not in found
            found = found.get("properties", {}).get(step, False if closed else None)
        else:
            found = None if "prefixItems" in found else found.get("items")
    return None if found is None else written_out(found)


_NOTHING: Schema = {"not": {}}


def _formula(said: AnySchema, leaf: Leaf, val: z3.ExprRef, slot: _Leaves) -> z3.BoolRef:
    schema = written_out(said)
    if schema.get("not") == {}:
        return val == VAL.missing
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        rest = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}
        cases = z3.Or([_formula(s, leaf, val, slot) for s in alternatives])
        return z3.And(cases, _formula(rest, leaf, val, slot)) if _says(rest) else cases
    parts = [val != VAL.missing, *_kinds(schema, val), *_values(schema, val, slot), *_range(schema, val)]
    parts += [*_sizes(schema, leaf, val, slot), *_pattern(schema, leaf, val, slot)]
    parts += [_formula(s, leaf, val, slot) for s in schema.get("allOf", ())]
    return z3.And(parts)


def _says(schema: Mapping[str, Any]) -> bool:
    kept = ("type", "enum", "const", "allOf", "minimum", "maximum", "pattern", *_SIZES)
    return any(k in schema for k in kept)


def _kinds(schema: Schema, val: z3.ExprRef) -> list[z3.BoolRef]:
    kinds = schema.get("type")
    if kinds is None:
        return []
    names = [kinds] if isinstance(kinds, str) else list(kinds)
    return [z3.Or([kind_test(val, _KINDS[k]) for k in names if k in _KINDS])]


def _values(schema: Schema, val: z3.ExprRef, slot: _Leaves) -> list[z3.BoolRef]:
    options = list(schema["enum"]) if "enum" in schema else [schema["const"]] if "const" in schema else None
    if options is None:
        return []
    return [z3.Or([val == slot.interner.expr(freeze(v)) for v in options])]


def _range(schema: Schema, val: z3.ExprRef) -> list[z3.BoolRef]:
    value = VAL.n(val)
    tests = {
        "minimum": lambda b: value >= b,
        "maximum": lambda b: value <= b,
        "exclusiveMinimum": lambda b: value > b,
        "exclusiveMaximum": lambda b: value < b,
    }
    bounds = {
        k: schema[k]
        for k in tests
        if isinstance(schema.get(k), (int, float)) and not isinstance(schema[k], bool)
    }
    return [z3.Implies(VAL.is_num(val), tests[k](number(exact(b)))) for k, b in bounds.items()]


_SIZES = {
    "minLength": (VAL.is_str, z3.ArithRef.__ge__),
    "maxLength": (VAL.is_str, z3.ArithRef.__le__),
    "minItems": (VAL.is_list, z3.ArithRef.__ge__),
    "maxItems": (VAL.is_list, z3.ArithRef.__le__),
}


def _sizes(schema: Schema, leaf: Leaf, val: z3.ExprRef, slot: _Leaves) -> list[z3.BoolRef]:
    asked = [(kind, compare, int(schema[k])) for k, (kind, compare) in _SIZES.items() if k in schema]
    if not asked:
        return []
    size = VAL.n(slot.length(leaf))
    return [z3.Implies(kind(val), compare(size, bound)) for kind, compare, bound in asked]


def _pattern(schema: Schema, leaf: Leaf, val: z3.ExprRef, slot: _Leaves) -> list[z3.BoolRef]:
    regex = whole_text(schema)
    if regex is None:
        return []
    try:
        return [z3.Implies(VAL.is_str(val), slot.on_text(z3.InRe(slot.text(leaf), z3_regex(regex))))]
    except Abstracted:
        return []


def whole_text(schema: Schema) -> Regex | None:
    """Return an expression for all text that a pattern is found in; None if `matches` can't say it."""
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return None
    starts, ends = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith("\\$")
    try:
        found = parse_regex(pattern[starts : len(pattern) - ends])
    except SpecificationError:
        return None
    if isinstance(found, Alternatives) and (starts or ends):
        return None  # the anchors are those of its first and last alternative only
    anything = Repeat(ANY, 0, None)
    return Concat((*(() if starts else (anything,)), found, *(() if ends else (anything,))))
