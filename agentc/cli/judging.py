"""Judging recorded traces to their end: every constraint that breaks, where, and whether the trace conforms.

Conformance is the reference evaluator's closed verdict; the engine's is held against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agentc.dsl import nodes as n
from agentc.logic.engine import Engine, Limits, Verdict
from agentc.logic.reference import Undecided, closed
from agentc.monitor import explain
from agentc.monitor.judgement import ConstraintState, Judgement, Obligation, Violation
from agentc.monitor.session import Session
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event, Trace

__all__ = ["Auditor", "Step", "TraceAudit", "audit", "conclude", "missing"]


@dataclass(frozen=True, slots=True)
class Step:
    """What one event did.

    Parameters
    ----------
    position : int
        0-based.
    event : Event
    verdict : Verdict
        The prefix verdict after it.
    reason : str
        Why that is UNKNOWN.
    broken : tuple of Violation
        The constraints that this event made false for good.
    missing : Mapping[str, tuple of tuple of str]
        For a broken constraint: the earlier calls it did not find, each by the tools that would do.
    together : tuple of str
        Constraints that from here on can't all hold, though each could.
    obligations : tuple of Obligation
        What is still owed; told only while the verdict is SAT.
    blame : {"", "call", "environment"}
        For the first event that breaks something: "environment" if the call was legal and only its output
        broke it.
    pending : bool
        The verdict is SAT, and something is still owed.
    """

    position: int
    event: Event
    verdict: Verdict
    reason: str = ""
    broken: tuple[Violation, ...] = ()
    missing: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    together: tuple[str, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    blame: str = ""
    pending: bool = False


@dataclass(frozen=True, slots=True)
class TraceAudit:
    """The audit of one trace.

    Parameters
    ----------
    trace : Trace
    prefix : Verdict
        Can any continuation of the whole trace still satisfy the specification?
    closed : Mapping[str, Verdict]
        Of each constraint, by the reference evaluator: does the trace as it stands satisfy it?
    steps : tuple of Step
        The events that broke something, in order.
    owed : tuple of Obligation
        What was still owed at the end.
    unknown : Mapping[str, str]
        Constraints whose verdict was UNKNOWN at some event or at the end, with the first reason.
    disagreements : tuple of str
        Constraints on whose closed verdict the engine says the opposite of the reference evaluator: a fault
        of agentc, never of the trace.
    """

    trace: Trace
    prefix: Verdict
    closed: Mapping[str, Verdict]
    steps: tuple[Step, ...] = ()
    owed: tuple[Obligation, ...] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)
    disagreements: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The closed verdict of all constraints: UNSAT if one is, else UNKNOWN if one is."""
        found = set(self.closed.values())
        return next((v for v in (Verdict.UNSAT, Verdict.UNKNOWN) if v in found), Verdict.SAT)

    @property
    def violated(self) -> tuple[str, ...]:
        """The constraints that the trace as it stands violates."""
        return tuple(name for name, verdict in self.closed.items() if verdict is Verdict.UNSAT)

    @property
    def first(self) -> tuple[str, ...]:
        """The constraints that the first bad event breaks, or else those unmet at the end."""
        if not self.steps:
            return self.violated
        return tuple(v.constraint for v in self.steps[0].broken) or self.steps[0].together


class Auditor:
    """Follows one trace, and goes on after a violation until every constraint that breaks was told once."""

    def __init__(self, spec: n.Specification, limits: Limits | None = None) -> None:
        self.spec, self.session = spec, Session(spec, limits=limits)
        self.prefix = Verdict.SAT
        self.unknown: dict[str, str] = {}
        self.broken: set[str] = set()

    def push(self, event: Event) -> Step:
        """Append an event, its state already read, and say what it did."""
        step = self._continue(event) if self.prefix is Verdict.UNSAT else self._judge(event)
        self.prefix = step.verdict
        self.broken |= {v.constraint for v in step.broken}
        return step

    def _judge(self, event: Event) -> Step:
        found = self.session.push(event)
        self._note_unknown({s.name: s.prefix for s in found.states.values()}, found.reason)
        return Step(
            len(self.session.events) - 1,
            event,
            found.verdict,
            found.reason,
            found.violations,
            missing(self.session.engine, found.violations),
            found.together,
            found.obligations,
            found.blame,
            found.pending,
        )

    def _continue(self, event: Event) -> Step:
        """Nothing can save the trace any more; only the constraints that still hold are asked about."""
        engine = self.session.engine
        engine.push(event)
        rest = [(j, c.name) for j, c in enumerate(self.spec.constraints) if c.name not in self.broken]
        answers = {name: engine.prefix((j,)) for j, name in rest}
        for name, answer in answers.items():
            self._note_unknown({name: answer.verdict}, answer.reason)
        new = {name for name, answer in answers.items() if answer.verdict is Verdict.UNSAT}
        broken = explain.violations(engine, self._states(new)) if new else ()
        lacking = missing(engine, broken)
        return Step(len(engine.events) - 1, event, Verdict.UNSAT, broken=broken, missing=lacking)

    def _states(self, broken: set[str]) -> dict[str, ConstraintState]:
        verdicts = {c.name: Verdict.UNSAT if c.name in broken else Verdict.SAT for c in self.spec.constraints}
        return {name: ConstraintState(name, verdict, verdict) for name, verdict in verdicts.items()}

    def _note_unknown(self, verdicts: Mapping[str, Verdict], reason: str) -> None:
        for name, verdict in verdicts.items():
            if verdict is Verdict.UNKNOWN:
                self.unknown.setdefault(name, reason or "the solver did not decide")

    def close(self) -> Judgement:
        """Judge the trace as it stands, with nothing after it."""
        return self.session.close()


def missing(engine: Engine, broken: Iterable[Violation]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return what each constraint that the engine's last event broke asks for and did not find before it."""
    names = [c.name for c in engine.spec.constraints]
    return {v.constraint: explain.lacking(engine, names.index(v.constraint)) for v in broken}


def audit(spec: n.Specification, trace: Trace | Sequence[Event], limits: Limits | None = None) -> TraceAudit:
    """Judge a recorded trace, its state already read, to its end.

    Parameters
    ----------
    spec : Specification
    trace : Trace or sequence of Event
        With the state that the specification needs (see `replay`); what is missing makes a verdict UNKNOWN.
    limits : Limits, optional
        Budgets of the solver.

    Notes
    -----
    Closed verdicts come from the reference evaluator, which takes time quadratic in the trace's length.

    Examples
    --------
    >>> from agentc.dsl.parse import parse_specification
    >>> from agentc.trace.event import call
    >>> spec = parse_specification('constraint opened: Before(read as r, True, open as o, o.file == r.file)')
    >>> found = audit(spec, [call("read", file="a"), call("open", file="b")])
    >>> str(found.verdict), found.violated, found.steps[0].position
    ('UNSAT', ('opened',), 0)
    """
    trace = trace if isinstance(trace, Trace) else Trace(tuple(trace))
    auditor = Auditor(spec, limits)
    steps = tuple(s for s in map(auditor.push, trace) if s.broken or s.together)
    return conclude(auditor, trace, steps)


def conclude(auditor: Auditor, trace: Trace, steps: Iterable[Step]) -> TraceAudit:
    """Return the audit of a trace that has been pushed whole."""
    spec, engine = auditor.spec, auditor.session.engine
    verdicts, unknown = _reference(spec, trace)
    own = {c.name: engine.closed((j,)).verdict for j, c in enumerate(spec.constraints)}
    at_odds = tuple(
        name for name, holds in verdicts.items()
        if {holds, own[name]} == _OPPOSITES or (holds is Verdict.SAT and name in auditor.broken)
    )  # fmt: skip
    prefix = Verdict.UNSAT if auditor.prefix is Verdict.UNSAT else engine.prefix().verdict
    owed = auditor.close().obligations if prefix is Verdict.SAT else ()
    return TraceAudit(trace, prefix, verdicts, tuple(steps), owed, {**unknown, **auditor.unknown}, at_odds)


_OPPOSITES = {Verdict.SAT, Verdict.UNSAT}


def _reference(spec: n.Specification, trace: Trace) -> tuple[dict[str, Verdict], dict[str, str]]:
    """Return the reference evaluator's closed verdicts, and why some are UNKNOWN."""
    verdicts, unknown = {}, {}
    for constraint in spec.constraints:
        try:
            holds = closed(constraint.formula, trace, spec.tools or ToolSet())
            verdicts[constraint.name] = Verdict.SAT if holds else Verdict.UNSAT
        except Undecided as undecided:
            verdicts[constraint.name] = Verdict.UNKNOWN
            unknown[constraint.name] = undecided.reason
    return verdicts, unknown
