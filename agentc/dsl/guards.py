"""Guards: what a formula proves present, so that an optional argument may be compared.

An optional argument `x` is guarded where the comparison matters only if `x` is there:

* ``~absent(x) & ...`` or ``is_string(x) & ...`` (any ``is_...``, on either side of ``&``),
* ``absent(x) | ...`` and ``Implies(~absent(x), ...)``,
* the same in `when`, which guards `where` too,
* a guard of a part guards the whole (``~absent(x.zip)`` speaks for ``x``); a guard of the whole guards the
  parts that it must have.

Only ``absent`` and ``is_...`` are guards: a comparison isn't, though ``x == 1`` is false where `x` is absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from agentc.dsl import nodes as N
from agentc.dsl.types import Type

__all__ = ["NOTHING", "Facts", "Part", "joined", "proven", "speaks_for"]

Part = N.Arg | N.Var | N.Item
"""A term that stands for an argument, or an element of one, or a part of these."""

Facts = Mapping[Part, str]
"""Terms that are known to be present, each with its kind, or "" where only that is known."""

NOTHING: Final[Facts] = MappingProxyType({})
_TYPES: Final = {"dict": "object", "list": "array"}


def proven(formula: N.Formula, value: bool) -> Facts:
    """Return what is present whenever `formula` has the truth `value`."""
    match formula:
        case N.Is(N.Arg() | N.Var() | N.Item() as term, sort):
            return ({} if value else {term: ""}) if sort == "missing" else ({term: sort} if value else {})
        case N.Not(arg):
            return proven(arg, not value)
        case N.And(args):
            return (joined if value else _common)(proven(a, value) for a in args)
        case N.Or(args):
            return (_common if value else joined)(proven(a, value) for a in args)
        case N.Implies(left, right):
            return (_common if value else joined)((proven(left, not value), proven(right, value)))
    return NOTHING


def joined(facts: Iterable[Facts]) -> Facts:
    """Return all that any of `facts` says."""
    found: dict[Part, str] = {}
    for some in facts:
        found |= some
    return found


def _common(facts: Iterable[Facts]) -> Facts:
    """Return what all of `facts` say."""
    first, *rest = list(facts) or [NOTHING]
    shared = [term for term in first if all(term in other for other in rest)]
    return {t: first[t] if all(other[t] == first[t] for other in rest) else "" for t in shared}


def speaks_for(fact: Part, kind: str, term: Part, whole: Type) -> bool:
    """Return whether the presence of `fact`, a value of `kind`, proves `term` present.

    `whole` is the type of the argument or element that both are parts of.
    """
    if _base(fact) != _base(term):
        return False
    if fact.path[: len(term.path)] == term.path:
        return True
    if term.path[: len(fact.path)] != fact.path:
        return False
    known = Type(whole.at(fact.path).schemas)
    narrowed = (
        [{"allOf": [s, {"type": _TYPES[kind]}]} for s in known.schemas] if kind in _TYPES else known.schemas
    )
    return not Type(tuple(narrowed)).at(term.path[len(fact.path) :]).optional


def _base(term: Part) -> tuple[type, str, str]:
    return type(term), getattr(term, "role", ""), term.name
