"""tau2-bench's retail shop: its tables and the questions a policy may ask of its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

from agentc.domains.projections import INTEGER, NUMBER, TEXT, TEXTS, Projections, array
from agentc.domains.store import Store, Table, first
from agentc.trace.values import JSON, MISSING, Missing, freeze

__all__ = ["PROJECTIONS", "TABLES"]


def _methods(user: Any) -> list[tuple[JSON, ...]]:
    methods = user.payment_methods.items()
    return [(user.user_id, name, m.source, getattr(m, "balance", None)) for name, m in methods]


TABLES = (
    Table(
        "orders",
        "orders",
        {"order_id": "TEXT", "user_id": "TEXT", "status": "TEXT"},
        lambda o: [(o.order_id, o.user_id, o.status)],
    ),
    Table(
        "order_items",
        "orders",
        {"order_id": "TEXT", "item_id": "TEXT", "product_id": "TEXT", "price": "REAL"},
        lambda o: [(o.order_id, i.item_id, i.product_id, i.price) for i in o.items],
    ),
    Table(
        "order_payments",
        "orders",
        {"order_id": "TEXT", "transaction_type": "TEXT", "payment_method_id": "TEXT", "amount": "REAL"},
        lambda o: [
            (o.order_id, p.transaction_type, p.payment_method_id, p.amount) for p in o.payment_history
        ],
    ),
    Table(
        "payment_methods",
        "users",
        {"user_id": "TEXT", "payment_method_id": "TEXT", "source": "TEXT", "balance": "REAL"},
        _methods,
    ),
    Table(
        "variants",
        "products",
        {"product_id": "TEXT", "item_id": "TEXT", "price": "REAL", "available": "INTEGER"},
        lambda p: [(p.product_id, v.item_id, v.price, int(v.available)) for v in p.variants.values()],
        {"item_id": lambda p: p.variants},
    ),
)

PROJECTIONS = Projections()

# ---------------------------------------------------------------- orders


@PROJECTIONS(TEXT, order_id=TEXT)
def order_owner(store: Store, order_id: str) -> JSON | Missing:
    """The user id of whoever placed the order."""
    return first(store.select("orders", order_id=order_id), "user_id")


@PROJECTIONS(TEXT, order_id=TEXT)
def order_status(store: Store, order_id: str) -> JSON | Missing:
    """The order's status: pending, processed, delivered, cancelled, ..."""
    return first(store.select("orders", order_id=order_id), "status")


@PROJECTIONS(TEXT, order_id=TEXT)
def order_payment_method(store: Store, order_id: str) -> JSON | Missing:
    """The payment method the order was first paid with."""
    return first(store.select("order_payments", order_id=order_id), "payment_method_id")


@PROJECTIONS(NUMBER, order_id=TEXT)
def order_total(store: Store, order_id: str) -> JSON | Missing:
    """What the order's first payment was, in dollars: its total."""
    return first(store.select("order_payments", order_id=order_id), "amount")


# ---------------------------------------------------------------- payment methods of the order's owner


@PROJECTIONS(TEXT, order_id=TEXT, payment_method_id=TEXT)
def payment_source(store: Store, order_id: str, payment_method_id: str) -> JSON | Missing:
    """What kind of method it is, gift_card, paypal or credit_card; absent unless in the owner's profile."""
    return _owned(store, order_id, payment_method_id, "source")


@PROJECTIONS(NUMBER, order_id=TEXT, payment_method_id=TEXT)
def gift_card_balance(store: Store, order_id: str, payment_method_id: str) -> JSON | Missing:
    """The balance of the owner's gift card, in dollars; absent if it isn't one."""
    balance = _owned(store, order_id, payment_method_id, "balance")
    return MISSING if balance is None else balance


def _owned(store: Store, order_id: str, payment_method_id: str, column: str) -> JSON | Missing:
    # No order, no owner, and a MISSING owner is in no row.
    owner = order_owner(store, order_id)
    rows = store.select("payment_methods", user_id=owner, payment_method_id=payment_method_id)
    return first(rows, column)


# ---------------------------------------------------------------- items


@PROJECTIONS(TEXTS, order_id=TEXT, item_ids=TEXTS)
def products_of_items(store: Store, order_id: str, item_ids: Sequence[JSON]) -> JSON | Missing:
    """The product of each item of the order, as asked for; absent unless the order has all of them."""
    return _all(_cell(store, "order_items", "product_id", order_id=order_id, item_id=i) for i in item_ids)


@PROJECTIONS(TEXTS, item_ids=TEXTS)
def products_of_variants(store: Store, item_ids: Sequence[JSON]) -> JSON | Missing:
    """The product that each variant is a variant of, as asked for; absent unless all of them exist."""
    return _all(_cell(store, "variants", "product_id", item_id=i) for i in item_ids)


@PROJECTIONS(INTEGER, order_id=TEXT, item_ids=TEXTS)
def items_lacking(store: Store, order_id: str, item_ids: Sequence[JSON]) -> JSON | Missing:
    """How many of the items the order doesn't have, or not as often; absent if there is no such order."""
    if order_owner(store, order_id) is MISSING:
        return MISSING
    ordered = Counter(freeze(row["item_id"]) for row in store.select("order_items", order_id=order_id))
    return (Counter(map(freeze, item_ids)) - ordered).total()


@PROJECTIONS(array({"type": "boolean"}), item_ids=TEXTS)
def availability(store: Store, item_ids: Sequence[JSON]) -> JSON | Missing:
    """Whether each variant is available; not so if there is no such variant."""
    return [_cell(store, "variants", "available", item_id=i) == 1 for i in item_ids]


@PROJECTIONS(INTEGER, item_ids=TEXTS, new_item_ids=TEXTS)
def unchanged_items(store: Store, item_ids: Sequence[JSON], new_item_ids: Sequence[JSON]) -> JSON | Missing:
    """How many of the items would be replaced by themselves: an item's id stands for its options."""
    return sum(old == new for old, new in zip(item_ids, new_item_ids, strict=False))


@PROJECTIONS(NUMBER, order_id=TEXT, item_ids=TEXTS, new_item_ids=TEXTS)
def price_difference(
    store: Store, order_id: str, item_ids: Sequence[JSON], new_item_ids: Sequence[JSON]
) -> JSON | Missing:
    """What the new items cost more than the old ones, in dollars; absent unless all of them exist."""
    old = _all(_cell(store, "order_items", "price", order_id=order_id, item_id=i) for i in item_ids)
    new = _all(_cell(store, "variants", "price", item_id=i) for i in new_item_ids)
    return MISSING if MISSING in (old, new) else round(fsum(new) - fsum(old), 2)


def _cell(store: Store, table: str, column: str, **equal: JSON) -> JSON | Missing:
    return first(store.select(table, **equal), column)


def _all(cells: Iterable[JSON | Missing]) -> JSON:
    found = list(cells)
    return MISSING if MISSING in found else found
