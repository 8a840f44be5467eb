"""What follows from the cells of a run: how much faster than the peer, and which aims are met.

The aims were set before anything was measured; the workloads weren't fitted to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from bench.plan import Cell
from bench.record import Measured

__all__ = ["aims", "ratios"]

MEDIAN_MS = {"join": 0.05, "retail30": 0.5}
"""At most this many milliseconds per event, in the median, after `MEDIAN_PAST` events."""
MEDIAN_PAST = 1_000
FLAT, SHORT, LONG = 1.5, 10, 10_000
"""The median after `LONG` events is at most `FLAT` times that after `SHORT`."""
PARTIAL_MS = 1.0
IMPORT_S = 0.3

Cells = Mapping[Cell, Measured]


# ---------------------------------------------------------------- ratios


def ratios(cells: Cells) -> list[dict[str, Any]]:
    """Return how long ours takes as a share of what the peer takes, on the same calls, for each round."""
    found = []
    for cell, ours in cells.items():
        peer = cells.get(Cell(cell.workload, cell.density, cell.past, "invariant"))
        if cell.subject in ("engine", "session", "check") and peer is not None:
            shares = _shares(ours, peer)
            spread = (
                {"median": median(shares), "lowest": min(shares), "highest": max(shares)} if shares else {}
            )
            found.append({**asdict(cell), "rounds": len(shares), **spread, "peer_status": peer.status})
    return found


def _shares(ours: Measured, peer: Measured) -> list[float]:
    """Compare the medians of as many calls as both judged: both get the same windows in the same order."""
    shares = []
    for mine, theirs in zip(ours.runs, peer.runs, strict=False):
        a, b = mine.calls(), theirs.calls()
        both = min(len(a), len(b))
        if both:
            shares.append(median(a[:both]) / median(b[:both]))
    return shares


# ---------------------------------------------------------------- aims


def aims(cells: Cells, imports: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each aim with what was measured; `met` is None where nothing was."""
    imported = _row("import agentc, s", "", IMPORT_S, imports["median_s"])
    return [*_medians(cells), *_flat(cells), *_partial(cells), imported]


def _row(aim: str, where: str, limit: float, measured: float | None) -> dict[str, Any]:
    met = None if measured is None else measured <= limit
    return {"aim": aim, "where": where, "limit": limit, "measured": measured, "met": met}


def _places(cells: Cells) -> Sequence[tuple[str, str]]:
    return list(dict.fromkeys((cell.workload, cell.density) for cell in cells))


def _median(cells: Cells, workload: str, density: str, past: int, subject: str) -> float | None:
    found = cells.get(Cell(workload, density, past, subject))
    ms = found.ms() if found else []
    return median(ms) if ms else None


def _medians(cells: Cells) -> Iterator[dict[str, Any]]:
    for workload, density in _places(cells):
        for subject in ("engine", "session"):
            measured = _median(cells, workload, density, MEDIAN_PAST, subject)
            where = f"{workload} {density} n={MEDIAN_PAST} {subject}"
            yield _row("median per event, ms", where, MEDIAN_MS[workload], measured)


def _flat(cells: Cells) -> Iterator[dict[str, Any]]:
    for workload, density in _places(cells):
        for subject in ("engine", "session"):
            low = _median(cells, workload, density, SHORT, subject)
            high = _median(cells, workload, density, LONG, subject)
            grown = high / low if low and high else None
            yield _row(f"median at n={LONG} / at n={SHORT}", f"{workload} {density} {subject}", FLAT, grown)


def _partial(cells: Cells) -> Iterator[dict[str, Any]]:
    """Two rows each: the median over all calls, and over those of the tool that takes longest."""
    for workload, density in _places(cells):
        for subject in ("partial, tool", "partial, one argument"):
            where = f"{workload} {density} n={MEDIAN_PAST} {subject}"
            measured = _median(cells, workload, density, MEDIAN_PAST, subject)
            yield _row("partial call, ms", where, PARTIAL_MS, measured)
            found = cells.get(Cell(workload, density, MEDIAN_PAST, subject))
            name, ms = next(iter(found.by_tool().items()), ("", None)) if found else ("", None)
            yield _row("partial call, slowest tool, ms", f"{where} {name}".rstrip(), PARTIAL_MS, ms)
