"""UNKNOWN lets nothing run: what nobody could read, and what the solver didn't decide in its budget."""

from __future__ import annotations

import pytest

from agentc.dsl.parse import parse_specification
from agentc.logic.engine import Engine, Limits, Partial
from agentc.trace.event import Event, Failed, reading

CANCEL = 'constraint pending: Forall(cancel(order=o) as c, c.state.status(o) == "pending")\n'
CLOSE = "constraint closed: After(open(file=f1), True, close(file=f2), f1 == f2)\n"
DOWN = Failed("the database is down")


def engine(text: str, *events: Event, limits: Limits | None = None) -> Engine:
    made = Engine(parse_specification(text), paranoid=True, limits=limits)
    for event in events:
        made.push(event)
    return made


def cancel(order: int, **state: object) -> Event:
    known = {reading("status", order): value for value in state.values()}
    return Event("cancel", {"order": order}, state=known)


OPENED = Event("open", {"file": "a"})


@pytest.mark.parametrize("state", [{}, {"status": DOWN}], ids=["never read", "raised"])
@pytest.mark.parametrize("owed", [(), (OPENED,)], ids=["nothing owed", "something owed"])
def test_a_reading_that_failed_refuses_the_call(state, owed):
    judge = engine(CANCEL + CLOSE, *owed)
    assert judge.prefix()
    answer = judge.check(cancel(1, **state))
    assert (str(answer.verdict), "status" in answer.reason) == ("UNKNOWN", True)
    assert judge.check(cancel(1, status="pending"))
    judge.push(cancel(1, **state))
    for asked in (judge.prefix(), judge.check(Event("list"))):
        assert (str(asked.verdict), "status" in asked.reason) == ("UNKNOWN", True)
    judge.push(Event("close", {"file": "a"}))
    assert str(judge.prefix().verdict) == str(judge.closed().verdict) == "UNKNOWN"


def test_a_doubt_that_makes_no_difference_refuses_nothing():
    either = "constraint r: Exists(admin, True) | " + CANCEL.split(":", 1)[1]
    judge = engine(either + CLOSE, OPENED, cancel(1, status=DOWN))
    assert str(judge.prefix().verdict) == "UNKNOWN"
    judge.push(Event("admin"))
    assert judge.prefix()


def test_a_doubt_in_one_constraint_is_not_anothers():
    judge = engine(CANCEL + CLOSE, OPENED, cancel(1, status=DOWN))
    assert [str(judge.prefix((j,)).verdict) for j in (0, 1)] == ["UNKNOWN", "SAT"]
    assert [str(judge.closed((j,)).verdict) for j in (0, 1)] == ["UNKNOWN", "UNSAT"]


HARD = """
constraint r: Exists(a(x=x, y=y, z=z), x*x*x + y*y*y == z*z*z & x > 0 & y > 0 & z > 0 & x != y &
  starts_with(w, "q") & matches(w, "(ab|ba)*[a-z]{40,80}"))
"""


def test_a_solver_out_of_budget_says_unknown():
    text = HARD.replace("z=z)", "z=z, w=w)")
    tight = Limits(rlimit=1, timeout_ms=1, partial_rlimit=1, partial_ms=1)
    judge = engine(text, limits=tight)
    for answer in (judge.prefix(), judge.check(Event("b")), judge.check_partial(Partial("a", {"x": 1}))):
        assert str(answer.verdict) == "UNKNOWN" and not answer
        assert "budget" in answer.reason or "solver" in answer.reason


SEEN = (
    'After(open(file=f1) as o, o.state.kind(f1) == "big", close(file=f2) as c, f1 == f2 & c.state.ok() == 1)'
)
PAIR = 'Seq(open(file=f1) as o, o.state.kind(f1) == "big", close(file=f2) as c, f1 == f2 & c.state.ok() == 1)'


def opened(kind: object = DOWN) -> Event:
    return Event("open", {"file": "a"}, state={reading("kind", "a"): kind})


def closing(ok: object = DOWN) -> Event:
    return Event("close", {"file": "a"}, state={reading("ok"): ok})


@pytest.mark.parametrize(
    ("rule", "events", "verdicts"),
    [
        (SEEN, [opened("big"), closing(), closing(1)], "F?T"),
        (SEEN, [opened(), closing(0), closing(1)], "??T"),
        (SEEN, [opened(), opened("big"), closing(1)], "?FT"),
        (SEEN, [opened("small"), closing(), opened()], "TT?"),
        (SEEN, [opened("big"), closing(), opened("big")], "F?F"),
        (PAIR, [opened(), closing(0), closing(1)], "FF?"),
        (PAIR, [opened("big"), closing(), closing(1)], "F?T"),
        (PAIR, [opened(), closing(), opened("big"), closing(1)], "F??T"),
    ],
)
def test_a_later_event_may_remove_a_doubt(rule, events, verdicts):
    judge = engine(f"constraint r: {rule}")
    letters = {"SAT": "T", "UNSAT": "F", "UNKNOWN": "?"}
    found = ""
    for event in events:
        judge.push(event)
        found += letters[str(judge.closed().verdict)]
    assert found == verdicts
    for _ in events:
        judge.pop()
    assert (judge.closed().verdict == "SAT") == (rule == SEEN)
