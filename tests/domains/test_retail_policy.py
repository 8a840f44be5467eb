"""Every constraint of the retail specification: a trace that breaks it and nothing else, and near misses."""

import pytest

from agentc.trace.event import Event, call, message
from agentc.trace.values import JSON
from tests.domains.judging import broken, cases, run, specification

pytest.importorskip("tau2")

USER, EMAIL = "olivia_ito_3591", "olivia.ito5204@example.com"
DELIVERED, PENDING, PENDING_TOO = "#W5866402", "#W5442520", "#W7941031"
PAYPAL, CARD, GIFT_CARD = "paypal_8049766", "credit_card_9753331", "gift_card_7794233"  # holding 56 dollars
OTHER, OTHERS_EMAIL, OTHERS_ORDER = "liam_li_8526", "liam.li8523@example.com", "#W1130240"
OTHERS_GIFT_CARD = "gift_card_5427896"
SNEAKERS, OTHER_SNEAKERS = "9727387530", "2509076505"
ESPRESSO, CHEAPER, SOLD_OUT = "6242772310", "6200867091", "6324294385"
DEARER = "7407838442"  # by 86 dollars
MOUSE, OTHER_MOUSE = "3330317167", "8214883393"  # both available
CHAIR_ORDER, CHAIR, OTHER_CHAIR, MEIS_CARD = "#W2890441", "8069050545", "1793929609", "credit_card_1061405"
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


def give_back(order: str, items: str | list[str], method: str) -> Event:
    listed: JSON = [items] if isinstance(items, str) else items
    return call("return_delivered_order_items", order_id=order, item_ids=listed, payment_method_id=method)


def exchange(item: str, new: str, method: str, order: str = DELIVERED) -> Event:
    return call(
        "exchange_delivered_order_items",
        order_id=order,
        item_ids=[item],
        new_item_ids=[new],
        payment_method_id=method,
    )


def modify(item: str, new: str, method: str) -> Event:
    return call(
        "modify_pending_order_items",
        order_id=PENDING,
        item_ids=[item],
        new_item_ids=[new],
        payment_method_id=method,
    )


def says(text: str) -> Event:
    return message("user", text)


def tells(text: str) -> Event:
    return message("assistant", text)


SAID = says(f"I am Olivia Ito, {EMAIL}, 80218; my friend is {OTHERS_EMAIL}.")
YES, NO = says("Yes, please."), says("No, leave it as it is.")
LISTED = tells(f"So it is about {DELIVERED}, {PENDING} and {PENDING_TOO}, and 1 Main St. Is that right?")
PRODUCT = call("get_product_details", product_id="7471004230")
TRANSFER = call("transfer_to_human_agents", summary="A refund to another card.")
TRANSFERRED = tells("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.")
MEI = [
    says("Mei Davis, 80217"),
    call("find_user_id_by_name_zip", first_name="Mei", last_name="Davis", zip="80217"),
    look(CHAIR_ORDER),
    tells(f"Of {CHAIR_ORDER} the chair?"),
    YES,
]
IDENTIFIED = [SAID, by_email()]
ASKED = [*IDENTIFIED, look(DELIVERED), look(PENDING), look(PENDING_TOO)]
KNOWN = [*ASKED, LISTED, YES]

BREAKS = {
    "authenticated": [
        [PRODUCT],
        [says("nobody@example.com"), by_email("nobody@example.com"), PRODUCT],
        [SAID, PRODUCT, by_email()],
    ],
    "own_orders": [[*IDENTIFIED, look(OTHERS_ORDER)]],
    "own_profile": [
        [*IDENTIFIED, call("get_user_details", user_id=OTHER)],
        [*KNOWN, call("modify_user_address", user_id=OTHER, **ADDRESS)],
    ],
    "one_user": [[*IDENTIFIED, by_email(OTHERS_EMAIL)], [SAID, by_name(), by_email(OTHERS_EMAIL)]],
    "status_checked": [
        [*IDENTIFIED, LISTED, YES, cancel(PENDING)],
        [*IDENTIFIED, look(DELIVERED), LISTED, YES, cancel(PENDING)],
    ],
    "pending_only": [
        [*KNOWN, cancel(DELIVERED)],
        [*KNOWN, cancel(PENDING), move(PENDING)],
        # The tool lets the address change once items were modified; the policy doesn't.
        [*KNOWN, modify(MOUSE, OTHER_MOUSE, CARD), move(PENDING)],
    ],
    "delivered_only": [[*KNOWN, give_back(PENDING, MOUSE, CARD)]],
    "once_per_order": [[*KNOWN, move(PENDING), move(PENDING)]],
    "cancel_reason": [
        [*KNOWN, cancel(PENDING, "too expensive")],
        [*KNOWN, cancel(PENDING, "No longer needed")],
    ],
    "refund_target": [[*KNOWN, give_back(DELIVERED, SNEAKERS, CARD)]],
    "own_payment": [
        [*KNOWN, exchange(ESPRESSO, CHEAPER, OTHERS_GIFT_CARD)],
        [*KNOWN, pay_with(PENDING, OTHERS_GIFT_CARD)],
    ],
    "other_payment": [[*KNOWN, pay_with(PENDING, CARD)]],
    "gift_card_covers_order": [[*KNOWN, pay_with(PENDING, GIFT_CARD)]],
    "gift_card_covers": [[*KNOWN, exchange(ESPRESSO, DEARER, GIFT_CARD)]],
    "items_of_order": [
        [*KNOWN, give_back(DELIVERED, MOUSE, PAYPAL)],
        [*KNOWN, give_back(DELIVERED, [SNEAKERS, SNEAKERS], PAYPAL)],
    ],
    "same_product": [[*KNOWN, exchange(ESPRESSO, OTHER_SNEAKERS, PAYPAL)]],
    "available_items": [
        [*KNOWN, exchange(ESPRESSO, SOLD_OUT, PAYPAL)],
        [*KNOWN, modify(MOUSE, "7420906769", CARD)],
    ],
    "other_option": [[*KNOWN, modify(MOUSE, MOUSE, CARD)]],
    "confirmed": [
        [*ASKED, LISTED, cancel(PENDING)],
        [*ASKED, LISTED, NO, cancel(PENDING)],
        [*ASKED, LISTED, cancel(PENDING), YES],
        [*ASKED, LISTED, says("It came yesterday, I'm not sure."), cancel(PENDING)],
        [*ASKED, LISTED, call("modify_user_address", user_id=USER, **ADDRESS)],
    ],
    "details_listed": [
        [*ASKED, YES, cancel(PENDING)],
        [*ASKED, tells(f"Shall I cancel {PENDING_TOO}?"), YES, cancel(PENDING)],
        [*ASKED, tells(f"Shall I send {PENDING} elsewhere?"), YES, move(PENDING)],
        [*IDENTIFIED, YES, call("modify_user_address", user_id=USER, **ADDRESS)],
    ],
    "identity_given": [[by_email()], [says("I am Olivia Ito."), by_name()]],
    "transfer_first": [[SAID, TRANSFERRED], [SAID, TRANSFERRED, TRANSFER, TRANSFERRED]],
    "transfer_announced": [[SAID, TRANSFER], [SAID, TRANSFER, tells("Please hold on.")]],
    "exchange_other_option": [[*MEI, exchange(CHAIR, CHAIR, MEIS_CARD, CHAIR_ORDER)]],
}

KEEPS = {
    "authenticated": [
        [*IDENTIFIED, PRODUCT],
        [SAID, says("nobody@example.com"), by_email("nobody@example.com"), by_name(), PRODUCT],
    ],
    "own_orders": [[*IDENTIFIED, look(PENDING)], [*IDENTIFIED, look("#W0000000")]],
    "own_profile": [[SAID, by_name(), call("get_user_details", user_id=USER)]],
    "one_user": [
        [*IDENTIFIED, by_name()],
        [SAID, says("nobody@example.com"), by_email("nobody@example.com"), by_email(OTHERS_EMAIL)],
    ],
    "status_checked": [[*IDENTIFIED, look(PENDING), LISTED, YES, cancel(PENDING)]],
    "pending_only": [[*KNOWN, move(PENDING), cancel(PENDING)]],
    "delivered_only": [[*KNOWN, give_back(DELIVERED, SNEAKERS, PAYPAL)]],
    "once_per_order": [
        [*KNOWN, move(PENDING), move(PENDING_TOO)],
        [*KNOWN, move(PENDING), pay_with(PENDING, PAYPAL)],
        # The first one fails for want of a city.
        [*KNOWN, call("modify_pending_order_address", order_id=PENDING, address1="1 Main St"), move(PENDING)],
    ],
    "cancel_reason": [[*KNOWN, cancel(PENDING, "ordered by mistake")]],
    "refund_target": [[*KNOWN, give_back(DELIVERED, SNEAKERS, GIFT_CARD)]],
    "own_payment": [[*KNOWN, exchange(ESPRESSO, CHEAPER, CARD)]],
    "other_payment": [[*KNOWN, pay_with(PENDING, PAYPAL)]],
    "gift_card_covers_order": [[*KNOWN, pay_with(PENDING, PAYPAL)]],
    "gift_card_covers": [
        [*KNOWN, exchange(ESPRESSO, DEARER, PAYPAL)],
        [*KNOWN, exchange(ESPRESSO, CHEAPER, GIFT_CARD)],
    ],
    "items_of_order": [[*KNOWN, give_back(DELIVERED, [SNEAKERS, ESPRESSO], PAYPAL)]],
    "same_product": [
        [*KNOWN, exchange(ESPRESSO, CHEAPER, CARD)],
        [*KNOWN, exchange(SNEAKERS, OTHER_SNEAKERS, CARD)],
    ],
    "available_items": [[*KNOWN, modify(MOUSE, OTHER_MOUSE, CARD)]],
    "other_option": [[*KNOWN, modify(MOUSE, OTHER_MOUSE, PAYPAL)]],
    "confirmed": [
        [*ASKED, LISTED, NO, YES, cancel(PENDING)],
        [*ASKED, LISTED, says("yes"), cancel(PENDING)],
        [*ASKED, LISTED, says("Fine:\ngo ahead!"), cancel(PENDING)],
    ],
    "details_listed": [
        [*ASKED, tells(f"Shall I cancel {PENDING}?"), YES, cancel(PENDING)],
        [*IDENTIFIED, tells("To 1 Main St?"), YES, call("modify_user_address", user_id=USER, **ADDRESS)],
    ],
    "identity_given": [
        [says(f"It's {EMAIL}, I think"), by_email()],
        [says("Olivia Ito, CO 80218"), by_name()],
    ],
    "transfer_first": [[SAID, tells("Shall I transfer you to a human agent?"), TRANSFER, TRANSFERRED]],
    "transfer_announced": [[SAID, TRANSFER, TRANSFERRED]],
    "exchange_other_option": [[*MEI, exchange(CHAIR, OTHER_CHAIR, MEIS_CARD, CHAIR_ORDER)]],
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
