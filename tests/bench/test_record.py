"""Records: what is counted, how it went, what follows from it."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.conclusions import aims, ratios
from bench.plan import Cell
from bench.process import Run
from bench.record import FORMAT, Measured, load, percentile, save
from bench.report import show


def run(ms: Sequence[float], tool: str = "get", verdict: str = "SAT", **more: object) -> Run:
    lines = [{"ready": 2.0}, {"fed": 0.1}]
    lines += [{"ms": list(ms), "tools": [tool] * len(ms), "verdicts": [verdict] * len(ms)}] if ms else []
    return Run(lines, **more)  # type: ignore[arg-type]


def cell(subject: str, past: int = 10, workload: str = "join") -> Cell:
    return Cell(workload, "dense", past, subject)


@pytest.mark.parametrize(
    ("percent", "value"), [(0, 1), (25, 1), (26, 2), (50, 2), (75, 3), (95, 4), (100, 4)]
)
def test_percentiles_are_values_that_were_measured(percent: float, value: float) -> None:
    assert percentile([4, 2, 3, 1], percent) == value


def test_a_summary_pools_the_rounds_and_keeps_their_medians() -> None:
    measured = Measured(cell("engine"), [run([1.0, 2.0, 9.0]), run([3.0, 4.0], tool="auth")])
    found = measured.summary()
    assert (found["count"], found["median_ms"], found["mean_ms"], found["max_ms"]) == (5, 3.0, 3.8, 9.0)
    assert found["round_medians_ms"] == [2.0, 3.5]
    assert found["by_tool_ms"] == {"auth": 3.5, "get": 2.0}
    assert (found["slowest_tool"], found["status"], found["ready_ms"]) == ("auth", "measured", 2.0)


def test_warm_up_counts_only_as_the_first_judgement() -> None:
    warm = {"ms": [50.0], "tools": ["get"], "verdicts": ["SAT"], "warm": True}
    measured = Measured(cell("engine"), [Run([warm, *run([1.0, 2.0]).lines])])
    found = measured.summary()
    assert found["count"] == 2 and found["max_ms"] == 2.0
    assert found["first_by_tool_ms"] == {"get": 50.0}


@pytest.mark.parametrize(
    ("runs", "status", "hopeless"),
    [
        ([run([1.0])], "measured", False),
        ([run([1.0], stopped=True)], "stopped", False),
        ([run([], stopped=True)], "nothing", True),
        ([run([9.0], verdict="UNKNOWN")], "no verdict", True),
        ([run([9.0], verdict="UNKNOWN", stopped=True)], "no verdict", True),
        ([run([1.0]), run([9.0], verdict="UNKNOWN")], "measured", False),
        ([run([], error="Traceback\nValueError: no")], "failed", True),
    ],
)
def test_how_it_went(runs: list[Run], status: str, hopeless: bool) -> None:
    measured = Measured(cell("quantified"), runs)
    assert (measured.status, measured.hopeless) == (status, hopeless)


def test_an_error_is_told_by_its_last_line() -> None:
    assert (
        Measured(cell("engine"), [run([], error="Traceback\n  ...\nValueError: no\n")]).note
        == "ValueError: no"
    )


def test_ratios_compare_the_same_calls_round_by_round() -> None:
    mixed = Run(
        [
            {
                "ms": [0.5, 100.0, 1.0, 7.0],
                "tools": ["get", "user_message", "get", "get"],
                "verdicts": ["SAT"] * 4,
            }
        ]
    )
    ours = Measured(cell("engine"), [mixed, run([3.0, 3.0, 50.0])])
    peer = Measured(cell("invariant"), [run([10.0, 20.0]), run([30.0, 30.0], stopped=True)])
    (found,) = ratios({ours.cell: ours, peer.cell: peer})
    assert found["median"] == pytest.approx((0.05 + 0.1) / 2)
    assert (found["lowest"], found["highest"]) == pytest.approx((0.05, 0.1))
    assert (found["rounds"], found["peer_status"]) == (2, "stopped")


def test_a_peer_without_a_verdict_has_no_ratio() -> None:
    ours, peer = Measured(cell("check"), [run([1.0])]), Measured(cell("invariant"), [run([], stopped=True)])
    (found,) = ratios({ours.cell: ours, peer.cell: peer})
    assert found["rounds"] == 0 and "median" not in found and found["peer_status"] == "nothing"


def test_aims_are_met_missed_or_not_measured() -> None:
    cells = {
        c: Measured(c, [run([ms])])
        for c, ms in {
            cell("engine", 10): 0.02,
            cell("engine", 1_000): 0.05,
            cell("engine", 10_000): 0.031,
            cell("partial, tool", 1_000): 1.5,
        }.items()
    }
    found = {(a["aim"], a["where"]): a["met"] for a in aims(cells, {"median_s": 0.29})}
    assert found["median per event, ms", "join dense n=1000 engine"] is True
    assert found["median per event, ms", "join dense n=1000 session"] is None
    assert found["median at n=10000 / at n=10", "join dense engine"] is False
    assert found["partial call, ms", "join dense n=1000 partial, tool"] is False
    assert found["import agentc, s", ""] is True


def a_record() -> dict:
    cells = {
        c.cell: c for c in (Measured(cell("engine"), [run([1.23456789])]), Measured(cell("check"), [run([])]))
    }
    return {
        "format": FORMAT,
        "cells": [c.summary() for c in cells.values()],
        "ratios": [],
        "memory": [
            {"workload": "join", "density": "dense", "events": 9, "judging_mib": 1.0, "events_mib": 0.5}
        ],
        "aims": aims(cells, {"median_s": 0.1}),
        "hardware": {"cores": 2},
        "load_average": {"start": 0.5},
    }


def test_a_record_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    whole, table = save(a_record(), tmp_path / "new")
    record = load(whole)
    assert record["cells"][0]["median_ms"] == 1.2346, "five digits"
    assert record["cells"][1]["status"] == "nothing"
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(r["workload"], r["subject"], r["count"]) for r in rows] == [
        ("join", "engine", "1"),
        ("join", "check", "0"),
    ]
    assert (rows[0]["median_ms"], rows[1]["median_ms"], rows[0]["verdicts"]) == ("1.2346", "", "SAT:1")


def test_a_record_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "speed.json"
    path.write_text(json.dumps({"format": 0}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"speed\.json has format 0, this reads 1: run `make bench` again"):
        load(path)


def test_a_record_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    show(a_record())
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("join dense engine", "1.23", "nothing", "not measured", "2 cores"))
