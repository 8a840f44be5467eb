"""The reference evaluator: the table of the language's meaning, read off directly over closed ground traces.

It shares no code with the engines, so that it can measure them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from agentc.dsl import nodes as N
from agentc.errors import AgentcError, BudgetError, SpecificationError
from agentc.logic.ground import Kleene, Scope, Seen, Unknown, all_of, any_of, connective, holds, negate
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event

__all__ = ["Undecided", "closed", "closed_spec", "conforms", "evaluate"]


class Undecided(AgentcError):
    """A verdict that hangs on a state value nobody read, or whose projection raised; `reason` says which."""

    def __init__(self, reason: str, *, where: str = "") -> None:
        hint = "read the projection when the event is recorded"
        what = "the verdict depends on a state value that is not known"
        super().__init__(what, where=where, found=reason, hint=hint)
        self.reason = reason


# ---------------------------------------------------------------- time

_Then = Callable[[int, Seen], Kleene]


@dataclass(frozen=True, slots=True)
class _Closed:
    """A closed trace and the tools that decide what a class matches."""

    events: Sequence[Event]
    tools: ToolSet

    def seen(self, pattern: N.Pattern, attempts: bool, times: range) -> Iterator[tuple[int, Seen]]:
        """Yield the times that match; failed calls only if `attempts` is set or the pattern says so."""
        for t in times:
            event = self.events[t]
            branch = pattern.branch(event.tool, self.tools)
            if branch is not None and (attempts or pattern.attempted or not event.error):
                yield t, Seen(event, branch)

    def judge(self, formula: N.Formula) -> Kleene:
        if isinstance(formula, (N.Truth, N.Not, N.And, N.Or, N.Implies)):
            return connective(formula, self.judge)
        match formula:
            case N.Before(first, when, second, where):
                return self.every(first, True, when, lambda t, x: self.one(second, where, x, range(t)))
            case N.After(first, when, second, where):
                return self.every(first, False, when, lambda t, x: self.one(second, where, x, self.later(t)))
            case N.Seq(first, when, second, where):
                return self.some(first, when, lambda t, x: self.one(second, where, x, self.later(t)))
            case N.Forall(first, where):
                return self.every(first, True, N.Truth(True), lambda t, x: holds(where, Scope(x, None)))
            case N.Exists(first, where):
                return self.some(first, where, lambda t, x: True)
        raise SpecificationError("a data formula stands outside any predicate", found=type(formula).__name__)

    def later(self, t: int) -> range:
        return range(t + 1, len(self.events))

    def every(self, pattern: N.Pattern, attempts: bool, when: N.Formula, then: _Then) -> Kleene:
        """For all t that match and meet `when`: `then`."""
        triggers = self.triggers(pattern, attempts, when)
        return all_of(any_of((negate(guard), then(t, x))) for guard, t, x in triggers)

    def some(self, pattern: N.Pattern, when: N.Formula, then: _Then) -> Kleene:
        """For some successful t that matches and meets `when`: `then`."""
        triggers = self.triggers(pattern, False, when)
        return any_of(all_of((guard, then(t, x))) for guard, t, x in triggers)

    def triggers(
        self, pattern: N.Pattern, attempts: bool, when: N.Formula
    ) -> Iterator[tuple[Kleene, int, Seen]]:
        for t, x in self.seen(pattern, attempts, range(len(self.events))):
            guard = holds(when, Scope(x, None))
            if guard is not False:
                yield guard, t, x

    def one(self, pattern: N.Pattern, where: N.Formula, first: Seen, times: range) -> Kleene:
        """Some successful t' among `times` that matches and meets `where` together with `first`."""
        return any_of(holds(where, Scope(first, x)) for _, x in self.seen(pattern, False, times))


def _decided(judge: Callable[[], Kleene], where: str = "") -> bool:
    try:
        truth = judge()
    except RecursionError:
        hint = "flatten it: `&` and `|` take any number of parts"
        raise BudgetError("a formula nests too deeply to be evaluated", where=where, hint=hint) from None
    if isinstance(truth, Unknown):
        raise Undecided(truth.reason, where=where)
    return truth


# ---------------------------------------------------------------- what others call


def closed(formula: N.Formula, events: Sequence[Event], tools: ToolSet | None = None) -> bool:
    """Return the closed verdict of a temporal formula: does the trace, with nothing after it, satisfy it?

    Parameters
    ----------
    formula : Formula
        Connectives over Before, After, Seq, Forall and Exists.
    events : sequence of Event
        The whole trace, in order; a `Trace` will do.
    tools : ToolSet or None
        Decides what the classes @read, @write and @any match; None describes no tool, so every class matches
        every call.

    Raises
    ------
    Undecided
        If the verdict depends on a projection that was not read or that raised. "Depends" is Kleene's strong
        three-valued logic, over data and over time: ``false & u`` is false and ``u | ~u`` is undecided.

    Notes
    -----
    Quadratic in the length of the trace. Each predicate is read as its defining sentence, without any index.

    Examples
    --------
    >>> from agentc.dsl.nodes import Arg, Before, Branch, Compare, Pattern, Truth
    >>> from agentc.trace.event import call
    >>> same = Compare("==", Arg("second", "id"), Arg("first", "id"))
    >>> rule = Before(Pattern((Branch("pay"),)), Truth(True), Pattern((Branch("approve"),)), same)
    >>> closed(rule, [call("approve", id=1), call("pay", id=1)]), closed(rule, [call("pay", id=1)])
    (True, False)
    """
    return _decided(lambda: _Closed(events, tools or ToolSet()).judge(formula))


def closed_spec(spec: N.Specification, events: Sequence[Event]) -> dict[str, bool]:
    """Return each constraint's own closed verdict, by its name.

    Raises
    ------
    Undecided
        If any constraint's verdict depends on a projection that has no value; `where` names the constraint.
    """
    trace = _Closed(events, spec.tools or ToolSet())
    return {c.name: _decided(partial(trace.judge, c.formula), c.name) for c in spec.constraints}


def conforms(spec: N.Specification, events: Sequence[Event]) -> bool:
    """Return the closed verdict of the whole specification: the conjunction of its constraints.

    Raises
    ------
    Undecided
        If no constraint is false and one depends on a projection that has no value.
    """
    return closed(N.And(tuple(c.formula for c in spec.constraints)), events, spec.tools)


def evaluate(
    formula: N.Formula, first: Event, second: Event | None = None, branches: tuple[N.Branch, ...] = ()
) -> bool:
    """Return whether a data formula holds of an event, or of two.

    Parameters
    ----------
    formula : Formula
        A data formula, with no temporal predicate in it.
    first, second : Event
        The events at t and t'.
    branches : tuple of Branch
        The branches that `first` and `second` are read through; only `Var` needs them.

    Raises
    ------
    Undecided
        As in `closed`.
    """
    x, y = (*branches, N.Branch(""), N.Branch(""))[:2]
    scope = Scope(Seen(first, x), None if second is None else Seen(second, y))
    return _decided(lambda: holds(formula, scope))
