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
    "invariant": ("#D55E00", "P", "Invariant 0.3.5, rule asked of the pending call"),
}
_TITLES = {"join": "one joined rule", "retail30": "30 constraints (Invariant: 27)"}
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
            panel.set_title(f"{_TITLES[workload]}, {density} trace", fontsize=10)
            panel.axhline(
                MEDIAN_MS[workload], color="black", linestyle=":", linewidth=1, label="aim for the engine"
            )
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    figure.supxlabel("past events", fontsize=10)
    figure.supylabel("milliseconds per event", fontsize=10)
    figure.suptitle(caption(record), fontsize=7)
    return figure


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
        for c in own:
            if c["status"] in ("nothing", "no verdict"):
                axes.plot(c["past"], 1e3 * budget_s, color=color, marker="x", markersize=8)


def caption(record: Mapping[str, Any]) -> str:
    """Return what the figure was measured on."""
    hardware, versions = record["hardware"], {**record["versions"], **record["peer_versions"]}
    load = record["load_average"]["start"]
    parts = [
        f"{hardware['processor']}, {hardware['cores']} cores",
        f"load average {load:.1f}" if load is not None else "load average not known",
        f"z3-solver {versions['z3-solver']}, Python {record['versions']['python']}",
        f"{record['size']} run of {record['date'][:10]}, agentc {record['commit'][:7]}",
        f"medians, middle half shaded; x: no verdict in {record['plan']['budget_s']:g} s",
    ]
    return " · ".join(parts)
