"""Our specifications and traces as Invariant takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from agentc.trace import JSON, MISSING, USER_MESSAGE, Event, Missing

__all__ = ["LEFT_OUT", "entries", "job", "rules"]

LEFT_OUT = {"join": (), "retail30": ("served_somebody", "transfer_told", "cancellation_checked")}
"""Constraints that its language can't say: something must still happen."""


def rules(name: str) -> str:
    """Return a specification's rules."""
    return (Path(__file__).parent / "rules" / f"{name}.inv").read_text(encoding="utf-8")


def job(name: str, past: Sequence[Event], windows: Sequence[Sequence[Event]]) -> dict[str, Any]:
    """Return what ``peer_invariant.py`` is given."""
    names = map(str, count())
    return {
        "rules": rules(name),
        "past": [entry for event in past for entry in entries(event, next(names))],
        "windows": [[_step(event, next(names)) for event in window] for window in windows],
    }


def _step(event: Event, name: str) -> dict[str, Any]:
    return {
        "id": None if event.is_message else name,
        "tool": event.tool,
        "entries": list(entries(event, name)),
    }


def entries(event: Event, name: str) -> Iterator[dict[str, Any]]:
    """Yield a message, or a call with its state readings as metadata and then its output."""
    if event.is_message:
        yield {"role": "user" if event.tool == USER_MESSAGE else "assistant", "content": event.args["text"]}
        return
    readings = {projection: _plain(value) for (projection, _), value in event.state.items()}
    yield {
        "type": "function",
        "id": name,
        "function": {"name": event.tool, "arguments": dict(event.args)},
        "metadata": readings,
    }
    if event.output is not MISSING:
        yield {"role": "tool", "tool_call_id": name, "content": event.output}


def _plain(value: JSON | Missing) -> JSON:
    return None if value is MISSING else value
