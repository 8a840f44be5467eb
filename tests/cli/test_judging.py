"""Traces judged to their end: each constraint told once, where it breaks; the reference evaluator decides."""

from __future__ import annotations

import pytest

from agentc.cli import judging
from agentc.cli.judging import audit
from agentc.dsl.parse import parse_specification
from agentc.logic.engine import Verdict
from agentc.trace import Event, Failed, Trace, call, reading
from tests.cli.running import FILES, OWNED

SPEC = parse_specification(FILES)
OWNER = parse_specification(OWNED)


def test_a_trace_that_keeps_every_constraint() -> None:
    found = audit(SPEC, [call("open", file="a"), call("read", file="a"), call("close", file="a")])
    assert (found.verdict, found.prefix) == (Verdict.SAT, Verdict.SAT)
    assert found.steps == () and found.violated == () and found.first == () and found.owed == ()


def test_after_a_violation_the_audit_goes_on() -> None:
    trace = [call("read", file="a"), call("open", file="b"), call("read", file="/"), call("close", file="b")]
    found = audit(SPEC, trace)
    assert [(s.position, [v.constraint for v in s.broken]) for s in found.steps] == [
        (0, ["opened"]),
        (2, ["no_root"]),
    ]
    assert found.violated == ("opened", "no_root") and found.first == ("opened",)
    assert (found.verdict, found.prefix) == (Verdict.UNSAT, Verdict.UNSAT)


def test_a_constraint_is_told_once() -> None:
    found = audit(SPEC, [call("read", file="/")] * 3)
    assert [(s.position, [v.constraint for v in s.broken]) for s in found.steps] == [
        (0, ["opened", "no_root"])
    ]
    assert found.first == ("opened", "no_root")


def test_a_violation_carries_the_values_that_break_it_also_after_the_first() -> None:
    found = audit(SPEC, [call("read", file="a"), call("read", file="/")])
    (violation,) = found.steps[1].broken
    assert violation.constraint == "no_root"
    assert [(c.event, c.part, c.value) for c in violation.cells] == [
        (1, "tool", "read"),
        (1, "argument", "/"),
    ]


def test_what_a_constraint_asked_for_and_did_not_find() -> None:
    found = audit(SPEC, [call("read", file="/")])
    assert found.steps[0].missing == {"opened": (("open",),), "no_root": ()}


def test_what_is_left_out_is_violated_only_at_the_end() -> None:
    found = audit(SPEC, [call("open", file="a"), call("open", file="b"), call("close", file="a")])
    assert (found.verdict, found.prefix) == (Verdict.UNSAT, Verdict.SAT)
    assert found.steps == () and found.first == ("closed",)
    assert [(o.triggers, o.call.args) for o in found.owed] == [((1,), {"file": "b"})]


def test_an_empty_trace() -> None:
    assert audit(SPEC, []).verdict is Verdict.SAT
    needy = parse_specification("constraint some: Exists(read, True)")
    found = audit(needy, [])
    assert (found.verdict, found.prefix, found.first) == (Verdict.UNSAT, Verdict.SAT, ("some",))


def test_constraints_that_cannot_both_be_met_any_more() -> None:
    spec = parse_specification(
        """
        tool open(file: string)
        tool close(file: string)
        constraint closed: After(open(f), True, close(g), f == g)
        constraint kept: ~Seq(open(f), f == "a", close(g), f == g)
        """
    )
    found = audit(spec, [call("open", file="a"), call("close", file="a")])
    assert set(found.steps[0].together) == {"closed", "kept"} and found.steps[0].broken == ()
    assert [v.constraint for v in found.steps[1].broken] == ["kept"]
    assert found.violated == ("kept",)


def test_state_that_nobody_read_makes_it_unknown_and_is_told() -> None:
    found = audit(OWNER, [call("refund", order="1", user="ann")])
    assert (found.verdict, found.prefix) == (Verdict.UNKNOWN, Verdict.UNKNOWN)
    assert found.violated == () and "owner" in found.unknown["owner_only"]


def test_a_projection_that_raised_makes_it_unknown_with_its_reason() -> None:
    state = {reading("owner", "1"): Failed("the database is down")}
    found = audit(OWNER, [Event("refund", {"order": "1", "user": "ann"}, state=state)])
    assert found.verdict is Verdict.UNKNOWN and "the database is down" in found.unknown["owner_only"]


def test_unknown_does_not_hide_a_later_violation() -> None:
    state = {reading("owner", "2"): "bob"}
    trace = [
        call("refund", order="1", user="ann"),
        Event("refund", {"order": "2", "user": "ann"}, state=state),
    ]
    found = audit(OWNER, trace)
    assert found.verdict is Verdict.UNSAT and found.steps[0].position == 1 and "owner_only" in found.unknown


def test_blame_goes_to_the_environment_where_only_the_output_breaks_it() -> None:
    spec = parse_specification('constraint ok: ~Exists(pay as p, output(p).status == "failed")')
    found = audit(spec, [Event("pay", {}, {"status": "failed"})])
    assert found.steps[0].blame == "environment"
    assert audit(SPEC, [call("read", file="/")]).steps[0].blame == "call"


def test_the_name_of_a_trace_is_kept() -> None:
    assert audit(SPEC, Trace((), "run 7")).trace.name == "run 7"


def test_the_engines_opposite_verdict_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for a fault: the reference evaluator says the opposite of what it would."""
    real = judging.closed
    monkeypatch.setattr(judging, "closed", lambda *args: not real(*args))
    found = audit(SPEC, [call("open", file="a"), call("close", file="a")])
    assert found.disagreements == ("opened", "closed", "no_root")


def test_a_bad_prefix_that_is_satisfied_after_all_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "closed", lambda *args: True)
    found = audit(SPEC, [call("read", file="a")])
    assert found.disagreements == ("opened",)
