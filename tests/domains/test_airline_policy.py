"""Every constraint of the airline specification: a trace that breaks it and nothing else, and near misses."""

import pytest

from agentc.trace.event import Event, call, message
from agentc.trace.values import JSON
from tests.domains.judging import broken, cases, run, specification

pytest.importorskip("tau2")

USER, CARD = "chen_hernandez_2608", "credit_card_8453507"  # a gold member
ECONOMY, BASIC, INSURED, FLOWN, FLOWN_INSURED = "V25KYO", "OC39IW", "TANH6H", "LSQVC2", "NPDBEW"
ONE_FLIGHT = "MM67S8"  # basic economy, HAT287 from CLT to BOS
BUSINESS, BUSINESS_OWNER = "XJUPNP", "mia_jackson_2156"
REGULAR, INSURED_REGULAR = "mason_kovacs_2875", "liam_santos_5621"
BUYER, NEW = "mohamed_silva_9265", "K1NW8N"  # booked less than 24 hours ago


def says(text: str) -> Event:
    return message("user", text)


def look(reservation: str) -> Event:
    return call("get_reservation_details", reservation_id=reservation)


def cancel(reservation: str) -> Event:
    return call("cancel_reservation", reservation_id=reservation)


def fly(reservation: str, cabin: str, *flights: tuple[str, str], payment: str = CARD) -> Event:
    legs = [{"flight_number": number, "date": f"2024-05-{day}"} for number, day in flights]
    return call(
        "update_reservation_flights",
        reservation_id=reservation,
        cabin=cabin,
        flights=legs,
        payment_id=payment,
    )


def bags(reservation: str, total: int) -> Event:
    return call(
        "update_reservation_baggages",
        reservation_id=reservation,
        total_baggages=total,
        nonfree_baggages=0,
        payment_id=CARD,
    )


def passengers(reservation: str, number: int) -> Event:
    person: JSON = {"first_name": "Ann", "last_name": "Lee", "dob": "1990-01-01"}
    return call("update_reservation_passengers", reservation_id=reservation, passengers=[person] * number)


def book(*payments: tuple[str, int]) -> Event:
    paid: JSON = [{"payment_id": method, "amount": amount} for method, amount in payments]
    person: JSON = {"first_name": "Mohamed", "last_name": "Silva", "dob": "1960-11-26"}
    return call(
        "book_reservation",
        user_id=BUYER,
        origin="CLT",
        destination="BOS",
        flight_type="one_way",
        cabin="business",
        flights=[{"flight_number": "HAT064", "date": "2024-05-21"}],
        passengers=[person],
        payment_methods=paid,
        total_baggages=0,
        nonfree_baggages=0,
        insurance="no",
    )


def compensate(user: str) -> Event:
    return call("send_certificate", user_id=user, amount=50)


ID, YES = says(f"My id is {USER}."), says("Yes, go ahead.")
KNOWN = [ID, YES, *map(look, (ECONOMY, BASIC, INSURED, FLOWN, FLOWN_INSURED, ONE_FLIGHT))]
BUYS = [says(f"I am {BUYER}"), YES, look(NEW)]
KEPT = {
    BASIC: [("HAT197", "19"), ("HAT289", "29")],
    ECONOMY: [("HAT270", "21"), ("HAT087", "21")],
    FLOWN: [("HAT084", "15"), ("HAT154", "15"), ("HAT101", "24"), ("HAT003", "24")],
}

BREAKS = {
    "own_reservations": [
        [YES, look(ECONOMY), bags(ECONOMY, 3)],
        [says(f"I am {BUYER}"), YES, look(ECONOMY), bags(ECONOMY, 3)],
        [YES, look(ECONOMY), bags(ECONOMY, 3), ID],
    ],
    "own_profile": [[says("I am gold."), compensate(USER)], [ID, compensate(BUSINESS_OWNER)]],
    "confirmed": [
        [ID, look(ECONOMY), bags(ECONOMY, 3)],
        [ID, look(ECONOMY), says("No, leave it."), passengers(ECONOMY, 2)],
    ],
    "rules_checked": [
        [says(f"I am {BUSINESS_OWNER}"), YES, cancel(BUSINESS)],
        [ID, YES, look(BASIC), fly(ECONOMY, "business", *KEPT[ECONOMY])],
    ],
    "cancel_unflown": [[*KNOWN, cancel(FLOWN_INSURED)]],
    "cancel_grounds": [
        [*KNOWN, cancel(BASIC)],
        [*KNOWN, fly(BASIC, "economy", *KEPT[BASIC]), cancel(BASIC)],
    ],
    "basic_economy_kept": [
        [*KNOWN, fly(ONE_FLIGHT, "basic_economy", ("HAT064", "21"))],
        [*KNOWN, fly(ONE_FLIGHT, "economy", ("HAT064", "21"))],
        [*KNOWN, fly(ONE_FLIGHT, "economy", ("HAT287", "22"))],
    ],
    "route_kept": [
        [*KNOWN, fly(ECONOMY, "economy", ("HAT270", "21"))],  # ends in Charlotte, not at LaGuardia
        [*KNOWN, fly(BASIC, "economy", *KEPT[BASIC]), fly(BASIC, "economy", ("HAT197", "19"))],  # and back?
        [*KNOWN, fly(ECONOMY, "economy", *reversed(KEPT[ECONOMY]))],  # doesn't connect
        [*KNOWN, fly(ECONOMY, "economy")],
    ],
    "cabin_unflown": [[*KNOWN, fly(FLOWN, "economy", *KEPT[FLOWN])]],
    "bags_kept": [[*KNOWN, bags(ECONOMY, 1)], [*KNOWN, bags(ECONOMY, 3), bags(ECONOMY, 2)]],
    "passenger_number_kept": [[*KNOWN, passengers(ECONOMY, 1)], [*KNOWN, passengers(ECONOMY, 3)]],
    "payment_mix": [
        [*BUYS, book(("certificate_3765853", 100), ("certificate_9984806", 100))],
        [*BUYS, book(("credit_card_5843230", 1), ("credit_card_2198526", 1))],
        [*BUYS, book(*[("gift_card_8020792", 1)] * 4)],
        [*BUYS, call("book_reservation", user_id=BUYER)],
    ],
    "compensation_ground": [[says(f"I am {REGULAR}"), compensate(REGULAR)]],
}

KEEPS = {
    "own_reservations": [[ID, YES, look(ECONOMY), bags(ECONOMY, 3)], [look(ECONOMY)]],
    "own_profile": [[ID, compensate(USER)]],
    "confirmed": [[ID, says("No."), YES, look(ECONOMY), bags(ECONOMY, 3)]],
    "rules_checked": [[says(f"I am {BUSINESS_OWNER}"), look(BUSINESS), cancel(BUSINESS)]],
    "cancel_unflown": [[*KNOWN, cancel(INSURED)]],
    "cancel_grounds": [
        [*BUYS, cancel(NEW)],
        [*KNOWN, fly(BASIC, "business", *KEPT[BASIC]), cancel(BASIC)],
    ],
    "basic_economy_kept": [
        [*KNOWN, fly(ONE_FLIGHT, "economy", ("HAT287", "21"))],
        [*KNOWN, fly(ONE_FLIGHT, "economy", ("HAT287", "21")), fly(ONE_FLIGHT, "economy", ("HAT064", "21"))],
    ],
    "route_kept": [[*KNOWN, fly(ECONOMY, "economy", ("HAT270", "22"), ("HAT087", "23"))]],
    "cabin_unflown": [[*KNOWN, fly(FLOWN, "basic_economy", *KEPT[FLOWN])]],
    "bags_kept": [[*KNOWN, bags(ECONOMY, 2)], [*KNOWN, bags(ECONOMY, 5)]],
    "passenger_number_kept": [[*KNOWN, passengers(ECONOMY, 2)]],
    "payment_mix": [
        [*BUYS, book(("certificate_3765853", 100), ("credit_card_2198526", 1), ("gift_card_8020792", 1))]
    ],
    "compensation_ground": [[says(f"I am {INSURED_REGULAR}"), compensate(INSURED_REGULAR)]],
}


@pytest.mark.parametrize(("name", "events"), cases(BREAKS))
def test_breaks_this_one_only(name: str, events: list[Event]) -> None:
    assert broken("airline", run("airline", events)) == {name}


@pytest.mark.parametrize(("name", "events"), cases(KEEPS))
def test_near_miss(name: str, events: list[Event]) -> None:
    assert broken("airline", run("airline", events)) == set()


def test_every_constraint_has_both() -> None:
    names = [c.name for c in specification("airline").constraints]
    assert sorted(names) == sorted(BREAKS) == sorted(KEEPS)
