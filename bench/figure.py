"""The figure of a record: milliseconds per event against the length of the trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.conclusions import MEDIAN_MS

__all__ = ["caption", "draw"]

# Colours that colour-blind people can tell apart (Okabe and Ito), and a mark each.
_STYLES = {
    "engine": ("#0072B2", "o", "agentc, engine: push and prefix verdict"),
    "session": ("#56B4E9", "s", "agentc, session: push, explained"),
    "check": ("#009E73", "D", "agentc, session: check of a whole call"),
    "partial, tool": ("#CC79A7", "v", "agentc, session: check of a call with its tool only"),
    "quantified": ("#E69F00", "^", "agentc, quantified engine: the paper's encoding"),
    "invariant": ("#D55E00", "P", "Invariant, its rules asked of the pending call"),
}
_Cell = Mapping[str, Any]


def draw(record: Mapping[str, Any]) -> Figure:
    """Return a figure with a panel for each workload and density; medians, with the middle half shaded."""
    workloads = list(dict.fromkeys(c["workload"] for c in record["cells"]))
    densities = list(dict.fromkeys(c["density"] for c in record["cells"]))
    figure = Figure(figsize=(4.8 * len(densities), 3.6 * len(workloads) + 1.2), layout="constrained")
    axes = figure.subplots(len(workloads), len(densities), sharex=True, sharey=True, squeeze=False)
    for row, workload in zip(axes, workloads, strict=True):
        for panel, density in zip(row, densities, strict=True):
            cells = [c for c in record["cells"] if (c["workload"], c["density"]) == (workload, density)]
            _panel(panel, cells, record["plan"]["budget_s"])
            panel.set_title(f"{_title(record, workload)}, {density} trace", fontsize=10)
            panel.axhline(
                MEDIAN_MS[workload], color="black", linestyle=":", linewidth=1, label="aim for the engine"
            )
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    for panel in axes[-1]:
        panel.set_xlabel("past events")
    for row in axes:
        row[0].set_ylabel("milliseconds per event")
    figure.suptitle(caption(record), fontsize=7)
    return figure


def _title(record: Mapping[str, Any], workload: str) -> str:
    about = record["specifications"][workload]
    count, said = about["constraints"], about["invariant_rules"]
    return "one joined rule" if count == 1 else f"{count} constraints (Invariant: {said})"


def _panel(axes: Axes, cells: Sequence[_Cell], budget_s: float) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    for subject, (color, mark, label) in _STYLES.items():
        own = sorted((c for c in cells if c["subject"] == subject), key=lambda c: c["past"])
        done = [c for c in own if "median_ms" in c]
        pasts = [c["past"] for c in done]
        axes.plot(pasts, [c["median_ms"] for c in done], color=color, marker=mark, markersize=5, label=label)
        axes.fill_between(
            pasts, [c["p25_ms"] for c in done], [c["p75_ms"] for c in done], color=color, alpha=0.15
        )
        if subject == "engine":
            means = [c["mean_ms"] for c in done]
            axes.plot(pasts, means, color=color, linestyle="--", linewidth=1, label="the same, mean")
        for c in own:
            if c["status"] in ("nothing", "no verdict"):
                axes.plot(c["past"], 1e3 * budget_s, color=color, marker="x", markersize=8)


def caption(record: Mapping[str, Any]) -> str:
    """Return what the figure was measured on and what it shows, in three lines."""
    hardware, load = record["hardware"], record["load_average"]["start"]
    busy = "load average not known" if load is None else f"load average {load:.1f}"
    lines = (
        f"medians, middle half shaded; x: no verdict within {record['plan']['budget_s']:g} s",
        f"{hardware['processor']}, {hardware['cores']} cores, {busy}",
        f"{record['size']} run of {record['date'][:10]}, agentc {record['commit'][:7]}, {_versions(record)}",
    )
    return "\n".join(lines)


def _versions(record: Mapping[str, Any]) -> str:
    shown = {name: record["versions"][name] for name in ("z3-solver", "python")} | record["peer_versions"]
    return ", ".join(f"{name} {version}" for name, version in shown.items())
