"""What the demo found, as a person reads it and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from agentc.cli import document
from agentc.cli.audit import document_of
from agentc.cli.console import GLYPHS, Output, blank, counted, table
from agentc.cli.judging import TraceAudit
from agentc.cli.live import Guarded, Refusal
from agentc.cli.report import Audited, print_constraints, print_step, print_totals
from agentc.cli.shown import call_text
from agentc.cli.tally import Tally, governed, tallies
from agentc.domains import faults
from agentc.dsl.nodes import Specification
from agentc.errors import shorten
from agentc.logic.future import Verdict

__all__ = ["Recorded", "Solved", "demo_json", "print_demo"]


@dataclass(frozen=True, slots=True)
class Solved:
    """A domain's solutions, each run under the domain's specification."""

    spec: Specification
    tasks: Sequence[Guarded]

    @property
    def audits(self) -> list[TraceAudit]:
        return [t.audit for t in self.tasks]

    @property
    def refusals(self) -> list[tuple[Guarded, Refusal]]:
        return [(task, refusal) for task in self.tasks for refusal in task.refusals]

    @property
    def broken(self) -> dict[str, tuple[str, ...]]:
        """The constraints for which calls of each task were refused, by the task's id."""
        found: dict[str, list[str]] = {}
        for task, refusal in self.refusals:
            found.setdefault(task.task, []).extend(v.constraint for v in refusal.step.broken)
        return {task: tuple(dict.fromkeys(names)) for task, names in found.items()}

    @property
    def as_listed(self) -> bool:
        """Whether the refused tasks are those known to break their policy, and for the constraints known."""
        return self.broken == {task: fault.constraints for task, fault in faults(self.spec.domain).items()}


@dataclass(frozen=True, slots=True)
class Recorded:
    """Recorded traces of one domain, audited."""

    spec: Specification
    audited: Sequence[Audited]
    seconds: float

    @property
    def tallies(self) -> list[Tally]:
        return tallies(self.spec, [a.audit for a in self.audited])


def print_demo(out: Output, solved: Sequence[Solved], recorded: Sequence[Recorded]) -> None:
    """Print everything that was found."""
    for one in solved:
        _print_solved(out, one)
    refusals = [(s, task, refusal) for s in solved for task, refusal in s.refusals]
    if refusals:
        _print_refusal(out, *max(refusals, key=lambda found: _tells(found[2])))
    for runs in recorded:
        _title(out, f"recorded traces under {runs.spec.name}")
        print_constraints(out, runs.tallies)
        print_totals(out, runs.audited, runs.seconds)


def _title(out: Output, text: str) -> None:
    out.print()
    out.rule(text, align="left")


def _print_solved(out: Output, one: Solved) -> None:
    _title(out, f"tau2-bench's own {one.spec.domain} solutions under {one.spec.name}")
    proposed, tasks = sum(t.proposed for t in one.tasks), counted(len(one.tasks), "task")
    refused = f"{counted(len(one.refusals), 'call')} of {counted(len(one.broken), 'task')}"
    conform = sum(a.verdict is Verdict.SAT for a in one.audits)
    checks = sorted(ms for t in one.tasks for ms in t.checks)
    out.print(f"{proposed:,} calls of {tasks}, each judged by Z3 before it ran on tau2's tools")
    out.print(f"  {GLYPHS[Verdict.UNSAT]} refused: {refused}; all others ran")
    out.print(
        f"  {GLYPHS[Verdict.SAT]} executed traces conform, by the reference evaluator: {conform} of {tasks}"
    )
    slow = checks[min(len(checks) - 1, int(0.95 * len(checks)))]
    out.print(f"  a call is judged in {median(checks):.2f} ms (median), {slow:.1f} ms (p95)")
    _print_numbers(out, one)
    _print_faults(out, one)


def _print_numbers(out: Output, one: Solved) -> None:
    rows = table("constraint", "calls governed", "refused", "policy", numbers=("calls governed", "refused"))
    for row in _numbers(one):
        sentence = shorten(" ".join(one.spec[row["constraint"]].sentence.split()), 60)
        rows.add_row(row["constraint"], f"{row['calls governed']:,}", blank(row["refused"]), sentence)
    out.print(rows)


def _numbers(one: Solved) -> list[dict[str, Any]]:
    proposed = [e for t in one.tasks for e in (*t.audit.trace, *(r.step.event for r in t.refusals))]
    refused = [v.constraint for _, refusal in one.refusals for v in refusal.step.broken]
    return [
        {
            "constraint": c.name,
            "calls governed": governed(c, one.spec.tools, proposed),
            "refused": refused.count(c.name),
        }
        for c in one.spec.constraints
    ]


def _print_faults(out: Output, one: Solved) -> None:
    known = faults(one.spec.domain)
    rows = table("task", "refused for", "why the solution breaks the policy")
    for task, names in one.broken.items():
        reason = known[task].reason if task in known else "NOT LISTED among the known faults"
        rows.add_row(f"{one.spec.domain} {task}", ", ".join(names), reason)
    out.print(rows)
    if not one.as_listed:
        out.print(
            "THE REFUSED TASKS ARE NOT THE LISTED ONES: tasks, specification or agentc have changed",
            style="bold reverse",
        )


def _tells(refusal: Refusal) -> tuple[int, int]:
    """How much a refusal shows: how many arguments could be repaired, then how many values break it."""
    return sum(r.kind == "argument" for r in refusal.repairs), sum(len(v.cells) for v in refusal.step.broken)


def _print_refusal(out: Output, one: Solved, task: Guarded, refusal: Refusal) -> None:
    _title(out, "one refusal in full")
    out.print(f"task {one.spec.domain} {task.task}, event {refusal.step.position}; the agent wanted to call")
    out.print(f"    {call_text(refusal.step.event, 300)}", style="bold")
    print_step(out, refusal.step, refusal.repairs)


def demo_json(solved: Sequence[Solved], recorded: Sequence[Recorded], seconds: float) -> dict[str, object]:
    """Return the whole demo as one JSON document."""
    audits = [document_of(r.spec, r.spec.name, r.audited, r.tallies, r.seconds) for r in recorded]
    return {
        "format": "agentc-demo",
        "version": 1,
        "versions": document.versions(),
        "seconds": round(seconds, 3),
        "solutions": [_solved_json(one) for one in solved],
        "recorded": audits,
    }


def _solved_json(one: Solved) -> dict[str, object]:
    return {
        "specification": document.specification_json(one.spec, one.spec.name),
        "constraints": _numbers(one),
        "as listed": one.as_listed,
        "tasks": [_task_json(task) for task in one.tasks],
    }


def _task_json(task: Guarded) -> dict[str, object]:
    return {
        "task": task.task,
        "proposed": task.proposed,
        "executed trace": str(task.audit.verdict),
        "disagreements": list(task.audit.disagreements),
        "milliseconds per check": [round(ms, 3) for ms in task.checks],
        "refused": [
            {
                "event": r.step.position,
                "call": document.call_json(r.step.event),
                "broken": [document.violation_json(v) for v in r.step.broken],
                "reason": r.step.reason,
                "would be legal if": [document.repair_json(repair) for repair in r.repairs],
            }
            for r in task.refusals
        ],
    }
