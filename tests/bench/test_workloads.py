"""The traces that are timed are what they are said to be."""

from __future__ import annotations

from itertools import islice

import pytest

pytest.importorskip("tau2")

from agentc.domains.domain import signatures
from agentc.dsl import nodes as N
from agentc.dsl.parse import parse_specification
from agentc.dsl.show_text import to_text
from agentc.logic.reference import conforms
from agentc.monitor import Session
from agentc.tools import accepts
from bench import shop
from bench.specifications import specification
from bench.workloads import DENSITIES, WORKLOADS, workload

PLACES = [(name, density) for name in WORKLOADS for density in DENSITIES]


def test_thirty_constraints_with_every_predicate() -> None:
    spec = specification("retail30")
    assert len({c.name for c in spec.constraints}) == len(spec.constraints) == 30
    assert all(c.sentence for c in spec.constraints)
    predicates = {type(node) for c in spec.constraints for node in N.walk(c.formula)}
    assert {N.Before, N.After, N.Seq, N.Forall, N.Exists} <= predicates


@pytest.mark.parametrize("name", WORKLOADS)
def test_its_text_parses_back(name: str) -> None:
    spec = specification(name)
    assert parse_specification(to_text(spec), resolve=signatures) == spec


@pytest.mark.parametrize(("name", "density"), PLACES)
@pytest.mark.parametrize("n", [2, 10, 37])
def test_traces_keep_the_specification_whatever_window_follows(name: str, density: str, n: int) -> None:
    w = workload(name, density)
    past = w.past(n)
    assert len(past) == n
    assert conforms(w.spec, past), "nothing is owed after the past"
    for window in islice(w.windows(n), 8):
        assert conforms(w.spec, [*past, *window])


@pytest.mark.parametrize(("name", "density"), PLACES)
def test_refused_calls_break_it(name: str, density: str) -> None:
    w = workload(name, density)
    past = w.past(10)
    assert not any(conforms(w.spec, [*past, call]) for call in islice(w.refused(10), 3))


@pytest.mark.parametrize(("name", "density"), PLACES)
def test_calls_are_valid_by_the_tools_schemas(name: str, density: str) -> None:
    w = workload(name, density)
    events = [*w.past(60), *(e for window in islice(w.windows(60), 8) for e in window)]
    assert w.spec.tools is not None
    assert [c for e in events if (c := accepts(w.spec.tools[e.tool], e.args))] == []


@pytest.mark.parametrize(("name", "density"), PLACES)
def test_traces_are_the_same_each_time(name: str, density: str) -> None:
    assert workload(name, density).past(40) == workload(name, density).past(40)


def test_a_session_that_reads_the_state_sees_what_the_events_carry() -> None:
    w = workload("retail30", "dense")
    session = Session(w.spec, read=w.read)
    events = [*w.past(10), *(e for window in islice(w.windows(10), 8) for e in window)]
    assert all(session.readings(e.tool, e.args) == e.state for e in events if not e.is_message)


def test_density_is_how_many_past_events_differ_for_the_specification() -> None:
    users = [
        len({e.args["user"] for e in workload("join", d).past(200) if e.tool == "auth"}) for d in DENSITIES
    ]
    orders = [
        len({e.args["order_id"] for e in workload("retail30", d).past(200) if "order_id" in e.args})
        for d in DENSITIES
    ]
    assert users == [3, 200]
    assert orders[0] == 5
    assert orders[1] > 30


def test_windows_are_one_of_each_kind_in_turn() -> None:
    tools = [{e.tool for e in window} for window in islice(workload("retail30", "sparse").windows(10), 8)]
    assert len(shop.KINDS) == 8
    writes = (
        "cancel_pending_order",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "return_delivered_order_items",
        "exchange_delivered_order_items",
        "modify_user_address",
        "transfer_to_human_agents",
    )
    assert all(write in found for write, found in zip(writes, tools, strict=True))
