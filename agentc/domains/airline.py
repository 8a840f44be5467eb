"""tau2-bench's airline: its tables and the questions a policy may ask of its state."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from agentc.domains.projections import INTEGER, TEXT, TEXTS, Projections, array, record
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
            r.insurance,
            len(r.passengers),
        )
    ]


TABLES = (
    Table("users", "users", {"user_id": "TEXT", "membership": "TEXT"}, lambda u: [(u.user_id, u.membership)]),
    Table(
        "payment_methods",
        "users",
        {"user_id": "TEXT", "payment_id": "TEXT", "source": "TEXT"},
        lambda u: [(u.user_id, name, m.source) for name, m in u.payment_methods.items()],
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
            "insurance": "TEXT",
            "passengers": "INTEGER",
        },
        _reservation,
    ),
    Table(
        "segments",
        "reservations",
        {"reservation_id": "TEXT", "flight_number": "TEXT", "date": "TEXT"},
        lambda r: [(r.reservation_id, f.flight_number, f.date) for f in r.flights],
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
)

PROJECTIONS = Projections()

# ---------------------------------------------------------------- reservations


def _field(store: Store, reservation_id: str, column: str) -> JSON | Missing:
    return first(store.select("reservations", reservation_id=reservation_id), column)


@PROJECTIONS(TEXT, reservation_id=TEXT)
def reservation_owner(store: Store, reservation_id: str) -> JSON | Missing:
    """The user id of whoever booked it."""
    return _field(store, reservation_id, "user_id")


@PROJECTIONS(TEXT, reservation_id=TEXT)
def cabin(store: Store, reservation_id: str) -> JSON | Missing:
    """Its cabin class: basic_economy, economy or business."""
    return _field(store, reservation_id, "cabin")


@PROJECTIONS(TEXT, reservation_id=TEXT)
def insurance(store: Store, reservation_id: str) -> JSON | Missing:
    """Whether it has travel insurance: yes or no."""
    return _field(store, reservation_id, "insurance")


@PROJECTIONS(TEXT, reservation_id=TEXT)
def booked_at(store: Store, reservation_id: str) -> JSON | Missing:
    """When it was booked: YYYY-MM-DDTHH:MM:SS in EST, so that times order as texts do."""
    return _field(store, reservation_id, "created_at")


@PROJECTIONS(TEXT, reservation_id=TEXT)
def origin(store: Store, reservation_id: str) -> JSON | Missing:
    """The airport its trip starts from."""
    return _field(store, reservation_id, "origin")


@PROJECTIONS(TEXT, reservation_id=TEXT)
def destination(store: Store, reservation_id: str) -> JSON | Missing:
    """The airport its trip goes to."""
    return _field(store, reservation_id, "destination")


@PROJECTIONS(TEXT, reservation_id=TEXT)
def trip_type(store: Store, reservation_id: str) -> JSON | Missing:
    """one_way or round_trip."""
    return _field(store, reservation_id, "flight_type")


@PROJECTIONS(INTEGER, reservation_id=TEXT)
def bags(store: Store, reservation_id: str) -> JSON | Missing:
    """How many checked bags it has."""
    return _field(store, reservation_id, "total_baggages")


@PROJECTIONS(INTEGER, reservation_id=TEXT)
def passenger_count(store: Store, reservation_id: str) -> JSON | Missing:
    """How many passengers it has."""
    return _field(store, reservation_id, "passengers")


# ---------------------------------------------------------------- flights

_LEG = record(flight_number=TEXT, date=TEXT)


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
    legs = store.select("segments", reservation_id=reservation_id)
    return [row["status"] for leg in legs for row in store.select("departures", **_leg(leg))]


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


def _leg(row: Row) -> dict[str, JSON]:
    return {"flight_number": row["flight_number"], "date": row["date"]}


# ---------------------------------------------------------------- users


@PROJECTIONS(TEXT, user_id=TEXT)
def membership(store: Store, user_id: str) -> JSON | Missing:
    """The user's membership level: regular, silver or gold."""
    return first(store.select("users", user_id=user_id), "membership")


@PROJECTIONS(TEXT, user_id=TEXT, payment_id=TEXT)
def payment_source(store: Store, user_id: str, payment_id: str) -> JSON | Missing:
    """What kind of method: gift_card, credit_card or certificate; absent unless in the user's profile."""
    return first(store.select("payment_methods", user_id=user_id, payment_id=payment_id), "source")


@PROJECTIONS(array({"type": ["string", "null"]}), user_id=TEXT, payments=array(record(payment_id=TEXT)))
def payment_sources(store: Store, user_id: str, payments: Sequence[JSON]) -> JSON | Missing:
    """The kind of each payment's method, in order; null where the user's profile has no such method."""
    if membership(store, user_id) is MISSING:
        return MISSING
    methods = [p.get("payment_id") if isinstance(p, dict) else None for p in payments]
    kinds = [payment_source(store, user_id, method) for method in methods]
    return [None if kind is MISSING else kind for kind in kinds]


@PROJECTIONS(TEXTS, user_id=TEXT)
def cabins_booked(store: Store, user_id: str) -> JSON | Missing:
    """The cabin class of each of the user's reservations, in alphabetical order."""
    return _booked(store, user_id, "cabin")


@PROJECTIONS(TEXTS, user_id=TEXT)
def insurances_booked(store: Store, user_id: str) -> JSON | Missing:
    """Whether each of the user's reservations has travel insurance, every no before every yes."""
    return _booked(store, user_id, "insurance")


def _booked(store: Store, user_id: str, column: str) -> JSON | Missing:
    if membership(store, user_id) is MISSING:
        return MISSING
    return sorted(row[column] for row in store.select("reservations", user_id=user_id))
