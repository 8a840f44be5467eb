"""What a run leaves behind: one record, as JSON, and its cells as CSV."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pandas as pd

from bench.plan import Cell
from bench.process import Run

__all__ = ["FORMAT", "Measured", "load", "percentile", "save"]

FORMAT = 1
_COLUMNS = (
    "workload",
    "density",
    "past",
    "subject",
    "status",
    "count",
    "median_ms",
    "mean_ms",
    "p25_ms",
    "p75_ms",
    "p95_ms",
    "max_ms",
    "lowest_round_ms",
    "highest_round_ms",
    "slowest_tool",
    "slowest_tool_ms",
    "verdicts",
    "note",
)


@dataclass(slots=True)
class Measured:
    """Everything that was measured of one cell, one `Run` for each round."""

    cell: Cell
    runs: list[Run] = field(default_factory=list)
    skipped: str = ""

    def ms(self) -> list[float]:
        """Every judgement's milliseconds."""
        return [ms for run in self.runs for ms in run.ms()]

    def round_medians(self) -> list[float]:
        """The median of each round that judged anything."""
        return [median(ms) for run in self.runs if (ms := run.ms())]

    @property
    def verdicts(self) -> Counter[str]:
        return Counter(v for run in self.runs for line in run.timed for v in line["verdicts"])

    @property
    def status(self) -> str:
        """How it went.

        * ``measured``: all of its judgements were timed;
        * ``stopped``: some were, then its time was up;
        * ``no verdict``: it answered, and never anything but UNKNOWN;
        * ``nothing``: its time was up before the first judgement;
        * ``failed``: it ended with an error;
        * ``skipped``: it wasn't tried, since it didn't manage a shorter past.
        """
        if self.skipped:
            return "skipped"
        if any(run.error for run in self.runs):
            return "failed"
        if not self.verdicts:
            return "nothing"
        if set(self.verdicts) == {"UNKNOWN"}:
            return "no verdict"
        return "stopped" if any(run.stopped for run in self.runs) else "measured"

    @property
    def hopeless(self) -> bool:
        """Whether a longer past needn't be tried."""
        return self.status in ("skipped", "failed", "nothing", "no verdict")

    @property
    def note(self) -> str:
        errors = [run.error.strip().splitlines()[-1] for run in self.runs if run.error]
        return self.skipped or "; ".join(errors)

    def by_tool(self) -> dict[str, float]:
        """The median of each tool's judgements, the slowest first."""
        found: dict[str, list[float]] = {}
        for line in (line for run in self.runs for line in run.timed):
            for tool, ms in zip(line["tools"], line["ms"], strict=True):
                found.setdefault(tool, []).append(ms)
        return dict(sorted(((tool, median(ms)) for tool, ms in found.items()), key=lambda pair: -pair[1]))

    def first_by_tool(self) -> dict[str, float]:
        """The median, over the rounds, of the first judgement of each tool."""
        found: dict[str, list[float]] = {}
        for run in self.runs:
            for tool, ms in run.first_by_tool().items():
                found.setdefault(tool, []).append(ms)
        return {tool: median(ms) for tool, ms in found.items()}

    def summary(self) -> dict[str, Any]:
        """Return the cell as it is recorded."""
        ms, by_tool = self.ms(), self.by_tool()
        found: dict[str, Any] = {
            "workload": self.cell.workload,
            "density": self.cell.density,
            "past": self.cell.past,
            "subject": self.cell.subject,
            "status": self.status,
            "count": len(ms),
            "verdicts": dict(self.verdicts),
            "note": self.note,
        }
        if ms:
            rounds = self.round_medians()
            found |= {
                "median_ms": median(ms),
                "mean_ms": fmean(ms),
                "p25_ms": percentile(ms, 25),
                "p75_ms": percentile(ms, 75),
            }
            found |= {"p95_ms": percentile(ms, 95), "max_ms": max(ms), "round_medians_ms": rounds}
            found |= {"lowest_round_ms": min(rounds), "highest_round_ms": max(rounds), "by_tool_ms": by_tool}
            found |= {"first_by_tool_ms": self.first_by_tool()}
            found |= {"slowest_tool": next(iter(by_tool)), "slowest_tool_ms": next(iter(by_tool.values()))}
        ready = [run.first("ready") for run in self.runs if run.first("ready") is not None]
        return found | ({"ready_ms": median(ready)} if ready else {})


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that at least `percent` per cent of the values don't exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100).__int__() - 1)]


# ---------------------------------------------------------------- files


def save(record: Mapping[str, Any], folder: Path) -> tuple[Path, Path]:
    """Write ``speed.json``, and its cells as ``speed.csv``; return both paths."""
    folder.mkdir(parents=True, exist_ok=True)
    whole, table = folder / "speed.json", folder / "speed.csv"
    whole.write_text(json.dumps(_rounded(record), indent=1) + "\n", encoding="utf-8")
    _table(record["cells"]).to_csv(table, index=False, lineterminator="\n")
    return whole, table


def _table(cells: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    rows = [{**c, "verdicts": " ".join(f"{v}:{k}" for v, k in c["verdicts"].items())} for c in cells]
    return pd.DataFrame([_rounded(r) for r in rows], columns=list(_COLUMNS))


def _rounded(value: Any) -> Any:
    """Cut floats to five significant digits: no measurement here has more."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, Mapping):
        return {k: _rounded(v) for k, v in value.items()}
    return [_rounded(v) for v in value] if isinstance(value, (list, tuple)) else value


def load(path: Path) -> dict[str, Any]:
    """Read a record; raises ValueError if it is of another format."""
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if record.get("format") != FORMAT:
        raise ValueError(
            f"{path.name} has format {record.get('format')!r}, this reads {FORMAT}: run `make bench` again"
        )
    return record
