"""Leaves: the places of an event that a data formula reads, and reading them.

Before anything is encoded, variables are resolved through the branch an event is read by, so that a formula
mentions only leaves (argument, output, state of the first or second event), constants and operators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from agentc.dsl import nodes as n
from agentc.trace.event import Event, Failed, Reading
from agentc.trace.values import JSON, MISSING, Key, Missing, at_path, freeze

__all__ = ["ABSENT", "Leaf", "Undecided", "resolve", "leaf_of", "leaves", "needed_readings", "read", "thaw"]

ABSENT = n.Const(MISSING)

Leaf = n.Arg | n.Output | n.State
"""A leaf term. Its role says which event it reads; its path leads into the value."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """Stands for a state value that nobody could read; `reason` is told with the verdict UNKNOWN."""

    reason: str


def resolve(node: object, first: n.Branch, second: n.Branch | None) -> object:
    """Replace each variable by the argument its branch binds it to, or by the absent constant.

    Parameters
    ----------
    node : term or data formula
    first, second : Branch
        The branches through which the two events are read; `second` is None where there is only one event.
    """
    bound = {
        "first": {v: a for a, v in first.bindings},
        "second": {v: a for a, v in second.bindings} if second else {},
    }
    return _resolve(node, bound)


def _resolve(node: object, bound: Mapping[str, Mapping[str, str]]) -> object:
    match node:
        case n.Var(role, name, path):
            arg = bound[role].get(name)
            return ABSENT if arg is None else n.Arg(role, arg, path)
        case n.Const() | n.Arg() | n.Output() | n.Item() | n.Truth():
            return node
        case n.And() | n.Or() | n.State():
            return replace(node, args=tuple(_resolve(a, bound) for a in node.args))  # type: ignore[arg-type]
    changes = {
        name: _resolve(value, bound)
        for name in node.__dataclass_fields__  # type: ignore[attr-defined]
        if not isinstance(value := getattr(node, name), str)
    }
    return replace(node, **changes)  # type: ignore[type-var]


def leaf_of(term: object) -> Leaf | None:
    return term if isinstance(term, (n.Arg, n.Output, n.State)) else None


def leaves(node: object, role: str | None = None) -> Iterator[Leaf]:
    """Yield the leaves of a resolved formula, whole states only (not the arguments of a projection)."""
    if isinstance(node, (n.Arg, n.Output, n.State)):
        if role in (None, node.role):
            yield node
    elif not isinstance(node, n.Const):
        for child in n.children(node):
            yield from leaves(child, role)


def base(leaf: Leaf) -> Leaf:
    """The leaf without its path: the whole argument, output or state value."""
    return replace(leaf, path=())


def read(leaf: Leaf, event: Event) -> JSON | Missing | Undecided:
    """Read a leaf's value off an event."""
    if isinstance(leaf, n.Arg):
        value = event.args.get(leaf.name, MISSING)
    elif isinstance(leaf, n.Output):
        value = event.output
    else:
        value = _read_state(leaf, event)
        if isinstance(value, Undecided):
            return value
    return at_path(value, leaf.path) if leaf.path else value


def _read_state(leaf: n.State, event: Event) -> JSON | Missing | Undecided:
    key = reading_of(leaf, event)
    value = event.state.get(key, _UNREAD)
    if value is _UNREAD:
        return Undecided(f"state {leaf.name} was not read at {event.tool}")
    if isinstance(value, Failed):
        return Undecided(f"state {leaf.name} could not be read at {event.tool}: {value.reason}")
    return value


_UNREAD = object()


def reading_of(leaf: n.State, event: Event) -> Reading:
    """Return the key under which the event files this projection, its arguments taken from the event itself.
    """
    return leaf.name, tuple(_argument(term, event) for term in leaf.args)


def _argument(term: object, event: Event) -> Key:
    if isinstance(term, n.Const):
        return freeze(term.value)
    return freeze(read(term, event))  # type: ignore[arg-type]  # only own arguments and constants are allowed


@lru_cache(maxsize=4096)
def _states(formula: object, first: n.Branch, second: n.Branch | None, role: str) -> tuple[n.State, ...]:
    found = resolve(formula, first, second)
    return tuple(s for s in leaves(found, role) if isinstance(s, n.State))


def needed_readings(
    formula: object, branch: n.Branch, role: str, event: Event, complete: bool
) -> Iterator[Reading]:
    """Yield the projections that a data formula reads at an event matched as `role`, arguments filled in.

    Where the call isn't complete, readings whose own arguments aren't there yet are left out.
    """
    for state in _states(formula, branch, branch, role):
        if complete or all(not isinstance(a, n.Arg) or a.name in event.args for a in state.args):
            yield reading_of(state, event)


def thaw(key: Key) -> JSON | Missing:
    """Return a JSON value for a key (numbers that are no integers come back as Fraction)."""
    tag = key[0]
    if tag == "list":
        return [thaw(k) for k in key[1]]
    if tag == "dict":
        return {name: thaw(k) for name, k in key[1]}
    if tag == "null":
        return None
    return MISSING if tag == "missing" else key[1]
