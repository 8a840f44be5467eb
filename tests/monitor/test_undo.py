"""Taking events back: a session that was here before is the same session."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from agentc.dsl.parse import parse_specification
from agentc.errors import TraceError
from agentc.logic.limits import Limits
from agentc.monitor import Judgement, Session
from agentc.trace.event import Event
from tests.logic.battery import memory
from tests.logic.worlds import random_call, random_event, random_spec

LIMITS = Limits(rlimit=400_000, timeout_ms=2_000)


def told(judgement: Judgement) -> dict[str, Any]:
    """What must not depend on the way there; which continuation the solver finds may."""
    return {
        "verdict": str(judgement.verdict),
        "closed": str(judgement.closed),
        "states": dict(judgement.states),
        "together": judgement.together,
        "violations": judgement.violations,
        "witnesses": sorted((w.constraint, w.trigger, w.by) for w in judgement.witnesses),
        "owed": {(o.constraint, t) for o in judgement.obligations for t in o.triggers},
    }


def again(made: Session, events: list[Event]) -> Session:
    fresh = Session(made.spec, limits=LIMITS)
    for event in events:
        fresh.engine.push(event)
    return fresh


@pytest.mark.parametrize("seed", range(30))
def test_any_way_to_a_trace_is_the_way_there(seed):
    rng = Random(f"way {seed}")
    made, kept = Session(random_spec(rng, 2), limits=LIMITS), list[Event]()
    for _ in range(10):
        if kept and rng.random() < 0.4:
            assert made.pop() == kept.pop()
        else:
            kept.append(random_event(rng, failing=rng.random() < 0.2))
            made.push(kept[-1])
        if rng.random() < 0.3:
            call = random_call(rng)
            made.check(call.tool, call.args)
            made.check_partial(call.tool, {})
    fresh = again(made, kept)
    assert made.events == tuple(kept)
    assert memory(made.engine) == memory(fresh.engine)
    assert told(made.close()) == told(fresh.close())
    assert made.settled() in {fresh.settled(), None} or fresh.settled() is None


def test_popping_nothing_is_an_error():
    with pytest.raises(TraceError, match="no event to take back"):
        Session(parse_specification("constraint r: Exists(a, True)")).pop()


def test_a_long_way_back():
    spec = parse_specification("""
    constraint opened: Before(read(file=f1), True, open(file=f2), f1 == f2)
    constraint closed: After(open(file=f1), True, close(file=f2), f1 == f2)
    constraint once: ~Seq(stamp(file=f1), True, stamp(file=f2), f1 == f2)
    """)
    made, rng = Session(spec), Random(3)
    empty, stages = memory(made.engine), []
    for _ in range(150):
        stages.append(memory(made.engine))
        made.engine.push(Event(rng.choice(["open", "read", "close", "stamp"]), {"file": rng.choice("abc")}))
    for stage in reversed(stages):
        made.pop()
        assert memory(made.engine) == stage
    assert memory(made.engine) == empty
    assert str(made.close().verdict) == "SAT"
