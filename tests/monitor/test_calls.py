"""Checks of calls, held against everything that can happen in a small world."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import pytest

from agentc.logic.limits import Limits
from agentc.monitor import Session
from agentc.trace.event import Event, reading
from tests.logic.worlds import (
    ARGUMENTS,
    OUTPUTS,
    calls_of,
    completable,
    outputs_of,
    random_spec,
    random_trace,
    truth,
)

LIMITS = Limits(rlimit=400_000, timeout_ms=2_000, partial_rlimit=400_000, partial_ms=2_000)
SEEDS = range(25)


def session(seed: int, name: str) -> tuple[Random, Session, int]:
    """A session after a random trace; every call of it will find the state at the same level."""
    rng = Random(f"{name} {seed}")
    spec, level = random_spec(rng, 2), rng.choice([0, 1])
    made = Session(spec, read=lambda projection, args: level, limits=LIMITS)
    for event in random_trace(rng, 3):
        made.push(event)
    return rng, made, level


def calls(level: int) -> Iterator[Event]:
    for tool in ARGUMENTS:
        for args in calls_of(tool, {}):
            yield Event(tool, args, state={reading("level"): level})


def pushed(made: Session, event: Event) -> str:
    """The verdict on the trace once the event has happened; nothing stays."""
    verdict = str(made.push(event).verdict)
    made.pop()
    return verdict


@pytest.mark.parametrize("seed", SEEDS)
def test_a_call_is_legal_exactly_if_some_output_leaves_it_so(seed):
    _, made, level = session(seed, "some")
    for call in calls(level):
        judgement = made.check(call.tool, call.args)
        after = {pushed(made, event) for event in outputs_of(call)}
        if judgement:
            assert "SAT" in after, (call, judgement)
            assert judgement.continuation or judgement.closed == "SAT"
        elif judgement.verdict == "UNSAT":
            assert "SAT" not in after, (call, judgement)
            assert not any(completable(made.spec, [*made.events, e], 1) for e in outputs_of(call))
            assert judgement.violations or judgement.together
        else:
            assert after != {"SAT"}, (call, judgement)


@pytest.mark.parametrize("seed", SEEDS)
def test_with_outputs_all_no_output_may_break_it(seed):
    _, made, level = session(seed, "all")
    for call in calls(level):
        verdict = str(made.check(call.tool, call.args, outputs="all").verdict)
        after = {pushed(made, event) for event in outputs_of(call)}
        assert verdict != "SAT" or after == {"SAT"}, (call, after)
        assert verdict != "UNSAT" or "UNSAT" in after, (call, after)


@pytest.mark.parametrize("seed", SEEDS)
def test_partial_calls_are_monotone(seed):
    """UNSAT of a partial call is UNSAT of every completion; SAT is SAT of one of them."""
    _, made, level = session(seed, "partial")
    whole = [(c, str(made.check(c.tool, c.args).verdict)) for c in calls(level)]
    for tool, known in parts():
        below = {v for c, v in whole if c.tool == tool and all(c.args.get(a) == known[a] for a in known)}
        verdict = str(made.check_partial(tool, known).verdict)
        assert verdict != "UNSAT" or "SAT" not in below, (tool, known)
        assert verdict != "SAT" or "SAT" in below, (tool, known)
        for other, more in parts():
            if other == tool and known.items() <= more.items() and verdict == "UNSAT":
                assert str(made.check_partial(tool, more).verdict) != "SAT", (tool, known, more)


def parts() -> Iterator[tuple[str, dict[str, Any]]]:
    for tool in ARGUMENTS:
        seen = []
        for args in calls_of(tool, {}):
            for size in range(len(args) + 1):
                for kept in combinations(args.items(), size):
                    if dict(kept) not in seen:
                        seen.append(dict(kept))
                        yield tool, dict(kept)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_of_legal_calls_is_never_a_bad_prefix(seed):
    """Theorem 2: what is let through, with whatever output kept it legal, can still be completed."""
    rng, made, _ = session(seed, "theorem")
    if str(made.engine.prefix().verdict) != "SAT":
        return
    for _ in range(4):
        tool = rng.choice(list(ARGUMENTS))
        args = rng.choice(list(calls_of(tool, {})))
        if made.check(tool, args):
            for output in OUTPUTS[tool]:
                if made.run(tool, args, lambda *_, o=output: (o, False)):
                    break
                made.pop()
        assert made.engine.prefix()


def test_safe_runs_end_well():
    """Theorem 3: a run that may end has a true closed verdict by the reference evaluator."""
    ended = 0
    for seed in range(150):
        _, made, _ = session(seed, "end")
        judgement = made.close()
        true = truth(made.spec, made.events)
        assert (str(judgement.verdict) == "SAT") == (true == "SAT") or true == "UNKNOWN"
        ended += bool(judgement)
    assert ended > 30


def test_nothing_is_left_behind():
    _, made, level = session(7, "left")
    before = made.events, str(made.engine.prefix().verdict)
    for call in calls(level):
        judgement = made.check(call.tool, call.args)
        made.check_partial(call.tool, {})
        made.check_partial(call.tool, call.args)
        made.repairs(judgement)
        made.settled()
        made.close()
        assert (made.events, str(made.engine.prefix().verdict)) == before


def test_the_world_is_worth_trying():
    """Both verdicts, in numbers, or the tests above would show little."""
    found = {"SAT": 0, "UNSAT": 0, "UNKNOWN": 0}
    for seed in SEEDS:
        _, made, level = session(seed, "some")
        for call in calls(level):
            found[str(made.check(call.tool, call.args).verdict)] += 1
    assert found["SAT"] > 40 and found["UNSAT"] > 40 and found["UNKNOWN"] < 30, found
