"""Rebuild the state a recorded trace was in: run its calls again on a fresh environment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from agentc.domains.domain import Domain, Environment, Needs
from agentc.errors import BudgetError, TraceError
from agentc.trace.event import Event, Failed, Reading, Trace, reading
from agentc.trace.json_text import parse_json
from agentc.trace.values import JSON, MISSING, Missing, freeze

__all__ = ["Divergence", "Replayed", "replay"]


@dataclass(frozen=True, slots=True)
class Divergence:
    """A call that came out differently when it was run again.

    Parameters
    ----------
    position : int
        0-based position of the event in its trace.
    tool : str
    kind : {"output", "refused", "unknown tool"}
        ``output``: both succeeded and said different things. ``refused``: it was recorded as successful and
        failed now, so that what it changed is missing from the state. ``unknown tool``: the domain has none
        of that name, so it was not run.
    path : str
        Where in the output they differ first, ``flights[0].price``.
    recorded, replayed : JSON or MISSING
        What stood there.
    """

    position: int
    tool: str
    kind: Literal["output", "refused", "unknown tool"]
    path: str = ""
    recorded: JSON | Missing = MISSING
    replayed: JSON | Missing = MISSING


@dataclass(frozen=True, slots=True)
class Replayed:
    """A trace with the state its events were in, and where running it again came out differently."""

    trace: Trace
    divergences: tuple[Divergence, ...] = ()

    @property
    def counts(self) -> Mapping[tuple[str, str], int]:
        """How many divergences there are of each tool and kind."""
        return Counter((d.tool, d.kind) for d in self.divergences)


def replay(trace: Trace, environment: Domain | Environment, needed: Needs | None = None) -> Replayed:
    """Return the trace with each event's `state` read just before its call ran again.

    Parameters
    ----------
    trace : Trace
    environment : Domain or Environment
        A domain, to start from its fresh state; or an environment, which is copied.
    needed : callable, optional
        Takes an event, returns what to read before it runs: pairs of a projection's name and its arguments.
        By default nothing.

    Notes
    -----
    What was recorded wins: outputs, errors and state values that the trace has are kept, and an event without
    an output gets the one from running it now. A call recorded as failed is not run, since the real one left
    the state as it was. A projection that raises leaves `Failed` behind, and a verdict that needs it is
    UNKNOWN.
    Two outputs differ where both say something and it isn't equal: a key that only one of them has doesn't
    count (tau-bench's user records have no ``user_id``, tau2's do), nor does a text that is the other's JSON.

    Examples
    --------
    >>> from agentc.domains import load
    >>> from agentc.trace.event import call, reading
    >>> trace = Trace((call("cancel_pending_order", order_id="#W5918442", reason="no longer needed"),))
    >>> done = replay(trace, load("retail"), lambda e: [("order_status", (e.args["order_id"],))])
    >>> done.trace[0].state[reading("order_status", "#W5918442")], done.trace[0].output["status"]
    ('pending', 'cancelled')
    """
    live = environment.environment() if isinstance(environment, Domain) else environment.copy()
    events, divergences = [], []
    for position, event in enumerate(trace):
        before = replace(event, state={**_state(live, event, needed), **event.state})
        after, divergence = _run(live, position, before)
        events.append(after)
        divergences += divergence
    return Replayed(replace(trace, events=tuple(events)), tuple(divergences))


def _state(live: Environment, event: Event, needed: Needs | None) -> dict[Reading, JSON | Missing | Failed]:
    wanted = needed(event) if needed else ()
    return {reading(name, *args): _read(live, name, args) for name, args in wanted}


def _read(live: Environment, name: str, args: tuple[JSON, ...]) -> JSON | Missing | Failed:
    try:
        return live.read(name, *args)
    except Exception as problem:  # whatever a projection raises, its value is unknown and not absent
        return Failed(f"{name}: {problem}")


def _run(live: Environment, position: int, event: Event) -> tuple[Event, list[Divergence]]:
    if event.is_message or event.error:
        return event, []
    if event.tool not in live.domain.tools:
        return event, [Divergence(position, event.tool, "unknown tool")]
    output, error = live.execute(event.tool, event.args)
    if event.output is MISSING:
        return replace(event, output=output, error=error), []
    if error:
        return event, [Divergence(position, event.tool, "refused", "", event.output, output)]
    found = next(_differences(event.output, output), None)
    return event, [Divergence(position, event.tool, "output", *found)] if found else []


def _differences(recorded: JSON, replayed: JSON, path: str = "") -> Iterator[tuple[str, JSON, JSON]]:
    recorded, replayed = _parsed(recorded), _parsed(replayed)
    if isinstance(recorded, Mapping) and isinstance(replayed, Mapping):
        for key in sorted(recorded.keys() & replayed.keys()):
            yield from _differences(recorded[key], replayed[key], f"{path}.{key}".lstrip("."))
    elif isinstance(recorded, (list, tuple)) and isinstance(replayed, (list, tuple)):
        if len(recorded) != len(replayed):
            yield path, recorded, replayed
            return
        for i, pair in enumerate(zip(recorded, replayed, strict=True)):
            yield from _differences(*pair, f"{path}[{i}]")
    elif not _equal(recorded, replayed):
        yield path, recorded, replayed


def _equal(recorded: JSON, replayed: JSON) -> bool:
    try:
        return freeze(recorded) == freeze(replayed)
    except BudgetError:  # a number that no tool of ours returns
        return False


def _parsed(value: JSON) -> JSON:
    """Read a text that is JSON: tau2's tools return some values as text, importers may have read them."""
    try:
        return parse_json(value) if isinstance(value, str) else value
    except TraceError:
        return value
