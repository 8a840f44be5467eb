"""The prefix verdict: what the fold leaves open is put to the future, one obligation at a time where that is
enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from agentc.dsl import nodes as n
from agentc.logic.bound import Literal, literals
from agentc.logic.focus import alone, focus
from agentc.logic.fold import AtomFold
from agentc.logic.future import Answer, Limits, Question, Verdict, callable_tools, search
from agentc.logic.leaves import Undecided
from agentc.logic.slots import Partial
from agentc.logic.store import Entry
from agentc.logic.values import Interner
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event

__all__ = ["Futures"]

Goal = tuple[object, ...]
"""Names one thing still owed: an After's obligation, or an Exists, Seq or negated Forall that has yet to come
true."""


@dataclass
class Futures:
    """Asks about continuations of a trace, and remembers the ones found.

    A continuation found for one goal stays good while the trace only grows (in the class where goals are met
    one by one, a longer past can only help); `forget` drops those found on events that were popped. `replay`
    asks the reference evaluator about a continuation, `supposing` puts a question to the folds as if it had
    happened.
    """

    folds: Mapping[n.Temporal, AtomFold]
    tools: ToolSet | None
    interner: Interner
    limits: Limits
    replay: Callable[[n.Formula, Sequence[Event], Partial | None], bool]
    supposing: Callable[[Sequence[Event], Callable[[], bool]], bool]
    _met: dict[Goal, tuple[int, tuple[Event, ...]]] = field(default_factory=dict)

    def forget(self, length: int) -> None:
        """Drop what was found on traces longer than `length` events."""
        if self._met:
            self._met = {g: m for g, m in self._met.items() if m[0] <= length}

    def ask(
        self,
        asked: tuple[int, ...],
        formulas: Sequence[n.Formula],
        live: Sequence[int],
        known: Partial | None,
        length: int,
    ) -> Answer:
        """Is there a continuation that makes all `formulas` true?

        Parameters
        ----------
        asked : tuple of int
            Names the set of formulas: a goal met for one set is not met for another that may forbid it.
        live : sequence of int
            Positions of the formulas that are not true now, or that `known` touches.
        """
        whole = n.And(tuple(formulas))
        tools = self.tools if self.tools is not None else ToolSet()
        near = focus(formulas, live, callable_tools(whole, self.tools), tools)
        formula = n.And(tuple(formulas[j] for j in near.constraints))
        together = alone(formula) if known is None else None
        if together is None:
            answer = self._search(
                formula, near.names, known, {}, lambda events: self.replay(whole, events, known)
            )
        else:
            answer = self._one_by_one(asked, together, near.names, length, whole)
        return replace(answer, core=near.constraints) if answer.verdict is Verdict.UNSAT else answer

    def _search(
        self,
        formula: n.Formula,
        names: Sequence[str],
        known: Partial | None,
        only: Mapping[n.Temporal, Sequence[Entry]],
        confirm: Callable[[Sequence[Event]], bool],
    ) -> Answer:
        limits = self.limits if known is None or known.complete else self.limits.for_partial()
        return search(
            Question(formula, self.folds, self.tools, self.interner, limits, confirm, names, known, only)
        )

    def _one_by_one(
        self,
        asked: tuple[int, ...],
        wanted: Sequence[Literal],
        names: Sequence[str],
        length: int,
        whole: n.Formula,
    ) -> Answer:
        found: dict[Goal, tuple[Event, ...]] = {}
        parts: list[tuple[Event, ...]] = []
        for goal, formula, only in self._goals(wanted):
            name = (asked, *goal)
            if name not in self._met and name not in found:
                doubts: list[Undecided] = []
                answer = self._search(formula, names, None, only, partial(self._meets, wanted, goal, doubts))
                if answer.verdict is not Verdict.SAT:
                    return replace(answer, reason=doubts[0].reason) if answer.reason and doubts else answer
                found[name] = answer.witness
            parts.append(found[name] if name in found else self._met[name][1])
        events = tuple(e for part in parts for e in part)
        doubt = self._doubt(whole)
        replayed = doubt is not None or (found and length <= self.limits.replayed)
        if replayed and not self.replay(whole, events, None):
            apart = "the continuations of the single obligations did not hold together when replayed"
            return Answer(Verdict.UNKNOWN, apart if doubt is None else doubt.reason)
        self._met.update({name: (length, part) for name, part in found.items()})
        return Answer(Verdict.SAT, witness=events)

    def _doubt(self, whole: n.Formula) -> Undecided | None:
        """Return why a formula's truth can't be told, if there is one whose truth nothing has settled."""
        folds = (self.folds[atom] for atom, _ in literals(whole))
        return next((f.unknown for f in folds if f.settled is None and f.unknown is not None), None)

    def _meets(
        self, wanted: Sequence[Literal], goal: Goal, doubts: list[Undecided], events: Sequence[Event]
    ) -> bool:
        """Return whether a continuation surely meets a goal, and leaves nothing worse than it was.

        What it makes doubtful is added to `doubts`.
        """
        afters: list[n.Temporal] = [a for a, _ in wanted if isinstance(a, n.After)]
        owed = {a: set(self._entries(a)) for a in afters}
        sure = [atom for atom, _ in wanted if self.folds[atom].unknown is None]

        def met() -> bool:
            made = [why for atom in sure if (why := self.folds[atom].unknown) is not None]
            doubts.extend(made)
            return not made and all(self._well(literal, goal, owed) for literal in wanted)

        return self.supposing(events, met)

    def _well(self, literal: Literal, goal: Goal, owed: Mapping[n.Temporal, set[tuple[Any, ...]]]) -> bool:
        atom, sign = literal
        if isinstance(atom, n.After):
            done = {goal[1:]} if goal[0] == atom else set()
            return set(self._entries(atom)) <= owed[atom] - done
        settled = self.folds[atom].settled
        if _is_root(literal):
            return goal != (atom, sign) or settled is sign
        return settled is None or settled is sign

    def _entries(self, atom: n.Temporal) -> Mapping[tuple, Entry]:
        store = self.folds[atom].store
        assert store is not None
        return store.entries

    def _goals(
        self, wanted: Sequence[Literal]
    ) -> list[tuple[Goal, n.Formula, Mapping[n.Temporal, Sequence[Entry]]]]:
        """Return each goal with the formula for it: what is always asked, and this one thing owed."""
        afters = [a for a, sign in wanted if isinstance(a, n.After)]
        nothing: dict[n.Temporal, Sequence[Entry]] = {a: [] for a in afters}
        roots = [lit for lit in wanted if _is_root(lit)]
        always = tuple(_written(lit) for lit in wanted if lit not in roots)
        goals: list[tuple[Goal, n.Formula, Mapping[n.Temporal, Sequence[Entry]]]] = []
        for atom, sign in roots:
            if self.folds[atom].settled is not sign:
                goals.append(((atom, sign), n.And((*always, _written((atom, sign)))), nothing))
        for atom in afters:
            for entry in self._entries(atom).values():
                goals.append(((atom, entry.branch, entry.identity), n.And(always), nothing | {atom: [entry]}))
        return goals


def _is_root(literal: Literal) -> bool:
    atom, sign = literal
    return isinstance(atom, (n.Exists, n.Seq)) if sign else isinstance(atom, n.Forall)


def _written(literal: Literal) -> n.Formula:
    atom, sign = literal
    return atom if sign else n.Not(atom)
