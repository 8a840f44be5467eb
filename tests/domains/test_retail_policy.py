"""Every constraint of the retail specification: a trace that breaks it and nothing else, and near misses."""

import pytest

from agentc.trace.event import Event, call, message
from tests.domains.judging import broken, cases, run, specification

pytest.importorskip("tau2")

USER, EMAIL = "olivia_ito_3591", "olivia.ito5204@example.com"
DELIVERED, PENDING, PENDING_TOO = "#W5866402", "#W5442520", "#W7941031"
PAYPAL, CARD, GIFT_CARD = "paypal_8049766", "credit_card_9753331", "gift_card_7794233"  # holding 56 dollars
OTHER, OTHERS_EMAIL, OTHERS_ORDER = "liam_li_8526", "liam.li8523@example.com", "#W1130240"
SNEAKERS, ESPRESSO, CHEAPER, DEARER = (
    "9727387530",
    "6242772310",
    "6200867091",
    "7407838442",
)  # 86 dollars dearer
ADDRESS = {
    "address1": "1 Main St",
    "address2": "",
    "city": "Reno",
    "state": "NV",
    "country": "USA",
    "zip": "89501",
}


def by_email(email: str = EMAIL) -> Event:
    return call("find_user_id_by_email", email=email)


def by_name() -> Event:
    return call("find_user_id_by_name_zip", first_name="Olivia", last_name="Ito", zip="80218")


def look(order: str) -> Event:
    return call("get_order_details", order_id=order)


def cancel(order: str, reason: str = "no longer needed") -> Event:
    return call("cancel_pending_order", order_id=order, reason=reason)


def move(order: str) -> Event:
    return call("modify_pending_order_address", order_id=order, **ADDRESS)


def pay_with(order: str, method: str) -> Event:
    return call("modify_pending_order_payment", order_id=order, payment_method_id=method)


def give_back(order: str, item: str, method: str) -> Event:
    return call("return_delivered_order_items", order_id=order, item_ids=[item], payment_method_id=method)


def exchange(item: str, new: str, method: str) -> Event:
    return call(
        "exchange_delivered_order_items",
        order_id=DELIVERED,
        item_ids=[item],
        new_item_ids=[new],
        payment_method_id=method,
    )


YES, NO = message("user", "Yes, please."), message("user", "No, leave it as it is.")
PRODUCT = call("get_product_details", product_id="7471004230")
KNOWN = [by_email(), look(DELIVERED), look(PENDING), look(PENDING_TOO), YES]

BREAKS = {
    "authenticated": [
        [PRODUCT],
        [by_email("nobody@example.com"), PRODUCT],
        [PRODUCT, by_email()],
    ],
    "own_orders": [[by_email(), look(OTHERS_ORDER)]],
    "own_profile": [
        [by_email(), call("get_user_details", user_id=OTHER)],
        [by_email(), YES, call("modify_user_address", user_id=OTHER, **ADDRESS)],
    ],
    "one_user": [[by_email(), by_email(OTHERS_EMAIL)], [by_name(), by_email(OTHERS_EMAIL)]],
    "status_checked": [
        [by_email(), YES, cancel(PENDING)],
        [by_email(), look(DELIVERED), YES, cancel(PENDING)],
    ],
    "pending_only": [
        [*KNOWN, cancel(DELIVERED)],
        [*KNOWN, cancel(PENDING), move(PENDING)],
        # The tool lets the address change once items were modified; the policy doesn't.
        [
            *KNOWN,
            call(
                "modify_pending_order_items",
                order_id=PENDING,
                item_ids=["3330317167"],
                new_item_ids=["8214883393"],
                payment_method_id=CARD,
            ),
            move(PENDING),
        ],
    ],
    "delivered_only": [[*KNOWN, give_back(PENDING, "3330317167", CARD)]],
    "once_per_order": [[*KNOWN, move(PENDING), move(PENDING)]],
    "cancel_reason": [
        [*KNOWN, cancel(PENDING, "too expensive")],
        [*KNOWN, cancel(PENDING, "No longer needed")],
    ],
    "refund_target": [[*KNOWN, give_back(DELIVERED, SNEAKERS, CARD)]],
    "gift_card_covers": [[*KNOWN, exchange(ESPRESSO, DEARER, GIFT_CARD)]],
    "same_product": [
        [*KNOWN, exchange(ESPRESSO, "2509076505", PAYPAL)],
        [*KNOWN, exchange("2509076505", CHEAPER, PAYPAL)],
    ],
    "confirmed": [
        [by_email(), look(PENDING), cancel(PENDING)],
        [by_email(), look(PENDING), NO, cancel(PENDING)],
        [by_email(), look(PENDING), cancel(PENDING), YES],
        [by_email(), look(PENDING), message("user", "It came yesterday, I'm not sure."), cancel(PENDING)],
        [by_email(), call("modify_user_address", user_id=USER, **ADDRESS)],
    ],
}

KEEPS = {
    "authenticated": [[by_email(), PRODUCT], [by_email("nobody@example.com"), by_name(), PRODUCT]],
    "own_orders": [[by_email(), look(PENDING)], [by_email(), look("#W0000000")]],
    "own_profile": [[by_name(), call("get_user_details", user_id=USER)]],
    "one_user": [[by_email(), by_name()], [by_email("nobody@example.com"), by_email(OTHERS_EMAIL)]],
    "status_checked": [[by_email(), look(PENDING), YES, cancel(PENDING)]],
    "pending_only": [[*KNOWN, move(PENDING), cancel(PENDING)]],
    "delivered_only": [[*KNOWN, give_back(DELIVERED, SNEAKERS, PAYPAL)]],
    "once_per_order": [
        [*KNOWN, move(PENDING), move(PENDING_TOO)],
        [*KNOWN, move(PENDING), pay_with(PENDING, PAYPAL)],
        [
            *KNOWN,
            pay_with(PENDING, CARD),
            pay_with(PENDING, PAYPAL),
        ],  # the first one fails: it is paid by CARD
    ],
    "cancel_reason": [[*KNOWN, cancel(PENDING, "ordered by mistake")]],
    "refund_target": [[*KNOWN, give_back(DELIVERED, SNEAKERS, GIFT_CARD)]],
    "gift_card_covers": [
        [*KNOWN, exchange(ESPRESSO, DEARER, PAYPAL)],
        [*KNOWN, exchange(ESPRESSO, CHEAPER, GIFT_CARD)],
    ],
    "same_product": [
        [*KNOWN, exchange(ESPRESSO, CHEAPER, CARD)],
        [*KNOWN, exchange(SNEAKERS, "2509076505", CARD)],
    ],
    "confirmed": [
        [by_email(), look(PENDING), NO, YES, cancel(PENDING)],
        [by_email(), look(PENDING), message("user", "yes"), cancel(PENDING)],
        [by_email(), look(PENDING), message("user", "Fine:\ngo ahead!"), cancel(PENDING)],
    ],
}


@pytest.mark.parametrize(("name", "events"), cases(BREAKS))
def test_breaks_this_one_only(name: str, events: list[Event]) -> None:
    assert broken("retail", run("retail", events)) == {name}


@pytest.mark.parametrize(("name", "events"), cases(KEEPS))
def test_near_miss(name: str, events: list[Event]) -> None:
    assert broken("retail", run("retail", events)) == set()


def test_every_constraint_has_both() -> None:
    names = [c.name for c in specification("retail").constraints]
    assert sorted(names) == sorted(BREAKS) == sorted(KEEPS)
