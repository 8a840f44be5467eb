"""tau2-bench's own solutions, completed: they conform but for the tasks listed."""

from collections import Counter
from contextlib import suppress

import pytest

from agentc.domains import faults, ground_truth, load, needed_by
from agentc.monitor import Session
from agentc.trace.event import Event, Trace
from tests.domains.judging import broken, specification

pytest.importorskip("tau2")


@pytest.fixture(scope="module", params=["retail", "airline"])
def domain(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def traces(domain: str) -> list[Trace]:
    return ground_truth(domain, needed_by(specification(domain)))


def test_conforms_but_for_the_listed_tasks(domain: str, traces: list[Trace]) -> None:
    found = {t.meta["task"]: broken(domain, t) for t in traces}
    listed = {task: set(fault.constraints) for task, fault in faults(domain).items()}
    assert {task: names for task, names in found.items() if names} == listed


@pytest.mark.parametrize("groups", [(), ("dialogue", "letter"), None])
def test_z3_says_the_same_as_the_reference(
    domain: str, traces: list[Trace], groups: tuple[str, ...] | None
) -> None:
    for trace in traces:
        session = Session(specification(domain, groups))
        for event in trace:
            session.push(event)
        expected = "UNSAT" if broken(domain, trace, groups) else "SAT"
        assert str(session.close().verdict) == expected, trace.name


def test_calls_alone_conform_to_what_calls_decide(domain: str, traces: list[Trace]) -> None:
    decided = {c.name for c in specification(domain, ()).constraints}
    for trace in traces:
        calls = Trace(tuple(e for e in trace if not e.is_message))
        expected = broken(domain, trace) & decided
        assert broken(domain, calls, ()) == expected, trace.name


def test_no_call_of_a_conforming_solution_is_refused(domain: str, traces: list[Trace]) -> None:
    """Each call is checked before it runs on a live environment; its output is not known then."""
    for trace in traces:
        if trace.meta["task"] in faults(domain):
            continue
        live = load(domain).environment()
        session = Session(specification(domain), lambda name, args, live=live: live.read(name, *args))
        for event in trace:
            if event.is_message:
                session.push(Event(event.tool, event.args))
            else:
                judgement = session.run(event.tool, event.args, live.execute)
                assert str(judgement.verdict) == "SAT", (trace.name, event.tool, judgement.violations)
        assert str(session.close().verdict) == "SAT", trace.name


def test_what_tau2_lists_is_there_in_order(domain: str, traces: list[Trace]) -> None:
    for trace, task in zip(traces, load(domain).tasks, strict=True):
        kept = [(e.id, e.tool, e.args) for e in trace if e.id not in trace.meta["added"]]
        actions = task["evaluation_criteria"]["actions"] or []
        assert kept == [(a["action_id"], a["name"], a["arguments"]) for a in actions]
        assert len({e.id for e in trace}) == len(trace)


def test_additions_change_nothing(domain: str, traces: list[Trace]) -> None:
    """The completed solutions, one after the other, leave what tau2's lists leave in its own environment."""
    theirs = pytest.importorskip(f"tau2.domains.{domain}.environment").get_environment()
    ours = load(domain).environment()
    for trace, task in zip(traces, load(domain).tasks, strict=True):
        for event in trace:
            if not event.is_message:
                ours.execute(event.tool, event.args)
        for action in task["evaluation_criteria"]["actions"] or []:
            with suppress(ValueError):
                theirs.use_tool(action["name"], **action["arguments"])
    assert ours.digest() == theirs.get_db_hash() != load(domain).environment().digest()


def test_how_much_is_added(domain: str, traces: list[Trace]) -> None:
    added = Counter(e.tool for t in traces for e in t if e.id in t.meta["added"])
    assert added == ADDED[domain]
    assert all(not e.error for t in traces for e in t if e.id in t.meta["added"])


ADDED = {
    "retail": {
        "find_user_id_by_email": 15,
        "find_user_id_by_name_zip": 30,
        "get_order_details": 74,
        "user_message": 290,
        "assistant_message": 182,
    },
    "airline": {
        "get_reservation_details": 16,
        "get_user_details": 22,
        "get_flight_status": 3,
        "user_message": 98,
        "assistant_message": 56,
    },
}


def test_without_needs_no_state_is_read(domain: str) -> None:
    assert all(not e.state for t in ground_truth(domain) for e in t)
