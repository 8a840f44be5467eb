"""`agentc demo`: tau2's solutions on live environments, recorded traces, and the files it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentc.cli import demo, demo_report
from agentc.cli.demo_report import Solved
from agentc.cli.live import guard
from agentc.domains import faults, ground_truth, load, load_specification
from agentc.dsl.parse import parse_specification
from agentc.trace import Trace, call
from tests.cli.running import Ran, agentc, event, printable, trace_file

CANCEL = event("cancel_reservation", reservation_id="NQNU5R")


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("demo")
    traces = trace_file(folder, ("airline 1", [CANCEL]), ("airline 2", [event("think", thought="hm")]))
    ran = agentc("demo", "--traces", traces, "--out", folder / "out")
    document = json.loads((folder / "out" / "demo.json").read_text(encoding="utf-8"))
    return ran, folder / "out", document


def test_the_refused_tasks_are_the_listed_ones(demonstrated: tuple[Ran, Path, dict[str, Any]]) -> None:
    ran, _, document = demonstrated
    assert ran.status == 0 and "NOT THE LISTED" not in ran.out
    for solved in document["solutions"]:
        assert solved["as listed"] is True
        refused = {task["task"] for task in solved["tasks"] if task["refused"]}
        assert refused == set(faults(solved["specification"]["domain"])) != set()


def test_what_ran_conforms(demonstrated: tuple[Ran, Path, dict[str, Any]]) -> None:
    _, _, document = demonstrated
    assert [len(s["tasks"]) for s in document["solutions"]] == [50, 114]
    tasks = [task for solved in document["solutions"] for task in solved["tasks"]]
    assert {task["executed trace"] for task in tasks} == {"SAT"}
    assert not any(task["disagreements"] for task in tasks)
    assert all(len(task["milliseconds per check"]) == task["proposed"] for task in tasks)


def test_one_refusal_is_shown_in_full(demonstrated: tuple[Ran, Path, dict[str, Any]]) -> None:
    ran, _, _ = demonstrated
    shown = ran.out[ran.out.index("one refusal in full") :]
    for label in ("constraint  ", "policy      ", "because     ", "legal if    "):
        assert label in shown


def test_recorded_traces_are_audited_under_the_domain_whose_tools_they_call(
    demonstrated: tuple[Ran, Path, dict[str, Any]],
) -> None:
    ran, _, document = demonstrated
    (audit,) = document["recorded"]
    assert audit["specification"]["domain"] == "airline" and "recorded traces under airline" in ran.out
    assert audit["traces"][0]["violated"] and audit["traces"][1]["violated"] == []


def test_it_says_what_it_made_and_where(demonstrated: tuple[Ran, Path, dict[str, Any]]) -> None:
    ran, folder, document = demonstrated
    flat = ran.out.replace("\n", "")
    assert f"written: {folder / 'demo.json'}" in flat and str(folder / "report.txt") in flat
    report = (folder / "report.txt").read_text(encoding="utf-8")
    assert "one refusal in full" in report and printable(report) and report.splitlines()[1] in ran.out
    assert document["format"] == "agentc-demo" and document["seconds"] < 120


def test_traces_of_no_known_domain_are_refused_before_anything_runs(tmp_path: Path) -> None:
    traces = trace_file(tmp_path, ("odd", [event("launch", rocket="\x1b[2J")]))
    ran = agentc("demo", "--traces", traces, "--out", tmp_path / "out")
    assert ran.status == 2 and "error: the trace is of no domain that agentc knows" in ran.err
    assert "found: launch" in ran.err and "agentc audit --spec S" in ran.err


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    ran = agentc("demo", "--out", tmp_path / "file" / "out")
    assert ran.status == 2 and ran.err.startswith("error: the folder can't be made")


# ---------------------------------------------------------------- solutions on a live environment


SMALL = parse_specification(
    """
    specification airline "one rule"
    domain airline
    constraint cancel_unflown: "Nothing flown is cancelled."
      Forall(cancel_reservation as act,
             all(s in act.state.flight_statuses(act.reservation_id): ~(s in ["flying", "landed"])))
    """,
    resolve=lambda name: (load(name).tools, load(name).projections),
)


def test_a_refused_call_does_not_run_and_the_later_ones_do() -> None:
    look = call("get_reservation_details", reservation_id="NQNU5R")
    solution = Trace((call("cancel_reservation", reservation_id="NQNU5R"), look), "x", {"task": "1"})
    done = guard(SMALL, load("airline"), solution)
    (refusal,) = done.refusals
    assert refusal.step.position == 0 and [v.constraint for v in refusal.step.broken] == ["cancel_unflown"]
    assert [e.tool for e in done.audit.trace] == ["get_reservation_details"]
    assert done.audit.trace[0].output["status"] is None  # it is still there, not cancelled
    assert done.proposed == len(done.checks) == 2


def test_what_a_call_changes_is_seen_by_the_next_check() -> None:
    solution = ground_truth("airline")[0]
    done = guard(load_specification("airline"), load("airline"), solution)
    assert done.refusals == () and [e.tool for e in done.audit.trace] == [e.tool for e in solution]


def test_a_task_that_is_not_listed_is_loud() -> None:
    solution = Trace((call("cancel_reservation", reservation_id="NQNU5R"),), "x", {"task": "1"})
    solved = Solved(SMALL, [guard(SMALL, load("airline"), solution)])
    assert solved.broken == {"1": ("cancel_unflown",)} and not solved.as_listed
    out = demo._as_text([solved], [])
    assert "NOT LISTED among the known faults" in out and "THE REFUSED TASKS ARE NOT THE LISTED ONES" in out


def test_the_report_without_a_refusal() -> None:
    look = Trace((call("get_reservation_details", reservation_id="NQNU5R"),) * 2, "x", {"task": "1"})
    solved = Solved(SMALL, [guard(SMALL, load("airline"), look)])
    assert "one refusal in full" not in demo._as_text([solved], [])
    assert demo_report.demo_json([solved], [], 1.0)["recorded"] == []
