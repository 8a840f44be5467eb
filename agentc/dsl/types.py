"""What terms can be: the kinds and schemas of arguments, outputs, states and everything made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from agentc.dsl import nodes as N
from agentc.tools.accepts import complaint
from agentc.tools.signature import Tool, ToolSet
from agentc.tools.types import KINDS, NUMBERS, AnySchema, Kinds, elements, finite, follow, kinds
from agentc.trace.values import JSON, freeze

__all__ = ["ANYTHING", "NUMBER", "WHOLE", "Type", "constant_type", "describe", "members", "reads"]

_WORDS: Final = {
    "null": "null", "bool": "a boolean", "int": "an integer", "num": "a number", "str": "a string",
    "list": "a list", "dict": "an object",
}  # fmt: skip


@dataclass(frozen=True)
class Type:
    """What a term can be: what one of `schemas` accepts; `optional` if it may have no value at all."""

    schemas: tuple[AnySchema, ...]
    optional: bool = False

    @cached_property
    def kinds(self) -> Kinds:
        return frozenset().union(*(kinds(s) for s in self.schemas))

    @cached_property
    def values(self) -> list[JSON] | None:
        """The values it is limited to, or None."""
        found = [finite(s) for s in self.schemas]
        return None if None in found else [v for values in found for v in values or ()]

    @property
    def elements(self) -> Type:
        """The type of its elements, where it is a list."""
        return Type(tuple(e for s in self.schemas for e in elements(s)))

    def at(self, path: N.Path) -> Type:
        """Return the type of the part at a path; no schemas if there can't be one."""
        found = [follow(s, path) for s in self.schemas]
        optional = self.optional or any(r.optional for r in found)
        return Type(tuple(s for r in found for s in r.schemas), optional)

    def meets(self, other: Type) -> bool:
        """Return whether a value of one kind could be both."""
        return bool(self.kinds & other.kinds)

    def shares(self, other: Type) -> bool:
        """Return whether one value could be both, as far as listed values and constants tell."""
        if self.values is None or other.values is None:
            return self._allows(other.values) and other._allows(self.values)
        return not {freeze(v) for v in self.values}.isdisjoint(freeze(v) for v in other.values)

    def _allows(self, values: list[JSON] | None) -> bool:
        return values is None or any(complaint(s, v) is None for v in values for s in self.schemas)


ANYTHING: Final = Type(({},))
NUMBER: Final = Type(({"type": "number"},))
WHOLE: Final = Type(({"type": "integer", "minimum": 0},))


def constant_type(value: JSON) -> Type:
    """Return the type of one constant."""
    return Type(({"const": value},))


def describe(found: Kinds) -> str:
    """Say a set of kinds in words.

    >>> describe(frozenset({"int", "num"})), describe(frozenset({"str", "null"}))
    ('a number', 'a string or null')
    """
    if found == KINDS:
        return "anything"
    shown = found - {"int"} if found >= NUMBERS else found
    return (
        " or ".join(
            word for kind, word in sorted(_WORDS.items(), key=lambda w: w[0] == "null") if kind in shown
        )
        or "nothing"
    )


def reads(pattern: N.Pattern, tools: ToolSet) -> Iterator[tuple[N.Branch, Tool]]:
    """Yield the declared tools that a pattern matches, each with the branch it is read through."""
    seen: set[str] = set()
    for branch in pattern.branches:
        for name in members(branch, tools):
            if name not in seen:
                seen.add(name)
                yield branch, tools[name]


def members(branch: N.Branch, tools: ToolSet) -> Iterable[str]:
    """Return the names of the declared tools, or of the message, that a branch matches."""
    if branch.is_class:
        return [name for name in tools if tools.belongs(name, branch.name)]
    return [branch.name] if branch.name in tools else []
