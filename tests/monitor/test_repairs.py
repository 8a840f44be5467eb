"""What would make a refused call legal; and that a model is never told what it may not know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentc.dsl.parse import parse_specification
from agentc.monitor import Repair, Session
from agentc.trace.event import Event, message
from tests.examples import do


def session(text: str, *events: Event, read: Any = None) -> Session:
    made = Session(parse_specification(text), read=read)
    for event in events:
        made.push(event)
    return made


def repairs(made: Session, tool: str, **args: Any) -> list[Repair]:
    judgement = made.check(tool, args)
    assert not judgement
    return list(made.repairs(judgement))


# ---------------------------------------------------------------- an earlier call

APPROVED = 'constraint approved: "Approve first." Before(pay as p, True, approve as a, a.order == p.order)'


def test_a_missing_earlier_call():
    (repair, *others) = repairs(session(APPROVED), "pay", order=7, amount=3)
    assert (repair.kind, repair.constraint, repair.tools) == ("earlier call", "approved", ("approve",))
    assert repair.call.tool == "approve" and repair.call.args["order"] == 7
    made = session(APPROVED, repair.call)
    assert made.check("pay", {"order": 7, "amount": 3})
    assert all(r.kind == "argument" for r in others)


def test_every_way_of_the_union_is_named():
    text = "constraint r: Before(get, True, {by_email(email=w) | by_name(first=w)}, True)"
    (repair,) = repairs(session(text), "get")
    assert repair.tools == ("by_email", "by_name") and repair.call.tool in repair.tools


def test_no_earlier_call_is_proposed_where_none_would_do():
    text = "constraint r: Before(pay as p, True, approve as a, a.n == p.n & p.n > 10 & a.n < 5)"
    assert repairs(session(text), "pay", n=20) == []


def test_the_earlier_call_is_one_the_tool_accepts():
    text = f"""
    tool pay(order: string)
    tool approve(order: string, by: "ann" | "bob")
    {APPROVED}
    """
    (repair, *_) = repairs(session(text), "pay", order="x")
    assert repair.call.args["order"] == "x" and repair.call.args["by"] in {"ann", "bob"}


# ---------------------------------------------------------------- an argument


def test_values_that_were_seen_and_would_pass():
    made = session(
        APPROVED,
        do("list_orders", {"orders": [7, 8, {"id": 9}]}),
        do("approve", order=8),
        do("approve", order=9),
    )
    found = {r.argument: r for r in repairs(made, "pay", order=7, amount=3) if r.kind == "argument"}
    assert set(found) == {"order"}
    assert set(found["order"].values) == {8, 9} and found["order"].private_values == ()
    for value in found["order"].values:
        assert made.check("pay", {"order": value, "amount": 3})


def test_values_that_the_schema_lists():
    text = """
    tool cancel(order: string, reason: "mistake" | "no longer needed" | "bored")
    constraint r: Forall(cancel as c, c.reason in ["mistake", "no longer needed"])
    """
    (repair,) = repairs(session(text), "cancel", order="x", reason="bored")
    assert (repair.argument, set(repair.values)) == ("reason", {"mistake", "no longer needed"})


def test_values_that_the_tool_does_not_accept_are_not_proposed():
    text = f"tool pay(order: integer(0..5))\ntool approve(order: number)\n{APPROVED}"
    made = session(text, do("approve", order=7), do("approve", order=3))
    found = [r for r in repairs(made, "pay", order=1) if r.kind == "argument"]
    assert [r.values for r in found] == [(3,)]


def test_what_only_the_solver_knows_is_for_a_person():
    text = "constraint r: Forall(pay as p, p.amount * 3 == 21)"
    (repair,) = repairs(session(text), "pay", amount=5)
    assert (repair.values, repair.private_values) == ((), (7,))


def test_a_legal_call_needs_no_repair():
    made = session(APPROVED, do("approve", order=7))
    assert made.repairs(made.check("pay", {"order": 7})) == ()


def test_a_call_that_is_none_is_repaired_where_it_can_be():
    text = f'tool pay(order: integer, how: "card" | "cash")\n{APPROVED}'
    made = session(text, do("approve", order=1))
    found = {r.argument: r.values for r in repairs(made, "pay", order=1, how="shells")}
    assert found == {"how": ("card", "cash")}
    for tool, args in (("user_message", {"text": "yes"}), ("pay", None), (None, {}), ("pay", {"order": {1}})):
        made.repairs(made.check(tool, args))


# ---------------------------------------------------------------- what a model may be told

SECRET = "S3CRET-4711"
NUMBER = 987_654
OWNED = """
constraint owner: "Only one's own account." Forall(pay as p, p.account == p.state.owner(p.order))
constraint limit: "Mind the limit." Forall(pay as p, p.amount <= p.state.limit())
constraint known: Before(pay as p, True, login as l, l.user == p.state.owner(p.order))
constraint receipt: After(pay as p, True, mail as m, m.to == p.state.owner(p.order))
"""


def secretive(name: str, args: Any) -> Any:
    return {"owner": SECRET, "limit": NUMBER}[name]


def for_a_model(found: Any) -> Iterator[Any]:
    """Everything of repairs and violations that may be put into a model's context."""
    for repair in found:
        yield from (repair.kind, repair.constraint, *repair.tools, repair.argument, *repair.values)


def strings(value: Any) -> Iterator[str]:
    if is_dataclass(value):
        for field in fields(value):
            yield from strings(getattr(value, field.name))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from (*strings(key), *strings(part))
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            yield from strings(part)
    else:
        yield str(value)


def leaks(values: Any) -> bool:
    return any(str(secret) in text for text in strings(list(values)) for secret in (SECRET, NUMBER))


CALLS = [
    {"order": 1, "account": "x", "amount": 5},
    {"order": 1, "account": "x", "amount": NUMBER + 1},
    {"order": 1, "account": SECRET[:-1], "amount": NUMBER * 2},
    {"order": SECRET[1:], "account": SECRET + "x", "amount": 1},
]
BEFORE = [
    [],
    [do("login", user="x")],
    [do("list", {"accounts": ["x", "y", 1, NUMBER - 1]}), message("user", "x")],
]


@pytest.mark.parametrize("args", CALLS, ids=str)
@pytest.mark.parametrize("before", BEFORE, ids=lambda e: str(len(e)))
def test_a_model_is_never_told_what_only_the_state_holds(args, before):
    made = session(OWNED, *before, read=secretive)
    judgement = made.check("pay", args)
    assert not judgement
    found = made.repairs(judgement)
    told = [v for v in strings(list(for_a_model(found))) if v not in {str(a) for a in args.values()}]
    assert not leaks(told)
    assert any(leaks([repair.call, repair.private_values]) for repair in found)  # a person is shown it


def test_a_secret_that_was_received_is_none():
    made = session(OWNED, do("whoami", {"user": SECRET}), do("login", user=SECRET), read=secretive)
    (repair,) = repairs(made, "pay", order=1, account="S3CRET-0000", amount=5)
    assert (repair.argument, repair.values) == ("account", (SECRET,))


values = st.one_of(st.integers(-3, 3), st.sampled_from(["x", "y", "z"]), st.none(), st.booleans())
nested = st.one_of(
    values, st.lists(values, max_size=2), st.dictionaries(st.sampled_from("ab"), values, max_size=2)
)
happened = st.builds(
    Event,
    st.sampled_from(["login", "pay", "list", "mail"]),
    st.dictionaries(st.sampled_from(["user", "order", "account", "to"]), nested, max_size=2),
    nested,
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(happened, max_size=3),
    st.fixed_dictionaries({"order": values, "account": nested, "amount": values}),
)
def test_no_repair_leaks(events, args):
    made = Session(parse_specification(OWNED), read=secretive)
    for event in events:
        made.push(event)
    judgement = made.check("pay", args)
    found = made.repairs(judgement)
    assert not leaks(for_a_model(found))
    for repair in found:
        assert repair.kind in {"earlier call", "argument"}
        for value in repair.values:
            assert made.check("pay", {**args, repair.argument: value})
    assert not leaks([(v.constraint, v.sentence) for v in judgement.violations])
