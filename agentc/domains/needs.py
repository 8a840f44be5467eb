"""Which projections a specification reads at an event: what a replay must keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentc.domains.domain import Needs
from agentc.dsl import nodes as n
from agentc.logic.leaves import needed_readings, thaw
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event, Reading
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
    tools = specification.tools or ToolSet()
    nodes = [node for c in specification.constraints for node in n.walk(c.formula)]
    patterns = [part for node in nodes for part in _patterns(node)]

    def needed(event: Event) -> Iterable[tuple[str, tuple[JSON, ...]]]:
        found = dict.fromkeys(r for part in patterns for r in _readings(part, tools, event))
        return [(name, tuple(thaw(key) for key in keys)) for name, keys in found]

    return needed


_Part = tuple[n.Pattern, str, n.Formula]


def _patterns(node: object) -> Iterator[_Part]:
    """Yield a predicate's patterns, each with its role and the data formula that may read its events."""
    if isinstance(node, (n.Forall, n.Exists)):
        yield node.first, "first", node.where
    elif isinstance(node, (n.Before, n.After, n.Seq)):
        both = n.And((node.when, node.where))
        yield node.first, "first", both
        yield node.second, "second", both


def _readings(part: _Part, tools: ToolSet, event: Event) -> Iterable[Reading]:
    pattern, role, formula = part
    branch = pattern.branch(event.tool, tools)
    return needed_readings(formula, branch, role, event, complete=True) if branch else ()
