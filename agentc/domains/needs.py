"""Which projections a specification reads at an event: what a replay must keep."""

from __future__ import annotations

from collections.abc import Iterable

from agentc.domains.domain import Needs
from agentc.dsl import nodes as n
from agentc.logic.engine import Engine
from agentc.logic.leaves import thaw
from agentc.trace.event import Event
from agentc.trace.values import JSON

__all__ = ["needed_by"]


def needed_by(specification: n.Specification) -> Needs:
    """Return what to read before an event runs, so that every constraint can be judged; for `replay`.

    Examples
    --------
    >>> from agentc.domains import load_specification
    >>> from agentc.trace.event import call
    >>> needed = needed_by(load_specification("retail"))
    >>> sorted({name for name, _ in needed(call("cancel_pending_order", order_id="#W1", reason="a"))})
    ['order_owner', 'order_status']
    """
    engine = Engine(specification)

    def needed(event: Event) -> Iterable[tuple[str, tuple[JSON, ...]]]:
        return [(name, tuple(map(thaw, keys))) for name, keys in engine.readings(event.tool, event.args)]

    return needed
