"""The quantified engine: the paper's own shape."""

from __future__ import annotations

import pytest

from agentc.dsl import nodes as N
from agentc.logic.quantified import QuantifiedEngine
from agentc.logic.reference import conforms
from agentc.trace.event import Event, call
from tests.cases_format import SHARED, load
from tests.examples import EXAMPLES
from tests.run_cases import disagreements, runner

pytest.importorskip("z3")


def judge(spec, events, ask):
    engine, said = QuantifiedEngine(spec, timeout_ms=5_000), []
    for n in range(len(events) + 1):
        if n:
            engine.push(events[n - 1])
        said.append(ask(engine))
    return said


LETTERS = {"SAT": "T", "UNSAT": "F", "UNKNOWN": "?"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_closed_verdicts_of_the_table(example):
    answers = judge(example.spec, example.events, QuantifiedEngine.closed)
    assert "".join(LETTERS[str(a.verdict)] for a in answers) == example.closed, example.why


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_prefix_verdicts_of_the_table(example):
    answers = judge(example.spec, example.events, QuantifiedEngine.prefix)
    for n, (answer, letter) in enumerate(zip(answers, example.prefix, strict=True)):
        allowed = {"S": {"SAT"}, "U": {"UNSAT"}, "?": {"UNKNOWN"}, "x": {"UNSAT", "UNKNOWN"}}[letter]
        assert str(answer.verdict) in allowed, (n, answer, example.why)
        if letter == "S":
            assert conforms(example.spec, [*example.events[:n], *answer.witness])


@pytest.mark.skipif(not SHARED.exists(), reason="no case files beside the repository")
@pytest.mark.parametrize("part", range(4))
def test_a_slice_of_the_case_files(part):
    cases = list(load(SHARED / "random.jsonl"))[part * 170 : (part + 1) * 170 : 17]
    run = runner("quantified", timeout_ms=5_000)
    found = [d for c in cases for d in disagreements(c, run, ["closed", "prefix", "prefix_fin"])]
    assert [str(d) for d in found if d.expected is not None] == []


def test_pop_takes_the_last_event_back():
    spec = N.Specification("s", (N.Constraint("c", N.Exists(N.Pattern((N.Branch("a"),)), N.Truth(True))),))
    engine = QuantifiedEngine(spec)
    assert not engine.closed()
    engine.push(call("a"))
    assert engine.closed() and engine.prefix()
    assert engine.pop() == call("a")
    assert not engine.closed() and engine.prefix().witness


def test_a_query_out_of_time_is_unknown_and_says_so():
    spec = EXAMPLES[0].spec
    engine = QuantifiedEngine(spec, timeout_ms=1)
    for n in range(60):
        engine.push(Event("open", {"file": str(n)}))
        engine.push(Event("read", {"file": str(n)}))
    answer = engine.closed()
    assert str(answer.verdict) == "UNKNOWN"
    assert "solver gave up" in answer.reason
