"""Carry out a plan: every cell in a process of its own, round after round, ours beside the peer's."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from agentc.dsl.show_text import to_text
from bench import for_invariant, machine
from bench.conclusions import aims, ratios
from bench.plan import Cell, Plan
from bench.process import Run, run
from bench.record import FORMAT, Measured
from bench.workloads import workload

__all__ = ["PEER", "ROOT", "measure"]

ROOT = Path(__file__).parent.parent
PEER = ROOT / ".venv-peers" / "invariant" / "bin" / "python"
_WORKER = [sys.executable, "-m", "bench.worker"]
_WARM = 8
"""Windows judged before the clock starts: one of each kind."""


def measure(plan: Plan, peer: Path | None, size: str) -> dict[str, Any]:
    """Make every measurement of a plan, and return the record.

    Parameters
    ----------
    plan : Plan
    peer : Path or None
        Invariant's Python; None leaves it out.
    size : str
        What the record calls the plan.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # tau2's litellm would ask the network
    started, load = time.monotonic(), machine.load_average()
    record: dict[str, Any] = {
        "format": FORMAT,
        "size": size,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": machine.revision(),
        "hardware": machine.hardware(),
        "versions": machine.versions(),
        "peer_versions": machine.peer_versions(peer) if peer else {},
        "plan": asdict(plan),
        "specifications": {name: _specification(name) for name in plan.workloads},
    }
    imports = machine.import_times(plan.imports)
    cells = _cells(plan, peer)
    record["cells"] = [m.summary() for m in cells.values()]
    record["ratios"] = ratios(cells)
    record["memory"] = list(_memory(plan))
    record["import"] = imports
    record["aims"] = aims(cells, imports)
    record["load_average"] = {"start": load, "end": machine.load_average()}
    record["seconds"] = time.monotonic() - started
    return record


def _specification(name: str) -> dict[str, Any]:
    spec = workload(name, "sparse").spec
    left_out = list(for_invariant.LEFT_OUT[name])
    return {
        "constraints": len(spec.constraints),
        "sha256": sha256(to_text(spec).encode()).hexdigest(),
        "invariant_rules": len(spec.constraints) - len(left_out),
        "not_in_invariant": left_out,
    }


# ---------------------------------------------------------------- cells


def _cells(plan: Plan, peer: Path | None) -> dict[Cell, Measured]:
    found: dict[Cell, Measured] = {}
    rounds = [(number, *cell) for number in range(plan.rounds) for cell in plan.cells(number)]
    todo = [entry for entry in rounds if peer or entry[1].subject != "invariant"]
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(todo))
        for number, cell, samples in todo:
            bar.update(task, description=f"round {number + 1}: {cell}")
            measured = found.setdefault(cell, Measured(cell))
            if _worth(measured, found):
                measured.runs.append(_run(plan, cell, samples, peer))
            bar.advance(task)
    return found


def _worth(measured: Measured, found: dict[Cell, Measured]) -> bool:
    """Return whether a cell should be tried (again): not where it or a shorter past showed it is hopeless."""
    cell = measured.cell
    for other, shorter in found.items():
        same = (other.workload, other.density, other.subject) == (cell.workload, cell.density, cell.subject)
        if same and other.past < cell.past and shorter.hopeless:
            measured.skipped = f"at n={other.past}: {shorter.status}"
            return False
    return not (measured.runs and measured.hopeless)


def _run(plan: Plan, cell: Cell, samples: int, peer: Path | None) -> Run:
    if cell.subject == "invariant":
        command = [str(peer), str(ROOT / "bench" / "peer_invariant.py")]
        return run(command, _for_peer(cell, samples), plan.budget_s, plan.setup_s)
    warm = 0 if cell.subject == "quantified" else _WARM
    job = {**asdict(cell), "samples": samples, "warm": warm, "warm_s": plan.budget_s / 2}
    return run(_WORKER, job, plan.budget_s, plan.setup_s)


def _for_peer(cell: Cell, samples: int) -> dict[str, Any]:
    """Return the peer's job: as many windows as hold the samples."""
    w = workload(cell.workload, cell.density)
    windows, calls, more = [], 0, w.windows(cell.past)
    while calls < samples:
        windows.append(next(more))
        calls += sum(not event.is_message for event in windows[-1])
    return for_invariant.job(w.name, w.past(cell.past), windows)


def _memory(plan: Plan) -> Iterator[dict[str, Any]]:
    for name in plan.workloads if plan.memory else ():
        for density in plan.densities:
            job = {"subject": "memory", "workload": name, "density": density, "past": plan.memory}
            done = run(_WORKER, {**job, "warm_s": plan.budget_s}, 0, plan.budget_s + plan.setup_s)
            found = done.lines[0] if done.lines else {"note": done.error or "its time was up"}
            yield {"workload": name, "density": density, **found}
