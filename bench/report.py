"""A record as tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["show"]

_WIDTH = 150
_Row = Mapping[str, Any]


def show(record: _Row) -> None:
    """Print cells, ratios, memory and aims."""
    console = Console() if Console().is_terminal else Console(width=_WIDTH)
    for table in (
        _cells(record["cells"]),
        _ratios(record["ratios"]),
        _memory(record["memory"]),
        _aims(record["aims"]),
    ):
        if table.row_count:
            console.print(table)
    load, cores = record["load_average"]["start"], record["hardware"]["cores"]
    if load is not None:
        console.print(f"load average at the start {load:.1f}, on {cores} cores")


def _cells(cells: Iterable[_Row]) -> Table:
    ordered = sorted(cells, key=lambda c: (c["workload"], c["density"], c["subject"], c["past"]))
    columns = (
        "what",
        "n",
        "median",
        "p95",
        "mean",
        "slowest tool",
        "judged",
        "verdicts",
        "how it went",
    )
    return _table("milliseconds per event", columns, map(_cell, ordered))


def _cell(c: _Row) -> Sequence[str]:
    return (
        _place(c),
        str(c["past"]),
        _number(c.get("median_ms")),
        _number(c.get("p95_ms")),
        _number(c.get("mean_ms")),
        f"{_number(c.get('slowest_tool_ms'))} {c.get('slowest_tool', '')}".strip(),
        str(c["count"]),
        " ".join(f"{count} {verdict}" for verdict, count in c["verdicts"].items()),
        f"{c['status']} {c['note']}".strip(),
    )


def _ratios(found: Iterable[_Row]) -> Table:
    rows = (
        (
            _place(r),
            str(r["past"]),
            _number(r.get("median")),
            _span(r.get("lowest"), r.get("highest")),
            r["peer_status"],
        )
        for r in found
    )
    return _table(
        "ours / Invariant, on the same calls", ("what", "n", "ratio", "over the rounds", "Invariant"), rows
    )


def _memory(found: Iterable[_Row]) -> Table:
    rows = (
        (
            _place(m),
            str(m.get("events", "")),
            _number(m.get("judging_mib")),
            _number(m.get("events_mib")),
            m.get("note", ""),
        )
        for m in found
    )
    columns = ("what", "events", "judging them", "the events themselves", "")
    return _table("growth of the resident set, MiB", columns, rows)


def _aims(found: Iterable[_Row]) -> Table:
    words = {True: "met", False: "missed", None: "not measured"}
    rows = (
        (
            f"{a['aim']}: {a['where']}".rstrip(": "),
            _number(a["limit"]),
            _number(a["measured"]),
            words[a["met"]],
        )
        for a in found
    )
    return _table("aims", ("what", "at most", "measured", ""), rows)


def _table(title: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right")
    for row in rows:
        table.add_row(*row)
    return table


def _place(row: _Row) -> str:
    return " ".join(row[key] for key in ("workload", "density", "subject") if key in row)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if value < 1_000 else f"{value:,.0f}"


def _span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{_number(low)} to {_number(high)}"
