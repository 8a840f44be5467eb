"""`agentc lint`: what is wrong with a specification, before any trace."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from agentc.cli.console import Output, counted, open_output, table, tracked
from agentc.cli.report import labelled
from agentc.domains import load_specification
from agentc.dsl.check import problems
from agentc.dsl.nodes import Specification
from agentc.errors import SpecificationError, shorten
from agentc.logic.analysis import Analysis, Finding, analyse

__all__ = ["run"]


def run(args: Namespace) -> int:
    """Lint, print, and return the exit status: 1 if there are errors."""
    spec = load_specification(args.spec, checked=False)
    out = open_output()
    wrong = problems(spec)
    if wrong:
        _print_problems(out, wrong)
        return 1
    found = _analysed(spec)
    _print_classes(out, found)
    for finding in found.findings:
        _print_finding(out, finding)
    errors = sum(f.level == "error" for f in found.findings)
    warnings = counted(len(found.findings) - errors, "warning")
    out.print(
        f"{counted(len(spec.constraints), 'constraint')}: {counted(errors, 'error')}, {warnings}",
        style="bold",
    )
    return 1 if errors else 0


def _analysed(spec: Specification) -> Analysis:
    steps = iter(tracked(range(len(spec.constraints) + 1), len(spec.constraints) + 1, "analysing"))
    found = analyse(spec, done=lambda: next(steps))
    for _ in steps:
        pass
    return found


def _print_problems(out: Output, wrong: Sequence[SpecificationError]) -> None:
    for problem in wrong:
        out.print(f"✗ error: {shorten(problem.what, 400)}")
        labelled(out, _parts(problem))
    out.print(
        f"{counted(len(wrong), 'error')}; classes and satisfiability are looked at once these are gone",
        style="bold",
    )


def _parts(problem: SpecificationError) -> list[tuple[str, str]]:
    parts = [("where", problem.where), ("found", problem.found), ("hint", problem.hint)]
    return [(label, shorten(line, 400)) for label, text in parts for line in text.splitlines()]


def _print_finding(out: Output, finding: Finding) -> None:
    glyph = "✗" if finding.level == "error" else "!"
    out.print(f"{glyph} {finding.level}: {shorten(finding.constraint, 200)}: {shorten(finding.what, 600)}")
    labelled(out, [("hint", shorten(finding.hint, 400))] if finding.hint else [])


def _print_classes(out: Output, found: Analysis) -> None:
    rows = table("constraint", "class", "future", "blocking alone can't make happen", numbers=("future",))
    for one in found.constraints:
        needed = "; ".join(shorten(need, 200) for need in one.needed)
        rows.add_row(shorten(one.name, 60), one.kind, _future(one.bound), needed)
    rows.add_section()
    rows.add_row("all together", found.kind, _future(found.bound), "")
    out.print(rows)
    kinds = {one.kind for one in found.constraints} | {found.kind}
    labelled(out, [(kind, text) for kind, text in _CLASSES.items() if kind in kinds])


def _future(bound: int | None) -> str:
    return "no limit" if bound is None else str(bound)


_CLASSES = {
    "safety": "a call that breaks it can be refused; nothing has to be known of the future",
    "modular": "what is owed can be met one thing at a time",
    "bounded": "a future of so many calls is enough to decide it",
    "uncertified": "no length of future is known to be enough: verdicts may be UNKNOWN, which is refused",
}
"""What each class means."""
