"""Projections: what they answer, that they only look, and that no argument makes them raise."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentc.domains import Environment, load
from agentc.errors import DomainError
from agentc.trace.values import MISSING, freeze

pytest.importorskip("tau2")

ROOT = Path(__file__).parents[2]

RETAIL, AIRLINE = load("retail").environment(), load("airline").environment()
SQLITE = RETAIL.in_sqlite()

ONE_SEAT = {"flight_number": "HAT287", "date": "2024-05-26"}  # in economy
OWN_FLIGHT = {"flight_number": "HAT287", "date": "2024-05-21"}
PAYMENTS = [{"payment_id": "certificate_7504069"}, {"payment_id": 1}, 5]

ANSWERS = [
    (RETAIL, "order_owner", ("#W5866402",), "olivia_ito_3591"),
    (RETAIL, "order_status", ("#W5866402",), "delivered"),
    (RETAIL, "order_payment_method", ("#W5866402",), "paypal_8049766"),
    (RETAIL, "payment_source", ("#W5866402", "gift_card_7794233"), "gift_card"),
    (RETAIL, "payment_source", ("#W5866402", "gift_card_5427896"), MISSING),  # another user's
    (RETAIL, "gift_card_balance", ("#W5866402", "gift_card_7794233"), 56),
    (RETAIL, "gift_card_balance", ("#W5866402", "paypal_8049766"), MISSING),
    (RETAIL, "price_difference", ("#W5866402", ["6242772310"], ["7407838442"]), 85.88),
    (RETAIL, "price_difference", ("#W5866402", ["6242772310"], ["none"]), MISSING),
    (RETAIL, "price_difference", ("#W5866402", [], []), 0),
    (RETAIL, "order_status", ("W5866402",), MISSING),
    (RETAIL, "order_status", (MISSING,), MISSING),
    (RETAIL, "order_status", (None,), MISSING),
    (AIRLINE, "reservation_owner", ("V25KYO",), "chen_hernandez_2608"),
    (AIRLINE, "cabin", ("V25KYO",), "economy"),
    (AIRLINE, "flight_statuses", ("LSQVC2",), ["landed", "landed", "available", "available"]),
    (AIRLINE, "flight_statuses", ("ZZZZZZ",), MISSING),
    (AIRLINE, "reserved_flights", ("MM67S8",), [{"flight_number": "HAT287", "date": "2024-05-21"}]),
    (
        AIRLINE,
        "flight_list",
        ([{"flight_number": "HAT287", "date": "2024-05-21", "price": 1}],),
        [{"flight_number": "HAT287", "date": "2024-05-21"}],
    ),
    (AIRLINE, "flight_list", ([{"flight_number": "HAT287"}],), MISSING),
    (AIRLINE, "flight_list", ([],), []),
    (
        AIRLINE,
        "route",
        ([{"flight_number": "HAT270"}, {"flight_number": "HAT087"}],),
        {"start": "EWR", "end": "LGA", "stops": ["CLT", "LGA"]},
    ),
    (AIRLINE, "route", ([{"flight_number": "HAT087"}, {"flight_number": "HAT270"}],), MISSING),
    (AIRLINE, "route", ([],), MISSING),
    (AIRLINE, "membership", ("chen_hernandez_2608",), "gold"),
    (AIRLINE, "owner_membership", ("V25KYO",), "gold"),
    (AIRLINE, "owner_membership", ("ZZZZZZ",), MISSING),
    (AIRLINE, "details_lacking", ([{"first_name": "A", "last_name": "李", "dob": "1990-01-01"}, 5, {}],), 2),
    (AIRLINE, "details_lacking", ([{"first_name": "A", "last_name": " ", "dob": "1990-01-01"}],), 1),
    (AIRLINE, "details_lacking", ([{"first_name": "A", "last_name": "B", "dob": "1 January"}],), 1),
    (AIRLINE, "seats_left", ([ONE_SEAT], "economy"), 1),
    (AIRLINE, "seats_left", ([ONE_SEAT, {"flight_number": "HAT064", "date": "2024-05-21"}], "business"), 6),
    (AIRLINE, "seats_left", ([ONE_SEAT], "first"), 0),
    (AIRLINE, "seats_left", ([ONE_SEAT, {"flight_number": "HAT064", "date": "2024-05-15"}], "economy"), 0),
    (AIRLINE, "seats_left", ([ONE_SEAT, 7], "economy"), 0),
    (AIRLINE, "seats_left", ([], "economy"), MISSING),
    (AIRLINE, "seats_left_added", ("MM67S8", [OWN_FLIGHT], "economy"), MISSING),
    (AIRLINE, "seats_left_added", ("MM67S8", [OWN_FLIGHT, ONE_SEAT], "economy"), 1),
    (AIRLINE, "fare", ([{"flight_number": "HAT064", "date": "2024-05-21"}], "business"), 354),
    (AIRLINE, "fare", ([{"flight_number": "HAT064", "date": "2024-05-15"}], "business"), MISSING),
    (AIRLINE, "fare_paid", ("V25KYO",), 277),
    (AIRLINE, "fare_paid", ("ZZZZZZ",), MISSING),
    # Booked for 82 dollars in basic economy; today it costs 71, and 128 in economy.
    (
        AIRLINE,
        "fare_changed",
        ("MM67S8", [OWN_FLIGHT], "basic_economy"),
        82,
    ),
    (
        AIRLINE,
        "fare_changed",
        ("MM67S8", [OWN_FLIGHT], "economy"),
        128,
    ),
    (
        AIRLINE,
        "fare_changed",
        ("MM67S8", [{"flight_number": "HAT064", "date": "2024-05-15"}], "economy"),
        MISSING,
    ),
    (AIRLINE, "paid", ([{"amount": 1}, {"amount": 2.5}],), 3.5),
    (AIRLINE, "paid", ([{"amount": 1}, {"amount": True}],), MISSING),
    (AIRLINE, "payment_source", ("YH238W", "gift_card_6585072"), "gift_card"),
    (AIRLINE, "payment_source", ("V25KYO", "gift_card_6585072"), MISSING),  # another user's
    (AIRLINE, "balance", ("YH238W", "gift_card_6585072"), 31),
    (AIRLINE, "balance", ("YH238W", "credit_card_5038083"), MISSING),
    (AIRLINE, "methods_used", ("mia_li_3668", PAYMENTS, "certificate"), 1),
    (AIRLINE, "methods_used", ("mia_li_3668", PAYMENTS, "credit_card"), 0),
    (AIRLINE, "methods_unknown", ("mia_li_3668", PAYMENTS), 2),
    (AIRLINE, "methods_unknown", ("nobody", PAYMENTS), 3),
    (AIRLINE, "reservations", ("nobody",), MISSING),
    (
        AIRLINE,
        "reservations",
        ("mohamed_silva_9265",),
        [{"cabin": "basic_economy", "insurance": "no", "passengers": 3, "statuses": ["available"] * 3}],
    ),
    (RETAIL, "order_total", ("#W5866402",), 3203.78),
    (RETAIL, "items_lacking", ("#W5866402", ["6242772310", "9727387530"]), 0),
    (RETAIL, "items_lacking", ("#W5866402", ["6242772310", "6242772310", "x", ["x"]]), 3),
    (RETAIL, "items_lacking", ("#W0", []), MISSING),
    (RETAIL, "availability", (["6200867091", "6324294385", "none", 5],), [True, False, False, False]),
    (RETAIL, "unchanged_items", (["1", "2", "3"], ["1", "3"]), 1),
]


@pytest.mark.parametrize(("environment", "name", "args", "expected"), ANSWERS)
def test_answers(environment: Environment, name: str, args: tuple[object, ...], expected: object) -> None:
    assert freeze(environment.read(name, *args)) == freeze(expected)


def test_every_projection_is_asked_somewhere_in_a_specification_or_here() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "specs").glob("*.agentc")]
    asked = {name for _, name, _, _ in ANSWERS}
    for domain in (load("retail"), load("airline")):
        assert [
            p for p in domain.projections if p not in asked and not any(f".{p}(" in t for t in texts)
        ] == []


def test_mistakes_in_asking() -> None:
    with pytest.raises(DomainError, match="did you mean `order_owner`"):
        RETAIL.read("order_ownr", "#W5866402")
    with pytest.raises(DomainError, match="give it 1: order_id"):
        RETAIL.read("order_owner", "#W5866402", "#W5442520")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None))
    | st.sampled_from(["#W5866402", "6242772310", "V25KYO", "HAT287", "mia_li_3668"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["flight_number", "date", "payment_id", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
some_projection = st.sampled_from(
    [(e, name) for e in (RETAIL, AIRLINE) for name in e.domain.projections]
).flatmap(
    lambda chosen: st.tuples(
        st.just(chosen),
        st.tuples(*[values | st.just(MISSING)] * len(chosen[0].domain.projections[chosen[1]].parameters)),
    )
)


@settings(max_examples=300, deadline=None)
@given(some_projection)
def test_any_arguments_get_json_or_missing_and_sqlite_says_the_same(
    asked: tuple[tuple[Environment, str], tuple[object, ...]],
) -> None:
    (environment, name), args = asked
    answer = environment.read(name, *args)
    if answer is not MISSING:
        json.dumps(answer, allow_nan=False)
    if environment is RETAIL:
        assert freeze(SQLITE.read(name, *args)) == freeze(answer)


def test_reading_changes_nothing() -> None:
    for environment in (load("retail").environment(), load("airline").environment()):
        before = environment.digest()
        for _, name, args, _ in ANSWERS:
            if name in environment.domain.projections:
                environment.read(name, *args)
        assert environment.digest() == before
