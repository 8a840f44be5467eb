"""A session over a live environment: what the policy forbids does not run, what it allows does."""

from collections.abc import Callable

import pytest

from agentc.domains import load, names
from agentc.monitor import Session
from agentc.trace.event import Event, message
from tests.domains import test_airline_policy as airline
from tests.domains import test_retail_policy as retail
from tests.domains.judging import run, specification

pytest.importorskip("tau2")


def test_the_guard_stops_what_the_tools_would_do() -> None:
    shop = load("retail").environment()
    session = Session(specification("retail"), read=lambda name, args: shop.read(name, *args))
    order = "#W5442520"
    cancel = {"order_id": order, "reason": "no longer needed"}

    def attempt(tool: str, **args: object) -> tuple[str, set[str]]:
        judgement = session.run(tool, args, shop.execute)
        return str(judgement.verdict), {v.constraint for v in judgement.violations}

    assert attempt("cancel_pending_order", **cancel) == (
        "UNSAT",
        {"authenticated", "own_orders", "status_checked", "confirmed", "details_listed"},
    )
    assert shop.read("order_status", order) == "pending"
    session.push(message("user", "I am liam.li8523@example.com"))
    assert attempt("find_user_id_by_email", email="liam.li8523@example.com") == ("SAT", set())
    assert attempt("get_order_details", order_id=order) == ("UNSAT", {"own_orders"})

    session = Session(specification("retail"), read=lambda name, args: shop.read(name, *args))
    session.push(message("user", "I am olivia.ito5204@example.com"))
    assert attempt("find_user_id_by_email", email="olivia.ito5204@example.com") == ("SAT", set())
    assert attempt("get_order_details", order_id=order) == ("SAT", set())
    session.push(message("assistant", f"I would cancel {order} as no longer needed. Is that right?"))
    session.push(message("user", "Yes."))
    assert attempt("cancel_pending_order", **cancel) == ("SAT", set())
    assert shop.read("order_status", order) == "cancelled"
    assert attempt("cancel_pending_order", **cancel) == ("UNSAT", {"pending_only"})
    assert str(session.close().verdict) == "SAT"


def test_what_the_tools_let_through() -> None:
    """Most of what breaks a constraint succeeds on the real environment: only a guard stops it."""
    breaks = {"airline": airline.BREAKS, "retail": retail.BREAKS}
    assert {name: sum(any(map(succeeds(name), t)) for t in breaks[name].values()) for name in names()} == {
        "airline": 28,
        "retail": 13,
    }


def succeeds(name: str) -> Callable[[list[Event]], bool]:
    """Return whether each call succeeds, but for look-ups of users, some of which are to find nobody."""
    return lambda events: not any(e.error for e in run(name, events) if not e.tool.startswith("find_user"))
