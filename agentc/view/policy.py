"""The ``%%policy`` cell: a specification in the text form, checked as the cell runs, and bound to a name."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from keyword import iskeyword
from typing import Any, Final

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import display

from agentc.domains.domain import signatures
from agentc.dsl.check import check
from agentc.dsl.constants import visible
from agentc.dsl.html import to_html
from agentc.dsl.latex import to_latex
from agentc.dsl.nodes import Constraint, Specification
from agentc.dsl.parse import parse_specification
from agentc.errors import AgentcError, SpecificationError, shorten
from agentc.logic.analysis import Analysis, Finding, analyse

__all__ = ["PolicyMagics", "PolicyReport", "load"]

_STYLE: Final = """\
.agentc-report{color:var(--jp-content-font-color1,var(--vscode-foreground,inherit))}
.agentc-report p{margin:.3em 0}.agentc-report summary{cursor:pointer;margin:.3em 0}
.agentc-report td,.agentc-report th{text-align:left;vertical-align:top;padding:.15em 1em .15em 0}
.agentc-finding{border-left:3px solid currentColor;padding-left:.7em}
.agentc-hint{opacity:.75}
"""
_GLYPHS: Final = {"error": "✗ error", "warning": "! warning"}


def load(shell: Any) -> None:
    """Register the magics with a shell."""
    shell.register_magics(PolicyMagics)


@magics_class
class PolicyMagics(Magics):
    """The magics of ``%load_ext agentc``."""

    @cell_magic
    def policy(self, line: str, cell: str) -> None:
        """Read the cell as a specification, check it, show it with its logic and lint, and bind it to a name.

        ``%%policy NAME [--quick]``; with ``--quick`` the solver isn't asked what can't come true or can never
        fire.
        """
        try:
            name, quick = _arguments(line)
            spec = _read(name, cell)
            report = PolicyReport(name, spec, None if quick else analyse(spec))
        except AgentcError as error:
            raise _brief(error) from None
        assert self.shell is not None
        self.shell.user_ns[name] = spec
        display(report)


def _arguments(line: str) -> tuple[str, bool]:
    words = line.split()
    names = [w for w in words if not w.startswith("-")]
    unknown = next((w for w in words if w.startswith("-") and w != "--quick"), None)
    hint = "write `%%policy NAME`, or `%%policy NAME --quick`"
    if unknown is not None:
        raise SpecificationError("`%%policy` has no such option", found=shorten(unknown), hint=hint)
    if len(names) != 1:
        what = "`%%policy` binds one name"
        raise SpecificationError(what, found=shorten(line.strip()) or "none", hint=hint)
    if not names[0].isidentifier() or iskeyword(names[0]):
        raise SpecificationError("a policy is bound to a Python name", found=shorten(names[0]), hint=hint)
    return names[0], "--quick" in words


def _read(name: str, cell: str) -> Specification:
    """Read and check a cell; its lines are counted as the reader sees them, the magic's own included."""
    spec = parse_specification("\n" + cell, f"%%policy {name}", signatures)
    spec = spec if spec.name else replace(spec, name=name)
    check(spec)
    if not spec.constraints:
        hint = "constraint NAME: FORMULA"
        raise SpecificationError("a policy has at least one constraint", where=f"%%policy {name}", hint=hint)
    return spec


def _brief(error: AgentcError) -> AgentcError:
    """Have IPython show an error's four parts, and none of the code that found it."""
    error._render_traceback_ = lambda: str(error).split("\n")  # type: ignore[attr-defined]
    return error


class PolicyReport:
    """A checked specification as a cell shows it: its constraints, their logic, and what lint found.

    Parameters
    ----------
    name : str
        What it is bound to.
    spec : Specification
    analysis : Analysis or None
        None: the solver wasn't asked.
    """

    def __init__(self, name: str, spec: Specification, analysis: Analysis | None) -> None:
        self.name, self.spec, self.analysis = name, spec, analysis

    def __repr__(self) -> str:
        findings = [
            f"{_GLYPHS[f.level]}: {visible(f.constraint)}: {visible(f.what)}" for f in self._findings()
        ]
        return "\n".join([self._headline(), *findings])

    def _repr_html_(self) -> str:
        findings = "".join(map(_finding, self._findings()))
        return (
            f'<div class="agentc-report"><style>{_STYLE}</style>{to_html(self.spec)}'
            f"<p>{_shown(self._headline())}</p>{findings}{self._logic()}</div>"
        )

    def _findings(self) -> tuple[Finding, ...]:
        return tuple(self.analysis.findings) if self.analysis is not None else ()

    def _headline(self) -> str:
        levels = [f.level for f in self._findings()]
        counts = (_counted(levels.count("error"), "error"), _counted(levels.count("warning"), "warning"))
        told = "not analysed" if self.analysis is None else ", ".join(counts)
        glyph = "✗" if "error" in levels else "✓"
        constraints = _counted(len(self.spec.constraints), "constraint")
        return f"{glyph} {constraints} checked and bound to {self.name}; {told}"

    def _logic(self) -> str:
        kinds = {c.name: c.kind for c in self.analysis.constraints} if self.analysis is not None else {}
        rows = "".join(_row(c, kinds.get(c.name, "")) for c in self.spec.constraints)
        head = "<tr><th>constraint</th><th>class</th><th>in first-order logic</th></tr>"
        table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
        return f"<details><summary>logic</summary>{table}</details>"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


def _row(constraint: Constraint, kind: str) -> str:
    return f"<tr><td>{_shown(constraint.name)}</td><td>{_shown(kind)}</td><td>{_latex(constraint)}</td></tr>"


def _latex(constraint: Constraint) -> str:
    try:
        return f"${escape(to_latex(constraint.formula))}$"
    except AgentcError as error:
        return _shown(error.what)


def _finding(finding: Finding) -> str:
    hint = f'<br><span class="agentc-hint">hint: {_shown(finding.hint)}</span>' if finding.hint else ""
    text = f"<strong>{_GLYPHS[finding.level]}</strong> {_shown(finding.constraint)}: {_shown(finding.what)}"
    return f'<p class="agentc-finding">{text}{hint}</p>'


def _shown(text: str) -> str:
    return f"<bdi>{escape(visible(text))}</bdi>"
