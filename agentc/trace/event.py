"""Events: one call with its arguments, the state read before it, and its output; and traces of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from agentc.trace.values import JSON, MISSING, Key, Missing, freeze

__all__ = [
    "ASSISTANT_MESSAGE",
    "MESSAGES",
    "USER_MESSAGE",
    "Event",
    "Failed",
    "Reading",
    "Trace",
    "call",
    "message",
    "reading",
]

USER_MESSAGE = "user_message"
ASSISTANT_MESSAGE = "assistant_message"
MESSAGES = frozenset({USER_MESSAGE, ASSISTANT_MESSAGE})

Reading = tuple[str, tuple[Key, ...]]
"""A projection's name and its frozen arguments: what a state value is filed under in an event."""


@dataclass(frozen=True, slots=True)
class Failed:
    """What a projection that raised leaves behind; any verdict that needs it is UNKNOWN."""

    reason: str


def reading(projection: str, *args: JSON) -> Reading:
    """Return the key under which an event files the value of ``projection(*args)``."""
    return projection, tuple(freeze(a) for a in args)


@dataclass(frozen=True, slots=True)
class Event:
    """One event E_t = (P_t, x_t, s_t, y_t).

    Parameters
    ----------
    tool : str
        The tool's name, or ``user_message`` / ``assistant_message`` (their one argument is ``text``).
    args : Mapping[str, JSON]
        The arguments as the agent wrote them.
    output : JSON or MISSING
        What the tool returned; MISSING if that is not known or there was none.
    error : bool
        True if the tool raised or returned an error.
    state : Mapping[Reading, JSON or MISSING or Failed]
        Projections read immediately before the call ran. MISSING: the entity does not exist. A projection
        that is needed but not here was not read, and makes the verdict UNKNOWN.
    id : str
        Name of the event within its trace; by default its 0-based position.
    time : float or None
        Seconds since the epoch.
    """

    tool: str
    args: Mapping[str, JSON] = field(default_factory=dict)
    output: JSON | Missing = MISSING
    error: bool = False
    state: Mapping[Reading, JSON | Missing | Failed] = field(default_factory=dict)
    id: str = ""
    time: float | None = None

    @property
    def is_message(self) -> bool:
        return self.tool in MESSAGES


def call(tool: str, /, **args: JSON) -> Event:
    """Return an event for a call, its output unknown: ``call("open", file="a.txt")``."""
    return Event(tool, args)


def message(role: str, text: str) -> Event:
    """Return the event of a message; `role` is ``user`` or ``assistant``."""
    return Event(USER_MESSAGE if role == "user" else ASSISTANT_MESSAGE, {"text": text})


@dataclass(frozen=True, slots=True)
class Trace(Sequence[Event]):
    """A finite sequence of events.

    Parameters
    ----------
    events : tuple of Event
    name : str
        What the trace is called in reports.
    meta : Mapping[str, JSON]
        Anything else the source said about it (task, reward, model); never judged.
    """

    events: tuple[Event, ...] = ()
    name: str = ""
    meta: Mapping[str, JSON] = field(default_factory=dict)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Trace: ...
    def __getitem__(self, index: int | slice) -> Event | Trace:
        if isinstance(index, slice):
            return Trace(self.events[index], self.name, self.meta)
        return self.events[index]

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)
