"""The paper's own shape: uninterpreted functions of time, and real quantifiers for the five predicates.

For ablations and figures, and as a second opinion. Nothing is folded and nothing is kept: every verdict
builds its whole query anew, so that its cost is that of the encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import z3

from agentc.dsl import nodes as n
from agentc.logic.bound import future_bound
from agentc.logic.encode import encode
from agentc.logic.future import Answer, Limits, Verdict, callable_tools
from agentc.logic.leaves import resolve
from agentc.logic.reference import Undecided, closed
from agentc.logic.skeleton import connect
from agentc.logic.slots import Slot, tie_texts
from agentc.logic.timeline import Timeline, TimeView
from agentc.logic.values import Interner
from agentc.logic.witness import concrete
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event

__all__ = ["QuantifiedEngine", "QuantifiedQuery"]


@dataclass(frozen=True, slots=True)
class QuantifiedQuery:
    """One question, as assertions; satisfiable iff the answer is yes.

    `size` is how many further calls it allows, None for no limit.
    `open` says that a model may be none: a value in the trace isn't known.
    """

    assertions: tuple[z3.BoolRef, ...]
    slots: tuple[Slot, ...]
    size: int | None
    open: bool


class QuantifiedEngine:
    """Judges a growing trace by quantified queries.

    Parameters
    ----------
    spec : Specification
    timeout_ms : int
        Wall-clock limit of one query; milliseconds. The paper's is two minutes.
    ematching : bool or None
        Whether Z3 may instantiate quantifiers by E-matching, its default. That refutes well, and seldom ends
        where the answer is yes: each witness t' is a new time, and every new time triggers all predicates
        again. Without it (models alone) it is the other way round. None takes turns.

    Notes
    -----
    Times are the integers 0 <= t < N. A closed verdict fixes N to the trace's length n; a prefix verdict
    leaves it free, n <= N <= n + k with k further calls certain to be enough, or no upper limit.
    """

    def __init__(
        self, spec: n.Specification, timeout_ms: int = 120_000, ematching: bool | None = None
    ) -> None:
        self.spec, self.timeout_ms, self.ematching = spec, timeout_ms, ematching
        self.tools = spec.tools if spec.tools is not None else ToolSet()
        self.formula = n.And(tuple(c.formula for c in spec.constraints))
        self.events: list[Event] = []
        self._names = callable_tools(self.formula, spec.tools)

    def push(self, event: Event) -> None:
        """Append a finished event."""
        self.events.append(event)

    def pop(self) -> Event:
        """Take the last event back."""
        return self.events.pop()

    # ------------------------------------------------------------ verdicts

    def closed(self) -> Answer:
        """Judge the trace as it stands, with nothing after it."""
        query = self.query(0)
        verdict, reason, _ = self._ask(query)
        if verdict is not Verdict.SAT or not query.open:
            return Answer(verdict, reason)
        if self._ask(self.query(0, denied=True))[0] is Verdict.UNSAT:
            return Answer(Verdict.SAT)
        return Answer(Verdict.UNKNOWN, "it hangs on a value that nobody read, or that can't be said exactly")

    def prefix(self) -> Answer:
        """Judge whether some finite continuation satisfies the specification."""
        if self._never():
            return Answer(Verdict.UNSAT)
        bound = self._bound()
        answer = Answer(Verdict.UNKNOWN, "no bound is known")
        for size in _sizes(bound):
            answer = self._within(size)
            if answer.verdict is Verdict.SAT:
                return answer
        if answer.verdict is Verdict.UNSAT and bound is None:
            tried = f"no continuation of up to {Limits().uncertified} events was found"
            return Answer(Verdict.UNKNOWN, f"{tried}, and no bound is known")
        return answer

    def refutation(self) -> QuantifiedQuery | None:
        """Return a query whose UNSAT makes the prefix verdict UNSAT, or None if there is none."""
        if self._never():
            return self.query(None)
        bound = self._bound()
        query = None if bound is None else self.query(bound)
        return query if query is not None and self._ask(query)[0] is Verdict.UNSAT else None

    def _never(self) -> bool:
        """Return whether the query without an upper limit is UNSAT."""
        return self._ask(self.query(None), min(self.timeout_ms, _GLANCE_MS))[0] is Verdict.UNSAT

    def _within(self, size: int) -> Answer:
        query = self.query(size)
        verdict, reason, model = self._ask(query)
        if model is None:
            return Answer(verdict, reason)
        happening = [s for s in query.slots if z3.is_true(model.eval(s.active, model_completion=True))]
        witness = concrete(happening, model)
        try:
            if closed(self.formula, [*self.events, *witness], self.spec.tools):
                return Answer(Verdict.SAT, witness=witness)
        except Undecided as undecided:
            return Answer(Verdict.UNKNOWN, undecided.reason)
        return Answer(Verdict.UNKNOWN, "a continuation was found, but it did not hold when replayed")

    def _bound(self) -> int | None:
        """Return how many further calls are enough; every trigger is taken for an open obligation."""
        afters = (a for a in n.walk(self.formula) if isinstance(a, n.After))
        pending: dict[n.Temporal, int] = {a: self._triggers(a.first) for a in afters}
        return future_bound(self.formula, {}, pending, self.spec.tools, self._names) if self._names else 0

    def _triggers(self, pattern: n.Pattern) -> int:
        return sum(pattern.branch(e.tool, self.tools) is not None for e in self.events)

    def _ask(self, query: QuantifiedQuery, timeout_ms: int = 0) -> tuple[Verdict, str, z3.ModelRef | None]:
        limit = timeout_ms or self.timeout_ms
        turns = _TURNS if self.ematching is None else ((self.ematching, 1.0),)
        for ematching, share in turns:
            solver = z3.Solver()
            solver.set("timeout", max(1, int(limit * share)))
            solver.set("ematching", ematching)
            solver.add(query.assertions)
            answer = solver.check()
            if answer == z3.sat:
                return Verdict.SAT, "", solver.model()
            if answer == z3.unsat:
                return Verdict.UNSAT, "", None
        return Verdict.UNKNOWN, f"solver gave up: {solver.reason_unknown()}", None

    # ------------------------------------------------------------ the query

    def query(self, size: int | None, denied: bool = False) -> QuantifiedQuery:
        """Return the question whether the specification holds of the trace with up to `size` further calls.

        Parameters
        ----------
        size : int or None
            0 asks for the closed verdict. None sets no limit, and then says nothing of what further calls may
            be: UNSAT of it is UNSAT of every size.
        denied : bool
            Ask for the specification's negation instead.
        """
        interner = Interner()
        line = Timeline(self.events, self._names, self.tools, interner)
        last = z3.Int("N")
        ended = size == 0
        formula = connect(self.formula, lambda atom: _Predicate(atom, line, last, ended).truth())
        slots = [Slot(f"next{i}", self._names, self.spec.tools, interner) for i in range(size or 0)]
        n_past = len(self.events)
        assertions = [last >= n_past, *([] if size is None else [last <= n_past + size])]
        assertions += [z3.Not(formula) if denied else formula, *line.past(), *line.future(slots, last)]
        for slot in slots:
            assertions += [*slot.links("length"), *slot.links("text"), *slot.facts]
        assertions += tie_texts(slots)
        return QuantifiedQuery(tuple(assertions), tuple(slots), size, line.open)


_TURNS = ((False, 0.1), (True, 0.1), (False, 0.4), (True, 0.4))
"""With or without E-matching, and for which share of the time: what ends at all mostly ends soon."""

_GLANCE_MS = 2_000
"""How long the query without an upper limit may take; milliseconds. It is decided at once or hardly ever."""


def _sizes(bound: int | None) -> Iterator[int]:
    """Yield how many further calls to allow: few first, since most witnesses are short."""
    last = Limits().uncertified if bound is None else bound
    yield from (size for size in (0, 1, 2, 4) if size < last)
    yield last


@dataclass(frozen=True, slots=True)
class _Predicate:
    """One temporal formula over functions of time; `ended` if nothing comes after the trace."""

    node: n.Temporal
    line: Timeline
    last: z3.ArithRef
    ended: bool

    def truth(self) -> z3.BoolRef:
        first = range(len(self.node.first.branches))
        if isinstance(self.node, (n.Forall, n.Before, n.After)):
            return z3.And([self._every(i) for i in first])
        return z3.Or([self._some(i) for i in first])

    def _every(self, i: int) -> z3.BoolRef:
        t = z3.FreshInt("t")
        then = self._where(i, t) if isinstance(self.node, n.Forall) else self._witness(i, t)
        return z3.ForAll([t], z3.Implies(z3.And(self._triggered(i, t)), then))

    def _some(self, i: int) -> z3.BoolRef:
        t = z3.FreshInt("t")
        then = self._where(i, t) if isinstance(self.node, n.Exists) else self._witness(i, t)
        return z3.Exists([t], z3.And(*self._triggered(i, t), then))

    def _triggered(self, i: int, t: z3.ArithRef) -> list[z3.BoolRef]:
        attempts = isinstance(self.node, (n.Before, n.Forall))
        found = [t >= 0, t < self.last, *self._matches(self.node.first, i, t, attempts)]
        if isinstance(self.node, (n.Before, n.After, n.Seq)):
            found.append(self._encode(self.node.when, i, None, t, None))
        return found

    def _where(self, i: int, t: z3.ArithRef) -> z3.BoolRef:
        return self._encode(self.node.where, i, None, t, None)

    def _witness(self, i: int, t: z3.ArithRef) -> z3.BoolRef:
        """Some t' on the right side of t matches the second pattern."""
        node, s = self.node, z3.FreshInt("s")
        assert isinstance(node, (n.Before, n.After, n.Seq))
        within = [s >= 0, s < t] if isinstance(node, n.Before) else [s > t, s < self.last]
        found = []
        for j in range(len(node.second.branches)):
            met = self._encode(node.where, i, j, t, s)
            found.append(z3.Exists([s], z3.And(*within, *self._matches(node.second, j, s, False), met)))
        return z3.Or(found)

    def _matches(self, pattern: n.Pattern, index: int, time: z3.ArithRef, attempts: bool) -> list[z3.BoolRef]:
        branch = pattern.branches[index]
        names = [name for name in self.line.names if pattern.branch(name, self.line.tools) is branch]
        succeeded = [] if attempts or pattern.attempted else [z3.Not(self.line.error(time))]
        return [self.line.is_tool(time, names), *succeeded]

    def _encode(
        self, formula: n.Formula, i: int, j: int | None, t: z3.ArithRef, s: z3.ArithRef | None
    ) -> z3.BoolRef:
        times: dict[n.Role, z3.ArithRef] = {"first": t}
        patterns: dict[n.Role, n.Pattern] = {"first": self.node.first}
        second = None
        if s is not None and j is not None:
            assert isinstance(self.node, (n.Before, n.After, n.Seq))
            times["second"], patterns["second"] = s, self.node.second
            second = self.node.second.branches[j]
        resolved: n.Formula = resolve(formula, self.node.first.branches[i], second)  # type: ignore[assignment]
        return self._exact_where_known(resolved, times, patterns)

    def _exact_where_known(
        self, formula: n.Formula, times: dict[n.Role, z3.ArithRef], patterns: dict[n.Role, n.Pattern]
    ) -> z3.BoolRef:
        """Return the formula's truth; what can't be said exactly of further calls still is of the trace's."""
        past = TimeView(self.line, times, patterns, past=True)
        exact = encode(formula, past)
        self.line.open |= past.open
        if self.ended:
            return exact
        view = TimeView(self.line, times, patterns, past=False)
        loose = encode(formula, view)
        return z3.If(self.line.within_trace(times.values()), exact, loose) if view.open else loose
