"""What the engine remembers: an event is taken in whole or not at all, and taken back whole."""

from __future__ import annotations

import pytest

from agentc.dsl.parse import parse_specification
from agentc.errors import AgentcError, BudgetError, TraceError
from agentc.logic.engine import Engine, Partial
from agentc.trace.event import Event

APPROVE_THEN_PAY = parse_specification("""
specification approvals
constraint approved: Before(pay(order=o1), True, approve(order=o2), o1 == o2)
constraint polite: Forall(approve as a, a.note != "rude")
""")
SELF = [0]
SELF.append(SELF)


def nested(levels: int) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


NO_JSON = [{1}, b"bytes", object(), float("nan"), nested(100), SELF, {1: 2}, 10**5_000, -(10**5_000)]


@pytest.mark.parametrize("note", NO_JSON, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("ask", ["push", "check", "check_partial"])
def test_an_event_that_is_no_json_leaves_nothing_behind(note, ask):
    engine = Engine(APPROVE_THEN_PAY)
    approve = Event("approve", {"order": 1, "note": note})
    with pytest.raises((TraceError, BudgetError)) as refused:
        {
            "push": engine.push,
            "check": engine.check,
            "check_partial": lambda e: engine.check_partial(Partial(e.tool, e.args)),
        }[ask](approve)
    assert isinstance(refused.value, AgentcError) and refused.value.hint
    assert engine.events == []
    assert str(engine.check(Event("pay", {"order": 1})).verdict) == "UNSAT"
    engine.push(Event("approve", {"order": 1, "note": "kind"}))
    assert str(engine.check(Event("pay", {"order": 1})).verdict) == "SAT"
    engine.pop()
    assert str(engine.check(Event("pay", {"order": 1})).verdict) == "UNSAT"


def test_numbers_beyond_machine_words_are_exact():
    big = 10**20
    spec = parse_specification("constraint r: Before(pay(order=o1), True, approve(order=o2), o1 == o2)")
    engine = Engine(spec)
    engine.push(Event("approve", {"order": big}))
    verdicts = [str(engine.check(Event("pay", {"order": n})).verdict) for n in (big, big + 1, 1e20)]
    assert verdicts == ["SAT", "UNSAT", "SAT"]
