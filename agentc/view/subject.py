"""What is to be shown: a trace with a specification, or a session, with the state the specification reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentc.domains import Divergence, load, needed_by, replay
from agentc.domains.domain import Domain
from agentc.dsl.nodes import Specification
from agentc.errors import AgentcError, SpecificationError, TraceError, shorten
from agentc.monitor import Judgement, Session
from agentc.monitor.judgement import Repair
from agentc.trace.event import Event, Trace
from agentc.trace.values import MISSING

__all__ = ["Subject", "subject_of"]

NO_DOMAIN = "none"


@dataclass(frozen=True, slots=True)
class Subject:
    """A trace to look at.

    Parameters
    ----------
    spec : Specification
    events : tuple of Event
        With state; a proposed call, if there is one, comes last.
    name : str
    domain : Domain or None
    divergences : tuple of Divergence
        Where running the trace again on its domain came out differently.
    proposed : Judgement or None
        The judgement on the proposed call.
    repairs : tuple of Repair
        What would make the proposed call legal.
    """

    spec: Specification
    events: tuple[Event, ...]
    name: str = ""
    domain: Domain | None = None
    divergences: tuple[Divergence, ...] = ()
    proposed: Judgement | None = None
    repairs: tuple[Repair, ...] = ()
    notes: Mapping[int, str] = field(default_factory=dict)


def subject_of(
    what: Session | Trace | Sequence[Event],
    spec: Specification | None = None,
    domain: Domain | str | None = None,
    proposed: Judgement | None = None,
) -> Subject:
    """Return what to show; see `agentc.view.TraceView` for the parameters.

    Raises
    ------
    SpecificationError
        A trace without a specification, or a session with another one.
    TraceError
        What is given is no trace, or the proposed judgement is not one on a call.
    DomainError
        The domain isn't known or isn't installed.
    """
    if isinstance(what, Session):
        return _of_session(what, spec, proposed)
    if not isinstance(spec, Specification):
        hint = "TraceView(trace, spec), with a specification from `load_specification` or `specification`"
        raise SpecificationError("a trace is shown with a specification", found=_kind(spec), hint=hint)
    if proposed is not None:
        hint = "TraceView(session, proposed=judgement)"
        raise TraceError("a proposed call is shown with the session that judged it", hint=hint)
    trace = _trace(what)
    live = _domain(domain, spec)
    if live is None:
        return Subject(spec, trace.events, trace.name)
    done = replay(trace, live, needed_by(spec))
    notes = {d.position: _note(d) for d in done.divergences}
    return Subject(spec, done.trace.events, trace.name, live, done.divergences, notes=notes)


def _of_session(session: Session, spec: Specification | None, proposed: Judgement | None) -> Subject:
    if spec is not None and spec is not session.spec:
        hint = "leave it out, or show the events: TraceView(session.events, spec)"
        raise SpecificationError("a session has a specification of its own", found=_kind(spec), hint=hint)
    if proposed is None:
        return Subject(session.spec, tuple(session.events))
    if not isinstance(proposed, Judgement) or proposed.event is None:
        hint = "pass what `session.check(tool, args)` returned"
        raise TraceError("this is no judgement on a proposed call", found=_kind(proposed), hint=hint)
    call = replace(proposed.event, output=MISSING, error=False)
    repairs = session.repairs(proposed)
    return Subject(session.spec, (*session.events, call), proposed=proposed, repairs=repairs)


def _trace(what: Trace | Sequence[Event]) -> Trace:
    if isinstance(what, Trace):
        return what
    hint = "pass a Trace, a list of events, or a Session; `load_traces` returns a list of traces: take one"
    if isinstance(what, (str, bytes)) or not isinstance(what, Sequence):
        raise TraceError("this is no trace", found=_kind(what), hint=hint)
    wrong = next((event for event in what if not isinstance(event, Event)), None)
    if wrong is not None:
        raise TraceError("a trace consists of events", found=_kind(wrong), hint=hint)
    return Trace(tuple(what))


def _kind(what: object) -> str:
    return "nothing" if what is None else shorten(f"{type(what).__name__}: {what!r}")


def _domain(domain: Domain | str | None, spec: Specification) -> Domain | None:
    if isinstance(domain, Domain):
        return domain
    name = domain or spec.domain or NO_DOMAIN
    return None if name == NO_DOMAIN else load(name)


def _note(divergence: Divergence) -> str:
    kinds = {
        "refused": "Run again, this call fails, so that what it changed is missing from the state.",
        "unknown tool": "The domain has no such tool, so that it was not run again.",
    }
    if divergence.kind in kinds:
        return kinds[divergence.kind]
    place = f" at {shorten(divergence.path, 80)}" if divergence.path else ""
    return (
        f"Run again, its output differs{place}: {shorten(_value(divergence.recorded))} was recorded, "
        f"{shorten(_value(divergence.replayed))} comes out now."
    )


def _value(value: object) -> str:
    from agentc.trace.json_text import dump_json

    try:
        return dump_json(value)
    except AgentcError:
        return str(value)
