"""tau2-bench's airline: its tables and the questions a policy may ask of its state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from agentc.domains.projections import INTEGER, NUMBER, TEXT, TEXTS, Projections, array, record
from agentc.domains.store import Row, Store, Table, first
from agentc.trace.values import JSON, MISSING, Missing

__all__ = ["PROJECTIONS", "TABLES"]


def _reservation(r: Any) -> list[tuple[JSON, ...]]:
    return [
        (
            r.reservation_id,
            r.user_id,
            r.origin,
            r.destination,
            r.flight_type,
            r.cabin,
            r.created_at,
            r.total_baggages,
            r.nonfree_baggages,
            r.insurance,
            len(r.passengers),
        )
    ]


TABLES = (
    Table("users", "users", {"user_id": "TEXT", "membership": "TEXT"}, lambda u: [(u.user_id, u.membership)]),
    Table(
        "payment_methods",
        "users",
        {"user_id": "TEXT", "payment_id": "TEXT", "source": "TEXT", "amount": "REAL"},
        lambda u: [
            (u.user_id, name, m.source, getattr(m, "amount", None)) for name, m in u.payment_methods.items()
        ],
    ),
    Table(
        "bookings",
        "users",
        {"user_id": "TEXT", "reservation_id": "TEXT"},
        lambda u: [(u.user_id, r) for r in u.reservations],
    ),
    Table(
        "reservations",
        "reservations",
        {
            "reservation_id": "TEXT",
            "user_id": "TEXT",
            "origin": "TEXT",
            "destination": "TEXT",
            "flight_type": "TEXT",
            "cabin": "TEXT",
            "created_at": "TEXT",
            "total_baggages": "INTEGER",
            "nonfree_baggages": "INTEGER",
            "insurance": "TEXT",
            "passengers": "INTEGER",
        },
        _reservation,
    ),
    Table(
        "segments",
        "reservations",
        {"reservation_id": "TEXT", "flight_number": "TEXT", "date": "TEXT", "price": "INTEGER"},
        lambda r: [(r.reservation_id, f.flight_number, f.date, f.price) for f in r.flights],
    ),
    Table(
        "flights",
        "flights",
        {"flight_number": "TEXT", "origin": "TEXT", "destination": "TEXT"},
        lambda f: [(f.flight_number, f.origin, f.destination)],
    ),
    Table(
        "departures",
        "flights",
        {"flight_number": "TEXT", "date": "TEXT", "status": "TEXT"},
        lambda f: [(f.flight_number, date, day.status) for date, day in f.dates.items()],
    ),
    Table(
        "offers",
        "flights",
        {"flight_number": "TEXT", "date": "TEXT", "cabin": "TEXT", "seats": "INTEGER", "price": "INTEGER"},
        lambda f: [
            (f.flight_number, date, cabin, seats, day.prices[cabin])
            for date, day in f.dates.items()
            if day.status == "available"
            for cabin, seats in day.available_seats.items()
        ],
    ),
)

PROJECTIONS = Projections()

# ---------------------------------------------------------------- reservations


def _field(store: Store, reservation_id: str, column: str) -> JSON | Missing:
    return first(store.select("reservations", reservation_id=reservation_id), column)


_COLUMNS = (
    ("reservation_owner", "user_id", TEXT, "The user id of whoever booked it."),
    ("cabin", "cabin", TEXT, "Its cabin class: basic_economy, economy or business."),
    ("insurance", "insurance", TEXT, "Whether it has travel insurance: yes or no."),
    ("booked_at", "created_at", TEXT, "When it was booked: YYYY-MM-DDTHH:MM:SS in EST, ordered as text."),
    ("origin", "origin", TEXT, "The airport its trip starts from."),
    ("destination", "destination", TEXT, "The airport its trip goes to."),
    ("trip_type", "flight_type", TEXT, "one_way or round_trip."),
    ("bags", "total_baggages", INTEGER, "How many checked bags it has."),
    ("paid_bags", "nonfree_baggages", INTEGER, "How many of its checked bags were paid for."),
    ("passenger_count", "passengers", INTEGER, "How many passengers it has."),
)
"""Projections that are a column of the reservation: name, column, what it is, and what that means."""

for _name, _column, _returns, _meaning in _COLUMNS:
    PROJECTIONS.add(_name, _returns, {"reservation_id": TEXT}, _meaning, partial(_field, column=_column))


@PROJECTIONS(TEXT, reservation_id=TEXT)
def owner_membership(store: Store, reservation_id: str) -> JSON | Missing:
    """The membership level of whoever booked it: regular, silver or gold."""
    owner: Any = _field(store, reservation_id, "user_id")
    return first(store.select("users", user_id=owner), "membership")


_NAMES = record(first_name=TEXT, last_name=TEXT, dob=TEXT)


@PROJECTIONS(INTEGER, passengers=array(_NAMES))
def details_lacking(store: Store, passengers: Sequence[JSON]) -> JSON | Missing:
    """How many of them lack a first name, a last name, or a date of birth written YYYY-MM-DD."""
    return sum(not _named(p) for p in passengers)


def _named(passenger: JSON) -> bool:
    told = passenger if isinstance(passenger, dict) else {}
    first_name, last_name, dob = (told.get(name) for name in ("first_name", "last_name", "dob"))
    names = all(isinstance(name, str) and name.strip() for name in (first_name, last_name))
    return names and isinstance(dob, str) and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", dob) is not None


# ---------------------------------------------------------------- flights

_LEG = record(flight_number=TEXT, date=TEXT)

_Key = tuple[str, str]


@PROJECTIONS(array(_LEG), reservation_id=TEXT)
def reserved_flights(store: Store, reservation_id: str) -> JSON | Missing:
    """The flight number and date of each of its flights, in order."""
    if _field(store, reservation_id, "user_id") is MISSING:
        return MISSING
    return [_leg(row) for row in store.select("segments", reservation_id=reservation_id)]


@PROJECTIONS(TEXTS, reservation_id=TEXT)
def flight_statuses(store: Store, reservation_id: str) -> JSON | Missing:
    """The status of each of its flights, in order: available, delayed, on time, flying, landed, cancelled."""
    if _field(store, reservation_id, "user_id") is MISSING:
        return MISSING
    return _statuses(store, reservation_id)


@PROJECTIONS(array(_LEG), flights=array(_LEG))
def flight_list(store: Store, flights: Sequence[JSON]) -> JSON | Missing:
    """The flights as `reserved_flights` would list them: number and date, nothing else an agent may write."""
    legs = [f for f in flights if isinstance(f, dict) and "flight_number" in f and "date" in f]
    return [_leg(f) for f in legs] if len(legs) == len(flights) else MISSING


@PROJECTIONS(record(start=TEXT, end=TEXT, stops=TEXTS), flights=array(_LEG))
def route(store: Store, flights: Sequence[JSON]) -> JSON | Missing:
    """Where the flights start and end, and every airport they land at; absent unless they connect."""
    numbers = [f.get("flight_number") if isinstance(f, dict) else None for f in flights]
    legs = [row for number in numbers for row in store.select("flights", flight_number=number)]
    if len(legs) != len(flights) or not legs:
        return MISSING
    if any(a["destination"] != b["origin"] for a, b in pairwise(legs)):
        return MISSING
    stops = [leg["destination"] for leg in legs]
    return {"start": legs[0]["origin"], "end": stops[-1], "stops": stops}


@PROJECTIONS(INTEGER, flights=array(_LEG), cabin=TEXT)
def seats_left(store: Store, flights: Sequence[JSON], cabin: str) -> JSON | Missing:
    """How many can be booked on all the flights, in the cabin; 0 where one can't be; absent for none."""
    return _seats(store, map(_key, flights), cabin)


@PROJECTIONS(INTEGER, reservation_id=TEXT, flights=array(_LEG), cabin=TEXT)
def seats_left_added(
    store: Store, reservation_id: str, flights: Sequence[JSON], cabin: str
) -> JSON | Missing:
    """As `seats_left`, of those flights that aren't in the reservation yet."""
    kept = _prices(store, reservation_id)
    return _seats(store, (key for key in map(_key, flights) if key not in kept), cabin)


@PROJECTIONS(INTEGER, flights=array(_LEG), cabin=TEXT)
def fare(store: Store, flights: Sequence[JSON], cabin: str) -> JSON | Missing:
    """What the flights cost one passenger today, in dollars; absent unless each can be booked."""
    return _sum(_offer(store, _key(flight), cabin, "price") for flight in flights)


@PROJECTIONS(INTEGER, reservation_id=TEXT)
def fare_paid(store: Store, reservation_id: str) -> JSON | Missing:
    """What its flights cost one passenger when they were booked, in dollars."""
    if _field(store, reservation_id, "user_id") is MISSING:
        return MISSING
    return _sum(_prices(store, reservation_id).values())


@PROJECTIONS(INTEGER, reservation_id=TEXT, flights=array(_LEG), cabin=TEXT)
def fare_changed(store: Store, reservation_id: str, flights: Sequence[JSON], cabin: str) -> JSON | Missing:
    """What the flights would cost one passenger of the reservation, in dollars: kept ones as booked.

    A flight is kept if neither its date nor the cabin changes. Absent unless each other can be booked.
    """
    kept = _prices(store, reservation_id) if cabin == _field(store, reservation_id, "cabin") else {}
    keys = map(_key, flights)
    return _sum(kept[key] if key in kept else _offer(store, key, cabin, "price") for key in keys)


def _leg(row: Row) -> dict[str, JSON]:
    return {"flight_number": row["flight_number"], "date": row["date"]}


def _key(flight: JSON) -> _Key:
    """Return flight number and date; empty where an agent wrote something else."""
    asked = flight if isinstance(flight, dict) else {}
    number, date = asked.get("flight_number"), asked.get("date")
    return (number, date) if isinstance(number, str) and isinstance(date, str) else ("", "")


def _statuses(store: Store, reservation_id: JSON) -> list[JSON]:
    legs = store.select("segments", reservation_id=reservation_id)
    return [row["status"] for leg in legs for row in store.select("departures", **_leg(leg))]


def _prices(store: Store, reservation_id: str) -> dict[_Key, JSON]:
    legs = store.select("segments", reservation_id=reservation_id)
    return {_key(_leg(leg)): leg["price"] for leg in legs}


def _seats(store: Store, keys: Iterable[_Key], cabin: str) -> Any:
    return min((_offer(store, key, cabin, "seats") or 0 for key in keys), default=MISSING)


def _offer(store: Store, key: _Key, cabin: str, column: str) -> Any:
    number, date = key
    found = first(store.select("offers", flight_number=number, date=date, cabin=cabin), column)
    return None if found is MISSING else found


def _sum(amounts: Iterable[Any]) -> JSON | Missing:
    known = list(amounts)
    return MISSING if None in known else sum(known)


# ---------------------------------------------------------------- users


_BOOKED = record(cabin=TEXT, insurance=TEXT, passengers=INTEGER, statuses=TEXTS)


@PROJECTIONS(TEXT, user_id=TEXT)
def membership(store: Store, user_id: str) -> JSON | Missing:
    """The user's membership level: regular, silver or gold."""
    return first(store.select("users", user_id=user_id), "membership")


_PAYMENTS = array(record(payment_id=TEXT))


@PROJECTIONS(INTEGER, user_id=TEXT, payments=_PAYMENTS, source=TEXT)
def methods_used(store: Store, user_id: str, payments: Sequence[JSON], source: str) -> JSON | Missing:
    """How many payments are by a kind of method, as the user's profile says: credit_card, gift_card, ..."""
    return _sources(store, user_id, payments).count(source)


@PROJECTIONS(INTEGER, user_id=TEXT, payments=_PAYMENTS)
def methods_unknown(store: Store, user_id: str, payments: Sequence[JSON]) -> JSON | Missing:
    """How many payments are by a method that isn't in the user's profile."""
    return _sources(store, user_id, payments).count(MISSING)


def _sources(store: Store, user_id: str, payments: Sequence[JSON]) -> list[JSON | Missing]:
    methods = [p.get("payment_id") if isinstance(p, dict) else None for p in payments]
    return [_method(store, user_id, method, "source") for method in methods]


@PROJECTIONS(NUMBER, payments=array(record(amount=INTEGER)))
def paid(store: Store, payments: Sequence[JSON]) -> JSON | Missing:
    """The sum of the payments, in dollars; absent unless each has an amount."""
    amounts = [p.get("amount") if isinstance(p, dict) else None for p in payments]
    numbers = [a for a in amounts if isinstance(a, (int, float)) and not isinstance(a, bool)]
    return sum(numbers) if len(numbers) == len(amounts) else MISSING


@PROJECTIONS(TEXT, reservation_id=TEXT, payment_id=TEXT)
def payment_source(store: Store, reservation_id: str, payment_id: str) -> JSON | Missing:
    """What kind of method of the owner's it is: gift_card, credit_card or certificate; else absent."""
    return _method(store, _field(store, reservation_id, "user_id"), payment_id, "source")


@PROJECTIONS(NUMBER, reservation_id=TEXT, payment_id=TEXT)
def balance(store: Store, reservation_id: str, payment_id: str) -> JSON | Missing:
    """What is left on the owner's gift card or certificate, in dollars; absent if it is neither."""
    amount = _method(store, _field(store, reservation_id, "user_id"), payment_id, "amount")
    return MISSING if amount is None else amount


def _method(store: Store, user_id: Any, payment_id: Any, column: str) -> JSON | Missing:
    # A MISSING user is in no row.
    return first(store.select("payment_methods", user_id=user_id, payment_id=payment_id), column)


@PROJECTIONS(array(_BOOKED), user_id=TEXT)
def reservations(store: Store, user_id: str) -> JSON | Missing:
    """Each of the user's reservations: cabin, insurance, number of passengers, statuses of its flights."""
    if membership(store, user_id) is MISSING:
        return MISSING
    booked = [row["reservation_id"] for row in store.select("bookings", user_id=user_id)]
    rows = [row for r in booked for row in store.select("reservations", reservation_id=r)]
    return [
        {name: row[name] for name in ("cabin", "insurance", "passengers")}
        | {"statuses": _statuses(store, row["reservation_id"])}
        for row in rows
    ]
