"""Calls that are run: only on SAT, recorded as they happened, and nobody's later changes reach the trace."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import Any

import pytest

from agentc.dsl.parse import parse_specification
from agentc.errors import BudgetError, TraceError
from agentc.monitor import Session
from agentc.trace.event import Event, Failed, reading
from agentc.trace.values import MISSING

SPEC = parse_specification("""
specification shop
constraint approved: Before(pay(order=o1), True, approve(order=o2), o1 == o2)
constraint once: ~Seq(pay(order=o1), True, pay(order=o2), o1 == o2)
constraint fair: ~Exists(pay as p, output(p).refused == true)
""")


class Shop:
    """Remembers what ran; answers from a script."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.ran = answers, []

    def __call__(self, tool: str, args: Any) -> tuple[Any, bool]:
        self.ran.append((tool, dict(args)))
        answer = self.answers.get(tool, MISSING)
        if isinstance(answer, Exception):
            raise answer
        return answer, False


def verdicts(judgements: Any) -> str:
    return " ".join(str(j.verdict) for j in judgements)


def test_only_what_is_satisfiable_runs():
    session, shop = Session(SPEC), Shop()
    calls = [("pay", {"order": 1}), ("approve", {"order": 1}), ("pay", {"order": 1}), ("pay", {"order": 1})]
    found = [session.run(tool, args, shop) for tool, args in calls]
    assert verdicts(found) == "UNSAT SAT SAT UNSAT"
    assert shop.ran == calls[1:3]
    assert [(e.tool, dict(e.args)) for e in session.events] == calls[1:3]
    assert [v.constraint for v in found[0].violations] == ["approved"]
    assert [v.constraint for v in found[3].violations] == ["once"]
    assert str(session.close().verdict) == "SAT"


def test_a_tool_that_raises_has_failed():
    session, shop = Session(SPEC), Shop(pay=RuntimeError("no connection"))
    session.push(Event("approve", {"order": 1}))
    assert session.run("pay", {"order": 1}, shop)
    event = session.events[-1]
    assert event.error and event.output == {"error": "RuntimeError: no connection"}
    assert session.run("pay", {"order": 1}, Shop())  # a failed payment is none: once more is allowed
    assert str(session.run("pay", {"order": 1}, Shop()).verdict) == "UNSAT"


NO_JSON = {"set": {1}, "nan": float("nan"), "bytes": b"x", "object": object(), "long": 10**5_000}


@pytest.mark.parametrize("output", NO_JSON.values(), ids=NO_JSON)
def test_an_output_that_is_no_json_is_told_and_the_call_remembered(output):
    session = Session(SPEC)
    session.push(Event("approve", {"order": 1}))
    with pytest.raises((TraceError, BudgetError)):
        session.run("pay", {"order": 1}, Shop(pay=output))
    assert session.events[-1].tool == "pay" and session.events[-1].output is MISSING
    assert str(session.check("pay", {"order": 1}).verdict) == "UNSAT"


def test_the_environment_is_blamed_for_its_outputs():
    session, shop = Session(SPEC), Shop(pay={"refused": True})
    session.push(Event("approve", {"order": 1}))
    judgement = session.run("pay", {"order": 1}, shop)
    assert (str(judgement.verdict), judgement.blame) == ("UNSAT", "environment")
    assert [v.constraint for v in judgement.violations] == ["fair"]
    later = session.push(Event("list"))
    assert (str(later.verdict), later.blame) == ("UNSAT", "")


def test_a_call_is_blamed_for_itself():
    session = Session(SPEC)
    judgement = session.push(Event("pay", {"order": 1}, {"refused": True}))
    assert (str(judgement.verdict), judgement.blame) == ("UNSAT", "call")
    assert {v.constraint for v in judgement.violations} == {"approved", "fair"}


def test_a_batch_stops_at_the_first_refusal():
    session, shop = Session(SPEC), Shop()
    calls = [("approve", {"order": 1}), ("pay", {"order": 2}), ("pay", {"order": 1})]
    assert verdicts(session.run_batch(calls, shop)) == "SAT UNSAT"
    assert shop.ran == calls[:1]


def test_a_batch_sees_the_true_outputs_before_each_call():
    session, shop = Session(SPEC), Shop(pay={"refused": True})
    calls = [("approve", {"order": 1}), ("pay", {"order": 1}), ("list", {})]
    assert verdicts(session.run_batch(calls, shop)) == "SAT UNSAT"
    assert shop.ran == calls[:2]


def test_a_batch_is_run_as_it_is_asked_for():
    session, shop = Session(SPEC), Shop()
    batch = session.run_batch([("approve", {"order": 1}), ("pay", {"order": 1})], shop)
    assert shop.ran == []
    next(batch)
    assert [tool for tool, _ in shop.ran] == ["approve"]


# ---------------------------------------------------------------- what others hold on to

LIVE = parse_specification("""
specification live
constraint listed: Before(pay as p, True, orders as o, p.order in output(o).ids)
constraint owner: Forall(pay as p, p.state.account(p.order).owner == "ann")
constraint closed: After(pay as p, True, receipt as r, r.to == p.state.account(p.order).owner)
""")


def test_later_changes_of_values_do_not_reach_the_trace():
    ids, accounts = ["a"], {"a": {"owner": "ann"}}
    session = Session(LIVE, read=lambda name, args: accounts[args[0]])
    args: dict[str, Any] = {"order": "a", "more": [1]}
    session.run("orders", {}, Shop(orders={"ids": ids}))
    judgement = session.run("pay", args, lambda tool, given: (given["more"].clear() or accounts, False))
    assert judgement
    accounts["a"]["owner"] = "eve"
    accounts["b"] = {"owner": "ann"}
    ids.append("b")
    args["order"] = "b"
    pay = session.events[-1]
    assert pay.args == {"order": "a", "more": [1]}
    assert pay.state == {reading("account", "a"): {"owner": "ann"}}
    assert pay.output == {"a": {"owner": "ann"}}
    assert not session.check("pay", {"order": "b"})
    assert [o.call.args["to"] for o in session.close().obligations] == ["ann"]
    assert session.run("receipt", {"to": "ann"}, Shop())
    assert str(session.close().verdict) == "SAT"


def test_values_of_a_pushed_event_are_copied():
    order, output, owner = {"id": 1}, [1], ["ann"]
    session = Session(LIVE)
    session.push(Event("list", {"order": order}, output, state={reading("owner"): owner}))
    order["id"], output[0], owner[0] = 2, 2, "eve"
    (event,) = session.events
    assert (event.args, event.output, event.state) == ({"order": {"id": 1}}, [1], {reading("owner"): ["ann"]})


@pytest.mark.parametrize("value", NO_JSON.values(), ids=NO_JSON)
@pytest.mark.parametrize("where", ["args", "output", "state"])
def test_an_event_that_is_no_json_is_not_taken(value, where):
    session = Session(LIVE)
    parts = {"args": {"x": value}, "output": [value], "state": {reading("q"): value}}
    with pytest.raises((TraceError, BudgetError)):
        session.push(Event("list", **{where: parts[where]}))
    assert session.events == () and session.check("list", {})


@pytest.mark.parametrize(
    "raised",
    [RuntimeError("down"), KeyError("b"), RecursionError(), ValueError(), AssertionError(), MemoryError()],
)
def test_a_projection_that_raises_refuses_the_call(raised):
    def read(name: str, args: Any) -> Any:
        raise raised

    session, shop = Session(LIVE, read=read), Shop()
    session.push(Event("orders", {}, {"ids": ["a"]}))
    judgement = session.run("pay", {"order": "a"}, shop)
    assert str(judgement.verdict) == "UNKNOWN" and "account" in judgement.reason and shop.ran == []
    assert isinstance(judgement.event.state[reading("account", "a")], Failed)
    assert str(session.check_partial("pay", {"order": "a"}).verdict) != "SAT"
    assert session.check("list", {})


@pytest.mark.parametrize("value", NO_JSON.values(), ids=NO_JSON)
def test_a_projection_that_gives_no_json_refuses_the_call(value):
    session = Session(LIVE, read=lambda name, args: value)
    session.push(Event("orders", {}, {"ids": ["a"]}))
    judgement = session.check("pay", {"order": "a"})
    assert str(judgement.verdict) == "UNKNOWN" and "account" in judgement.reason


def test_nothing_is_read_where_nothing_is_asked():
    asked = []
    session = Session(LIVE, read=lambda name, args: asked.append((name, args)) or {"owner": "ann"})
    session.check("list", {})
    session.check_partial("pay", {})
    assert asked == []
    session.check_partial("pay", {"order": "a"})
    assert asked == [("account", ["a"])]


# ---------------------------------------------------------------- threads


def test_two_threads_do_not_run_one_call_twice():
    session, ran = Session(SPEC), []
    session.push(Event("approve", {"order": 1}))

    def slow(tool: str, args: Any) -> tuple[Any, bool]:
        ran.append(tool)
        sleep(0.1)
        return None, False

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: session.run("pay", {"order": 1}, slow), range(4)))
    assert sorted(str(j.verdict) for j in found) == ["SAT", "UNSAT", "UNSAT", "UNSAT"]
    assert ran == ["pay"] and len(session.events) == 2


def test_other_sessions_go_on_while_a_tool_runs():
    one, other = Session(SPEC), Session(SPEC)

    def asks_another(tool: str, args: Any) -> tuple[Any, bool]:
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(other.check, "approve", {"order": 2}).result(timeout=20)
            assert pool.submit(other.run, "approve", {"order": 2}, Shop()).result(timeout=20)
        return None, False

    assert one.run("approve", {"order": 1}, asks_another)
    assert len(other.events) == 1


FREED = """
import sys, threading, time, z3
from agentc.monitor import session
from agentc.logic.values import VAL
until = time.monotonic() + 4
def makes():
    while time.monotonic() < until:
        with session._Z3:
            terms = [VAL.num(z3.Real(f"x{i}") + i) for i in range(300)]
        del terms  # outside of everybody's turn, as when a specification is dropped
def solves():
    while time.monotonic() < until:
        with session._Z3:
            solver, names = z3.SimpleSolver(), [z3.Int(f"y{i}") for i in range(8)]
            solver.add(z3.Distinct(names), *[z3.And(0 <= n, n < 9) for n in names])
            solver.check()
            del solver, names
threads = [threading.Thread(target=f) for f in (makes, makes, solves, solves)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("fine")
"""


def test_terms_may_be_freed_while_another_thread_solves():
    """In a process of its own, since it crashed."""
    told = subprocess.run(
        [sys.executable, "-c", FREED], check=False, capture_output=True, text=True, timeout=60
    )
    assert (told.returncode, told.stdout) == (0, "fine\n"), told.stderr


def test_many_sessions_in_many_threads():
    def one(seed: int) -> str:
        session = Session(SPEC)
        session.push(Event("approve", {"order": seed}))
        verdicts = [
            str(session.run("pay", {"order": order}, Shop()).verdict) for order in (seed, seed, seed + 1)
        ]
        return " ".join(verdicts)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(one, range(60))) == {"SAT UNSAT UNSAT"}
