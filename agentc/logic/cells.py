"""Unsat cores down to single values: which argument, state or output of which event makes a constraint fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import z3

from agentc.dsl import nodes as n
from agentc.logic.encode import OPEN, ListView, Open, encode
from agentc.logic.fold import AtomFold
from agentc.logic.leaves import Leaf, Undecided, read, resolve
from agentc.logic.slots import PairView
from agentc.logic.values import VAL, Interner, number
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event
from agentc.trace.values import JSON, Missing, freeze

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


def cells(fold: AtomFold, events: Sequence[Event], evidence: tuple[int, ...], tools: ToolSet) -> tuple[Cell, ...]:
    """Return the values that force a temporal formula's settled truth, from Z3's unsat core over them."""
    at = evidence[0]
    bound = _Bound(events, fold.program.interner)
    claim = _CLAIMS[type(fold.node)](fold, events, evidence, tools, bound)
    tool = Cell(at, "tool", events[at].tool, events[at].tool)
    rest = [Cell(t, "tool", events[t].tool, events[t].tool) for t in evidence[1:]]
    return (tool, *rest, *(bound.core(claim) if claim is not None else ()))


class _Bound:
    """Leaves as constants, each tied to its event's value by an assumption of its own."""

    def __init__(self, events: Sequence[Event], interner: Interner) -> None:
        self._events, self._interner = events, interner
        self._ties: dict[str, tuple[Cell, z3.BoolRef]] = {}
        self._consts: dict[tuple[int, Leaf], z3.ExprRef] = {}

    def encode(self, formula: n.Formula, first: n.Branch, second: n.Branch | None, t: int, u: int | None) -> z3.BoolRef:
        view = _BoundView(self, {"first": t, "second": u}, self._events, self._interner)
        return encode(resolve(formula, first, second), view)  # type: ignore[arg-type]

    def const(self, leaf: Leaf, position: int) -> z3.ExprRef:
        key = (position, leaf)
        if key not in self._consts:
            value = read(leaf, self._events[position])
            const = self._consts[key] = z3.FreshConst(VAL, "leaf")
            if not isinstance(value, Undecided):
                tie = z3.FreshBool("tie")
                tied = z3.Implies(tie, const == self._interner.expr(freeze(value)))
                self._ties[tie.decl().name()] = (Cell(position, *_named(leaf), value), tied)
        return self._consts[key]

    def core(self, claim: z3.BoolRef) -> list[Cell]:
        """Return the cells whose values force the claim; all that were read if Z3 can't tell."""
        solver = z3.SimpleSolver()
        solver.set("rlimit", 2_000_000)
        solver.set("core.minimize", True)
        solver.add(z3.Not(claim), *[tied for _, tied in self._ties.values()])
        if solver.check(*[z3.Bool(name) for name in self._ties]) != z3.unsat:
            return [cell for cell, _ in self._ties.values()]
        names = {c.decl().name() for c in solver.unsat_core()}
        return [cell for name, (cell, _) in self._ties.items() if name in names]


class _BoundView(PairView):
    """Values by assumption; texts, lengths and lists straight from the event."""

    def __init__(self, bound: _Bound, at: dict[str, int | None], events: Sequence[Event], interner: Interner) -> None:
        first, second = at["first"], at["second"]
        assert first is not None
        super().__init__(events[first], events[second] if second is not None else None, interner)
        self._bound, self._at, self._events = bound, at, events

    def fixed(self, leaf: Leaf) -> JSON | Missing | Open:
        return OPEN

    def val(self, leaf: Leaf) -> z3.ExprRef:
        position = self._at[leaf.role]
        assert position is not None
        return self._bound.const(leaf, position)

    def text(self, leaf: Leaf) -> z3.SeqRef:
        value = self._value(leaf)
        literal = self.interner.text(value) if isinstance(value, str) else z3.StringVal("")
        return literal if literal is not None else z3.FreshConst(z3.StringSort(), "text")

    def length(self, leaf: Leaf) -> z3.ExprRef:
        value = self._value(leaf)
        sized = isinstance(value, (str, list, tuple, Mapping))
        return VAL.num(number(len(value))) if sized else VAL.missing  # type: ignore[arg-type]

    def elements(self, leaf: Leaf) -> ListView:
        self.val(leaf)
        value = self._value(leaf)
        items = tuple((z3.BoolVal(True), n.Const(v)) for v in value) if isinstance(value, (list, tuple)) else ()
        return ListView(z3.BoolVal(isinstance(value, (list, tuple))), items)

    def _value(self, leaf: Leaf) -> JSON | Missing | Undecided:
        """The event's own value, and a tie on it: what is said of its text or length is said of this value."""
        position = self._at[leaf.role]
        assert position is not None
        self._bound.const(leaf, position)
        return read(leaf, self._events[position])


def _named(leaf: Leaf) -> tuple[str, str]:
    part = {n.Arg: "argument", n.Output: "output", n.State: "state"}[type(leaf)]
    path = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in leaf.path)
    name = getattr(leaf, "name", "") + path
    return part, name.lstrip(".") if part == "output" else name


def _branch(fold: AtomFold, role: n.Role, event: Event, tools: ToolSet) -> n.Branch:
    branch = fold.pattern(role).branch(event.tool, tools)
    assert branch is not None, "evidence is about events the pattern matches"
    return branch


def _alone(fold: AtomFold, events: Sequence[Event], evidence: tuple[int, ...], tools: ToolSet, bound: _Bound) -> z3.BoolRef:
    t = evidence[0]
    holds = bound.encode(fold.when, _branch(fold, "first", events[t], tools), None, t, None)
    return z3.Not(holds) if isinstance(fold.node, n.Forall) else holds


def _seq(fold: AtomFold, events: Sequence[Event], evidence: tuple[int, ...], tools: ToolSet, bound: _Bound) -> z3.BoolRef:
    t, u = evidence
    first, second = _branch(fold, "first", events[t], tools), _branch(fold, "second", events[u], tools)
    node = fold.node
    assert isinstance(node, n.Seq)
    return z3.And(bound.encode(node.when, first, None, t, None), bound.encode(node.where, first, second, t, u))


def _before(fold: AtomFold, events: Sequence[Event], evidence: tuple[int, ...], tools: ToolSet, bound: _Bound) -> z3.BoolRef:
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
