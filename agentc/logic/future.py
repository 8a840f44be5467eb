"""The bounded look at the future: is there a continuation that satisfies the constraints, and when is there
none?

SAT comes with a concrete continuation that was replayed (see `Engine._replay`); UNSAT only from a search as
long as the certified bound; everything else is UNKNOWN, with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import z3

from agentc.dsl import nodes as n
from agentc.logic.bound import future_bound, literals
from agentc.logic.candidates import Candidates
from agentc.logic.fold import AtomFold
from agentc.logic.limits import Limits, Verdict
from agentc.logic.query import Query
from agentc.logic.schema import accepted
from agentc.logic.skeleton import connect
from agentc.logic.slots import Partial, Slot
from agentc.logic.store import Entry
from agentc.logic.values import Interner
from agentc.logic.witness import concrete
from agentc.tools.signature import ToolSet
from agentc.trace.event import MESSAGES, Event

__all__ = ["Answer", "Limits", "Question", "Verdict", "callable_tools", "happening", "possible", "search"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict with its evidence.

    Parameters
    ----------
    verdict : Verdict
    reason : str
        Why it is UNKNOWN; empty otherwise.
    witness : tuple of Event
        For SAT: the call as completed (if one was being checked) and a continuation that satisfies
        everything.
    core : tuple of int
        For UNSAT: constraints that can't hold together.
    """

    verdict: Verdict
    reason: str = ""
    witness: tuple[Event, ...] = ()
    core: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self.verdict is Verdict.SAT


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about the future.

    `formula` is the conjunction that must come true, by calls of the tools `names`; `only` narrows an After's
    obligations to some of them.
    """

    formula: n.Formula
    folds: Mapping[n.Temporal, AtomFold]
    tools: ToolSet | None
    interner: Interner
    limits: Limits
    replay: Callable[[Sequence[Event]], bool]
    names: Sequence[str]
    known: Partial | None = None
    only: Mapping[n.Temporal, Sequence[Entry]] = field(default_factory=dict)


_RECENT = 8
"""Stored events a first attempt looks at: a model found with these few is confirmed like any other."""


def callable_tools(formula: n.Formula, tools: ToolSet | None) -> list[str]:
    """Return the tools a future call may be of that some pattern could match."""
    patterns = [p for p in n.walk(formula) if isinstance(p, n.Pattern)]
    named = {b.name for p in patterns for b in p.branches if not b.is_class}
    if tools is not None:
        known = [t for t in tools if any(p.branch(t, tools) for p in patterns)]
        return known + sorted(named & MESSAGES)
    classes = any(b.is_class for p in patterns for b in p.branches)
    return sorted(named) + ([_nobody(named)] if classes else [])


def _nobody(named: set[str]) -> str:
    """A tool name that no pattern mentions: it stands for every undeclared tool."""
    return next(name for i in range(len(named) + 1) if (name := f"other_tool{i or ''}") not in named)


def search(question: Question) -> Answer:
    """Look for a continuation, longer and longer, up to the certified bound."""
    names = question.names
    bound = _bound(question, names)
    doubt = ""
    for size in _sizes(bound, question, names):
        answer = _ask(question, names, size)
        if answer.verdict is Verdict.SAT or answer.reason.startswith("the solver gave up"):
            return answer
        doubt = answer.reason or doubt
        if answer.verdict is Verdict.UNSAT and bound is not None and size >= bound:
            return answer
    return Answer(Verdict.UNKNOWN, doubt or _gave_up(bound, question.limits))


def possible(question: Question, accept: Callable[[Event], Answer]) -> Answer:
    """Judge the call being written by what it settles itself, and by its likeliest completions.

    Parameters
    ----------
    accept : Callable
        Judges a concrete completion.

    Returns
    -------
    Answer
        UNSAT needs no bound on the future here; SAT is `accept`'s; UNKNOWN where neither was reached, with
        the reason of a completion that `accept` didn't decide.
    """
    doubt = ""
    for recent in (_RECENT, None):
        slots = _now(question)
        query = _query(question, slots, recent)
        formula = connect(question.formula, lambda atom, q=query: q.possible(question.folds[atom]))  # type: ignore[misc]
        candidates = Candidates(query, formula, question.limits, failures=False)
        for model in candidates:
            event = happening(slots, model, candidates.spelt)[0]
            if not _accepted(question, (event,)):
                continue
            answer = accept(event)
            if answer.verdict is Verdict.SAT:
                return answer
            doubt = doubt or answer.reason
        if not query.cut:
            break
    return Answer(candidates.verdict, "" if candidates.verdict is Verdict.UNSAT else doubt)


def _query(question: Question, slots: Sequence[Slot], recent: int | None) -> Query:
    return Query(slots, question.tools or ToolSet(), question.interner, dict(question.only), recent)


def _now(question: Question) -> list[Slot]:
    known = question.known
    return [Slot("now", [known.tool], question.tools, question.interner, known)] if known else []


def _gave_up(bound: int | None, limits: Limits) -> str:
    if bound is None:
        tried = f"no continuation of up to {limits.uncertified} events was found"
        return f"{tried}, and no bound is known that would settle it"
    return f"up to {bound} further events may be needed, more than the {limits.longest} that are searched"


def _sizes(bound: int | None, question: Question, names: Sequence[str]) -> Iterator[int]:
    start = 0 if question.known else 1
    if not names or bound == 0:
        yield 0
        return
    last = question.limits.uncertified if bound is None else bound
    if bound is not None and bound > question.limits.longest:
        last = question.limits.uncertified
    size = start
    while size < last:
        yield size
        size += 1 if size < 4 else size // 2
    yield last


def _bound(question: Question, names: Sequence[str]) -> int | None:
    if not names:
        return 0
    settled = {a: f.settled for a, f in question.folds.items() if f.settled is not None}
    pending: dict[n.Temporal, int] = {
        a: len(_owed(question, a, f)) + (question.known is not None)
        for a, f in question.folds.items()
        if isinstance(a, n.After)
    }
    return future_bound(question.formula, settled, pending, question.tools, names)


def _owed(question: Question, atom: n.Temporal, fold: AtomFold) -> Sequence[Entry]:
    assert fold.store is not None
    return question.only[atom] if atom in question.only else list(fold.store.entries.values())


def _ask(question: Question, names: Sequence[str], size: int) -> Answer:
    for recent in (_RECENT, None):
        slots = _now(question)
        slots += [Slot(f"next{i}", names, question.tools, question.interner) for i in range(size)]
        query = _query(question, slots, recent)
        formula = connect(question.formula, lambda atom, q=query: q.truth(question.folds[atom]))  # type: ignore[misc]
        candidates = Candidates(query, formula, question.limits, _failure_helps(question.formula))
        for model in candidates:
            events = happening(slots, model, candidates.spelt)
            if _accepted(question, events) and question.replay(events):
                return Answer(Verdict.SAT, witness=events)
        if not query.cut:
            break
    return Answer(candidates.verdict, "" if candidates.verdict is Verdict.UNSAT else candidates.reason)


def happening(slots: Sequence[Slot], model: z3.ModelRef, spelt: bool) -> tuple[Event, ...]:
    """Return the events that a model makes of its active slots."""
    active = [s for s in slots if z3.is_true(model.eval(s.active, model_completion=True))]
    return concrete(active, model, spelt)


def _accepted(question: Question, events: Sequence[Event]) -> bool:
    """Return whether the tools accept what a model made up: all but the arguments of a complete call."""
    given = question.known is not None and question.known.complete
    return all(accepted(question.tools, e, i > 0 or not given) for i, e in enumerate(events))


def _failure_helps(formula: n.Formula) -> bool:
    """Return whether a failed call could do what a successful one can't.

    A failed call matches only triggers of Before and Forall, and patterns marked `attempted`; without one of
    these under a sign that wants it, leaving the failed call out is as good.
    """
    if any(isinstance(p, n.Pattern) and p.attempted for p in n.walk(formula)):
        return True
    return any(isinstance(a, (n.Before, n.Forall)) and not sign for a, sign in literals(formula))
