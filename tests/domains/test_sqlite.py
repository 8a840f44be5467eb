"""Policies don't care where state lives: the same projections over SQLite, the same verdicts."""

import pytest

from agentc.domains import ground_truth, load, needed_by, replay
from agentc.errors import DomainError
from agentc.trace.event import Event, Trace, call
from tests.domains.judging import broken, specification
from tests.domains.test_retail_policy import BREAKS, KEEPS

pytest.importorskip("tau2")

RETAIL = load("retail")


def states(trace: Trace) -> list[object]:
    return [event.state for event in trace]


def test_all_tasks_have_the_same_states_and_verdicts() -> None:
    needed = needed_by(specification("retail"))
    sqlite = RETAIL.environment().in_sqlite()
    traces = ground_truth("retail", needed)
    assert len(traces) == 114 and sum(len(state) for t in traces for state in states(t)) > 1000  # type: ignore[misc]
    for trace in traces:
        bare = Trace(tuple(Event(e.tool, e.args, id=e.id) for e in trace), trace.name)
        again = replay(bare, sqlite, needed).trace
        assert states(again) == states(trace), trace.name
        assert broken("retail", again) == broken("retail", trace), trace.name


@pytest.mark.parametrize("table", [BREAKS, KEEPS])
def test_the_policy_tests_have_the_same_verdicts(table: dict[str, list[list[Event]]]) -> None:
    needed = needed_by(specification("retail"))
    sqlite = RETAIL.environment().in_sqlite()
    for name, traces in table.items():
        for events in traces:
            expected = {name} if table is BREAKS else set()
            assert broken("retail", replay(Trace(tuple(events)), sqlite, needed).trace) == expected


def test_a_copy_is_independent() -> None:
    shop = RETAIL.environment().in_sqlite()
    copy = shop.copy()
    shop.execute("cancel_pending_order", {"order_id": "#W5918442", "reason": "no longer needed"})
    assert shop.read("order_status", "#W5918442") == "cancelled"
    assert copy.read("order_status", "#W5918442") == "pending"


def test_what_a_column_cannot_hold_is_an_error_that_says_so() -> None:
    airline = load("airline").environment().in_sqlite()
    with pytest.raises(DomainError, match="SQLite can't hold"):
        airline.execute(
            "update_reservation_baggages",
            dict(
                call(
                    "",
                    reservation_id="V25KYO",
                    total_baggages=[1],
                    nonfree_baggages=0,
                    payment_id="credit_card_8453507",
                ).args
            ),
        )
