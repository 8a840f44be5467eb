"""HTML of specifications and formulas: no script, no request, nothing in it is markup but ours."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from agentc.dsl import nodes as N
from agentc.dsl.constants import visible
from agentc.dsl.mistakes import PREDICATES
from agentc.dsl.show_text import to_text
from agentc.errors import AgentcError

__all__ = ["to_html"]

_STYLE: Final = """\
.agentc{color:var(--jp-content-font-color1,var(--vscode-foreground,inherit));font-size:inherit;line-height:1.4}
.agentc-constraint{margin:.5em 0;padding-left:.7em;border-left:3px solid var(--jp-border-color1,currentColor)}
.agentc-head{margin:0}.agentc-name{font-weight:600}.agentc-sentence{margin:.1em 0;font-style:italic}
.agentc-place{opacity:.75;font-size:.85em}
.agentc-formula{margin:.2em 0;padding:0;background:none;color:inherit;white-space:pre-wrap;\
overflow-wrap:anywhere;font-family:var(--jp-code-font-family,ui-monospace,monospace)}
.agentc-predicate{font-weight:700}.agentc-string{text-decoration:underline dotted;text-underline-offset:.2em}
"""
_WORDS = re.compile(
    r'(?P<string>"(?:[^"\\\n]++|\\.)*+")|(?P<predicate>\b(?:' + "|".join(PREDICATES) + r")(?=\())"
)

_MOST: Final = 200


def to_html(node: N.Specification | N.Constraint | N.Formula) -> str:
    """Return a fragment of HTML that shows a specification, a constraint or a formula.

    Notes
    -----
    Names and strings are escaped, and what doesn't print in them is spelt out. Colours are the reader's own
    (JupyterLab's, VS Code's, else inherited), so light and dark both work, and nothing hangs on colour alone.
    Classes begin with ``agentc``. Of a large specification the first 200 constraints are shown.

    >>> from agentc.dsl.parse import parse_formula
    >>> page = to_html(parse_formula('Forall(rm(path=p), p != "<b>")'))
    >>> "&lt;b&gt;" in page and "<b>" not in page
    True
    """
    if isinstance(node, N.Specification):
        body = _specification(node)
    elif isinstance(node, N.Constraint):
        body = _constraint(node)
    else:
        body = _formula(node)
    return f'<div class="agentc"><style>{_STYLE}</style>{body}</div>'


def _specification(spec: N.Specification) -> str:
    name = f'<span class="agentc-name">{_shown(spec.name)}</span>' if spec.name else "specification"
    title = f": {_shown(spec.title)}" if spec.title else ""
    many = len(spec.constraints)
    about = (
        f"({many} constraint{'s' * (many != 1)}{f', domain {_shown(spec.domain)}' if spec.domain else ''})"
    )
    head = f'<p class="agentc-head">{name}{title} <span class="agentc-place">{about}</span></p>'
    body = "".join(map(_constraint, spec.constraints[:_MOST]))
    rest = f'<p class="agentc-place">and {many - _MOST} more</p>' if many > _MOST else ""
    return f'<section class="agentc-specification">{head}{body}{rest}</section>'


def _constraint(constraint: N.Constraint) -> str:
    place = f' <span class="agentc-place">({_shown(str(constraint.place))})</span>'
    name = f'<span class="agentc-name">{_shown(constraint.name)}</span>'
    head = f'<p class="agentc-head">{name}{place if constraint.place.line else ""}</p>'
    sentence = f'<p class="agentc-sentence">{_shown(constraint.sentence)}</p>' if constraint.sentence else ""
    return f'<article class="agentc-constraint">{head}{sentence}{_formula(constraint.formula)}</article>'


def _formula(formula: N.Formula) -> str:
    try:
        text = to_text(formula)
    except AgentcError as error:
        return f'<p class="agentc-formula">This formula has no text form: {_shown(error.what)}.</p>'
    return f'<pre class="agentc-formula">{_marked(text)}</pre>'


def _marked(text: str) -> str:
    """Escape a formula's text, its predicates and strings in elements of their own."""
    parts, end = [], 0
    for word in _WORDS.finditer(text):
        parts.append(escape(text[end : word.start()]))
        parts.append(f'<span class="agentc-{word.lastgroup}">{escape(word.group())}</span>')
        end = word.end()
    return "".join([*parts, escape(text[end:])])


def _shown(text: str) -> str:
    return f"<bdi>{escape(visible(text))}</bdi>"
