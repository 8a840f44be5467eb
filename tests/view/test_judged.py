"""Every step's verdicts: the same as the session's and the table's, and found without asking at each step."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from agentc.dsl.nodes import Specification
from agentc.dsl.parse import parse_specification
from agentc.logic.engine import Engine, Limits
from agentc.monitor import Session, Verdict
from agentc.trace.event import Event, call
from agentc.view.judged import BROKEN, HOLDS, OWED, UNKNOWN, _Judge, judge
from tests.examples import EXAMPLES, Example
from tests.strategies import runs
from tests.view.traces import CLOSE, DELETE, FILES, OPEN, READ, READ_B, long_trace, trace

PREFIX = {HOLDS: "S", OWED: "S", BROKEN: "U", UNKNOWN: "?"}
CLOSED = {HOLDS: "T", OWED: "F", BROKEN: "F", UNKNOWN: "?"}
QUICK = Limits(rlimit=2_000_000, timeout_ms=1_000)
IDS = [e.name for e in EXAMPLES]


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_the_tables_verdicts(example: Example) -> None:
    judged = judge(example.spec, example.events)
    for letter, prefix, closed in zip(judged.prefix, example.prefix, example.closed, strict=True):
        assert PREFIX[letter] in {"x": "U?"}.get(prefix, prefix)
        assert letter == UNKNOWN or CLOSED[letter] == closed or closed == "?"


@pytest.mark.parametrize("example", EXAMPLES[:40], ids=IDS[:40])
def test_each_constraint_alone_as_the_session_says(example: Example) -> None:
    session, judged = Session(example.spec), judge(example.spec, example.events)
    for t, event in enumerate(example.events, start=1):
        states = session.push(event).states
        for constraint, column in zip(example.spec.constraints, judged.cells, strict=True):
            state = states[constraint.name]
            if Verdict.UNKNOWN in (state.prefix, state.closed):
                continue
            alive = HOLDS if state.closed is Verdict.SAT else OWED
            assert column[t] == (BROKEN if state.prefix is Verdict.UNSAT else alive), (constraint.name, t)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs(max_size=5))
def test_random_runs_as_the_engine_says(run: tuple[Specification, tuple[Event, ...]]) -> None:
    """Where both decide they agree; the recorded rest of a trace may decide what the solver doesn't."""
    spec, events = run
    engine, judged = Engine(spec, limits=QUICK), judge(spec, events, QUICK)
    for t, letter in enumerate(judged.prefix):
        if t:
            engine.push(events[t - 1])
        prefix, closed = engine.prefix().verdict, engine.closed().verdict
        if letter == UNKNOWN or Verdict.UNKNOWN in (prefix, closed):
            continue
        alive = HOLDS if closed is Verdict.SAT else OWED
        assert letter == (BROKEN if prefix is Verdict.UNSAT else alive), t


def test_what_breaks_is_explained_where_it_breaks() -> None:
    judged = judge(FILES, trace())
    assert judged.prefix == "vvooox" + "xxx"
    (unopened,), (foreign,) = judged.broken[READ_B], judged.broken[DELETE]
    assert (unopened.constraint, foreign.constraint) == ("opened", "own")
    assert {(c.event, c.part, c.name, c.value) for c in unopened.cells} >= {
        (OPEN, "argument", "file", "a.txt"), (READ_B, "argument", "file", "b.txt"),
    }  # fmt: skip
    assert ("state", "owner", "you") in {(c.part, c.name, c.value) for c in foreign.cells}
    assert judged.missing == {(READ_B, "opened"): (("open",),)}
    assert {(w.constraint, w.trigger, w.by) for w in judged.links} == {
        ("opened", READ, OPEN), ("closed", OPEN, CLOSE),
    }  # fmt: skip


def test_who_has_a_say() -> None:
    judged = judge(FILES, trace())
    assert judged.touched == ("02101000", "01000200", "00000100", "00000010")


def test_what_was_broken_before() -> None:
    judged = judge(FILES, trace())
    assert judged.broken_before(READ_B) == frozenset()
    assert judged.broken_before(DELETE) == {"opened"}


def test_a_later_event_answers_for_an_earlier_one_without_the_solver() -> None:
    """Each open file is owed a close; it comes, so that the future is never asked about."""
    spec, events = FILES, [e for e in long_trace(400) if e.tool in ("open", "close")]
    run = _Judge(spec, tuple(events), None)
    assert run.run().prefix == "v" + "ov" * 100
    assert run.questions == 0


def test_a_call_that_no_tool_accepts_is_not_a_continuation() -> None:
    """The stop that comes is none that the tool accepts, so it proves nothing of the moment before it."""
    spec = parse_specification("""
        tool start(n: integer)
        tool stop(n: integer(..5))
        constraint ends: After(start as a, True, stop as b, b.n == a.n)
    """)
    session, events = Session(spec), [call("start", n=7), call("stop", n=7)]
    told = [session.push(e).verdict for e in events]
    assert told == [Verdict.UNSAT, Verdict.SAT]
    assert judge(spec, events).prefix == "vxv"


def test_no_events() -> None:
    judged = judge(FILES, ())
    assert judged.prefix == "v" and judged.links == ()
