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
BUYER, NEW = "mohamed_silva_9265", "K1NW8N"  # a regular member; booked less than 24 hours ago
BUYERS_CARD, BUYERS_OTHER_CARD = "credit_card_2198526", "credit_card_5843230"
EMMA, EMMAS, EMMAS_CARD = "emma_johnson_7098", "YH238W", "credit_card_5038083"  # gold; basic economy for two
EMMAS_GIFT_CARD, EMMAS_CERTIFICATE = "gift_card_6585072", "certificate_6190224"  # the card holds 31 dollars
SILVER, SILVERS, SILVERS_CARD = "aarav_martin_4744", "OYO62W", "credit_card_4742606"  # economy for one
# Regular members: a cancelled flight, insured, for two; a cancelled one, not insured; a delayed one, insured.
CANCELLED, CANCELLED_OWNER, CANCELLED_FLIGHT = "5264D4", "evelyn_garcia_6211", ("HAT195", "11")
PLAIN, PLAIN_OWNER, PLAIN_FLIGHT = "521ARH", "isabella_davis_2143", ("HAT231", "09")
DELAYED, DELAYED_OWNER, DELAYED_FLIGHT = "UDIGI7", "ethan_nguyen_6045", ("HAT272", "15")
ROUND_TRIP = (("HAT064", "21"), ("HAT260", "25"))  # 354 and 402 dollars in business
ONE_SEAT = (("HAT287", "26"),)  # in economy, for 177 dollars
PERSON: dict[str, JSON] = {"first_name": "Ann", "last_name": "Lee", "dob": "1990-01-01"}


def says(text: str) -> Event:
    return message("user", text)


def tells(text: str) -> Event:
    return message("assistant", text)


def look(reservation: str) -> Event:
    return call("get_reservation_details", reservation_id=reservation)


def cancel(reservation: str) -> Event:
    return call("cancel_reservation", reservation_id=reservation)


def legs(*flights: tuple[str, str]) -> JSON:
    return [{"flight_number": number, "date": f"2024-05-{day}"} for number, day in flights]


def fly(reservation: str, cabin: str, *flights: tuple[str, str], payment: str = CARD) -> Event:
    return call(
        "update_reservation_flights",
        reservation_id=reservation,
        cabin=cabin,
        flights=legs(*flights),
        payment_id=payment,
    )


def bags(reservation: str, total: int, paid: int = 0, payment: str = CARD) -> Event:
    return call(
        "update_reservation_baggages",
        reservation_id=reservation,
        total_baggages=total,
        nonfree_baggages=paid,
        payment_id=payment,
    )


def passengers(reservation: str, number: int, **changed: JSON) -> Event:
    return call(
        "update_reservation_passengers",
        reservation_id=reservation,
        passengers=[{**PERSON, **changed}] * number,
    )


def book(*payments: tuple[str, int], **changed: JSON) -> Event:
    """Book HAT064 of 21 May from Charlotte to Boston in business, for one: 354 dollars."""
    paid: JSON = [{"payment_id": method, "amount": amount} for method, amount in payments]
    args: dict[str, JSON] = {
        "user_id": BUYER,
        "origin": "CLT",
        "destination": "BOS",
        "flight_type": "one_way",
        "cabin": "business",
        "flights": [{"flight_number": "HAT064", "date": "2024-05-21"}],
        "passengers": [PERSON],
        "payment_methods": paid or [{"payment_id": BUYERS_CARD, "amount": 354}],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    return call("book_reservation", **args | changed)


def status(flight: tuple[str, str]) -> Event:
    return call("get_flight_status", flight_number=flight[0], date=f"2024-05-{flight[1]}")


def compensate(user: str, amount: int) -> Event:
    return call("send_certificate", user_id=user, amount=amount)


def complains(user: str) -> Event:
    return says(f"I am {user}. I'm ill and want compensation.")


def knows(user: str, *reservations: str) -> list[Event]:
    """Return a dialogue after which writes to the user's reservations are confirmed."""
    listed = tells(f"I would change {', '.join(reservations)}.")
    return [complains(user), *map(look, reservations), listed, YES]


YES = says("Yes, go ahead.")
TRANSFER = call("transfer_to_human_agents", summary="A flown trip.")
TRANSFERRED = tells("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.")
KNOWN = knows(USER, ECONOMY, BASIC, INSURED, FLOWN, FLOWN_INSURED, ONE_FLIGHT)
OFFERED = [complains(BUYER), tells("HAT064 and HAT287, HAT260 back, with travel insurance?"), YES]
HARMED = [complains(CANCELLED_OWNER), look(CANCELLED), status(CANCELLED_FLIGHT)]
LATE = [complains(DELAYED_OWNER), look(DELAYED), status(DELAYED_FLIGHT)]
KEPT = {
    BASIC: [("HAT197", "19"), ("HAT289", "29")],
    ECONOMY: [("HAT270", "21"), ("HAT087", "21")],
    FLOWN: [("HAT084", "15"), ("HAT154", "15"), ("HAT101", "24"), ("HAT003", "24")],
    EMMAS: [("HAT157", "20")],
}

BREAKS = {
    "one_user": [
        [
            says(f"I am {USER}, or {BUSINESS_OWNER}"),
            *knows(USER, ECONOMY, BUSINESS)[1:],
            bags(ECONOMY, 3),
            cancel(BUSINESS),
        ],
        [*OFFERED, *knows(USER, ECONOMY), book(), bags(ECONOMY, 3)],
        [*knows(USER, ECONOMY), bags(ECONOMY, 3), *HARMED, compensate(CANCELLED_OWNER, 200)],
    ],
    "rules_checked": [
        [*knows(BUSINESS_OWNER), cancel(BUSINESS)],
        [complains(USER), look(BASIC), tells(ECONOMY), YES, fly(ECONOMY, "business", *KEPT[ECONOMY])],
    ],
    "booked_route": [
        [*OFFERED, book(origin="JFK")],
        [*OFFERED, book(destination="JFK")],
        [*OFFERED, book(flight_type="round_trip")],
        [*OFFERED, book((BUYERS_CARD, 402 + 354), flight_type="one_way", flights=legs(*ROUND_TRIP))],
    ],
    "booked_flights_available": [
        [*OFFERED, book(flights=legs(("HAT064", "15")))],  # flying
        [
            *OFFERED,
            book((BUYERS_CARD, 177 * 2), passengers=[PERSON] * 2, cabin="economy", flights=legs(*ONE_SEAT)),
        ],
    ],
    "five_passengers": [[*OFFERED, book((BUYERS_CARD, 354 * 6), passengers=[PERSON] * 6)]],
    "passengers_named": [
        [*OFFERED, book(passengers=[PERSON | {"last_name": " "}])],
        [*OFFERED, book(passengers=[{"first_name": "Ann", "dob": "1990-01-01"}])],
        [*KNOWN, passengers(ECONOMY, 2, dob="unknown")],
    ],
    "payment_mix": [
        [*OFFERED, book(("certificate_3765853", 100), ("certificate_9984806", 254))],
        [*OFFERED, book((BUYERS_CARD, 177), (BUYERS_OTHER_CARD, 177))],
        [*OFFERED, book(*[("gift_card_8020792", 1)] * 4, (BUYERS_CARD, 350))],
    ],
    "own_payment": [
        [*OFFERED, book((CARD, 354))],
        [*KNOWN, bags(ECONOMY, 3, payment=BUYERS_CARD)],
        [*KNOWN, fly(ECONOMY, "economy", ("HAT270", "22"), ("HAT087", "21"), payment=BUYERS_CARD)],
    ],
    "booking_paid": [
        [*OFFERED, book((BUYERS_CARD, 353))],
        [*OFFERED, book(insurance="yes")],
        [*OFFERED, book(total_baggages=3, nonfree_baggages=1)],
        [*OFFERED, book(passengers=[PERSON] * 2)],
    ],
    "regular_bags": [
        [*OFFERED, book(total_baggages=3)],
        [*OFFERED, book((BUYERS_CARD, 404), total_baggages=2, nonfree_baggages=1)],
        [*knows(BUYER, NEW), bags(NEW, 1, payment=BUYERS_CARD)],
    ],
    "silver_bags": [
        [*knows(SILVER, SILVERS), bags(SILVERS, 3, payment=SILVERS_CARD)],
        [*knows(SILVER, SILVERS), bags(SILVERS, 2, 1, payment=SILVERS_CARD)],
    ],
    "gold_bags": [[*KNOWN, bags(ECONOMY, 7)], [*KNOWN, bags(ECONOMY, 6, 2)], [*KNOWN, bags(BASIC, 3)]],
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
    "new_flights_available": [
        [*KNOWN, fly(ECONOMY, "economy", ("HAT270", "21"), ("HAT087", "23"))],  # one seat for two
        [*KNOWN, fly(ECONOMY, "economy", ("HAT270", "15"), ("HAT087", "21"))],  # has landed
    ],
    "cabin_unflown": [[*KNOWN, fly(FLOWN, "economy", *KEPT[FLOWN])]],
    "change_payment": [[*knows(EMMA, EMMAS), fly(EMMAS, "economy", *KEPT[EMMAS], payment=EMMAS_CERTIFICATE)]],
    "gift_card_covers": [
        [*knows(EMMA, EMMAS), fly(EMMAS, "economy", *KEPT[EMMAS], payment=EMMAS_GIFT_CARD)],
        [*knows(EMMA, EMMAS), bags(EMMAS, 5, 1, payment=EMMAS_GIFT_CARD)],
    ],
    "bags_kept": [[*KNOWN, bags(ECONOMY, 1)], [*KNOWN, bags(ECONOMY, 3), bags(ECONOMY, 2)]],
    "passenger_number_kept": [[*KNOWN, passengers(ECONOMY, 1)], [*KNOWN, passengers(ECONOMY, 3)]],
    "cancel_unflown": [[*KNOWN, cancel(FLOWN_INSURED)]],
    "cancel_grounds": [
        [*KNOWN, cancel(BASIC)],
        [*KNOWN, fly(BASIC, "economy", *KEPT[BASIC]), cancel(BASIC)],
    ],
    "compensation_ground": [
        [complains(PLAIN_OWNER), look(PLAIN), status(PLAIN_FLIGHT), compensate(PLAIN_OWNER, 100)]
    ],
    "compensation_amount": [
        [*HARMED, compensate(CANCELLED_OWNER, 300)],
        [*knows(USER, ECONOMY), status(CANCELLED_FLIGHT), compensate(USER, 100)],  # nothing went wrong
    ],
    "facts_checked": [[HARMED[0], status(CANCELLED_FLIGHT), compensate(CANCELLED_OWNER, 200)]],
    "own_reservations": [
        [says("I am gold."), *KNOWN[1:], bags(ECONOMY, 3)],
        [complains(BUYER), *KNOWN[1:], bags(ECONOMY, 3)],
        [*KNOWN[1:], bags(ECONOMY, 3), complains(USER)],
    ],
    "own_profile": [
        [says("I want compensation."), *HARMED[1:], compensate(CANCELLED_OWNER, 200)],
        [complains(USER), *OFFERED[1:], book()],
    ],
    "insurance_offered": [[complains(BUYER), tells("HAT064 in business?"), YES, book()]],
    "transfer_first": [[YES, TRANSFERRED, TRANSFER, TRANSFERRED]],
    "transfer_announced": [[YES, TRANSFER, tells("I transferred you.")]],
    "confirmed": [
        [*KNOWN[:-1], bags(ECONOMY, 3)],
        [*KNOWN[:-1], says("No, leave it."), passengers(ECONOMY, 2)],
    ],
    "details_listed": [
        [complains(USER), look(ECONOMY), YES, bags(ECONOMY, 3)],
        [complains(BUYER), tells("HAT287, with insurance?"), YES, book()],
    ],
    "insured_reason": [[says(f"I am {USER} and will not fly."), *KNOWN[1:], cancel(INSURED)]],
    "compensation_asked": [[says(f"I am {CANCELLED_OWNER}."), *HARMED[1:], compensate(CANCELLED_OWNER, 200)]],
    "complaint_verified": [
        [*HARMED[:-1], compensate(CANCELLED_OWNER, 200)],
        [*HARMED[:-1], status(("HAT064", "21")), compensate(CANCELLED_OWNER, 200)],
    ],
    "delay_settled": [[*LATE, compensate(DELAYED_OWNER, 50)]],
}

KEEPS = {
    "one_user": [[*KNOWN, bags(ECONOMY, 3), bags(BASIC, 2), passengers(ONE_FLIGHT, 2)]],
    "rules_checked": [[says(f"I am {BUSINESS_OWNER}"), look(BUSINESS), cancel(BUSINESS)]],
    "booked_route": [
        [*OFFERED, book((BUYERS_CARD, 402 + 354), flight_type="round_trip", flights=legs(*ROUND_TRIP))]
    ],
    "booked_flights_available": [
        [*OFFERED, book((BUYERS_CARD, 177), cabin="economy", flights=legs(*ONE_SEAT))]
    ],
    "five_passengers": [[*OFFERED, book((BUYERS_CARD, 354 * 5), passengers=[PERSON] * 5)]],
    "passengers_named": [[*KNOWN, passengers(ECONOMY, 2, first_name="李", last_name="O'Hara")]],
    "payment_mix": [
        [
            *OFFERED,
            book(("certificate_3765853", 100), (BUYERS_CARD, 251), *[("gift_card_8020792", 1)] * 3),
        ]
    ],
    "own_payment": [[*OFFERED, book((BUYERS_OTHER_CARD, 354))]],
    "booking_paid": [
        [*OFFERED, book((BUYERS_CARD, 2 * 384), passengers=[PERSON] * 2, insurance="yes")],
        [*OFFERED, book((BUYERS_CARD, 454), total_baggages=4, nonfree_baggages=2)],
    ],
    "regular_bags": [
        [*OFFERED, book(total_baggages=2)],
        [*knows(BUYER, NEW), bags(NEW, 1, 1, payment=BUYERS_CARD)],
    ],
    "silver_bags": [
        [*knows(SILVER, SILVERS), bags(SILVERS, 2, payment=SILVERS_CARD)],
        [*knows(SILVER, SILVERS), bags(SILVERS, 3, 1, payment=SILVERS_CARD)],
    ],
    "gold_bags": [
        [*KNOWN, bags(ECONOMY, 6)],
        [*KNOWN, bags(BASIC, 2), fly(BASIC, "economy", *KEPT[BASIC]), bags(BASIC, 3)],
    ],
    "basic_economy_kept": [
        [*KNOWN, fly(ONE_FLIGHT, "economy", ("HAT287", "21"))],
        [*KNOWN, fly(ONE_FLIGHT, "economy", ("HAT287", "21")), fly(ONE_FLIGHT, "economy", ("HAT064", "21"))],
    ],
    "route_kept": [[*KNOWN, fly(ECONOMY, "economy", ("HAT270", "22"), ("HAT087", "21"))]],
    "new_flights_available": [[*KNOWN, fly(ECONOMY, "business", ("HAT270", "22"), ("HAT087", "23"))]],
    "cabin_unflown": [[*KNOWN, fly(FLOWN, "basic_economy", *KEPT[FLOWN])]],
    "change_payment": [[*knows(EMMA, EMMAS), fly(EMMAS, "economy", *KEPT[EMMAS], payment=EMMAS_CARD)]],
    "gift_card_covers": [
        [*knows(EMMA, EMMAS), fly(EMMAS, "basic_economy", *KEPT[EMMAS], payment=EMMAS_GIFT_CARD)],
        [*knows(EMMA, EMMAS), bags(EMMAS, 4, payment=EMMAS_GIFT_CARD)],
    ],
    "bags_kept": [[*KNOWN, bags(ECONOMY, 2)], [*KNOWN, bags(ECONOMY, 5)]],
    "passenger_number_kept": [[*KNOWN, passengers(ECONOMY, 2)]],
    "cancel_unflown": [[*KNOWN, cancel(INSURED)]],
    "cancel_grounds": [
        [*knows(BUYER, NEW), cancel(NEW)],
        [*KNOWN, fly(BASIC, "business", *KEPT[BASIC]), cancel(BASIC)],
    ],
    "compensation_ground": [[*HARMED, compensate(CANCELLED_OWNER, 200)]],
    "compensation_amount": [[*LATE, cancel(DELAYED), compensate(DELAYED_OWNER, 50)]],
    "facts_checked": [
        [
            HARMED[0],
            call("get_user_details", user_id=CANCELLED_OWNER),
            status(CANCELLED_FLIGHT),
            compensate(CANCELLED_OWNER, 200),
        ]
    ],
    "own_reservations": [[*KNOWN, bags(ECONOMY, 3)], [look(ECONOMY)]],
    "own_profile": [[*OFFERED, book()]],
    "insurance_offered": [
        [complains(BUYER), tells("HAT064?"), says("Yes. I don't need insurance."), book()],
    ],
    "transfer_first": [[YES, tells("Shall I transfer you to a human agent?"), TRANSFER, TRANSFERRED]],
    "transfer_announced": [[YES, TRANSFER, TRANSFERRED]],
    "confirmed": [[*KNOWN[:-1], says("No."), YES, bags(ECONOMY, 3)]],
    "details_listed": [[complains(USER), look(ECONOMY), tells(f"{ECONOMY}: 3 bags?"), YES, bags(ECONOMY, 3)]],
    "insured_reason": [[says(f"I am {USER} and feel unwell."), *KNOWN[1:], cancel(INSURED)]],
    "compensation_asked": [
        [says(f"I am {CANCELLED_OWNER}: a voucher!"), *HARMED[1:], compensate(CANCELLED_OWNER, 200)]
    ],
    "complaint_verified": [[*HARMED, compensate(CANCELLED_OWNER, 200)]],
    "delay_settled": [[*LATE, cancel(DELAYED), compensate(DELAYED_OWNER, 50)]],
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
