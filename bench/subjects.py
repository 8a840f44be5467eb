"""What is timed in our own process: each subject judges one event after n others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentc.logic.engine import Engine
from agentc.logic.quantified import QuantifiedEngine
from agentc.monitor import Session
from agentc.trace import Event
from bench.workloads import Workload

__all__ = ["SUBJECTS", "Subject"]


@dataclass(frozen=True, slots=True)
class Subject:
    """How something under test takes and judges events.

    Parameters
    ----------
    feed : callable
        Appends an event, untimed.
    judge : callable
        What is timed: takes the event, returns the verdict's name.
    appends : bool
        Whether `judge` leaves the event appended; if not, `feed` is called after it.
    pop : callable
        Takes the last event back, untimed.
    calls_only : bool
        Whether messages are only fed: they aren't proposed, they happen.
    refused : bool
        Whether the events are calls that must be refused, and so are never fed.
    """

    feed: Callable[[Event], object]
    judge: Callable[[Event], str]
    pop: Callable[[], object]
    appends: bool = False
    calls_only: bool = True
    refused: bool = False


def _engine(w: Workload) -> Subject:
    engine = Engine(w.spec)

    def judge(event: Event) -> str:
        engine.push(event)
        return engine.prefix().verdict

    return Subject(engine.push, judge, engine.pop, appends=True, calls_only=False)


def _session(w: Workload) -> Subject:
    session = Session(w.spec)
    return Subject(
        session.engine.push, lambda e: session.push(e).verdict, session.pop, appends=True, calls_only=False
    )


def _check(w: Workload) -> Subject:
    session = Session(w.spec, read=w.read)
    return Subject(session.engine.push, lambda e: session.check(e.tool, e.args).verdict, session.pop)


def _refused(w: Workload) -> Subject:
    session = Session(w.spec, read=w.read)
    return Subject(
        session.engine.push, lambda e: session.check(e.tool, e.args).verdict, session.pop, refused=True
    )


def _partial(arguments: int) -> Callable[[Workload], Subject]:
    def make(w: Workload) -> Subject:
        session = Session(w.spec, read=w.read)

        def judge(event: Event) -> str:
            known = dict(list(event.args.items())[:arguments])
            return session.check_partial(event.tool, known).verdict

        return Subject(session.engine.push, judge, session.pop)

    return make


def _quantified(timeout_ms: int) -> Callable[[Workload], Subject]:
    def make(w: Workload) -> Subject:
        engine = QuantifiedEngine(w.spec, timeout_ms=timeout_ms)

        def judge(event: Event) -> str:
            engine.push(event)
            return engine.prefix().verdict

        return Subject(engine.push, judge, engine.pop, appends=True, calls_only=False)

    return make


SUBJECTS: dict[str, Callable[[Workload], Subject]] = {
    "engine": _engine,
    "session": _session,
    "check": _check,
    "check refused": _refused,
    "partial, tool": _partial(0),
    "partial, one argument": _partial(1),
    "quantified": _quantified(10_000),
}
"""By the names that records use. `session` is `engine` with everything a person is told; `check` leaves
nothing appended; a `partial` call has its tool, or its tool and first argument."""
