"""How many further events are enough: if the future can satisfy a specification at all, one this short can.

Take a future that satisfies it and throw away every event nothing needs. Some disjunct of the specification's
normal form holds; what it needs is one event for each Exists, each violated Forall, Before and After, two for
each Seq, one for each obligation still open, and then whatever Before and After ask for the events that were
kept. A witness that its trigger isn't compared with serves all triggers (the earliest one for Before, the
latest for After).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from agentc.dsl import nodes as n
from agentc.logic.leaves import leaves, resolve
from agentc.logic.schema import value_count
from agentc.tools.signature import ToolSet

__all__ = ["Literal", "coupled", "disjuncts", "future_bound", "literals"]

Literal = tuple[n.Temporal, bool]
MAX_DISJUNCTS = 64


def disjuncts(formula: n.Formula, positive: bool = True) -> list[frozenset[Literal]] | None:
    """Return the disjunctive normal form as sets of (temporal formula, sign), or None past `MAX_DISJUNCTS`.
    """
    match formula:
        case n.Truth(value):
            return [frozenset()] if value == positive else []
        case n.Not(arg):
            return disjuncts(arg, not positive)
        case n.Implies(left, right):
            return disjuncts(n.Or((n.Not(left), right)), positive)
        case n.And(args) | n.Or(args):
            known = [disjuncts(a, positive) for a in args]
            parts = [p for p in known if p is not None]
            if len(parts) < len(known):
                return None
            both = isinstance(formula, n.And) == positive
            found = _product(parts) if both else [d for p in parts for d in p]
            return None if found is None or len(found) > MAX_DISJUNCTS else found
    return [frozenset({(formula, positive)})]  # type: ignore[arg-type]


def _product(parts: list) -> list[frozenset[Literal]] | None:
    product: list[frozenset[Literal]] = [frozenset()]
    for part in parts:
        product = [a | b for a in product for b in part]
        if len(product) > MAX_DISJUNCTS:
            return None
    return product


def coupled(node: n.Before | n.After) -> bool:
    """Return whether `where` compares the witness with its trigger (so that each trigger may need its own).
    """
    return any(
        leaf.role == "first"
        for b in node.first.branches
        for c in node.second.branches
        for leaf in leaves(resolve(node.where, b, c))
    )


def future_bound(
    formula: n.Formula,
    settled: Mapping[n.Temporal, bool],
    pending: Mapping[n.Temporal, int],
    tools: ToolSet | None,
    names: Sequence[str],
) -> int | None:
    """Return a number of future events that is always enough, or None if none is known.

    Parameters
    ----------
    formula : temporal formula
        The whole specification as one conjunction.
    settled : temporal formula -> bool
        Those whose truth nothing changes any more.
    pending : After -> int
        How many obligations are open, counted apart where the formula can tell them apart.
    tools, names : ToolSet or None, sequence of str
        Which tools a future call may be of.
    """
    found = disjuncts(formula)
    if found is None:  # too many to write out: what all of them need together is enough for each
        live = [frozenset(literals(formula))]
    else:
        live = [d for d in found if all(settled.get(atom, sign) == sign for atom, sign in d)]
    if not live:
        return 0
    bounds = [_Count(d, settled, pending, tools or ToolSet(), names).total() for d in live]
    return None if any(b is None for b in bounds) else max(bounds)  # type: ignore[type-var]


def literals(formula: n.Formula, positive: bool = True) -> Iterator[Literal]:
    """Yield every temporal formula with the sign it stands under."""
    match formula:
        case n.Truth():
            return
        case n.Not(arg):
            yield from literals(arg, not positive)
        case n.Implies(left, right):
            yield from literals(left, not positive)
            yield from literals(right, positive)
        case n.And(args) | n.Or(args):
            for arg in args:
                yield from literals(arg, positive)
        case _:
            yield (formula, positive)  # type: ignore[misc]  # below the connectives stand temporal formulas


@dataclass
class _Count:
    literals: frozenset[Literal]
    settled: Mapping[n.Temporal, bool]
    pending: Mapping[n.Temporal, int]
    tools: ToolSet
    names: Sequence[str]
    _costs: dict[frozenset[str], int | None] = field(default_factory=dict)
    _open: set[frozenset[str]] = field(default_factory=set)
    _shared: dict[n.Temporal, int] = field(default_factory=dict)

    def total(self) -> int | None:
        """Events that are enough; with witnesses shared between equal triggers where the schemas leave few of
        them."""
        found = self._total()
        if found is None:
            self._shared = {a: keys for a, s in self.literals if s and (keys := self._keys(a)) is not None}
            self._costs.clear()
            found = self._total()
        return found

    def _total(self) -> int | None:
        parts = [self._cost(self._tools(p)) for p in self._roots()]
        return None if any(p is None for p in parts) else sum(parts)  # type: ignore[arg-type]

    def _keys(self, atom: n.Temporal) -> int | None:
        """How many triggers `where` can tell apart among the calls the schemas accept, or None without limit.
        """
        if not isinstance(atom, (n.Before, n.After)) or not coupled(atom):
            return None
        total = 0
        for tool in self._tools(atom.first):
            branch = atom.first.branch(tool, self.tools)
            assert branch is not None
            read = {
                leaf for c in atom.second.branches for leaf in leaves(resolve(atom.where, branch, c), "first")
            }
            sizes = [value_count(self.tools, tool, leaf) for leaf in read]
            if any(s is None for s in sizes):
                return None
            total += prod(sizes)  # type: ignore[arg-type]
        return total

    def _roots(self) -> Iterator[n.Pattern]:
        for atom, sign in self.literals:
            if atom in self.settled:
                continue
            match atom, sign:
                case (n.Exists(), True) | (n.Forall(), False) | (n.Before(), False) | (n.After(), False):
                    yield atom.first
                case n.Seq(), True:
                    yield atom.first
                    yield atom.second
        for atom, sign in self.literals:
            if sign and isinstance(atom, (n.Before, n.After)) and not _trivial(atom):
                yield from [atom.second] * self._witnesses(atom)

    def _witnesses(self, atom: n.Before | n.After) -> int:
        """How many witnesses are shared by, or owed to, triggers that are no further events of the future."""
        owed = self.pending.get(atom, 0)
        if atom in self._shared:
            return owed + self._shared[atom]
        return owed if coupled(atom) else 1

    def _tools(self, pattern: n.Pattern) -> frozenset[str]:
        return frozenset(t for t in self.names if pattern.branch(t, self.tools) is not None)

    def _cost(self, tools: frozenset[str]) -> int | None:
        """Events that keeping one event of these tools brings with it, itself included; None if it never
        ends."""
        if not tools:
            return 1
        if tools in self._open:
            return None
        if tools not in self._costs:
            self._open.add(tools)
            self._costs[tools] = self._sum(tools)
            self._open.discard(tools)
        return self._costs[tools]

    def _sum(self, tools: frozenset[str]) -> int | None:
        total = 1
        for atom, sign in self.literals:
            if not sign or not isinstance(atom, (n.Before, n.After)) or not coupled(atom) or _trivial(atom):
                continue
            if atom in self._shared:
                continue
            if self._tools(atom.first) & tools:
                cost = self._cost(self._tools(atom.second))
                if cost is None:
                    return None
                total += cost
        return total


def _trivial(atom: n.Before | n.After) -> bool:
    """A trigger that never fires asks for nothing."""
    return atom.when in (n.Truth(False), n.Not(n.Truth(True)))
