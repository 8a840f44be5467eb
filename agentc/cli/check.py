"""`agentc check`: one trace, verdict by verdict."""

from __future__ import annotations

from argparse import Namespace

from rich.table import Table
from rich.text import Text

from agentc.cli.audit import DISAGREE
from agentc.cli.console import Output, open_output, verdict_text
from agentc.cli.inputs import Rebuild, domain_of, one_trace, open_specification
from agentc.cli.judging import Auditor, Step, TraceAudit, conclude
from agentc.cli.report import Audited, labelled, print_step, print_totals
from agentc.cli.shown import call_text, obligation_text
from agentc.domains.legal import what_would_help
from agentc.errors import shorten
from agentc.logic.future import Verdict

__all__ = ["run"]

_MOST_OWED = 4


def run(args: Namespace) -> int:
    """Check one trace, print each event with its verdict, and return the exit status."""
    spec = open_specification(args.spec, args.group)
    rebuild = Rebuild(spec, domain_of(spec, args.domain))
    replayed = rebuild(one_trace(args.trace_file, args.trace))
    out, auditor, steps = open_output(), Auditor(spec), []
    for event in replayed.trace:
        step = auditor.push(event)
        steps.append(step)
        _print_event(out, step)
        if step.broken or step.together:
            asked = step.blame == "call"
            helps = what_would_help(spec, replayed.trace, step.position, rebuild.domain) if asked else ()
            print_step(out, step, helps)
    audit = conclude(auditor, replayed.trace, [s for s in steps if s.broken or s.together])
    _print_end(out, audit)
    print_totals(out, [Audited(args.trace_file, audit, replayed.divergences)])
    return DISAGREE if audit.disagreements else 0


def _print_event(out: Output, step: Step) -> None:
    row = Table.grid(padding=(0, 2, 0, 0))
    row.add_column(width=4, justify="right", style="dim")
    row.add_column(width=11)
    row.add_column(overflow="fold")
    call = Text(call_text(step.event)).append("  (failed)" if step.event.error else "", "dim")
    row.add_row(str(step.position), verdict_text(step.verdict, step.pending), call)
    out.print(row)
    if step.verdict is Verdict.UNKNOWN:
        labelled(out, [("undecided", shorten(step.reason, 300))])
    owed = [
        ("owed" if i == 0 else "", obligation_text(o)) for i, o in enumerate(step.obligations[:_MOST_OWED])
    ]
    more = len(step.obligations) - _MOST_OWED
    labelled(out, [*owed, ("", f"and {more} more")] if more > 0 else owed)


def _print_end(out: Output, audit: TraceAudit) -> None:
    out.print(
        Text.assemble(
            ("\n end  ", "dim"), verdict_text(audit.verdict), "  as it stands, with nothing after it"
        )
    )
    unmet = set(audit.violated) - {v.constraint for s in audit.steps for v in s.broken}
    labelled(out, [("unmet", shorten(name, 80)) for name in audit.violated if name in unmet])
    labelled(
        out, [("undecided", f"{shorten(c, 60)}: {shorten(why, 200)}") for c, why in audit.unknown.items()]
    )
