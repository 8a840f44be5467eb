"""Values that a JSON schema allows: made up whole, or completed where some parts are given."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from agentc.dsl.regex import Alternatives, Characters, Concat, Literal, Regex
from agentc.logic.schema import whole_text, written_out
from agentc.tools.accepts import complaint
from agentc.tools.signature import Schema
from agentc.tools.types import AnySchema
from agentc.trace.values import JSON, MISSING, Missing, exact

__all__ = ["completed", "sample"]


def completed(said: AnySchema, value: JSON | Missing) -> JSON | Missing:
    """Return a value with what the schema requires added wherever an object lacks it, and no more than it
    allows."""
    schema = written_out(said)
    if isinstance(value, Mapping):
        return _object(_alternative(schema, "object"), value)
    if isinstance(value, list):
        items = _alternative(schema, "array").get("items", {})
        return [completed(items, item) for item in value] if isinstance(items, Mapping) else value
    return value


def _object(schema: Schema, value: Mapping[str, JSON]) -> JSON:
    known = schema.get("properties", {})
    closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    given = {k: completed(known.get(k, {}), v) for k, v in value.items() if k in known or not closed}
    added = {k: sample(known.get(k, {})) for k in schema.get("required", ()) if k not in given}
    return given | {k: v for k, v in added.items() if v is not MISSING}


def _alternative(schema: Schema, kind: str) -> Schema:
    """Return the part of a schema that speaks of values of this type."""
    for some in schema.get("anyOf") or schema.get("oneOf") or ():
        if isinstance(some, Mapping) and some.get("type") == kind:
            return some
    return schema


def sample(said: AnySchema) -> JSON | Missing:
    """Return some value that a JSON schema allows, as small as it is easy to find."""
    schema = written_out(said)
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
