"""First-order linear temporal logic over finite traces, and the language's translation into it.

A position of the trace is one event. ``x, s, y`` are the data of a first event, ``x', s', y'`` of a second
one; quantifiers range over the data of events. Nothing here needs Next: where one event could be its own
witness the strict operator is used, or the witness excluded.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentc.dsl import nodes as N
from agentc.errors import SpecificationError

__all__ = [
    "LTL", "Conjunction", "Constant", "Disjunction", "Every", "Finally", "Globally", "Holds", "Implication",
    "Negation", "Now", "Some", "WeakUntil", "to_ltl",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Constant:
    value: bool


@dataclass(frozen=True, slots=True)
class Negation:
    arg: LTL


@dataclass(frozen=True, slots=True)
class Conjunction:
    args: tuple[LTL, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    args: tuple[LTL, ...]


@dataclass(frozen=True, slots=True)
class Implication:
    left: LTL
    right: LTL


@dataclass(frozen=True, slots=True)
class Now:
    """The present event matches the pattern and has the data of `role`; failed ones too if `attempts`."""

    role: N.Role
    pattern: N.Pattern
    attempts: bool


@dataclass(frozen=True, slots=True)
class Holds:
    """A data formula over the quantified data; rigid, the same at every position.

    `patterns` are what the first and the second event are read through.
    """

    formula: N.Formula
    patterns: tuple[N.Pattern, ...]


@dataclass(frozen=True, slots=True)
class Every:
    """For all data of an event, named `role`."""

    role: N.Role
    body: LTL


@dataclass(frozen=True, slots=True)
class Some:
    """For some data of an event, named `role`."""

    role: N.Role
    body: LTL


@dataclass(frozen=True, slots=True)
class Globally:
    """Now and at every later position."""

    body: LTL


@dataclass(frozen=True, slots=True)
class Finally:
    """Now or at some later position; strictly later if `strict`."""

    body: LTL
    strict: bool = False


@dataclass(frozen=True, slots=True)
class WeakUntil:
    """`left` at every position before the first one of `right`, or for ever."""

    left: LTL
    right: LTL


LTL = (
    Constant
    | Negation
    | Conjunction
    | Disjunction
    | Implication
    | Now
    | Holds
    | Every
    | Some
    | Globally
    | Finally
    | WeakUntil
)


def to_ltl(formula: N.Formula) -> LTL:
    """Translate a temporal formula; true at the first position of a closed trace iff the trace satisfies it.

    Raises
    ------
    SpecificationError
        If a data formula stands outside of any predicate.

    Notes
    -----
    ``Before(P, f, P', g)`` is "no P with f until a P' with g": weak until, where the event that ends it is no
    P with f itself. An empty trace satisfies Globally and WeakUntil, and no Finally.

    >>> from agentc.dsl.parse import parse_formula
    >>> to_ltl(parse_formula("~Forall(rm, False)"))
    Negation(arg=Every(role='first', body=Globally(body=Negation(arg=Now(role='first', pattern=...
    """
    match formula:
        case N.Truth(value):
            return Constant(value)
        case N.Not(arg):
            return Negation(to_ltl(arg))
        case N.And(args):
            return Conjunction(tuple(map(to_ltl, args)))
        case N.Or(args):
            return Disjunction(tuple(map(to_ltl, args)))
        case N.Implies(left, right):
            return Implication(to_ltl(left), to_ltl(right))
    return _predicate(formula)


def _predicate(formula: N.Formula) -> LTL:
    match formula:
        case N.Before(first, when, second, where):
            trigger, witness = _event("first", first, True, when), _witness(first, second, where)
            apart = _conjunction(Negation(trigger), witness) if _may_coincide(first, second) else witness
            return Every("first", WeakUntil(Negation(trigger), apart))
        case N.After(first, when, second, where):
            later = Finally(_witness(first, second, where), _may_coincide(first, second))
            return Every("first", Globally(Implication(_event("first", first, False, when), later)))
        case N.Seq(first, when, second, where):
            later = Finally(_witness(first, second, where), _may_coincide(first, second))
            return Some("first", Finally(_conjunction(_event("first", first, False, when), later)))
        case N.Forall(first, where):
            now = Now("first", first, True)
            body = Negation(now) if where == N.Truth(False) else Implication(now, Holds(where, (first,)))
            return Every("first", Globally(body))
        case N.Exists(first, where):
            return Some("first", Finally(_event("first", first, False, where)))
    raise SpecificationError("a data formula stands outside any predicate", found=type(formula).__name__)


def _event(role: N.Role, pattern: N.Pattern, attempts: bool, condition: N.Formula) -> LTL:
    return _conjunction(Now(role, pattern, attempts or pattern.attempted), _holds(condition, (pattern,)))


def _witness(first: N.Pattern, second: N.Pattern, where: N.Formula) -> LTL:
    now = Now("second", second, second.attempted)
    return Some("second", _conjunction(now, _holds(where, (first, second))))


def _holds(condition: N.Formula, patterns: tuple[N.Pattern, ...]) -> LTL:
    return Constant(condition.value) if isinstance(condition, N.Truth) else Holds(condition, patterns)


def _conjunction(*parts: LTL) -> LTL:
    kept = [p for p in parts if p != Constant(True)]
    flat = [a for p in kept for a in (p.args if isinstance(p, Conjunction) else (p,))]
    return flat[0] if len(flat) == 1 else Conjunction(tuple(flat))


def _may_coincide(first: N.Pattern, second: N.Pattern) -> bool:
    """Return whether one event could match both patterns; classes may hold any tool."""
    one, two = ({b.name for b in p.branches} for p in (first, second))
    return not one.isdisjoint(two) or any(n.startswith("@") for n in one | two)
