"""Which constraints and which tools a look at the future has to mind, and when obligations can be met one by
one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentc.dsl import nodes as n
from agentc.logic.bound import Literal, literals
from agentc.tools.signature import ToolSet

__all__ = ["Focus", "alone", "focus"]


@dataclass(frozen=True, slots=True)
class Focus:
    """Constraints (by position) that a continuation could touch, and the tools such a continuation may call.
    """

    constraints: tuple[int, ...]
    names: tuple[str, ...]


def focus(formulas: Sequence[n.Formula], live: Iterable[int], names: Sequence[str], tools: ToolSet) -> Focus:
    """Close the live constraints under "its witness triggers that constraint".

    A future needs only events that a live constraint asks for, and what those ask for in turn; a constraint
    that none of these can touch stays as it is.
    """
    reach = _Reach(names, tools)
    chosen: dict[int, None] = {}
    for j in live:
        chosen[j] = None
        reach.add(p for p in n.walk(formulas[j]) if isinstance(p, n.Pattern))
    grown = True
    while grown:
        grown = False
        for j, formula in enumerate(formulas):
            if j not in chosen and any(reach.touches(lit) for lit in literals(formula)):
                chosen[j], grown = None, True
                reach.add(p for lit in literals(formula) for p in _asked_for(lit, formula))
    return Focus(tuple(sorted(chosen)), tuple(t for t in names if t in reach.tools))


class _Reach:
    def __init__(self, names: Sequence[str], tools: ToolSet) -> None:
        self._names, self._tools = names, tools
        self.tools: set[str] = set()

    def add(self, patterns: Iterable[n.Pattern]) -> None:
        for pattern in patterns:
            self.tools |= self._matched(pattern)

    def _matched(self, pattern: n.Pattern) -> set[str]:
        return {t for t in self._names if pattern.branch(t, self._tools) is not None}

    def touches(self, literal: Literal) -> bool:
        atom, sign = literal
        patterns = (
            [atom.first] if sign and isinstance(atom, (n.Before, n.After, n.Forall)) else _patterns(atom)
        )
        return any(self._matched(p) & self.tools for p in patterns)


def _patterns(atom: n.Temporal) -> list[n.Pattern]:
    return [atom.first] if isinstance(atom, (n.Forall, n.Exists)) else [atom.first, atom.second]


def _asked_for(literal: Literal, formula: n.Formula) -> list[n.Pattern]:
    """Patterns of the events that a touched constraint may ask for."""
    atom, sign = literal
    simple = formula == atom or formula == n.Not(atom)
    if simple and sign and isinstance(atom, (n.Before, n.After)):
        return [atom.second]
    if simple and (atom_needs_nothing(atom, sign)):
        return []
    return _patterns(atom)


def atom_needs_nothing(atom: n.Temporal, sign: bool) -> bool:
    """Return whether no further event can be needed for a literal: it only forbids."""
    return (sign and isinstance(atom, n.Forall)) or (not sign and isinstance(atom, (n.Exists, n.Seq)))


def alone(formula: n.Formula) -> list[Literal] | None:
    """Return the literals of a conjunction whose obligations can be met one by one, or None if they can't.

    Continuations that each meet one obligation can be put one after the other exactly if nothing forbids the
    meeting of two events: no negated Seq, Before or After.
    """
    found = _conjunction(formula, True)
    if found is None:
        return None
    bad = any(not sign and isinstance(atom, (n.Seq, n.Before, n.After)) for atom, sign in found)
    return None if bad else found


def _conjunction(formula: n.Formula, positive: bool) -> list[Literal] | None:
    match formula:
        case n.Truth(value):
            return [] if value == positive else None
        case n.Not(arg):
            return _conjunction(arg, not positive)
        case n.Implies(left, right):
            return None if positive else _conjunction(n.And((left, n.Not(right))), True)
        case n.And(args) | n.Or(args):
            if isinstance(formula, n.And) != positive:
                return None
            parts = [_conjunction(a, positive) for a in args]
            found = [p for p in parts if p is not None]
            return [lit for p in found for lit in p] if len(found) == len(parts) else None
    return [(formula, positive)]  # type: ignore[list-item]
