"""What a session answers: a verdict, and everything a person or a model needs to understand it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentc.logic.cells import Cell
from agentc.logic.future import Verdict
from agentc.trace.event import Event
from agentc.trace.values import JSON

__all__ = ["ConstraintState", "Judgement", "Obligation", "Repair", "Violation", "Witness"]


@dataclass(frozen=True, slots=True)
class ConstraintState:
    """One constraint judged alone: can it still come true, and is it true now?

    `pending` (prefix SAT, closed false) is what obligations are owed for.
    """

    name: str
    prefix: Verdict
    closed: Verdict

    @property
    def pending(self) -> bool:
        return self.prefix is Verdict.SAT and self.closed is Verdict.UNSAT


@dataclass(frozen=True, slots=True)
class Violation:
    """One constraint that is broken, with the policy's sentence and the values that break it."""

    constraint: str
    sentence: str
    events: tuple[int, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Witness:
    """What satisfied a trigger: event `trigger` of a constraint is answered by event `by` (0-based
    positions)."""

    constraint: str
    trigger: int
    by: int


@dataclass(frozen=True, slots=True)
class Obligation:
    """What must still happen for a constraint: a call that the solver found to do it.

    `triggers` are the positions of the events that it is owed for; empty if the constraint asks for it
    anyway. `call` is **for a person only**: it may hold values of the state.
    """

    constraint: str
    triggers: tuple[int, ...]
    call: Event


@dataclass(frozen=True, slots=True)
class Repair:
    """What would make a refused call legal.

    Parameters
    ----------
    kind : {"earlier call", "argument"}
    constraint : str
        The constraint it is for; empty where the whole call would pass.
    tools : tuple of str
        For an earlier call: the tools one of which must have been called.
    call : Event or None
        For an earlier call: one that would do. **For a person only**: it may hold values of the state.
    argument : str
        For an argument: its name.
    values : tuple of JSON
        For an argument: values that would pass and that the agent wrote, received or finds in the schema.
    private_values : tuple of JSON
        For an argument: further values that would pass. **For a person only.**
    """

    kind: str
    constraint: str = ""
    tools: tuple[str, ...] = ()
    call: Event | None = None
    argument: str = ""
    values: tuple[JSON, ...] = ()
    private_values: tuple[JSON, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a trace, or on a proposed call after it.

    Parameters
    ----------
    verdict : Verdict
        The prefix verdict of all constraints together. Only SAT lets a call run.
    closed : Verdict
        Is everything satisfied as it stands? Only then may a run end.
    reason : str
        Why it is UNKNOWN, or why what was proposed is no call that the tool accepts. It may quote what a
        projection raised: **for a person only**.
    states : Mapping[str, ConstraintState]
        Each constraint alone.
    together : tuple of str
        Constraints that can't hold together though each could alone.
    violations, witnesses, obligations : tuple
    continuation : tuple of Event
        **For a person only**: it may hold values of the state.
        The solver's own way to satisfy what is pending; for a proposed call it begins with the call as
        completed.
    event : Event or None
        The call that was checked, with the state read for it.
    blame : {"", "call", "environment"}
        Who made the trace bad: "environment" if the call was legal and only its output broke it; empty if it
        isn't, or was before.
    """

    verdict: Verdict
    closed: Verdict
    reason: str = ""
    states: Mapping[str, ConstraintState] = field(default_factory=dict)
    together: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    continuation: tuple[Event, ...] = ()
    event: Event | None = None
    blame: str = ""

    def __bool__(self) -> bool:
        """True only for SAT: a call may run."""
        return self.verdict is Verdict.SAT

    @property
    def pending(self) -> bool:
        return self.verdict is Verdict.SAT and self.closed is not Verdict.SAT
