"""A whole run, as small as it can be; times are not looked at."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("tau2")

from bench import measure as m
from bench.__main__ import main
from bench.plan import FULL, QUICK, Cell, Plan
from bench.process import Run, run
from bench.record import Measured, load, save
from bench.subjects import SUBJECTS
from bench.worker import measure as lines_of

SMALL = Plan(
    pasts=(3, 5),
    samples=(("engine", 4), ("session", 4), ("check", 2), ("check refused", 1), ("partial, tool", 2)),
    rounds=2,
    budget_s=20,
    setup_s=60,
    memory=5,
    imports=1,
    densities=("sparse",),
    workloads=("join",),
)


@pytest.fixture(scope="module")
def record() -> dict:
    return m.measure(SMALL, None, "small")


def test_every_cell_was_measured(record: dict) -> None:
    assert {(c["past"], c["subject"]) for c in record["cells"]} == {
        (n, s) for n in (3, 5) for s, _ in SMALL.samples
    }
    assert {c["status"] for c in record["cells"]} == {"measured"}
    count = {c["subject"]: c["count"] for c in record["cells"]}
    assert count["engine"] >= 8 and count["partial, tool"] < 8, "two rounds of the first, one of the last"


def test_verdicts_are_what_they_must_be(record: dict) -> None:
    for found in record["cells"]:
        assert set(found["verdicts"]) == {"UNSAT" if found["subject"] == "check refused" else "SAT"}


def test_it_says_where_and_with_what(record: dict) -> None:
    assert record["hardware"]["cores"] >= 1 and record["versions"]["z3-solver"]
    assert record["specifications"]["join"]["constraints"] == 1
    assert len(record["specifications"]["join"]["sha256"]) == 64
    assert record["memory"][0]["events"] == 5
    assert record["import"]["median_s"] > 0
    assert "/" not in json.dumps(record["plan"])


def test_it_is_saved_and_drawn(record: dict, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from bench.figure import caption, draw

    whole, _ = save(record, tmp_path)
    again = load(whole)
    (panel,) = draw(again).axes
    assert panel.get_title() == "one joined rule, sparse trace"
    drawn = {line.get_label(): list(line.get_xdata()) for line in panel.lines}
    assert drawn["agentc, engine: push and prefix verdict"] == [3, 5]
    assert "small run of" in caption(again)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_subjects_leave_the_trace_as_it_was(subject: str) -> None:
    job = {
        "workload": "join",
        "density": "dense",
        "subject": subject,
        "past": 4,
        "samples": 9,
        "warm": 1,
        "warm_s": 9,
    }
    found = list(lines_of(job))
    timed = [line for line in found if "ms" in line and "warm" not in line]
    assert sum(len(line["ms"]) for line in timed) >= 9
    assert all(len(line["ms"]) == len(line["tools"]) == len(line["verdicts"]) for line in timed)
    assert len({tuple(line["verdicts"]) for line in timed}) <= 2, "the same windows, the same verdicts"


def test_plans_are_what_the_readme_says() -> None:
    assert FULL.pasts == (10, 100, 1_000, 10_000) and FULL.memory == 10_000 and FULL.rounds == 3
    first, later = (list(FULL.cells(number)) for number in (0, 1))
    assert len(first) == 2 * 2 * 4 * 8 and {c.subject for c, _ in later} == set(FULL.repeated)
    assert {s for s, _ in FULL.samples} == {*SUBJECTS, "invariant"}
    assert set(QUICK.pasts) < set(FULL.pasts)


def test_what_a_shorter_past_could_not_is_not_tried() -> None:
    short = Measured(Cell("join", "dense", 10, "quantified"), [Run(stopped=True)])
    long = Measured(Cell("join", "dense", 100, "quantified"))
    other = Measured(Cell("join", "dense", 100, "engine"))
    found = {x.cell: x for x in (short, long, other)}
    assert [m._worth(x, found) for x in (short, long, other)] == [False, False, True]
    assert (long.status, long.note) == ("skipped", "at n=10: nothing")


# Processes


def python(code: str) -> list[str]:
    return [sys.executable, "-u", "-c", code]


def test_a_job_that_takes_too_long_is_stopped_and_its_lines_are_kept() -> None:
    code = 'import time; print(\'{"fed": 0}\'); print(\'{"ms": [1], "tools": ["a"]}\'); time.sleep(60)'
    started = time.monotonic()
    found = run(python(code), {}, budget_s=0.3, setup_s=30)
    assert found.stopped and found.ms() == [1] and not found.error
    assert time.monotonic() - started < 30


def test_a_job_that_never_starts_is_stopped_too() -> None:
    found = run(python("import time; time.sleep(60)"), {}, budget_s=60, setup_s=0.3)
    assert found.stopped and found.lines == []


def test_a_job_that_fails_says_why() -> None:
    found = run(python("raise ValueError('no')"), {}, budget_s=9, setup_s=9)
    assert not found.stopped and "ValueError: no" in found.error


def test_a_job_gets_what_it_was_given() -> None:
    code = "import sys; print(open(sys.argv[1]).read())"
    assert run(python(code), {"past": 7}, budget_s=9, setup_s=9).lines == [{"past": 7}]


# The command


def test_without_the_peer_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.__main__.PEER", Path("nowhere"))
    assert main([]) == 2
    assert "hint: `make peers` builds it; or leave it out with --without-peers" in capsys.readouterr().err


def test_the_command_measures_shows_and_saves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tiny = replace(SMALL, pasts=(3,), samples=(("engine", 4),), rounds=1, memory=0)
    monkeypatch.setattr("bench.__main__.QUICK", tiny)
    assert main(["--quick", "--without-peers", "--out", str(tmp_path)]) == 0
    assert "join sparse engine" in capsys.readouterr().out
    assert load(tmp_path / "speed.json")["size"] == "quick"


# The notebook


@pytest.mark.notebook
def test_the_notebook_draws_a_record(record: dict, tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    whole, _ = save(record, tmp_path)
    notebook = nbformat.read(m.ROOT / "notebooks" / "bench_speed.ipynb", as_version=4)
    (parameters,) = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", ())]
    parameters.source = f"RECORD = {str(whole)!r}\nFIGURE = {str(tmp_path / 'speed')!r}"
    resources = {"metadata": {"path": str(m.ROOT / "notebooks")}}
    nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
    assert {p.name for p in tmp_path.iterdir()} >= {"speed.png", "speed.svg"}
