"""`agentc audit`: recorded traces judged to their end against a specification."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from time import perf_counter

from agentc.cli import document
from agentc.cli.console import Output, open_output, tracked
from agentc.cli.inputs import Rebuild, domain_of, open_specification, open_traces
from agentc.cli.judging import TraceAudit, audit
from agentc.cli.report import Audited, print_constraints, print_first, print_totals, print_traces
from agentc.cli.tally import Tally, by_kind, tallies
from agentc.domains.legal import what_would_help
from agentc.dsl.nodes import Specification
from agentc.monitor.judgement import Repair
from agentc.trace import Trace

__all__ = ["DISAGREE", "audit_all", "print_audits", "run"]

DISAGREE = 3
"""Exit status where the engine and the reference evaluator disagree."""


def run(args: Namespace) -> int:
    """Audit, print, and write JSON if asked to; return the exit status."""
    spec = open_specification(args.spec, args.group)
    rebuild = Rebuild(spec, domain_of(spec, args.domain))
    traces = open_traces(args.traces)
    started = perf_counter()
    audited = audit_all(rebuild, traces)
    seconds = perf_counter() - started
    rows = tallies(spec, [a.audit for a in audited])
    if args.json:
        document.write(args.json, document_of(spec, args.spec, audited, rows, seconds))
    out = open_output()
    print_audits(out, audited, rows, seconds, brief=args.brief)
    if args.json:
        out.print(f"written: {args.json}")
    return DISAGREE if any(a.audit.disagreements for a in audited) else 0


def audit_all(rebuild: Rebuild, traces: Sequence[tuple[str, Trace]]) -> list[Audited]:
    """Audit each trace, its state rebuilt, with a progress bar."""
    return [audit_one(rebuild, file, trace) for file, trace in tracked(traces, len(traces), "judging")]


def audit_one(rebuild: Rebuild, file: str, trace: Trace) -> Audited:
    """Rebuild a trace's state, judge it, and look for what would have made its first violation legal."""
    replayed = rebuild(trace)
    found = audit(rebuild.spec, replayed.trace)
    return Audited(file, found, replayed.divergences, _repairs(rebuild, found))


def _repairs(rebuild: Rebuild, found: TraceAudit) -> tuple[Repair, ...]:
    if not found.steps or found.steps[0].blame == "environment":
        return ()
    return what_would_help(rebuild.spec, found.trace, found.steps[0].position, rebuild.domain)


def document_of(
    spec: Specification, source: str, audited: Sequence[Audited], rows: Sequence[Tally], seconds: float
) -> dict[str, object]:
    """Return the whole audit as one JSON document."""
    kinds = by_kind(d for a in audited for d in a.divergences)
    return {
        "format": "agentc-audit",
        "version": 1,
        "specification": document.specification_json(spec, source),
        "versions": document.versions(),
        "totals": document.totals_json(audited, kinds, seconds),
        "constraints": document.tally_json(rows),
        "traces": [document.trace_json(a) for a in audited],
    }


def print_audits(
    out: Output, audited: Sequence[Audited], rows: Sequence[Tally], seconds: float, brief: bool = False
) -> None:
    """Print the traces, their first violations, the sums per constraint, and the totals last."""
    if not brief:
        print_traces(out, audited)
        for one in audited:
            if one.audit.violated or one.audit.steps:
                print_first(out, one)
                out.print()
    print_constraints(out, rows)
    print_totals(out, audited, seconds)
