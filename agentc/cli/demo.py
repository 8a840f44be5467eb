"""`agentc demo`: tau2-bench's own solutions judged call by call on live environments, and recorded traces."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from time import perf_counter

from agentc.cli import document
from agentc.cli.audit import DISAGREE, audit_all
from agentc.cli.console import open_output, tracked
from agentc.cli.demo_report import Recorded, Solved, demo_json, print_demo
from agentc.cli.inputs import Rebuild, open_traces
from agentc.cli.live import guard
from agentc.domains import ground_truth, load, load_specification, names
from agentc.errors import DomainError, TraceError, shorten
from agentc.trace import Trace

__all__ = ["run"]


def run(args: Namespace) -> int:
    """Judge, print, write what was found, and return the exit status."""
    started = perf_counter()
    folder = _folder(args.out)
    given = _by_domain(open_traces(args.traces))
    solved = [_solve(name) for name in names()]
    recorded = [_audit(name, traces) for name, traces in given.items()]
    seconds = perf_counter() - started
    data, text = folder / "demo.json", folder / "report.txt"
    document.write(data, demo_json(solved, recorded, seconds))
    document.write_text(text, _as_text(solved, recorded))
    out = open_output()
    print_demo(out, solved, recorded)
    out.print(
        f"written: {data} (everything, as JSON) and {text} (this report); {seconds:.1f} s", style="bold"
    )
    at_odds = [a for s in solved for a in s.audits] + [a.audit for r in recorded for a in r.audited]
    return DISAGREE if any(a.disagreements for a in at_odds) else 0


def _folder(path: str) -> Path:
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        found = getattr(error, "strerror", None) or str(error)
        raise TraceError(
            "the folder can't be made", where=path, found=found, hint="give another: --out DIR"
        ) from None
    return folder


def _solve(name: str) -> Solved:
    domain, spec = load(name), load_specification(name)
    solutions = ground_truth(domain)
    return Solved(spec, [guard(spec, domain, s) for s in tracked(solutions, len(solutions), name)])


def _by_domain(traces: Sequence[tuple[str, Trace]]) -> dict[str, list[tuple[str, Trace]]]:
    found: dict[str, list[tuple[str, Trace]]] = {}
    for file, trace in traces:
        found.setdefault(_domain(file, trace), []).append((file, trace))
    return found


def _domain(file: str, trace: Trace) -> str:
    """Return the domain that has most of the tools a trace calls; the trace's name decides between equals."""
    calls = [e.tool for e in trace if not e.is_message]

    def fits(name: str) -> tuple[int, bool]:
        tools = load(name).tools
        return sum(tool in tools for tool in calls), trace.name.startswith(name)

    best = max(names(), key=fits)
    if not any(fits(best)):
        where = f"{file}, trace {shorten(trace.name, 60)}"
        found = ", ".join(shorten(tool, 40) for tool in dict.fromkeys(calls[:5])) or "no calls"
        hint = "audit it under a specification of yours: agentc audit --spec S --traces FILE"
        raise DomainError("the trace is of no domain that agentc knows", where=where, found=found, hint=hint)
    return best


def _audit(name: str, traces: Sequence[tuple[str, Trace]]) -> Recorded:
    started, spec = perf_counter(), load_specification(name)
    audited = audit_all(Rebuild(spec, load(name)), traces)
    return Recorded(spec, audited, perf_counter() - started)


def _as_text(solved: Sequence[Solved], recorded: Sequence[Recorded]) -> str:
    text = StringIO()
    print_demo(open_output(text), solved, recorded)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
