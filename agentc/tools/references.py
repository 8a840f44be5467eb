"""JSON schemas written out: valid, and free of ``$ref``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from agentc.errors import AgentcError, ToolError, shorten
from agentc.tools.types import AnySchema
from agentc.trace.values import freeze

__all__ = ["resolved"]

MAX_PARTS: Final = 20_000
MAX_DEPTH: Final = 48

_NAMED: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
_LISTED: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SINGLE: Final = frozenset(
    {
        "items",
        "additionalItems",
        "additionalProperties",
        "contains",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
    }
    | {"unevaluatedItems", "unevaluatedProperties"}
)
_DROPPED: Final = frozenset({"$ref", "$defs", "definitions"})


def resolved(schema: object, where: str) -> AnySchema:
    """Return the schema with every ``$ref`` replaced by what it refers to.

    Raises
    ------
    ToolError
        If it isn't JSON or isn't a JSON schema (draft 2020-12), refers to itself or outside itself, or is
        too large once written out.

    Examples
    --------
    >>> resolved({"$defs": {"id": {"minLength": 1}}, "items": {"$ref": "#/$defs/id"}}, "tool `x`")
    {'items': {'minLength': 1}}
    """
    try:
        freeze(schema)
    except AgentcError as problem:
        raise ToolError(
            f"a schema isn't JSON: {problem.what}", where=where, found=problem.found, hint=problem.hint
        ) from None
    found = _Writer(schema, where).write(schema, ())
    _validate(found, where)
    return found


def _validate(schema: object, where: str) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)  # type: ignore[arg-type]
    except SchemaError as problem:
        path = "/".join(str(p) for p in problem.absolute_path)
        raise ToolError(
            "a tool's JSON schema isn't valid",
            where=f"{where}, at {shorten(path) or 'its top'}",
            found=shorten(problem.message, 160),
            hint="see https://json-schema.org/draft/2020-12",
        ) from None


class _Writer:
    """Copies one schema, following its references."""

    def __init__(self, root: object, where: str) -> None:
        self.root, self.where = root, where
        self.parts = 0

    def error(self, what: str, found: str, hint: str) -> ToolError:
        return ToolError(what, where=self.where, found=shorten(found), hint=hint)

    def write(self, schema: Any, trail: tuple[str, ...], depth: int = 0) -> Any:
        """Copy `schema`; `trail` holds the references it was reached by."""
        self.parts += 1
        if self.parts > MAX_PARTS or depth > MAX_DEPTH:
            raise self.error(
                f"a schema has over {MAX_PARTS} parts or {MAX_DEPTH} levels once references are written out",
                " -> ".join(trail) or "no references",
                "flatten it",
            )
        if not isinstance(schema, Mapping):
            return schema
        rest = {k: self._keyword(k, v, trail, depth + 1) for k, v in schema.items() if k not in _DROPPED}
        if "$ref" not in schema:
            return rest
        target = self.write(*self._follow(schema["$ref"], trail), depth + 1)
        return {**target, **rest} if isinstance(target, Mapping) else target

    def _keyword(self, word: str, value: Any, trail: tuple[str, ...], depth: int) -> Any:
        if word in _NAMED and isinstance(value, Mapping):
            if word == "patternProperties":
                for pattern in value:
                    self._pattern(pattern)
            return {name: self.write(s, trail, depth) for name, s in value.items()}
        if isinstance(value, list) and (word in _LISTED or word == "items"):
            return [self.write(s, trail, depth) for s in value]
        if word == "pattern":
            self._pattern(value)
        if word == "$dynamicRef":
            raise self.error("a schema uses $dynamicRef, which isn't supported", str(value), "use $ref")
        return self.write(value, trail, depth) if word in _SINGLE else value

    def _pattern(self, pattern: object) -> None:
        try:
            re.compile(str(pattern))
        except re.error as problem:
            raise self.error(
                "a schema's pattern isn't a regular expression", f"{pattern} ({problem})", "mend it"
            ) from None

    def _follow(self, reference: object, trail: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """Return what a reference points to, and the trail with it."""
        if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
            raise self.error(
                "a schema refers outside itself",
                str(reference),
                "put the definition under $defs and use #/$defs/...",
            )
        if reference in trail:
            raise self.error(
                "a schema refers to itself",
                " -> ".join((*trail, reference)),
                "write it out to the depth you need",
            )
        target = self.root
        for step in reference.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(target, Mapping) and name in target:
                target = target[name]
            elif isinstance(target, list) and name.isdecimal() and int(name) < len(target):
                target = target[int(name)]
            else:
                raise self.error(
                    "a schema refers to a definition that isn't there", reference, "add it under $defs"
                )
        return target, (*trail, reference)
