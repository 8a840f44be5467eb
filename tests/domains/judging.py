"""Calls run on a real environment, then judged by the reference evaluator."""

from functools import cache

import pytest

from agentc.domains import load as load_domain
from agentc.domains import load_specification, needed_by, replay
from agentc.dsl.nodes import Specification
from agentc.logic.reference import closed_spec
from agentc.trace.event import Event, Trace


@cache
def specification(name: str, groups: tuple[str, ...] | None = None) -> Specification:
    return load_specification(name, groups=groups)


def run(name: str, events: list[Event]) -> Trace:
    """Replay the calls on a fresh environment, keeping the state that the specification reads."""
    return replay(Trace(tuple(events)), load_domain(name), needed_by(specification(name))).trace


def broken(name: str, trace: Trace, groups: tuple[str, ...] | None = None) -> set[str]:
    """Return the constraints that the closed trace breaks."""
    return {c for c, holds in closed_spec(specification(name, groups), trace).items() if not holds}


def cases(table: dict[str, list[list[Event]]]) -> list[object]:
    """Return one test parameter for each trace of a table by constraint."""
    rows = [(name, i, events) for name, traces in table.items() for i, events in enumerate(traces)]
    return [pytest.param(name, events, id=f"{name}-{i}") for name, i, events in rows]
