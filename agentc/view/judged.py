"""A recorded trace judged at every step: what the matrix of constraints by steps shows.

A prefix that a recorded continuation satisfies needs no solver: so the future is asked about only where the
rest of the trace doesn't answer, and a long trace costs little more than its events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from agentc.dsl import nodes as n
from agentc.logic.engine import Engine, Limits, Verdict
from agentc.logic.future import Answer
from agentc.logic.schema import accepted
from agentc.monitor import explain
from agentc.monitor.judgement import ConstraintState, Violation, Witness
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event

__all__ = ["HOLDS", "OWED", "BROKEN", "UNKNOWN", "Judged", "judge"]

HOLDS, OWED, BROKEN, UNKNOWN = "v", "o", "x", "?"
"""One constraint alone: satisfied as it stands; can still come true; can't any more; not decided."""

MAX_QUESTIONS = 64
"""How often one trace's judging may ask about the future; what is left then is UNKNOWN."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the engine says of each prefix of a trace.

    Parameters
    ----------
    spec : Specification
    events : tuple of Event
    prefix : str
        The prefix verdict after each event, of all constraints together: ``v`` SAT and satisfied as it
        stands, ``o`` SAT with something still owed, ``x`` UNSAT, ``?`` UNKNOWN. The empty trace comes first,
        so that the letter after event t is at t + 1; `cells` are the same.
    cells : tuple of str
        For each constraint, the same of it alone.
    touched : tuple of str
        For each constraint, a letter an event: ``1`` where one of its first patterns matches it, so that it
        has a say; ``2`` where only second patterns do; else ``0``.
    broken : Mapping[int, tuple of Violation]
        The constraints that an event made false for good, by the event's position.
    missing : Mapping[tuple of int and str, tuple of tuple of str]
        For a violation, by position and constraint: the earlier calls that were not found, each by the tools
        that would do.
    together : Mapping[int, tuple of str]
        Where it begins that constraints can't all hold, though each could alone.
    links : tuple of Witness
        Every trigger with what answers it.
    reasons : Mapping[int, str]
        Why the prefix verdict is UNKNOWN, by the event's position.
    """

    spec: n.Specification
    events: tuple[Event, ...]
    prefix: str
    cells: tuple[str, ...]
    touched: tuple[str, ...]
    broken: dict[int, tuple[Violation, ...]] = field(default_factory=dict)
    missing: dict[tuple[int, str], tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    together: dict[int, tuple[str, ...]] = field(default_factory=dict)
    links: tuple[Witness, ...] = ()
    reasons: dict[int, str] = field(default_factory=dict)

    def broken_before(self, position: int) -> frozenset[str]:
        """Return the constraints that were broken before the event at `position`."""
        columns = zip(self.spec.constraints, self.cells, strict=True)
        return frozenset(c.name for c, cells in columns if cells[position] == BROKEN)


def judge(spec: n.Specification, events: Sequence[Event], limits: Limits | None = None) -> Judged:
    """Judge a trace at every step.

    Parameters
    ----------
    spec : Specification
        Checked already.
    events : sequence of Event
        With the state that the specification reads.
    limits : Limits, optional
        Budgets of the solver, for each question.

    Notes
    -----
    The verdicts are those of `agentc.monitor.Session.push`, but for this: where the recorded events that
    follow satisfy what was owed, the verdict is SAT also where the solver, asked at that moment, would have
    given up. At most `MAX_QUESTIONS` questions about the future are asked.

    >>> from agentc.dsl.parse import parse_specification
    >>> from agentc.trace.event import call
    >>> spec = parse_specification("constraint closed: After(open as o, True, close as c, o.file == c.file)")
    >>> judge(spec, [call("open", file="a"), call("close", file="a")]).prefix
    'vov'
    """
    return _Judge(spec, tuple(events), limits).run()


class _Judge:
    def __init__(self, spec: n.Specification, events: tuple[Event, ...], limits: Limits | None) -> None:
        self.spec, self.events = spec, events
        self.engine = Engine(spec, limits=limits)
        self.tools = spec.tools if spec.tools is not None else ToolSet()
        self.all = range(len(spec.constraints))
        self.questions = 0
        self.columns: list[list[str]] = [[] for _ in self.all]
        self.whole: list[str] = []
        self.touched: list[list[str]] = [[] for _ in self.all]
        self.broken: dict[int, tuple[Violation, ...]] = {}
        self.missing: dict[tuple[int, str], tuple[tuple[str, ...], ...]] = {}
        self.together: dict[int, tuple[str, ...]] = {}
        self.reasons: dict[int, str] = {}
        self._concerns: dict[tuple[str, bool], Mapping[int, int]] = {}

    def run(self) -> Judged:
        self._forward()
        links = tuple(self._links())
        for j in self.all:
            self._look_ahead(self.columns[j], partial(self.engine.prefix, (j,)))
        self._conjoin()
        self._explain()
        return Judged(
            self.spec,
            self.events,
            "".join(self.whole),
            tuple("".join(column) for column in self.columns),
            tuple("".join(column) for column in self.touched),
            self.broken,
            self.missing,
            self.together,
            links,
            self.reasons,
        )

    # ------------------------------------------------------------ what the past decides

    def _forward(self) -> None:
        for j in self.all:
            self.columns[j].append(self._state(j))
        for event in self.events:
            self.engine.push(event)
            touched = self._touches(event)
            for j in self.all:
                self.touched[j].append(str(touched.get(j, 0)))
                self.columns[j].append(self._state(j) if j in touched else self.columns[j][-1])

    def _state(self, j: int) -> str:
        closed = self.engine.closed((j,)).verdict
        if closed is Verdict.SAT:
            return HOLDS
        if self.engine.fault(j):
            return BROKEN
        return OWED if closed is Verdict.UNSAT else UNKNOWN

    def _touches(self, event: Event) -> Mapping[int, int]:
        """Return the constraints an event concerns, and by which pattern; the others stay as they were."""
        key = (event.tool, event.error)
        if key not in self._concerns:
            found = ((j, self._concern(j, event)) for j in self.all)
            self._concerns[key] = {j: pattern for j, pattern in found if pattern}
        return self._concerns[key]

    def _concern(self, j: int, event: Event) -> int:
        folds = [self.engine.atoms[index] for index in self.engine.program.of_constraint[j]]
        if any(fold.match("first", event, self.tools) for fold in folds):
            return 1
        paired = (fold for fold in folds if fold.store is not None)
        return 2 if any(fold.match("second", event, self.tools) for fold in paired) else 0

    def _links(self) -> Iterator[Witness]:
        for j, constraint in enumerate(self.spec.constraints):
            for index in self.engine.program.of_constraint[j]:
                fold = self.engine.atoms[index]
                yield from (Witness(constraint.name, t, by) for t, by in sorted(fold.witness.items()))
                if isinstance(fold.node, n.Seq) and fold.evidence:
                    yield Witness(constraint.name, fold.evidence[-1][0], fold.evidence[-1][-1])

    # ------------------------------------------------------------ what hangs on the future

    def _look_ahead(self, column: list[str], ask: Callable[[], Answer]) -> None:
        """Judge the steps of a column at which something is owed.

        What is satisfied later could still come true before. Of the steps after that, the last one that can
        still come true is found by halving: those before it can, too.
        """
        for stretch in self._stretches(column):
            low, high, first_undecided = 0, len(stretch), ""
            while low < high:
                middle = high - 1 if (low, high) == (0, len(stretch)) else (low + high) // 2
                answer = self._ask(stretch[middle], ask)
                if answer.verdict is Verdict.SAT:
                    low = middle + 1
                else:
                    high = middle
                    column[stretch[middle]] = BROKEN if answer.verdict is Verdict.UNSAT else UNKNOWN
                    first_undecided = answer.reason or first_undecided
            self._fill(column, stretch[low:], first_undecided)

    def _fill(self, column: list[str], beyond: list[int], reason: str) -> None:
        """Give the steps that can't be seen to come true what the nearest one before them got."""
        now = OWED
        for t in beyond:
            now = column[t] if column[t] != OWED else now
            column[t] = now
            if now == UNKNOWN:
                self.reasons.setdefault(t - 1, reason or "the solver did not decide")

    def _stretches(self, column: list[str]) -> Iterator[list[int]]:
        """Yield runs of owing steps whose verdicts imply one another's, and that nothing later satisfies."""
        run: list[int] = []
        satisfied = False
        for t in range(len(column) - 1, -1, -1):
            if column[t] == HOLDS:
                satisfied = True
            elif column[t] == OWED and not satisfied:
                run.append(t)
            if t and not self._may_follow(self.events[t - 1]):
                satisfied = False
                if run:
                    yield run[::-1]
                run = []
        if run:
            yield run[::-1]

    def _may_follow(self, event: Event) -> bool:
        """Return whether a continuation may have an event: its tool accepts arguments and output."""
        if event.is_message or self.spec.tools is None:
            return True
        return event.tool in self.tools and accepted(self.spec.tools, event)

    def _ask(self, length: int, ask: Callable[[], Answer]) -> Answer:
        if self.questions >= MAX_QUESTIONS:
            reason = f"not asked: {MAX_QUESTIONS} questions about the future are the limit"
            return Answer(Verdict.UNKNOWN, reason)
        self.questions += 1
        self._move(length)
        return ask()

    def _move(self, length: int) -> None:
        """Take events back or push them again, so that the engine has seen the first `length`."""
        while len(self.engine.events) > length:
            self.engine.pop()
        for event in self.events[len(self.engine.events) : length]:
            self.engine.push(event)

    # ------------------------------------------------------------ all constraints together

    def _conjoin(self) -> None:
        rows = zip(*self.columns, strict=True) if self.columns else [()] * (len(self.events) + 1)
        self.whole = [_worst(row) for row in rows]
        alone = list(self.whole)
        self._look_ahead(self.whole, self.engine.prefix)
        if len(self.columns) > 1 and BROKEN in self.whole:
            start = self.whole.index(BROKEN)
            if alone[start] != BROKEN:
                self._name_together(start)
                self.whole[start:] = [BROKEN] * (len(self.whole) - start)
        self._note_doubts()

    def _note_doubts(self) -> None:
        """Say why a verdict is UNKNOWN where a reading of the past is to blame."""
        unsure = [t for t, letter in enumerate(self.whole) if letter == UNKNOWN and t > 0]
        if unsure:
            self._move(unsure[0])
            reason = next((f.unknown.reason for f in self.engine.atoms if f.unknown is not None), "")
            for t in unsure if reason else ():
                self.reasons.setdefault(t - 1, reason)

    def _name_together(self, length: int) -> None:
        self._move(length)
        states = {
            c.name: ConstraintState(c.name, Verdict.SAT, Verdict.UNKNOWN) for c in self.spec.constraints
        }
        names = explain.together(self.engine, states, self.engine.prefix())
        self.together[length - 1] = names

    # ------------------------------------------------------------ why

    def _explain(self) -> None:
        """Explain every constraint where it breaks, from the last one to the first."""
        where: dict[int, list[int]] = {}
        for j in self.all:
            if BROKEN in self.columns[j]:
                where.setdefault(self.columns[j].index(BROKEN), []).append(j)
        for length in sorted(where, reverse=True):
            self._move(length)
            self._explain_at(length - 1, where[length])

    def _explain_at(self, position: int, indices: Sequence[int]) -> None:
        names = {self.spec.constraints[j].name for j in indices}
        states = {c.name: _alone(c.name, c.name in names) for c in self.spec.constraints}
        self.broken[position] = explain.violations(self.engine, states)
        for j in indices:
            found = explain.lacking(self.engine, j)
            if found:
                self.missing[position, self.spec.constraints[j].name] = found


def _alone(name: str, broken: bool) -> ConstraintState:
    verdict = Verdict.UNSAT if broken else Verdict.SAT
    return ConstraintState(name, verdict, verdict)


_ORDER = (BROKEN, UNKNOWN, OWED)


def _worst(row: Sequence[str]) -> str:
    return next((letter for letter in _ORDER if letter in row), HOLDS)
