"""A second solver reads what is exported, and confirms every UNSAT of the case files."""

from __future__ import annotations

from functools import cache

import pytest
import z3

from agentc.dsl import nodes as N
from agentc.logic.quantified import QuantifiedEngine
from agentc.logic.smtlib import export
from agentc.trace.event import Event
from tests.cases_format import SHARED, load
from tests.examples import EXAMPLES

cvc5 = pytest.importorskip("cvc5")
needs_cases = pytest.mark.skipif(not SHARED.exists(), reason="no case files beside the repository")
TIMEOUT_MS = 20_000


def second_opinion(text: str) -> str:
    """Return cvc5's answer to a script: sat, unsat or unknown."""
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("tlimit-per", str(TIMEOUT_MS))
    solver.setOption("strings-exp", "true")
    symbols = cvc5.SymbolManager(terms)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(str(command.invoke(solver, symbols)).strip())
    return answers[-1].split()[0]  # unknown comes with its reason


def refuted(spec: N.Specification, events: tuple[Event, ...], asked: str) -> str | None:
    """Return the script of the query by which the quantified engine answers UNSAT; None if it doesn't."""
    engine = QuantifiedEngine(spec, timeout_ms=TIMEOUT_MS)
    for event in events:
        engine.push(event)
    if asked == "closed":
        return export(spec, events, "closed") if str(engine.closed().verdict) == "UNSAT" else None
    proof = engine.refutation()
    return None if proof is None else export(spec, events, "prefix", proof.size)


@cache
def cases():
    return [c for file in sorted(SHARED.glob("*.jsonl")) for c in load(file)]


PARTS = 8


@needs_cases
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("field", ["closed", "prefix", "prefix_fin"])
def test_every_unsat_of_the_case_files_is_confirmed(field, part):
    doubtful, count = [], 0
    for case in cases()[part::PARTS]:
        spec = case.finite if field == "prefix_fin" else case.spec
        for i, verdict in enumerate(case.expected.get(field, ())):
            if verdict is False:
                script = refuted(spec, case.events[:i], "closed" if field == "closed" else "prefix")
                answer = "not refuted by Z3" if script is None else second_opinion(script)
                count += 1
                if answer != "unsat":
                    doubtful.append((case.id, i, answer))
    assert count > 50
    assert doubtful == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_the_table_s_closed_verdicts_are_confirmed(example):
    answer = second_opinion(export(example.spec, example.events, "closed"))
    assert (answer == "unsat") == (example.closed[-1] == "F"), answer


HOSTILE = ["a|b", 'quo"te', "back\\slash", "\\u{41}", "new\nline)(exit)", "or", "tool", "N", "é", "x" * 300]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_or_text_breaks_out_of_the_script(name):
    here, there = N.Arg("first", name), N.Arg("second", name, (name,))
    same = N.And((N.Compare("==", here, there), N.Text("starts_with", here, N.Const(name))))
    a, b = N.Pattern((N.Branch(name or "a"),)), N.Pattern((N.Branch("b"),))
    spec = N.Specification(name, (N.Constraint(name or "c", N.Before(a, N.Truth(True), b, same)),))
    fine = [Event("b", {name: {name: name}}), Event(name or "a", {name: name})]
    for events, unsat in ((fine, False), (fine[1:], True), (fine[::-1], True)):
        script = export(spec, events, "closed")
        assert script.isascii()
        assert script.split("\n(set-logic")[0].count("\n;") == script.split("\n(set-logic")[0].count("\n")
        assert (second_opinion(script) == "unsat") == unsat
        assert z3_reads(script) == (z3.unsat if unsat else z3.sat)


def z3_reads(script):
    solver = z3.Solver()
    solver.set("ematching", False)
    solver.from_string(script)
    return solver.check()


def test_the_text_says_what_is_asked():
    example = EXAMPLES[0]
    lines = export(example.spec, example.events[:1], "prefix", 3).splitlines()
    assert lines[:5] == [
        "; asked: prefix verdict, up to 3 further calls",
        "; specification: before",
        f";   rule: {example.text}",
        "; trace: 1 events",
        ";   0: open {'file': 'a'} -> MISSING",
    ]
    assert lines[5] == "(set-logic ALL)" and lines[-1] == "(check-sat)"
