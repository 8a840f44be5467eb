"""What is timed: two specifications, and traces of any length that keep them, sparse and dense.

* ``join``: the one rule of ``specs/join.agentc``. Sparse: three users are authenticated, and everything after
  reads their data. Dense: every past call authenticates another user: each is a candidate for the witness.
* ``retail30``: thirty constraints. Sparse: one customer, and nothing but looks and questions about five
  orders. Dense: one request after another, each about another order, fulfilled.

After n past events come *windows*: a few further events that keep the specification, the same mix whatever n
and the density. A window starts from the same n events as the others; it doesn't follow them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, cycle, islice
from random import Random

from agentc.domains import Needs, needed_by
from agentc.dsl.nodes import Specification
from agentc.monitor.session import ReadState
from agentc.trace import JSON, MISSING, Event, Missing, call, reading
from bench import shop
from bench.specifications import specification

__all__ = ["DENSITIES", "WORKLOADS", "Workload", "workload"]

DENSITIES = ("sparse", "dense")
_FRESH = 1_000_000
"""Orders and users from here on occur in windows only, never in a past."""


@dataclass(frozen=True, slots=True)
class Workload:
    """One specification with its traces.

    Parameters
    ----------
    name : str
    spec : Specification
    past : callable
        Takes n; returns n events that keep the specification, nothing owed.
    windows : callable
        Takes n; yields, without end, windows that may follow ``past(n)``.
    refused : callable
        Takes n; yields, without end, calls that may not follow ``past(n)``, output left out.
    read : ReadState
        What the state is, for sessions that read it themselves.
    """

    name: str
    spec: Specification
    past: Callable[[int], list[Event]]
    windows: Callable[[int], Iterator[list[Event]]]
    refused: Callable[[int], Iterator[Event]]
    read: ReadState


def workload(name: str, density: str) -> Workload:
    """Return a workload by its name and density."""
    return WORKLOADS[name](density)


# ---------------------------------------------------------------- the single joined rule


def _join(density: str) -> Workload:
    def users(n: int) -> int:
        return n if density == "dense" else min(3, n)

    def past(n: int) -> list[Event]:
        chosen = Random(n)
        logins = [call("auth", user=f"user{i}") for i in range(users(n))]
        return logins + [
            call("get", user=f"user{chosen.randrange(users(n))}") for _ in range(n - len(logins))
        ]

    def windows(n: int) -> Iterator[list[Event]]:
        chosen = Random(n + 1)
        for i in count(_FRESH):
            known = [call("get", user=f"user{chosen.randrange(users(n))}") for _ in range(2)]
            yield [known[0], call("auth", user=f"user{i}"), call("get", user=f"user{i}"), known[1]]

    def refused(n: int) -> Iterator[Event]:
        return (call("get", user=f"user{i}") for i in count(_FRESH))

    return Workload("join", specification("join"), past, windows, refused, _stateless)


def _stateless(name: str, args: Sequence[JSON | Missing]) -> JSON | Missing:
    return MISSING


# ---------------------------------------------------------------- thirty constraints


def _retail30(density: str) -> Workload:
    spec = specification("retail30")
    needed = needed_by(spec)
    body = _requests if density == "dense" else _questions

    def past(n: int) -> list[Event]:
        return [_with_state(e, needed) for e in islice(chain(shop.opening(), body(n - 2)), n)]

    def windows(n: int) -> Iterator[list[Event]]:
        return ([_with_state(e, needed) for e in shop.episode(k)] for k in count(_FRESH))

    def refused(n: int) -> Iterator[Event]:
        calls = (call("get_order_details", order_id=f"#X{k:07}") for k in count())
        return (_with_state(e, needed) for e in calls)

    return Workload("retail30", spec, past, windows, refused, shop.read)


def _questions(n: int) -> Iterator[Event]:
    for k in cycle(range(5)):
        yield from shop.reads(k)


def _requests(n: int) -> Iterator[Event]:
    """Yield whole requests while they fit into n events, then looks at further orders: nothing is owed."""
    left = n
    for k in count():
        events = shop.episode(k)
        if len(events) > left:
            break
        left -= len(events)
        yield from events
    yield from (shop.reads(k)[1] for k in count(_FRESH // 2))


def _with_state(event: Event, needed: Needs) -> Event:
    return replace(event, state={reading(name, *args): shop.read(name, args) for name, args in needed(event)})


WORKLOADS: dict[str, Callable[[str], Workload]] = {"join": _join, "retail30": _retail30}
