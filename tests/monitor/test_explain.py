"""What a judgement tells besides its verdict: states, cores, cells, witnesses, obligations, settled."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from agentc.dsl.parse import parse_specification
from agentc.logic.limits import Limits
from agentc.monitor import Session
from agentc.trace.event import Event
from agentc.trace.values import MISSING
from tests.examples import at, do, fail
from tests.strategies import events, runs


def session(text: str, *happened: Event) -> Session:
    made = Session(parse_specification(text))
    for event in happened:
        made.push(event)
    return made


def states(judgement: Any) -> dict[str, str]:
    letters = {"SAT": "S", "UNSAT": "U", "UNKNOWN": "?"}
    return {n: letters[str(s.prefix)] + letters[str(s.closed)] for n, s in judgement.states.items()}


def cells(judgement: Any) -> set[tuple[Any, ...]]:
    (violation,) = judgement.violations
    return {(c.event, c.part, c.name, c.value) for c in violation.cells if c.part != "tool"}


FILES = """
constraint opened: "Open before you read." Before(read(file=f1), True, open(file=f2), f1 == f2)
constraint closed: "Close what you opened." After(open(file=f1), True, close(file=f2), f1 == f2)
constraint never: "Never remove." ~Exists(rm, True)
"""

# ---------------------------------------------------------------- each constraint, and all together


def test_each_constraint_has_its_own_state():
    made = session(FILES)
    assert states(made.close()) == {"opened": "SS", "closed": "SS", "never": "SS"}
    judgement = made.push(do("open", file="a"))
    assert states(judgement) == {"opened": "SS", "closed": "SU", "never": "SS"}
    assert judgement.states["closed"].pending and not judgement.states["opened"].pending
    assert judgement.pending and judgement and str(judgement.closed) == "UNSAT"
    judgement = made.push(do("rm"))
    assert states(judgement) == {"opened": "SS", "closed": "SU", "never": "UU"}
    assert not judgement and not judgement.pending


def test_a_proposed_call_is_explained_as_if_it_had_happened():
    made = session(FILES)
    judgement = made.check("read", {"file": "a"})
    assert states(judgement) == {"opened": "UU", "closed": "SS", "never": "SS"}
    assert (judgement.blame, judgement.event) == ("call", do("read", file="a"))
    judgement = made.check("open", {"file": "a"})
    assert states(judgement)["closed"] == "SU"
    assert [e.tool for e in judgement.continuation] == ["open", "close"]
    assert [(o.constraint, o.triggers, o.call.args) for o in judgement.obligations] == [
        ("closed", (0,), {"file": "a"})
    ]


TOGETHER = """
constraint closed: After(open(file=f1), True, close(file=f2), f1 == f2)
constraint bystander: ~Exists(rm, True)
constraint never: ~Exists(close, True)
"""


def test_where_all_are_satisfiable_alone_the_joint_core_is_named():
    made = session(TOGETHER)
    for judgement in (made.check("open", {"file": "a"}), made.push(do("open", file="a"))):
        assert set(states(judgement).values()) <= {"SS", "SU"}
        assert str(judgement.verdict) == "UNSAT" and judgement.violations == ()
        assert set(judgement.together) == {"closed", "never"}


def test_a_constraint_broken_alone_is_no_joint_core():
    judgement = session(TOGETHER, do("open", file="a")).push(do("close", file="a"))
    assert judgement.together == () and [v.constraint for v in judgement.violations] == ["never"]


OUTPUT = """
constraint ticket: After(reserve as r, True, release as s, s.ticket == output(r).ticket)
constraint small: Forall(reserve as r, r.n < 3)
"""


def test_no_constraint_is_blamed_for_an_output_that_may_still_be_good():
    made = session(OUTPUT)
    judgement = made.check("reserve", {"n": 1})
    assert judgement and judgement.violations == ()
    assert judgement.continuation[0].output["ticket"] == judgement.continuation[1].args["ticket"]
    judgement = made.check("reserve", {"n": 5})
    assert [v.constraint for v in judgement.violations] == ["small"]
    assert states(judgement)["ticket"] == "SU"


def test_the_call_itself_is_no_obligation():
    made = session("constraint paid: Exists(pay as p, output(p).ok == true)")
    judgement = made.check("pay", {})
    assert judgement and judgement.obligations == ()
    assert [o.call.tool for o in made.close().obligations] == ["pay"]


# ---------------------------------------------------------------- the cells of a core

CELLS = [
    (
        'constraint r: Forall(pay as p, p.method == "card" | p.amount < 10)',
        [do("pay", method="cash", amount=20, note="hello")],
        {(0, "argument", "method", "cash"), (0, "argument", "amount", 20)},
    ),
    (
        'constraint r: Forall(pay as p, p.method == "card" & p.amount < 10)',
        [do("pay", method="cash", amount=5)],
        {(0, "argument", "method", "cash")},
    ),
    (
        "constraint r: Before(pay as p, p.amount > 10, approve as a, a.order == p.order)",
        [do("approve", order=1), do("list", order=2), do("pay", order=2, amount=20)],
        {(2, "argument", "amount", 20), (2, "argument", "order", 2), (0, "argument", "order", 1)},
    ),
    (
        "constraint r: Before(pay as p, True, login as l, output(l).user.id == p.user)",
        [do("login", {"user": {"id": "bob"}}), do("pay", user="ann")],
        {(0, "output", "user.id", "bob"), (1, "argument", "user", "ann")},
    ),
    (
        "constraint r: ~Seq(pay as p, output(p).ok == true, pay as q, p.order == q.order)",
        [
            do("pay", {"ok": True}, order=1),
            do("pay", {"ok": True}, order=2),
            do("pay", {"ok": True}, order=1),
        ],
        {(0, "output", "ok", True), (0, "argument", "order", 1), (2, "argument", "order", 1)},
    ),
    (
        'constraint r: Forall(cancel(order=o) as c, c.state.status(o) == "pending")',
        [at({("status", 7): "shipped"}, do("cancel", order=7))],
        {(0, "state", "status", "shipped")},
    ),
    (
        "constraint r: ~Exists(rm as r, r.paths[0] == r.keep)",
        [do("rm", paths=["a", "b"], keep="a")],
        {(0, "argument", "paths[0]", "a"), (0, "argument", "keep", "a")},
    ),
    (
        "constraint r: Forall(pay as p, ~absent(p.order))",
        [do("pay", amount=3)],
        {(0, "argument", "order", MISSING)},
    ),
    (
        'constraint r: Forall(say as s, ~contains(s.text, "secret"))',
        [do("say", text="the secret is out", to="bob")],
        {(0, "argument", "text", "the secret is out")},
    ),
]


@pytest.mark.parametrize(("text", "happened", "expected"), CELLS, ids=lambda v: "")
def test_the_core_points_at_the_values_at_fault(text, happened, expected):
    made = session(text)
    judgements = [made.push(event) for event in happened]
    assert all(judgements[:-1]) and not judgements[-1]
    assert cells(judgements[-1]) == expected
    assert set(judgements[-1].violations[0].events) <= {c.event for c in judgements[-1].violations[0].cells}


def test_a_reading_that_nobody_has_and_that_made_no_difference_is_no_cell():
    text = "constraint r: Forall(pay as p, p.account == p.state.owner(p.order))"
    judgement = session(text).push(do("pay", order=1))
    assert cells(judgement) == {(0, "argument", "account", MISSING)}


def test_a_core_of_what_did_not_happen_names_the_call_alone():
    judgement = session(FILES).push(do("read", file="a"))
    (violation,) = judgement.violations
    assert (violation.constraint, violation.sentence) == ("opened", "Open before you read.")
    assert violation.events == (0,) and [(c.event, c.part, c.value) for c in violation.cells] == [
        (0, "tool", "read")
    ]


@pytest.mark.parametrize("size", [1, 30, 500])
def test_explanations_stay_small(size):
    opened = [do("open", file=f"f{i}") for i in range(size)]
    judgement = session(FILES.split("constraint closed", maxsplit=1)[0], *opened).push(do("read", file="a"))
    assert 1 <= len(judgement.violations[0].cells) <= 30


# ---------------------------------------------------------------- witnesses


def test_who_answered_whom():
    made = session(FILES, do("open", file="a"), do("open", file="b"), do("open", file="a"))
    assert found(made.push(do("read", file="b"))) == {("opened", 3, 1)}
    assert found(made.push(do("close", file="a"))) == {("closed", 0, 4), ("closed", 2, 4)}
    assert found(made.push(do("list"))) == set()
    assert found(made.push(do("close", file="b"))) == {("closed", 1, 6)}


def test_both_ends_of_a_sequence_are_told():
    made = session(
        "constraint r: Seq(use(r=r1), True, dispose(r=r2), r1 == r2)", do("use", r=1), do("use", r=2)
    )
    assert found(made.push(do("dispose", r=2))) == {("r", 1, 2)}


def found(judgement: Any) -> set[tuple[str, int, int]]:
    return {(w.constraint, w.trigger, w.by) for w in judgement.witnesses}


# ---------------------------------------------------------------- obligations


def owed(judgement: Any) -> set[tuple[Any, ...]]:
    return {
        (o.constraint, o.triggers, o.call.tool, tuple(o.call.args.values())) for o in judgement.obligations
    }


def test_what_is_owed_is_told_with_what_it_is_owed_for():
    made = session(FILES, do("open", file="a"), do("open", file="b"), do("open", file="a"))
    assert owed(made.close()) == {("closed", (0, 2), "close", ("a",)), ("closed", (1,), "close", ("b",))}
    made.push(do("close", file="a"))
    assert owed(made.close()) == {("closed", (1,), "close", ("b",))}
    made.push(do("close", file="b"))
    judgement = made.close()
    assert judgement.obligations == () == judgement.continuation and judgement


def test_what_is_asked_for_anyway_is_owed_for_nothing():
    made = session("constraint r: Exists(create(r=r1), r1 == 456) & Exists(create(r=r1), r1 == 457)")
    assert owed(made.close()) == {("r", (), "create", (456,)), ("r", (), "create", (457,))}
    made.push(do("create", r=456))
    assert owed(made.close()) == {("r", (), "create", (457,))}


def test_half_a_sequence_is_owed_for_its_first_half():
    made = session("constraint r: Seq(use(r=r1), r1 > 0, dispose(r=r2), r1 == r2)", do("use", r=3))
    (obligation,) = made.close().obligations
    assert obligation.call.tool == "dispose"
    assert obligation.triggers in {(0,), ()}


def test_a_chain_of_obligations():
    text = """
    constraint one: After(a(n=n1), True, b(n=n2), n1 == n2)
    constraint two: After(b(n=n1), True, c(n=n2), n1 == n2)
    """
    judgement = session(text).push(do("a", n=1))
    assert [e.tool for e in judgement.continuation] == ["b", "c"]
    assert owed(judgement) == {("one", (0,), "b", (1,))}


def test_a_failed_call_owes_and_answers_nothing():
    made = session(FILES, fail("open", file="b"))
    assert made.close().obligations == ()
    made.push(do("open", file="a"))
    made.push(fail("close", file="a"))
    assert owed(made.close()) == {("closed", (1,), "close", ("a",))}


# ---------------------------------------------------------------- settled

SETTLED = [
    ("~Exists(rm, True)", [], False),
    ("~Exists(rm, True)", [do("rm")], True),
    ("Exists(rm, True)", [], False),
    ("Exists(rm, True)", [do("rm")], True),
    ("Exists(admin, True) | ~Exists(rm, True)", [do("admin")], True),
    ("After(open, True, close, True)", [do("open"), do("close")], False),
    ("After(open, True, close, True) & ~Exists(open, True)", [do("open")], True),
    ("Forall(a as a, a.n == a.n | absent(a.n))", [], True),
    ("Exists(a, True) & ~Exists(a, True)", [], True),
]


@pytest.mark.parametrize(("text", "happened", "settled"), SETTLED, ids=lambda v: str(v)[:40])
def test_settled_is_what_no_continuation_changes(text, happened, settled):
    assert session(f"constraint r: {text}", *happened).settled() is settled


# ---------------------------------------------------------------- partial calls


def test_a_partial_call_that_is_refused_names_constraints():
    judgement = session(FILES).check_partial("rm", {})
    assert not judgement and [v.constraint for v in judgement.violations] == ["never"]
    assert judgement.violations[0].sentence == "Never remove."


def test_unknown_is_never_truthy():
    spec = 'constraint r: Forall(cancel(order=o) as c, c.state.status(o) == "pending")'
    judgement = session(spec).check("cancel", {"order": 1})
    assert str(judgement.verdict) == "UNKNOWN" and not judgement and not judgement.pending
    assert "status" in judgement.reason
    judgement = session(spec, do("cancel", order=1)).close()
    assert str(judgement.verdict) == "UNKNOWN" and not judgement


# ---------------------------------------------------------------- whatever happens

TIGHT = Limits(rlimit=200_000, timeout_ms=500, partial_rlimit=100_000, partial_ms=200)
STATE = {"owner": "u", "total": 1}


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs(max_size=4), events())
def test_whatever_happens_is_explained(run, call):
    spec, trace = run
    made = Session(spec, limits=TIGHT, read=lambda name, args: STATE[name])
    for event in trace:
        judgement = made.push(event)
        assert all(c.event < len(made.events) for v in judgement.violations for c in v.cells)
    some = dict(list(call.args.items())[:1])
    whole, part = made.check(call.tool, call.args), made.check_partial(call.tool, some)
    for judgement in (whole, part, made.check(call.tool, call.args, outputs="all"), made.close()):
        assert judgement or judgement.reason or judgement.violations or judgement.together or judgement.states
        made.repairs(judgement)
    assert made.settled() in {True, False, None} and made.events == trace
