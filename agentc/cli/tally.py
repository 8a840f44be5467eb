"""Sums over many audits: how many traces violate each constraint, and which one they violate first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentc.cli.judging import TraceAudit
from agentc.domains import Divergence
from agentc.dsl import nodes as n
from agentc.logic.bound import literals
from agentc.logic.future import Verdict
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event

__all__ = ["Tally", "by_kind", "governed", "tallies"]


@dataclass(frozen=True, slots=True)
class Tally:
    """One constraint over many traces.

    Parameters
    ----------
    constraint : str
    governed : int
        Events that one of its first patterns matches: how often it had a say at all.
    violate : int
        Traces that as they stand violate it (closed verdict).
    first : int
        Traces whose first violation it is; where one event breaks several, each counts.
    unmet : int
        Traces that violate it only by what they left out: it could still have been met.
    unknown : int
        Traces in which a verdict on it was UNKNOWN.
    """

    constraint: str
    governed: int
    violate: int
    first: int
    unmet: int
    unknown: int


def tallies(spec: n.Specification, audits: Sequence[TraceAudit]) -> list[Tally]:
    """Return the sums of each constraint, in the specification's order."""
    return [_tally(spec, c, audits) for c in spec.constraints]


def _tally(spec: n.Specification, constraint: n.Constraint, audits: Sequence[TraceAudit]) -> Tally:
    name = constraint.name
    violating = [a for a in audits if a.closed[name] is Verdict.UNSAT]
    broken = sum(any(v.constraint == name for step in a.steps for v in step.broken) for a in violating)
    return Tally(
        name,
        governed(constraint, spec.tools, (e for a in audits for e in a.trace)),
        len(violating),
        sum(name in a.first for a in audits),
        len(violating) - broken,
        sum(name in a.unknown or a.closed[name] is Verdict.UNKNOWN for a in audits),
    )


def governed(constraint: n.Constraint, tools: ToolSet | None, events: Iterable[Event]) -> int:
    """Count the events that one of the constraint's first patterns matches."""
    patterns = [atom.first for atom, _ in literals(constraint.formula)]
    known: dict[str, bool] = {}
    total = 0
    for event in events:
        if event.tool not in known:
            known[event.tool] = any(p.branch(event.tool, tools or ToolSet()) for p in patterns)
        total += known[event.tool]
    return total


def by_kind(divergences: Iterable[Divergence]) -> Mapping[str, int]:
    """Count divergences by kind, the most frequent first."""
    counts: dict[str, int] = {}
    for divergence in divergences:
        counts[divergence.kind] = counts.get(divergence.kind, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))
