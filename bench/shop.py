"""A made-up shop with one customer and any number of orders, of the shape of tau2-bench's retail domain.

Everything about order k follows from k. So traces of any length can be made, each call valid by the tools'
schemas and legal under every constraint, without a database that has to be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agentc.trace import JSON, MISSING, Event, Missing, message

__all__ = ["KINDS", "STRANGER", "USER", "episode", "opening", "order_id", "read", "reads"]

USER, STRANGER = "mia_garcia_1001", "omar_rossi_2002"
KINDS = ("cancel", "address", "items", "payment", "return", "exchange", "profile", "transfer")
"""What an episode is about; order k can only be the subject of the one at k modulo their number."""

_METHODS = {"credit_card_1001": "credit_card", "gift_card_1001": "gift_card", "paypal_1001": "paypal"}
_ADDRESS = {
    "address1": "12 Elm Street",
    "address2": "",
    "city": "Austin",
    "state": "TX",
    "country": "USA",
    "zip": "78701",
}
_CARD, _GIFT, _PAYPAL = _METHODS


def order_id(k: int) -> str:
    return f"#W{k:07}"


def _product(k: int) -> str:
    return f"{6_000_000_000 + k}"


def _items(k: int, *variants: int) -> list[str]:
    return [f"{k:08}{v:02}" for v in variants]


# ---------------------------------------------------------------- state


def read(name: str, args: Sequence[JSON | Missing]) -> JSON | Missing:
    """Answer a state projection: what a session asks just before a call runs."""
    return _ANSWERS[name](*args)


def _owner(order: str) -> JSON | Missing:
    return {"#W": USER, "#X": STRANGER}.get(order[:2], MISSING)


def _status(order: str) -> JSON | Missing:
    return "delivered" if KINDS[int(order[2:]) % len(KINDS)] in ("return", "exchange") else "pending"


def _products(items: Sequence[str]) -> JSON | Missing:
    return [_product(int(i[:8])) for i in items]


_ANSWERS: Mapping[str, Callable[..., JSON | Missing]] = {
    "order_owner": _owner,
    "order_status": _status,
    "order_payment_method": lambda order: _CARD,
    "payment_source": lambda order, method: _METHODS.get(method, MISSING),
    "gift_card_balance": lambda order, method: 250 if method == _GIFT else MISSING,
    "products_of_items": lambda order, items: _products(items),
    "products_of_variants": _products,
    "price_difference": lambda order, items, new: 10.5,
}

# ---------------------------------------------------------------- calls and what they return


def _order(k: int) -> JSON:
    goods = [
        {"name": "Lamp", "product_id": _product(k), "item_id": i, "price": 40.5, "options": {"color": "red"}}
        for i in _items(k, 1, 2)
    ]
    paid = [{"transaction_type": "payment", "amount": 81.0, "payment_method_id": _CARD}]
    return {
        "order_id": order_id(k),
        "user_id": USER,
        "address": _ADDRESS,
        "items": goods,
        "status": _status(order_id(k)),
        "fulfillments": [],
        "payment_history": paid,
        "cancel_reason": None,
    }


def _look(k: int) -> Event:
    return Event("get_order_details", {"order_id": order_id(k)}, _order(k))


def _shelf(k: int) -> Event:
    variants = {
        i: {"item_id": i, "options": {"color": "red"}, "available": True, "price": 40.5}
        for i in _items(k, *range(1, 7))
    }
    return Event(
        "get_product_details",
        {"product_id": _product(k)},
        {"name": "Lamp", "product_id": _product(k), "variants": variants},
    )


def _profile() -> Event:
    methods = {m: {"source": source, "id": m} for m, source in _METHODS.items()}
    return Event(
        "get_user_details",
        {"user_id": USER},
        {
            "user_id": USER,
            "name": {"first_name": "Mia", "last_name": "Garcia"},
            "address": _ADDRESS,
            "email": "mia.garcia@example.com",
            "payment_methods": methods,
            "orders": [order_id(0)],
        },
    )


def _act(tool: str, k: int, **args: JSON) -> Event:
    return Event(tool, {"order_id": order_id(k), **args}, _order(k))


def _yes(k: int) -> Event:
    return message("user", f"Yes, please go ahead with {order_id(k)}.")


def opening() -> list[Event]:
    """Return how every conversation begins: two events."""
    return [Event("find_user_id_by_email", {"email": "mia.garcia@example.com"}, USER), _profile()]


def reads(k: int) -> list[Event]:
    """Return what only looks and asks, about order k: five events."""
    total = Event("calculate", {"expression": f"40.5 + {k}"}, f"{40.5 + k}")
    asked = message("user", f"What about {order_id(k)}?")
    return [asked, _look(k), _shelf(k), total, message("assistant", f"{order_id(k)} comes to {40.5 + k}.")]


def episode(k: int) -> list[Event]:
    """Return one request about order k and its fulfilment, of kind ``KINDS[k % 8]``: three to six events."""
    asked = message("user", f"I have a request about {order_id(k)}.")
    return [asked, _look(k), *_EPISODES[KINDS[k % len(KINDS)]](k)]


def _swap(tool: str, k: int) -> list[Event]:
    new = {"item_ids": _items(k, 1), "new_item_ids": _items(k, 3), "payment_method_id": _GIFT}
    return [_shelf(k), _yes(k), _act(tool, k, **new)]


_TOLD = message("assistant", "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.")
_EPISODES: Mapping[str, Callable[[int], list[Event]]] = {
    "cancel": lambda k: [_yes(k), _act("cancel_pending_order", k, reason="no longer needed"), _look(k)],
    "address": lambda k: [_yes(k), _act("modify_pending_order_address", k, **_ADDRESS)],
    "items": lambda k: _swap("modify_pending_order_items", k),
    "payment": lambda k: [
        _profile(),
        _yes(k),
        _act("modify_pending_order_payment", k, payment_method_id=_PAYPAL),
    ],
    "return": lambda k: [
        _yes(k),
        _act("return_delivered_order_items", k, item_ids=_items(k, 1, 2), payment_method_id=_GIFT),
    ],
    "exchange": lambda k: _swap("exchange_delivered_order_items", k),
    "profile": lambda k: [
        _yes(k),
        Event("modify_user_address", {"user_id": USER, **_ADDRESS}, _profile().output),
    ],
    "transfer": lambda k: [
        Event(
            "transfer_to_human_agents", {"summary": f"A question about {order_id(k)}."}, "Transfer successful"
        ),
        _TOLD,
    ],
}
