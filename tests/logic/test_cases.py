"""The case files made outside the project."""

from __future__ import annotations

import json

import pytest

from tests.cases_format import SHARED, case, load
from tests.run_cases import compare, disagreements, main, runner

FILES = sorted(SHARED.glob("*.jsonl"))
needs_cases = pytest.mark.skipif(not FILES, reason="no case files beside the repository")

PAY = {"op": "before", "P": "pay", "f1": ["true"], "Q": "auth", "f2": ["==", ["x'", "u"], ["x", "u"]]}
RECORD = {
    "id": "t1",
    "spec": PAY,
    "trace": [{"tool": "auth", "args": {"u": "ann"}}, {"tool": "pay", "args": {"u": "bob"}}],
    "closed": [True, True, False],
    "prefix": [True, True, False],
}


@needs_cases
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_reference_agrees_with_every_closed_verdict(file):
    found = [d for c in load(file) for d in disagreements(c, runner("reference", False), ["closed"])]
    assert found == []


@needs_cases
def test_the_files_hold_what_their_description_says():
    cases = [c for file in FILES for c in load(file)]
    assert len(cases) >= 740
    assert all(len(v) == len(c.events) + 1 for c in cases for v in c.expected.values())


def test_a_wrong_verdict_is_printed_and_counted(tmp_path, capsys):
    wrong = {**RECORD, "id": "t2", "closed": [True, False, False]}
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(RECORD) + "\n\n" + json.dumps(wrong) + "\n")
    assert main([str(file), "--engine", "reference"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "t2: closed[1]: expected False, got SAT",
        "2 cases, 1 disagreements",
    ]
    assert main([str(file), "--engine", "reference", "--limit", "1"]) == 0


class Said:
    """An answer as an engine would give it."""

    def __init__(self, verdict, witness=(), reason=""):
        self.verdict, self.witness, self.reason = verdict, witness, reason


@pytest.mark.parametrize(
    ("want", "answer", "fault"),
    [
        (True, Said("SAT"), ""),
        (True, Said("UNKNOWN", reason="budget"), "UNKNOWN (budget)"),
        (False, Said("UNKNOWN"), "UNKNOWN"),
        (False, Said("SAT"), "SAT"),
        (None, Said("UNKNOWN", reason="no bound"), ""),
        (None, Said("SAT"), ""),
        (None, Said("UNSAT"), "UNSAT"),
    ],
)
def test_how_an_answer_is_held_against_the_file(want, answer, fault):
    record = {**RECORD, "trace": [], "closed": [True], "prefix": [want]}
    found = list(compare(case(record), "prefix", [answer], case(record).spec))
    assert [d.got for d in found] == ([fault] if fault else [])


def test_a_witness_must_replay_and_be_calls_the_tools_accept():
    exists = {"op": "exists", "P": "a", "f": ["==", ["x", "n"], ["const", 5]]}
    domain = {"tools": {"a": {"args": {"n": [5]}}}}
    record = {"id": "w", "spec": exists, "trace": [], "prefix": [True], "domain": domain}
    made = case(record)
    five, six = (case({**record, "trace": [{"tool": "a", "args": {"n": n}}]}).events for n in (5, 6))

    def fault(witness, spec):
        return [d.got for d in compare(made, "prefix", [Said("SAT", witness)], spec)]

    assert fault(five, made.spec) == fault(five, made.finite) == []
    assert fault((), made.spec)[0].startswith("SAT by a witness that fails")
    assert fault(six, made.spec)[0].startswith("SAT by a witness that fails")
    assert fault(six, made.finite)[0].startswith("SAT by a call the tools don't accept")
