"""A judged trace as plain text and as a plain HTML table, for readers without a kernel."""

from __future__ import annotations

from html import escape
from typing import Final

from agentc.dsl.constants import visible
from agentc.errors import shorten
from agentc.trace.event import Event
from agentc.view.judged import BROKEN, HOLDS, OWED, UNKNOWN, Judged
from agentc.view.shown import call_line

__all__ = ["WORDS", "plain_html", "plain_text"]

WORDS: Final = {HOLDS: "✓ SAT", OWED: "○ pending", BROKEN: "✗ UNSAT", UNKNOWN: "? UNKNOWN"}
"""A verdict as glyph and word."""

MOST_ROWS: Final = 200
_STYLE: Final = """\
.agentc-table{border-collapse:collapse;font-size:inherit;text-align:left}
.agentc-table caption{text-align:left;padding:.3em 0}
.agentc-table th,.agentc-table td{padding:.15em .7em .15em 0;vertical-align:top;text-align:left;\
border-bottom:1px solid var(--jp-border-color2,var(--vscode-panel-border,currentColor))}
.agentc-table td:first-child{text-align:right;font-variant-numeric:tabular-nums}
.agentc-table td:nth-child(2){white-space:nowrap}
.agentc-table td:nth-child(3){overflow-wrap:anywhere}
"""


def plain_text(judged: Judged, name: str = "") -> str:
    """Return one line on a trace.

    >>> from agentc.dsl.parse import parse_specification
    >>> from agentc.trace.event import call
    >>> from agentc.view.judged import judge
    >>> spec = parse_specification('constraint safe: Forall(rm(path=p), p != "/root")')
    >>> plain_text(judge(spec, [call("ls"), call("rm", path="/root")]), "run 7")
    'run 7: 2 events, ✗ UNSAT from event 1 (safe)'
    """
    events, last = len(judged.events), judged.prefix[-1]
    count = f"{shorten(name, 60) or 'trace'}: {events:,} event{'s' * (events != 1)}, {WORDS[last]}"
    if last != BROKEN:
        return count
    first = judged.prefix.index(BROKEN) - 1
    return f"{count} from event {first} ({', '.join(_at_fault(judged, first)) or 'before any event'})"


def _at_fault(judged: Judged, position: int) -> list[str]:
    names = [v.constraint for v in judged.broken.get(position, ())]
    return [shorten(n, 60) for n in names or judged.together.get(position, ())]


def plain_html(judged: Judged, name: str = "") -> str:
    """Return a fragment of HTML without script: a row for each event, at most 200."""
    shown = range(min(len(judged.events), MOST_ROWS))
    rows = "".join(_row(judged, t) for t in shown)
    more = len(judged.events) - len(shown)
    rest = f"<tr><td></td><td></td><td>and {more:,} more</td><td></td></tr>" if more else ""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("#", "verdict", "event", "breaks"))
    return (
        f'<div class="agentc"><style>{_STYLE}</style><table class="agentc-table">'
        f"<caption>{_shown(plain_text(judged, name))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}{rest}</tbody></table></div>"
    )


def _row(judged: Judged, position: int) -> str:
    event, verdict = judged.events[position], WORDS[judged.prefix[position + 1]]
    broken = ", ".join(_at_fault(judged, position))
    cells = (str(position), verdict, _line(event), broken)
    return f"<tr>{''.join(f'<td>{_shown(cell)}</td>' for cell in cells)}</tr>"


def _line(event: Event) -> str:
    if event.is_message:
        return f"{event.tool.removesuffix('_message')}: {call_line(event)}"
    return f"{shorten(event.tool, 60)}({call_line(event)})" + (" → error" if event.error else "")


def _shown(text: str) -> str:
    return f"<bdi>{escape(visible(text))}</bdi>"
