"""Audits as a person reads them: first violations, the verdict of each trace, sums per constraint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from agentc.cli.console import GLYPHS, Output, blank, counted, table, verdict_text
from agentc.cli.judging import Step, TraceAudit
from agentc.cli.shown import call_text, missing_lines, obligation_text, repair_lines, violation_lines
from agentc.cli.tally import Tally, by_kind
from agentc.domains import Divergence
from agentc.errors import shorten
from agentc.logic.future import Verdict
from agentc.monitor.judgement import Repair

__all__ = [
    "Audited",
    "labelled",
    "print_constraints",
    "print_first",
    "print_step",
    "print_totals",
    "print_traces",
]

DIVERGENCES = {
    "output": "the same call said something else",
    "refused": "it succeeded then and fails now, so that what it changed is missing from the state",
    "unknown tool": "the domain has no such tool, so that it was not run",
}
"""What each kind of divergence means."""


@dataclass(frozen=True, slots=True)
class Audited:
    """A trace's audit, with what else is told of it.

    Parameters
    ----------
    file : str
    audit : TraceAudit
    divergences : tuple of Divergence
        Where running the trace again came out differently.
    repairs : tuple of Repair
        What would have made the first violating call legal.
    """

    file: str
    audit: TraceAudit
    divergences: tuple[Divergence, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def name(self) -> str:
        return shorten(self.audit.trace.name, 60) or "(no name)"


def print_traces(out: Output, audited: Sequence[Audited]) -> None:
    """Print a row for each trace."""
    rows = table("trace", "events", "closed", "prefix", "first violation", numbers=("events",))
    for one in audited:
        audit = one.audit
        first = ", ".join(shorten(name, 40) for name in audit.first)
        place = f"event {audit.steps[0].position}: " if audit.steps else "at the end: " if first else ""
        verdicts = verdict_text(audit.verdict), verdict_text(audit.prefix)
        rows.add_row(one.name, str(len(audit.trace)), *verdicts, place + first)
    out.print(rows)


def print_first(out: Output, one: Audited) -> None:
    """Print a trace's first violation: call, policy, what breaks it, what would make it legal."""
    audit = one.audit
    if audit.steps:
        step = audit.steps[0]
        _headline(out, f"{one.name}, event {step.position}: ", call_text(step.event))
        print_step(out, step, one.repairs)
    elif audit.violated:
        _headline(out, f"{one.name}, at the end: ", "something was left out")
        lines = [("constraint", shorten(name, 80)) for name in audit.violated]
        lines += [("still owed", obligation_text(o)) for o in audit.owed[:8]]
        labelled(out, lines)


def _headline(out: Output, place: str, what: str) -> None:
    out.print(Text.assemble(verdict_text(Verdict.UNSAT).append(" "), (place, "bold"), what))


def print_step(out: Output, step: Step, repairs: Sequence[Repair] = ()) -> None:
    """Print what an event broke."""
    for violation in step.broken:
        labelled(out, violation_lines(violation, step.position))
        labelled(out, missing_lines(step.missing.get(violation.constraint, ())))
    if step.together:
        names = ", ".join(shorten(name, 60) for name in step.together)
        labelled(out, [("together", f"from here on these can't all be met, though each could: {names}")])
    if step.blame == "environment":
        labelled(out, [("blame", "the call was legal; only its output broke the constraint")])
    labelled(out, repair_lines(repairs, step.event))


def labelled(out: Output, lines: Iterable[tuple[str, str]]) -> None:
    """Print labelled lines, the labels in a column of their own."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", min_width=10, no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in lines:
        grid.add_row(label, text)
    if grid.row_count:
        out.print(Padding(grid, (0, 0, 0, 4), expand=False))


def print_constraints(out: Output, rows: Sequence[Tally]) -> None:
    """Print the sums per constraint."""
    numbers = ("events governed", "traces that violate it", "violate it first", "unmet at the end", "UNKNOWN")
    shown = table("constraint", *numbers, numbers=numbers)
    for row in rows:
        counts = (row.violate, row.first, row.unmet, row.unknown)
        shown.add_row(shorten(row.constraint, 60), f"{row.governed:,}", *map(blank, counts))
    out.print(shown)


def print_totals(out: Output, audited: Sequence[Audited], seconds: float | None = None) -> None:
    """Print how many traces conform, what was UNKNOWN, how replaying diverged, and how long it took."""
    for verdict, what in _OUTCOMES.items():
        number = sum(a.audit.verdict is verdict for a in audited)
        if number or verdict is not Verdict.UNKNOWN:
            out.print(f"{GLYPHS[verdict]} {what}: {number} of {counted(len(audited), 'trace')}", style="bold")
    _print_divergences(out, audited)
    if seconds is not None:
        out.print(f"{sum(len(a.audit.trace) for a in audited):,} events in {seconds:.1f} s")
    _print_disagreements(out, audited)


_OUTCOMES = {
    Verdict.SAT: "conform, by the reference evaluator",
    Verdict.UNSAT: "violate a constraint",
    Verdict.UNKNOWN: "undecided, since a state value is not known",
}


def _print_divergences(out: Output, audited: Sequence[Audited]) -> None:
    counts = by_kind(d for a in audited for d in a.divergences)
    if not counts:
        return
    traces = sum(bool(a.divergences) for a in audited)
    calls = counted(sum(counts.values()), "call")
    out.print(f"{calls} in {counted(traces, 'trace')} came out differently when run again:")
    labelled(out, ((f"{number} {kind}", DIVERGENCES[kind]) for kind, number in counts.items()))


def _print_disagreements(out: Output, audited: Sequence[Audited]) -> None:
    at_odds = [(a.name, name) for a in audited for name in a.audit.disagreements]
    if at_odds:
        out.print(
            "THE ENGINE AND THE REFERENCE EVALUATOR DISAGREE: agentc has a fault, please report it",
            style="bold reverse",
        )
        labelled(out, ((trace, shorten(constraint, 60)) for trace, constraint in at_odds))
    else:
        out.print("the engine's closed verdicts and the reference evaluator's are the same")
