"""What a model may propose that is no call: refused with a reason, never run, never a traceback."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentc.dsl.parse import parse_specification
from agentc.monitor import Session
from agentc.trace.event import MESSAGES, Event

SPEC = parse_specification("""
specification shop
tool pay(order: string, amount: number, note?: string)
tool approve(order: string)
constraint approved: "Approve before you pay."
  Before(pay as p, True, approve as a, a.order == p.order)
constraint polite: Forall(pay as p, absent(p.note) | ~contains(p.note, "rude"))
""")
ALLOW_ALL = parse_specification("constraint r: Forall(never, False)")


def nested(levels: int) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


SELF: list = []
SELF.append(SELF)
GOOD = {"order": "a", "amount": 3}


def session() -> Session:
    made = Session(SPEC)
    made.push(Event("approve", {"order": "a"}))
    assert made.check("pay", GOOD)
    return made


def ran(*_: Any) -> Any:
    raise AssertionError("a refused call was run")


NO_JSON = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "set": {1},
    "bytes": b"3",
    "object": object(),
    "deep": nested(70),
    "itself": SELF,
    "no string for a key": {1: 2},
    "5,001 digits": 10**5_000,
    "complex": 1j,
}


@pytest.mark.parametrize("value", NO_JSON.values(), ids=NO_JSON)
@pytest.mark.parametrize("spec", [SPEC, ALLOW_ALL], ids=["declared", "nothing declared"])
def test_values_that_are_no_json(value, spec):
    made = Session(spec)
    for args in ({**GOOD, "amount": value}, {**GOOD, "extra": {"inside": [value]}}):
        for judgement in (
            made.check("pay", args),
            made.check_partial("pay", args),
            made.run("pay", args, ran),
        ):
            assert not judgement and str(judgement.verdict) == "UNKNOWN"
            assert judgement.reason.startswith("the arguments of pay can't be judged: ")
    assert made.events == ()


@pytest.mark.parametrize("args", [None, [], "order", 3, [("order", "a")], {"order"}], ids=repr)
def test_arguments_that_are_no_object(args):
    judgement = session().check("pay", args)
    assert not judgement and "must be an object" in judgement.reason


@pytest.mark.parametrize("name", [None, 3, "", ["pay"], b"pay", float("nan"), {}], ids=repr)
def test_a_name_that_is_none(name):
    for judgement in (session().check(name, GOOD), session().check_partial(name, {})):
        assert not judgement and judgement.reason.startswith("no tool goes by the name ")


@pytest.mark.parametrize("name", sorted(MESSAGES))
@pytest.mark.parametrize("args", [{"text": "yes"}, {}, None], ids=repr)
def test_a_message_can_not_be_called(name, args):
    made = session()
    for judgement in (made.check(name, args), made.check_partial(name, args), made.run(name, args, ran)):
        assert not judgement and "is a message, not a tool" in judgement.reason
        assert judgement.blame == "call"


UNACCEPTABLE = {
    "undeclared": ({**GOOD, "bogus": 1}, "no argument `bogus`"),
    "almost the name": ({**GOOD, "Order": "b"}, "no argument `Order`"),
    "with a space": ({**GOOD, "order ": "b"}, "no argument `order `"),
    "another alphabet": ({"\u043erder": "a", "amount": 3}, "no argument"),
    "wrong type": ({**GOOD, "amount": "3"}, "argument `amount`"),
    "true for a number": ({**GOOD, "amount": True}, "argument `amount`"),
    "null": ({**GOOD, "note": None}, "argument `note`"),
    "a list around it": ({**GOOD, "order": ["a"]}, "argument `order`"),
}


@pytest.mark.parametrize(("args", "reason"), UNACCEPTABLE.values(), ids=UNACCEPTABLE)
def test_arguments_that_the_tool_does_not_accept(args, reason):
    made = session()
    for judgement in (made.check("pay", args), made.check_partial("pay", args), made.run("pay", args, ran)):
        assert str(judgement.verdict) == "UNSAT" and reason in judgement.reason, judgement.reason
        assert judgement.blame == "call"


def test_what_is_missing_is_asked_of_the_complete_call_only():
    made = session()
    assert made.check_partial("pay", {"order": "a"})
    assert "'amount' is a required property" in made.check("pay", {"order": "a"}).reason


def test_spellings_are_not_values():
    made = Session(SPEC)
    made.push(Event("approve", {"order": "A"}))
    for forged in (r"\u{41}", r"\u0041", r"\x41", "A\u0000", "\uff21", "A\u200b", "a", " A", r"A\u{}"):
        assert str(made.check("pay", {"order": forged, "amount": 1}).verdict) == "UNSAT", forged
        assert str(made.check_partial("pay", {"order": forged}).verdict) == "UNSAT", forged
    assert made.check("pay", {"order": "A", "amount": 1})


@pytest.mark.parametrize("order", ["\ud800", "\U00030000", "\U0010ffff", "\u0000", "\U0001f600" * 3, "'\"\\"])
def test_odd_characters_are_compared_exactly(order):
    made = Session(SPEC)
    made.push(Event("approve", {"order": order}))
    assert made.check("pay", {"order": order, "amount": 1})
    assert str(made.check("pay", {"order": order + "x", "amount": 1}).verdict) == "UNSAT"


def test_text_the_solver_can_not_hold_is_unknown():
    judgement = session().check("pay", {**GOOD, "note": "\U00030000 rude"})
    assert str(judgement.verdict) == "UNKNOWN" and "characters above U+2FFFF" in judgement.reason


def test_very_long_strings():
    made = session()
    long = "a" * 10_000_000
    assert str(made.check("pay", {"order": long, "amount": 1}).verdict) == "UNSAT"
    made.push(Event("approve", {"order": long}))
    assert made.check("pay", {"order": long, "amount": 1})
    assert not made.check("pay", {**GOOD, "note": long + "rude"})
    assert not made.check("pay", {"order": long + "b", "amount": 1})


def test_numbers_are_exact():
    rule = parse_specification("constraint r: Before(pay as p, True, approve as a, a.n == p.n)")
    made = Session(rule)
    for n in (2**64, 10**18 + 1, 0.1, -0.0):
        made.push(Event("approve", {"n": n}))
    for n in (2**64, 10**18 + 1, 0.1, 0, 0.0):
        assert made.check("pay", {"n": n}), n
    for n in (2**64 + 1, 10**18, 0.1 + 2**-54, 0.1 + 0.2 - 0.2 + 1e-17, True, "0.1", 1):
        assert not made.check("pay", {"n": n}), n


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers()), inner, max_size=3),
        st.frozensets(st.integers(), max_size=2),
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.sampled_from(["pay", "approve", "odd"]), anything), anything)
def test_whatever_is_proposed_is_answered(tool, args):
    made = session()
    whole, part = made.check(tool, args), made.check_partial(tool, args)
    assert isinstance(bool(whole), bool) and (whole or whole.violations or whole.reason)
    assert whole.verdict != "SAT" or part.verdict != "UNSAT"
    assert len(made.events) == 1
