"""The peer is asked what we are asked: its rules say of our traces what our constraints say."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("tau2")

from agentc.domains import needed_by
from agentc.logic.reference import conforms
from agentc.trace import Event, reading
from bench import for_invariant, shop
from bench.measure import PEER, ROOT
from bench.specifications import specification
from bench.workloads import Workload, workload

needs_peer = pytest.mark.skipif(
    not PEER.exists(), reason="no environment of Invariant: `make peers` builds it"
)


def broken(
    tmp_path: Path, w: Workload, past: Sequence[Event], windows: Sequence[Sequence[Event]]
) -> list[list[str]]:
    """What Invariant finds broken, for each call of each window."""
    path = tmp_path / "job.json"
    path.write_text(json.dumps(for_invariant.job(w.name, past, windows)), encoding="utf-8")
    command = [str(PEER), str(ROOT / "bench" / "peer_invariant.py"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["rules"] == len(w.spec.constraints) - len(for_invariant.LEFT_OUT[w.name])
    return [line["broken"] for line in lines if "broken" in line]


def ours(w: Workload, trace: Sequence[Event]) -> set[str]:
    """The constraints that the last event breaks by the reference evaluator, those left out aside."""
    said = [c for c in w.spec.constraints if c.name not in for_invariant.LEFT_OUT[w.name]]
    single = {c.name: replace(w.spec, constraints=(c,)) for c in said}
    return {name for name, spec in single.items() if not conforms(spec, trace) and conforms(spec, trace[:-1])}


def test_every_constraint_is_said_or_left_out() -> None:
    for name in for_invariant.LEFT_OUT:
        rules = for_invariant.rules(name)
        said = [line.split('"')[1] for line in rules.splitlines() if line.startswith("raise ")]
        names = [c.name for c in workload(name, "sparse").spec.constraints]
        assert sorted([*said, *for_invariant.LEFT_OUT[name]]) == sorted(names)


@pytest.mark.slow
@needs_peer
@pytest.mark.parametrize(("name", "density"), [("join", "sparse"), ("join", "dense"), ("retail30", "dense")])
def test_legal_calls_pass_and_forbidden_ones_do_not(tmp_path: Path, name: str, density: str) -> None:
    w = workload(name, density)
    windows = list(islice(w.windows(12), 8))
    bad = [[c] for c in islice(w.refused(12), 1)]
    found = broken(tmp_path, w, w.past(12), [*windows, *bad])
    assert not any(found[:-1])
    assert set(found[-1]) == ours(w, [*w.past(12), bad[0][0]]) != set()


def known(event: Event, **values: object) -> Event:
    """The event with its state as the shop has it, some projections aside."""
    wanted = needed_by(specification("retail30"))(event)
    return replace(event, state={reading(p, *args): values.get(p, shop.read(p, args)) for p, args in wanted})


def changed(event: Event, tool: str = "", **args: object) -> Event:
    return known(replace(event, tool=tool or event.tool, args={**event.args, **args}))


def spoilt(windows: Sequence[Sequence[Event]]) -> dict[str, list[Event]]:
    """Windows whose last call breaks something, by what it is."""
    cancel, address, items, payment, back, exchange, profile, _ = (list(w) for w in windows)
    cancelled, swapped, returned = cancel[3].args["order_id"], items[4].args, back[3].args
    return {
        "cancel_reason": [*cancel[:3], changed(cancel[3], reason="changed my mind")],
        "pending_only": [*cancel[:3], known(cancel[3], order_status="delivered")],
        "cancelled_once": [*cancel[:4], cancel[3]],
        "cancelled_stays": [*cancel[:4], changed(address[-1], order_id=cancelled)],
        "status_checked": [address[0], *address[2:]],
        "inland": [*address[:3], changed(address[3], country="Canada")],
        "once_per_order": [*address, address[3]],
        "same_product": [*items[:4], known(items[4], products_of_variants=["6000000000"])],
        "gift_card_covers": [*items[:4], known(items[4], price_difference=251)],
        "payment_on_file": [*items[:4], known(items[4], payment_source=None)],
        "one_for_one": [*items[:4], changed(items[4], item_ids=[])],
        "some_items": [*back[:3], changed(back[3], item_ids=[])],
        "items_named_once": [*back[:3], changed(back[3], item_ids=["1", "2", "1"])],
        "items_last": [
            *items,
            changed(items[4], "modify_pending_order_payment", payment_method_id="paypal_1001"),
        ],
        "other_payment": [*payment[:4], changed(payment[4], payment_method_id="credit_card_1001")],
        "refund_target": [*back[:3], changed(back[3], payment_method_id="paypal_1001")],
        "returned_once": [*back, back[3]],
        "returned_or_exchanged": [*back, changed(exchange[4], order_id=returned["order_id"])],
        "delivered_only": [changed(exchange[4], order_id=swapped["order_id"])],
        "own_profile": [*profile[:3], changed(profile[3], user_id=shop.STRANGER)],
        "own_orders": [changed(cancel[1], order_id="#X1")],
        "one_user": [Event("find_user_id_by_email", {"email": "omar@example.com"}, shop.STRANGER)],
        "product_seen": [items[0], items[1], items[3], items[4]],
    }


@pytest.mark.slow
@needs_peer
def test_it_names_the_constraints_that_we_do(tmp_path: Path) -> None:
    w = workload("retail30", "sparse")
    past, windows = w.past(2), spoilt(list(islice(w.windows(2), 8)))
    found = broken(tmp_path, w, past, list(windows.values()))
    for name, window in windows.items():
        calls = sum(not e.is_message for e in window)
        last, found = found[calls - 1], found[calls:]
        assert set(last) == ours(w, [*past, *window])
        assert name in last


@pytest.mark.slow
@needs_peer
def test_writes_that_nothing_came_before(tmp_path: Path) -> None:
    w = workload("retail30", "sparse")
    looks = {"get_order_details", "get_product_details", "get_user_details"}
    writes = [
        next(e for e in window if not e.is_message and e.tool not in looks)
        for window in islice(w.windows(2), 8)
    ]
    found = broken(tmp_path, w, [], [[e] for e in writes])
    assert [set(b) for b in found] == [ours(w, [e]) for e in writes]
    named = {name for b in found for name in b}
    assert {"authenticated", "confirmed", "profile_seen", "transfer_authenticated"} <= named
