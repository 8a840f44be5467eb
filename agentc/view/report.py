"""Many traces judged by one specification, as tables in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from agentc.domains.domain import Domain
from agentc.dsl.constants import visible
from agentc.dsl.nodes import Constraint, Specification
from agentc.errors import TraceError, closest, shorten
from agentc.logic.engine import Limits, Verdict
from agentc.logic.reference import Undecided, closed
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event, Trace
from agentc.view.judged import BROKEN, UNKNOWN, Judged
from agentc.view.looked_at import LookedAt
from agentc.view.subject import subject_of
from agentc.view.table import WORDS

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

    from agentc.view.widget import TraceView

__all__ = ["Report"]

_MANY: Final = 20
"""From so many traces on, a bar says how far it is."""

_CLOSED: Final = {Verdict.SAT: "✓ SAT", Verdict.UNSAT: "✗ UNSAT", Verdict.UNKNOWN: "? UNKNOWN"}
# Mixed with the reader's own text colour, so that they can be read in the light and in the dark.
_COLOURS: Final = {
    "✓": "color: color-mix(in srgb, #0072b2 70%, currentColor)",
    "○": "color: color-mix(in srgb, #0072b2 70%, currentColor)",
    "✗": "color: color-mix(in srgb, #d55e00 70%, currentColor); font-weight: 600",
    "?": "font-weight: 600",
}
_LOOKS: Final = [
    {"selector": "th, td", "props": "white-space: nowrap; font-variant-numeric: tabular-nums"},
    {"selector": "th.row_heading", "props": "text-align: left"},
]
_LONGEST: Final = 110
"""Longest text in a table, in characters; `traces` and `constraints` have all of it."""


class Report:
    """Recorded traces judged by a specification: one table of the traces, one of the constraints.

    Parameters
    ----------
    traces : iterable of Trace
    spec : Specification
    domain : str or Domain, optional
        As in `TraceView`.
    limits : Limits, optional
        Budgets of the solver, for each question.

    Notes
    -----
    Closed verdicts are the reference evaluator's, prefix verdicts the engine's. Takes about as long as
    ``python -m agentc audit``, which says more about why.

    >>> import agentc
    >>> spec = agentc.parse_specification('constraint safe: Forall(rm(path=p), p != "/root")')
    >>> paths = {"a": "/", "b": "/root"}
    >>> runs = [agentc.Trace((agentc.call("rm", path=path),), name) for name, path in paths.items()]
    >>> report = Report(runs, spec)
    >>> report.traces[["closed", "first violation"]].values.tolist()
    [['✓ SAT', ''], ['✗ UNSAT', 'event 0: safe']]
    >>> report.constraints["traces that violate it"].to_dict()
    {'safe': 1}
    """

    def __init__(
        self,
        traces: Iterable[Trace | Sequence[Event]],
        spec: Specification,
        *,
        domain: Domain | str | None = None,
        limits: Limits | None = None,
    ) -> None:
        if isinstance(traces, (Trace, str, bytes)) or not isinstance(traces, Iterable):
            hint = "Report(load_traces(path), spec); one trace is for TraceView(trace, spec)"
            raise TraceError("a report is on several traces", found=type(traces).__name__, hint=hint)
        self.spec, self._domain, self._limits = spec, domain, limits
        self._given = list(traces)
        self._judged = [self._judge(trace) for trace in _tracked(self._given)]
        self._closed = [self._conformance(judged) for judged in self._judged]

    def _judge(self, trace: Trace | Sequence[Event]) -> Judged:
        return LookedAt(subject_of(trace, self.spec, self._domain), self._limits).judged

    def _conformance(self, judged: Judged) -> dict[str, Verdict]:
        return {c.name: _reference(c, judged.events, self.spec.tools) for c in self.spec.constraints}

    def view(self, which: int | str) -> TraceView:
        """Return a trace, by 0-based position or by name, as a widget to step through.

        Raises
        ------
        TraceError
            If there is no such trace.
        """
        from agentc.view import TraceView

        names = self._names()
        if which in names:
            which = names.index(str(which))
        if isinstance(which, str) or not -len(names) <= which < len(names):
            hint = (
                closest(str(which), names) if isinstance(which, str) else f"positions go to {len(names) - 1}"
            )
            raise TraceError("the report has no such trace", found=shorten(repr(which)), hint=hint)
        return TraceView(self._given[which], self.spec, domain=self._domain, limits=self._limits)

    def _names(self) -> list[str]:
        return [t.name if isinstance(t, Trace) else "" for t in self._given]

    @cached_property
    def traces(self) -> pd.DataFrame:
        """A row for each trace: events, closed and prefix verdict, first violation."""
        rows = [
            {
                "trace": visible(name),
                "events": len(judged.events),
                "closed": _CLOSED[_worst(found)],
                "prefix": WORDS[judged.prefix[-1]],
                "first violation": _first(judged, found),
            }
            for name, judged, found in zip(self._names(), self._judged, self._closed, strict=True)
        ]
        return pd.DataFrame(rows, columns=["trace", "events", "closed", "prefix", "first violation"])

    @cached_property
    def constraints(self) -> pd.DataFrame:
        """A row for each constraint: how often it had a say, and in how many traces it was violated."""
        rows = [self._tally(j, c) for j, c in enumerate(self.spec.constraints)]
        return pd.DataFrame(rows, index=[visible(c.name) for c in self.spec.constraints])

    def _tally(self, j: int, constraint: Constraint) -> dict[str, Any]:
        violated = [i for i, found in enumerate(self._closed) if found[constraint.name] is Verdict.UNSAT]
        unmet = [i for i in violated if self._judged[i].cells[j][-1] != BROKEN]
        unknown = [
            found[constraint.name] is Verdict.UNKNOWN or UNKNOWN in judged.cells[j]
            for found, judged in zip(self._closed, self._judged, strict=True)
        ]
        return {
            "events governed": sum(judged.touched[j].count("1") for judged in self._judged),
            "traces that violate it": len(violated),
            "unmet at the end": len(unmet),
            "UNKNOWN": sum(unknown),
            "policy": visible(" ".join(constraint.sentence.split())),
        }

    def style(self, which: str = "traces") -> Styler:
        """Return the table `traces` or `constraints` as a Styler: verdicts coloured, text escaped."""
        frame = self.constraints if which == "constraints" else self.traces
        numbers = [c for c in frame.columns if pd.api.types.is_integer_dtype(frame[c])]
        texts = [c for c in frame.columns if c not in numbers]
        looks: list[Any] = [*_LOOKS, *map(_left, (frame.columns.get_loc(c) for c in texts))]
        raw: Any = frame.style
        styled = raw.format(_told, subset=numbers).format(_cut, subset=texts)
        styled = styled.format_index(escape="html", axis=0).set_table_styles(looks, overwrite=False)
        return styled.map(_colour, subset=[c for c in ("closed", "prefix") if c in texts])

    def __repr__(self) -> str:
        worst = [_worst(found) for found in self._closed]
        counts = ", ".join(f"{worst.count(v)} {_CLOSED[v]}" for v in Verdict if v in worst)
        traces = f"{len(worst)} trace{'s' * (len(worst) != 1)}"
        return f"{traces} under {shorten(self.spec.name or 'a specification', 60)}: {counts or 'none'}"

    def _repr_html_(self) -> str:
        from html import escape

        head = f"<p>{escape(visible(repr(self)))}</p>"
        tables = (self.style(which).to_html() for which in ("constraints", "traces"))
        return head + "".join(
            f'<div tabindex="0" style="max-height: 26rem; overflow: auto">{t}</div>' for t in tables
        )


def _tracked(traces: Sequence[Any]) -> Iterable[Any]:
    if len(traces) < _MANY:
        return traces
    from rich.progress import track

    return track(traces, "judging", transient=True)


def _reference(constraint: Constraint, events: Sequence[Event], tools: ToolSet | None) -> Verdict:
    try:
        return Verdict.SAT if closed(constraint.formula, events, tools or ToolSet()) else Verdict.UNSAT
    except Undecided:
        return Verdict.UNKNOWN


def _worst(found: dict[str, Verdict]) -> Verdict:
    values = set(found.values())
    return next((v for v in (Verdict.UNSAT, Verdict.UNKNOWN) if v in values), Verdict.SAT)


def _first(judged: Judged, found: dict[str, Verdict]) -> str:
    """Name what breaks first, or what is unmet at the end."""
    breaking = {**judged.together, **{t: [v.constraint for v in vs] for t, vs in judged.broken.items()}}
    if breaking:
        at = min(breaking)
        return f"event {at}: {', '.join(map(visible, breaking[at]))}"
    unmet = [visible(name) for name, verdict in found.items() if verdict is Verdict.UNSAT]
    return f"at the end: {', '.join(unmet)}" if unmet else ""


def _left(column: Any) -> dict[str, str]:
    return {"selector": f"th.col{column}, td.col{column}", "props": "text-align: left"}


def _told(count: int) -> str:
    return f"{count:,}" if count else ""


def _cut(text: str) -> str:
    from html import escape

    return escape(shorten(text, _LONGEST))


def _colour(verdict: Any) -> str:
    return _COLOURS.get(verdict[:1], "")
