"""Solutions on a live environment: each call is checked before it runs, and what is refused does not run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

from agentc.cli.judging import Step, TraceAudit, audit, missing
from agentc.domains import Domain
from agentc.dsl.nodes import Specification
from agentc.monitor.judgement import Judgement, Repair
from agentc.monitor.session import Session
from agentc.trace import JSON, Event, Missing, Trace

__all__ = ["Guarded", "Refusal", "guard"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that did not run: what it would have broken, and what would make it legal.

    Parameters
    ----------
    step : Step
        Its `position` is that in the solution, refused calls counted.
    repairs : tuple of Repair
    """

    step: Step
    repairs: tuple[Repair, ...]


@dataclass(frozen=True, slots=True)
class Guarded:
    """One task's solution, run under a specification.

    Parameters
    ----------
    task : str
        tau2-bench's id.
    proposed : int
        Calls that were proposed, messages not counted.
    refusals : tuple of Refusal
    audit : TraceAudit
        Of the trace that ran.
    checks : tuple of float
        How long each check took, the appending of what ran included; milliseconds.
    """

    task: str
    proposed: int
    refusals: tuple[Refusal, ...]
    audit: TraceAudit
    checks: tuple[float, ...]


def guard(spec: Specification, domain: Domain, solution: Trace) -> Guarded:
    """Run a solution on a fresh environment; after a refusal the later calls are still proposed."""
    live = _Live(spec, domain)
    refusals, checks = [], []
    for position, event in enumerate(solution):
        if event.is_message:
            live.session.push(Event(event.tool, event.args))
            continue
        refusal, milliseconds = live.propose(position, event)
        checks.append(milliseconds)
        refusals += [refusal] if refusal else []
    ran = Trace(tuple(live.session.events), solution.name)
    task = str(solution.meta["task"])
    return Guarded(task, len(checks), tuple(refusals), audit(spec, ran), tuple(checks))


class _Live:
    """A session whose state and tools are an environment's."""

    def __init__(self, spec: Specification, domain: Domain) -> None:
        self.environment = domain.environment()
        self.session = Session(spec, lambda name, args: self.environment.read(name, *args))
        self._running = 0.0

    def propose(self, position: int, event: Event) -> tuple[Refusal | None, float]:
        """Run a call if it is legal; return its refusal if it isn't, and the milliseconds judging took."""
        before, started, self._running = len(self.session.events), perf_counter(), 0.0
        judgement = self.session.run(event.tool, event.args, self._execute)
        milliseconds = (perf_counter() - started - self._running) * 1000
        refused = len(self.session.events) == before
        return (self._refusal(position, judgement) if refused else None), milliseconds

    def _execute(self, tool: str, args: Mapping[str, JSON]) -> tuple[JSON | Missing, bool]:
        started = perf_counter()
        try:
            return self.environment.execute(tool, args)
        finally:
            self._running += perf_counter() - started

    def _refusal(self, position: int, judgement: Judgement) -> Refusal:
        call, engine = judgement.event, self.session.engine
        assert call is not None, "a judgement on a proposed call carries it"
        engine.push(call)
        lacking = missing(engine, judgement.violations)
        engine.pop()
        step = Step(
            position,
            call,
            judgement.verdict,
            judgement.reason,
            judgement.violations,
            lacking,
            judgement.together,
            blame=judgement.blame,
        )
        return Refusal(step, self.session.repairs(judgement))
