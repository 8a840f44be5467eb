"""Unsat cores down to single values: which argument, state or output of which event makes a constraint fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import z3

from agentc.dsl import nodes as n
from agentc.logic.fold import AtomFold
from agentc.logic.instances import Test
from agentc.logic.leaves import Leaf, Undecided, leaves, read, resolve
from agentc.logic.skeleton import connect
from agentc.logic.values import Interner
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event
from agentc.trace.values import JSON, Missing

__all__ = ["Cell", "cells"]

MAX_NEAR_MISSES = 20
"""How many earlier events that might have been the witness, and weren't, an explanation looks at."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value that a verdict hangs on.

    Parameters
    ----------
    event : int
        0-based position in the trace.
    part : {"tool", "argument", "state", "output"}
    name : str
        The argument or projection, with the path into it; the tool's name for part "tool".
    value : JSON or MISSING
    """

    event: int
    part: str
    name: str
    value: JSON | Missing


def cells(
    fold: AtomFold, events: Sequence[Event], evidence: tuple[int, ...], tools: ToolSet
) -> tuple[Cell, ...]:
    """Return the values that force a temporal formula's settled truth, from Z3's unsat core over them."""
    at = evidence[0]
    bound = _Bound(events, fold.program.interner)
    claim = _CLAIMS[type(fold.node)](fold, events, evidence, tools, bound)
    tool = Cell(at, "tool", events[at].tool, events[at].tool)
    rest = [Cell(t, "tool", events[t].tool, events[t].tool) for t in evidence[1:]]
    return (tool, *rest, *(bound.core(claim) if claim is not None else ()))


class _Bound:
    """Comparisons as booleans, each fixed by the values it reads, and each value by an assumption of its own.

    Z3 evaluates every comparison on the events; what is left is Boolean, so that a core costs no string
    solving.
    """

    def __init__(self, events: Sequence[Event], interner: Interner) -> None:
        self._events, self._interner = events, interner
        self._ties: dict[tuple[int, Leaf], tuple[Cell, z3.BoolRef]] = {}
        self._tests: dict[tuple[n.Formula, n.Branch, n.Branch | None], Test] = {}
        self._facts: list[z3.BoolRef] = []

    def encode(
        self, formula: n.Formula, first: n.Branch, second: n.Branch | None, t: int, u: int | None
    ) -> z3.BoolRef:
        return connect(
            resolve(formula, first, second),  # type: ignore[arg-type]
            lambda atom: self._comparison(atom, first, second, t, u),
        )

    def _comparison(
        self, atom: n.Formula, first: n.Branch, second: n.Branch | None, t: int, u: int | None
    ) -> z3.BoolRef:
        test = self._tests.get((atom, first, second))
        if test is None:
            test = self._tests[atom, first, second] = Test(atom, first, second, self._interner)
        truth = test.holds(self._events[t], None if u is None else self._events[u])
        holds = z3.FreshBool("comparison")
        if not isinstance(truth, Undecided):
            positions = {"first": t, "second": u}
            found = [self._tie(leaf, positions[leaf.role]) for leaf in leaves(atom)]  # type: ignore[arg-type]
            self._facts.append(z3.Implies(z3.And([t for t in found if t is not None]), holds == truth))
        return holds

    def _tie(self, leaf: Leaf, position: int) -> z3.BoolRef | None:
        """Return the assumption that fixes a value; None where nobody has it: it made no difference."""
        key = (position, leaf)
        if key not in self._ties:
            value = read(leaf, self._events[position])
            if isinstance(value, Undecided):
                return None
            self._ties[key] = (Cell(position, *_named(leaf), value), z3.FreshBool("tie"))
        return self._ties[key][1]

    def core(self, claim: z3.BoolRef) -> list[Cell]:
        """Return the cells whose values force the claim; all that were read if Z3 can't tell."""
        solver = z3.SimpleSolver()
        solver.set("rlimit", 2_000_000)
        solver.set("core.minimize", True)
        solver.add(z3.Not(claim), *self._facts)
        if solver.check(*[tie for _, tie in self._ties.values()]) != z3.unsat:
            return [cell for cell, _ in self._ties.values()]
        forced = {c.get_id() for c in solver.unsat_core()}
        return [cell for cell, tie in self._ties.values() if tie.get_id() in forced]


def _named(leaf: Leaf) -> tuple[str, str]:
    part = {n.Arg: "argument", n.Output: "output", n.State: "state"}[type(leaf)]
    path = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in leaf.path)
    name = getattr(leaf, "name", "") + path
    return part, name.lstrip(".") if part == "output" else name


def _branch(fold: AtomFold, role: n.Role, event: Event, tools: ToolSet) -> n.Branch:
    branch = fold.pattern(role).branch(event.tool, tools)
    assert branch is not None, "evidence is about events the pattern matches"
    return branch


def _alone(
    fold: AtomFold, events: Sequence[Event], evidence: tuple[int, ...], tools: ToolSet, bound: _Bound
) -> z3.BoolRef:
    t = evidence[0]
    holds = bound.encode(fold.when, _branch(fold, "first", events[t], tools), None, t, None)
    return z3.Not(holds) if isinstance(fold.node, n.Forall) else holds


def _seq(
    fold: AtomFold, events: Sequence[Event], evidence: tuple[int, ...], tools: ToolSet, bound: _Bound
) -> z3.BoolRef:
    t, u = evidence
    first, second = _branch(fold, "first", events[t], tools), _branch(fold, "second", events[u], tools)
    node = fold.node
    assert isinstance(node, n.Seq)
    return z3.And(
        bound.encode(node.when, first, None, t, None), bound.encode(node.where, first, second, t, u)
    )


def _before(
    fold: AtomFold, events: Sequence[Event], evidence: tuple[int, ...], tools: ToolSet, bound: _Bound
) -> z3.BoolRef:
    t = evidence[0]
    node = fold.node
    assert isinstance(node, n.Before)
    first = _branch(fold, "first", events[t], tools)
    parts = [bound.encode(node.when, first, None, t, None)]
    for u in _near_misses(fold, events, t, tools):
        second = _branch(fold, "second", events[u], tools)
        parts.append(z3.Not(bound.encode(node.where, first, second, t, u)))
    return z3.And(parts)


def _near_misses(fold: AtomFold, events: Sequence[Event], t: int, tools: ToolSet) -> list[int]:
    def found() -> Iterator[int]:
        for u in range(t - 1, -1, -1):
            match = fold.match("second", events[u], tools)
            if match is not None and match.counts:
                yield u

    return [u for u, _ in zip(found(), range(MAX_NEAR_MISSES), strict=False)]


_CLAIMS = {n.Forall: _alone, n.Exists: _alone, n.Before: _before, n.Seq: _seq}
