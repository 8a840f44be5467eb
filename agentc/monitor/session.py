"""A session: one run judged call by call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from threading import RLock
from typing import Concatenate, Final, ParamSpec, TypeVar

from agentc.dsl import nodes as n
from agentc.errors import SpecificationError, TraceError, shorten
from agentc.logic.engine import Engine, Limits, Partial, Verdict
from agentc.logic.future import Answer
from agentc.logic.leaves import thaw
from agentc.monitor import explain, proposal, repair
from agentc.monitor.judgement import Judgement, Repair
from agentc.trace.event import Event, Failed, Reading
from agentc.trace.values import JSON, MISSING, Missing, detach

__all__ = ["Execute", "ReadState", "Session"]

P = ParamSpec("P")
T = TypeVar("T")
ReadState = Callable[[str, Sequence[JSON | Missing]], JSON | Missing]
"""Reads a state projection: name and argument values to value, MISSING if there is no such entity."""

Execute = Callable[[str, Mapping[str, JSON]], tuple[JSON | Missing, bool]]
"""Runs a tool: name and arguments to output and whether it is an error."""

_Z3: Final = RLock()
"""Z3's context is one for the process, and two threads in it crash it; sessions of several threads take
turns."""


def _one_at_a_time(method: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[Session, P], T]:
    @wraps(method)
    def locked(self: Session, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._turn, _Z3:
            return method(self, *args, **kwargs)

    return locked


class Session:
    """Judges one run against a specification, event by event.

    Parameters
    ----------
    spec : Specification
    read : ReadState or None
        Reads the state projections a call needs, just before it runs. None: readings come with the events.
    paranoid : bool
        Rebuild the whole query at every verdict and insist on the same answer.
    limits : Limits

    Notes
    -----
    Sessions may be used from several threads; they take turns, since Z3 can't be shared. While a session runs
    a tool, other sessions go on, but what else is asked of this one waits: no call is judged, or run, between
    the check of a call and its output.

    Examples
    --------
    >>> from agentc.dsl.parse import parse_specification
    >>> spec = parse_specification('''
    ... specification files "Open before you read; close what you opened."
    ... tool open(file: string)
    ... tool read(file: string)
    ... tool close(file: string)
    ... constraint opened: "Open a file before you read it."
    ...   Before(read(f), True, open(g), f == g)
    ... constraint closed: "Close what you opened."
    ...   After(open(f), True, close(g), f == g)
    ... ''')
    >>> session = Session(spec)
    >>> str(session.check("read", {"file": "a"}).verdict)
    'UNSAT'
    >>> j = session.push(Event("open", {"file": "a"}))
    >>> str(j.verdict), str(j.closed), j.obligations[0].call.args
    ('SAT', 'UNSAT', {'file': 'a'})
    """

    def __init__(
        self,
        spec: n.Specification,
        read: ReadState | None = None,
        paranoid: bool = False,
        limits: Limits | None = None,
    ) -> None:
        if not isinstance(spec, n.Specification):
            raise SpecificationError(
                "a session needs a specification",
                found=shorten(repr(spec)),
                hint='load one: load_specification("retail")',
            )
        self._turn = RLock()
        with _Z3:
            self.spec, self.engine, self._read = spec, Engine(spec, paranoid, limits), read

    # ------------------------------------------------------------ the trace

    @property
    def events(self) -> Sequence[Event]:
        return tuple(self.engine.events)

    @_one_at_a_time
    def push(self, event: Event) -> Judgement:
        """Append a finished event and judge the trace; the event is copied, so that nobody can change it
        later."""
        event = _own(event)
        self.engine.push(event)
        judgement = self._judge(self.engine.prefix())
        return (
            replace(judgement, blame=self._blame(event)) if judgement.verdict is Verdict.UNSAT else judgement
        )

    @_one_at_a_time
    def pop(self) -> Event:
        """Take the last event back."""
        if not self.engine.events:
            raise TraceError("there is no event to take back", hint="push one first")
        return self.engine.pop()

    @_one_at_a_time
    def close(self) -> Judgement:
        """Judge the trace as it stands, with nothing after it: only a closed verdict SAT ends a run well."""
        judgement = self._judge(self.engine.prefix())
        closed = judgement.closed
        return replace(judgement, verdict=closed if judgement.verdict is Verdict.SAT else judgement.verdict)

    @_one_at_a_time
    def settled(self) -> bool | None:
        """Return whether no continuation changes the closed verdict; None if the solver can't tell."""
        return self.engine.settled()

    # ------------------------------------------------------------ proposed calls

    @_one_at_a_time
    def check(self, tool: str, args: Mapping[str, JSON], outputs: str = "some") -> Judgement:
        """Judge a proposed call, its output not known yet; nothing is appended.

        Parameters
        ----------
        tool : str
        args : Mapping[str, JSON]
        outputs : {"some", "all"}
            Whether some output, or every output the tool's schema allows, must keep the prefix SAT.

        Notes
        -----
        Reads the state the call needs; the `event` of the judgement carries it, ready to be pushed with its
        output.
        """
        known = proposal.arguments(tool, args, self.spec.tools, complete=True)
        if isinstance(known, Judgement):
            return known
        event = Event(tool, known, state=self.readings(tool, known))
        return self._judge_call(event, self.engine.check(event, outputs))

    @_one_at_a_time
    def check_partial(self, tool: str, args: Mapping[str, JSON] | None = None) -> Judgement:
        """Judge a call that is still being written: its tool, and the arguments finished so far.

        Notes
        -----
        UNSAT: no completion is legal. UNKNOWN doesn't refuse it; the complete call needs SAT anyway.
        """
        known = proposal.arguments(tool, {} if args is None else args, self.spec.tools, complete=False)
        if isinstance(known, Judgement):
            return known
        partial = Partial(tool, known, state=self.readings(tool, known, complete=False))
        answer = self.engine.check_partial(partial)
        if answer.verdict is not Verdict.UNSAT:
            return Judgement(
                answer.verdict,
                Verdict.UNKNOWN,
                answer.reason,
                continuation=answer.witness,
                event=partial.event,
            )
        names = tuple(self.spec.constraints[j].name for j in answer.core)
        return Judgement(
            answer.verdict,
            Verdict.UNSAT,
            together=names,
            event=partial.event,
            violations=explain.of_core(self.spec, answer.core),
        )

    @_one_at_a_time
    def repairs(self, judgement: Judgement) -> tuple[Repair, ...]:
        """Return what would make a refused call legal."""
        return repair.repairs(self, judgement)

    def run(self, tool: str, args: Mapping[str, JSON], execute: Execute) -> Judgement:
        """Check a call, run it only on SAT, and append it with its true output.

        Raises
        ------
        TraceError, BudgetError
            If what `execute` returned is no output; the call is in the trace by then, without one, since it
            did run. The same holds of anything that stops the program while the tool runs.

        Notes
        -----
        A tool that raises has failed: its event has ``error = True``, and the exception's text for an output.
        """
        with self._turn:
            judgement = self.check(tool, args)
            if not judgement:
                return judgement
            assert judgement.event is not None
            try:
                output, error = _executed(execute, tool, detach(judgement.event.args))
                event = replace(judgement.event, output=detach(output), error=error)
            except BaseException:
                self.push(judgement.event)  # it did run, for all that is known
                raise
            return self.push(event)

    def run_batch(
        self, calls: Iterable[tuple[str, Mapping[str, JSON]]], execute: Execute
    ) -> Iterator[Judgement]:
        """Run the calls of one message in order; on a refusal the rest does not run."""
        for tool, args in calls:
            judgement = self.run(tool, args, execute)
            yield judgement
            if not judgement:
                return

    # ------------------------------------------------------------ pieces

    def readings(
        self, tool: str, args: Mapping[str, JSON], complete: bool = True
    ) -> dict[Reading, JSON | Missing | Failed]:
        """Read the state projections a call needs now."""
        if self._read is None:
            return {}
        return {key: self._take(key) for key in self.engine.readings(tool, args, complete)}

    def _take(self, key: Reading) -> JSON | Missing | Failed:
        assert self._read is not None
        name, frozen = key
        try:
            return detach(self._read(name, [thaw(k) for k in frozen]))
        except Exception as problem:  # whatever a projection raises, the verdict is UNKNOWN
            return Failed(f"{type(problem).__name__}: {problem}")

    def _judge(self, answer: Answer, alone: Mapping[int, Verdict] | None = None) -> Judgement:
        closed = self.engine.closed().verdict if answer.verdict is not Verdict.UNSAT else Verdict.UNSAT
        if answer.verdict is Verdict.SAT and closed is Verdict.SAT:
            return Judgement(
                answer.verdict,
                closed,
                states=explain.all_satisfied(self.spec),
                witnesses=explain.witnesses(self.engine),
            )
        states = explain.states(self.engine, alone or {})
        return Judgement(
            answer.verdict,
            closed,
            answer.reason,
            states,
            explain.together(self.engine, states, answer),
            explain.violations(self.engine, states),
            explain.witnesses(self.engine),
            explain.obligations(self.engine, answer.witness),
            answer.witness,
        )

    def _judge_call(self, event: Event, answer: Answer) -> Judgement:
        """Explain a verdict on a proposed call by looking at the trace as if it had happened.

        Its output is the one the solver found, if it found one; without, no constraint is blamed that some
        output would satisfy.
        """
        bare = replace(event, output=MISSING, error=False)
        happened, *later = answer.witness or (bare,)
        alone = {} if answer or answer.witness else self._alone(bare)
        self.engine.push(happened)
        try:
            judgement = self._judge(replace(answer, witness=tuple(later)), alone)
        finally:
            self.engine.pop()
        blame = "call" if answer.verdict is Verdict.UNSAT else ""
        return replace(judgement, continuation=answer.witness, event=event, blame=blame)

    def _alone(self, call: Event) -> dict[int, Verdict]:
        """Ask each constraint that a call without output breaks whether some output would do."""
        self.engine.push(call)
        try:
            constraints = range(len(self.spec.constraints))
            broken = [j for j in constraints if self.engine.prefix((j,)).verdict is Verdict.UNSAT]
        finally:
            self.engine.pop()
        known = Partial(call.tool, call.args, complete=True, state=call.state)
        return {j: self.engine.check_partial(known, (j,)).verdict for j in broken}

    def _blame(self, event: Event) -> str:
        self.engine.pop()
        try:
            if self.engine.prefix().verdict is Verdict.UNSAT:
                return ""  # it was bad already
            return "environment" if self.engine.check(event).verdict is Verdict.SAT else "call"
        finally:
            self.engine.push(event)


def _own(event: Event) -> Event:
    if not isinstance(event, Event):
        raise TraceError("a session is pushed events", found=shorten(repr(event)), hint="push(call(...))")
    state = {key: v if isinstance(v, Failed) else detach(v) for key, v in event.state.items()}
    return replace(event, args=detach(event.args), output=detach(event.output), state=state)


def _executed(execute: Execute, tool: str, args: Mapping[str, JSON]) -> tuple[JSON | Missing, bool]:
    try:
        told = execute(tool, args)
    except Exception as problem:  # what a tool raises is its way of failing
        return {"error": f"{type(problem).__name__}: {problem}"}, True
    if isinstance(told, tuple) and len(told) == 2 and isinstance(told[1], bool):
        return told
    raise TraceError(
        "what runs a tool must return its output and whether it is an error",
        where=tool,
        found=shorten(f"{type(told).__name__}: {told!r}"),
        hint="return (output, False)",
    )
