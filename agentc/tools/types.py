"""What a JSON schema says about a value: the kinds it may have, and what a path into it leads to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentc.tools.signature import Schema
from agentc.trace.values import JSON, MISSING, exact

__all__ = [
    "KINDS",
    "NUMBERS",
    "AnySchema",
    "Kinds",
    "Reach",
    "elements",
    "finite",
    "follow",
    "kind_of",
    "kinds",
]

Kinds = frozenset[str]
"""A set of "null", "bool", "int" (a whole number), "num" (any other number), "str", "list", "dict"."""

NUMBERS: Final[Kinds] = frozenset({"int", "num"})
KINDS: Final[Kinds] = NUMBERS | {"null", "bool", "str", "list", "dict"}
_NONE: Final[Kinds] = frozenset()
_TYPES: Final[Mapping[str, Kinds]] = {
    "null": frozenset({"null"}),
    "boolean": frozenset({"bool"}),
    "integer": frozenset({"int"}),
    "number": NUMBERS,
    "string": frozenset({"str"}),
    "array": frozenset({"list"}),
    "object": frozenset({"dict"}),
}
_MAX_ALTERNATIVES: Final = 64

AnySchema = Schema | bool | None
"""A JSON schema; True, None and ``{}`` accept anything, False nothing."""


def kind_of(value: JSON) -> str:
    """Return the kind of a JSON value, or "missing".

    >>> [kind_of(v) for v in (None, True, 1.0, 0.5, "a", [1], {})]
    ['null', 'bool', 'int', 'num', 'str', 'list', 'dict']
    """
    if value is None or value is MISSING:
        return "null" if value is None else "missing"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "str"
    if isinstance(value, Mapping):
        return "dict"
    if isinstance(value, (list, tuple)):
        return "list"
    return "int" if isinstance(exact(value), int) else "num"


def kinds(schema: AnySchema) -> Kinds:
    """Return the kinds of the values that `schema` may accept; never too few.

    Notes
    -----
    "num" stands for numbers that aren't whole, so an integer schema gives ``{"int"}`` and a number schema
    ``{"int", "num"}``; two schemas can agree on a value only if their kinds meet.

    Examples
    --------
    >>> sorted(kinds({"anyOf": [{"type": "number"}, {"type": "null"}]}))
    ['int', 'null', 'num']
    """
    if schema is None or isinstance(schema, bool):
        return _NONE if schema is False else KINDS
    found = KINDS
    if "type" in schema:
        found &= _union(_TYPES.get(t, KINDS) for t in _listed(schema["type"]))
    if "const" in schema:
        found &= {kind_of(schema["const"])}
    if "enum" in schema:
        found &= {kind_of(v) for v in schema["enum"]}
    for word in ("anyOf", "oneOf"):
        if word in schema:
            found &= _union(kinds(s) for s in schema[word])
    for part in schema.get("allOf", ()):
        found &= kinds(part)
    return found


@dataclass(frozen=True, slots=True)
class Reach:
    """What a path leads to.

    Parameters
    ----------
    schemas : tuple of Schema
        One of these describes the value; none: the path leads nowhere, whatever the value.
    optional : bool
        True if there may be no value.
    step, known
        If it leads nowhere: the first step that does, and the names it could have been.
    """

    schemas: tuple[AnySchema, ...]
    optional: bool = False
    step: str | int = ""
    known: tuple[str, ...] = ()

    @property
    def kinds(self) -> Kinds:
        return _union(kinds(s) for s in self.schemas)


def follow(schema: AnySchema, path: Iterable[str | int]) -> Reach:
    """Follow object keys and 0-based list positions into what `schema` describes.

    Notes
    -----
    An object schema that lists ``properties`` and says nothing of ``additionalProperties`` is read as closed,
    so that a misspelt name is noticed; with ``additionalProperties`` (true or a schema) any name leads on.

    Examples
    --------
    >>> order = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    >>> sorted(follow(order, ["id"]).kinds), follow(order, ["ids"]).known
    (['str'], ('id',))
    """
    reach = Reach((schema,))
    for step in path:
        options = [a for s in reach.schemas for a in _alternatives(s) if kinds(a)]
        found = [_into(option, step) for option in options]
        schemas = tuple(s for r in found for s in r.schemas)
        if not schemas:
            return Reach((), True, step, tuple(dict.fromkeys(n for r in found for n in r.known)))
        reach = Reach(schemas, reach.optional or any(r.optional for r in found))
    return reach


def elements(schema: AnySchema) -> tuple[AnySchema, ...]:
    """Return the schemas that describe the elements of a list that `schema` accepts.

    >>> elements({"type": "array", "items": {"type": "integer"}})
    ({'type': 'integer'},)
    """
    found: list[AnySchema] = []
    for option in _alternatives(schema):
        if "list" not in kinds(option):
            continue
        values = finite(option)
        if values is not None:
            found += [{"enum": list(value)} for value in values if isinstance(value, (list, tuple))]
            continue
        items = option.get("items", True)
        listed = option.get("prefixItems", items if isinstance(items, list) else ())
        rest = option.get("additionalItems", True) if isinstance(items, list) else items
        found += [*listed, *([] if rest is False else [rest])]
    return tuple(found)


def finite(schema: AnySchema) -> list[JSON] | None:
    """Return the values that ``const`` and ``enum`` leave, or None where `schema` lists none.

    >>> finite({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}), finite({"type": "string"})
    (['a', 'b', None], None)
    """
    found: list[JSON] = []
    for option in _alternatives(schema):
        if "const" in option:
            found.append(option["const"])
        elif "enum" in option:
            found += option["enum"]
        elif kinds(option) <= {"null"}:
            found += [None] * len(kinds(option))
        else:
            return None
    return found


def _into(schema: Schema, step: str | int) -> Reach:
    """Take one step into a schema without ``anyOf``, ``oneOf`` and ``allOf``."""
    accepted = kinds(schema)
    wanted = "dict" if isinstance(step, str) else "list"
    if wanted not in accepted:
        return Reach((), True)
    found = _property(schema, step) if isinstance(step, str) else _position(schema, step)
    return Reach(found.schemas, found.optional or accepted != {wanted}, known=found.known)


def _property(schema: Schema, name: str) -> Reach:
    properties = schema.get("properties", {})
    if name in properties:
        return Reach((properties[name],), name not in schema.get("required", ()))
    for pattern, inner in schema.get("patternProperties", {}).items():
        if re.search(pattern, name):
            return Reach((inner,), True)
    rest = schema.get("additionalProperties", not properties)
    return Reach((), True, known=tuple(properties)) if rest is False else Reach((rest,), True)


def _position(schema: Schema, index: int) -> Reach:
    items = schema.get("items", True)
    listed = schema.get("prefixItems", items if isinstance(items, list) else ())
    rest = schema.get("additionalItems", True) if isinstance(items, list) else items
    inner = listed[index] if index < len(listed) else rest
    if inner is False or index < 0 or index >= schema.get("maxItems", index + 1):
        return Reach((), True)
    return Reach((inner,), index >= schema.get("minItems", 0))


def _alternatives(schema: AnySchema) -> list[Schema]:
    """Write ``anyOf``, ``oneOf`` and ``allOf`` out as a list of plain schemas."""
    if schema is None or isinstance(schema, bool):
        return [] if schema is False else [{}]
    plain = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf", "allOf")}
    found: list[Schema] = [plain]
    groups = [[part] for part in schema.get("allOf", ())]
    groups += [schema[word] for word in ("anyOf", "oneOf") if word in schema]
    for group in groups:
        options = [a for s in group for a in _alternatives(s)]
        if len(found) * len(options) > _MAX_ALTERNATIVES:
            return [{}]
        found = [_merged(a, b) for a in found for b in options]
    return found


def _merged(left: Schema, right: Schema) -> Schema:
    """Return a schema that says what both say, where both speak of types, properties and required names."""
    both: dict[str, Any] = {**left, **right}
    for word in ("properties", "patternProperties"):
        if word in left and word in right:
            both[word] = {**left[word], **right[word]}
    if "required" in left and "required" in right:
        both["required"] = [*left["required"], *right["required"]]
    if "type" in left and "type" in right:
        both["type"] = [
            t for t in _listed(right["type"]) if _TYPES.get(t, KINDS) & kinds({"type": left["type"]})
        ]
    return both


def _listed(types: str | Iterable[str]) -> Iterable[str]:
    return (types,) if isinstance(types, str) else types


def _union(sets: Iterable[Kinds]) -> Kinds:
    return frozenset().union(*sets)
