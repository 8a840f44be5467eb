"""What would have made a recorded call legal: the call is proposed again, to a session just before it."""

from __future__ import annotations

from collections.abc import Sequence

from agentc.domains.domain import Domain, Environment
from agentc.dsl.nodes import Specification
from agentc.monitor.judgement import Repair
from agentc.monitor.session import ReadState, Session
from agentc.trace.event import Event, Failed, reading
from agentc.trace.values import JSON, Missing

__all__ = ["what_would_help"]


def what_would_help(
    spec: Specification, events: Sequence[Event], position: int, domain: Domain | None
) -> tuple[Repair, ...]:
    """Return what would have made the call at `position` legal, as a person may see it.

    Notes
    -----
    Other arguments need other state, which is read from the domain as it was just before the call; without a
    domain only what was recorded can be read, and what can't be read makes nothing legal.
    """
    event = events[position]
    if event.is_message:
        return ()
    session = Session(spec, _reader(event, _before(events[:position], domain)))
    for earlier in events[:position]:
        session.engine.push(earlier)
    judgement = session.check(event.tool, event.args)
    return session.repairs(judgement)


def _before(events: Sequence[Event], domain: Domain | None) -> Environment | None:
    """Return the domain's environment once the events have run, as `replay` runs them."""
    if domain is None:
        return None
    live = domain.environment()
    for event in events:
        if not event.is_message and not event.error and event.tool in domain.tools:
            live.execute(event.tool, event.args)
    return live


def _reader(event: Event, live: Environment | None) -> ReadState:
    """Read what was recorded, and else the live state."""

    def read(projection: str, args: Sequence[JSON | Missing]) -> JSON | Missing:
        recorded = event.state.get(reading(projection, *args), _UNREAD)
        if isinstance(recorded, Failed):
            raise LookupError(recorded.reason)
        if recorded is not _UNREAD:
            return recorded
        if live is None:
            raise LookupError("it was not recorded")
        return live.read(projection, *args)

    return read


_UNREAD = object()
