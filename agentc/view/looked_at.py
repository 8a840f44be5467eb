"""A subject judged once, and everything that is drawn of it: what the widget and the page share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from agentc.logic.engine import Limits, Verdict
from agentc.view.explained import Explainer, repairs_json, verdicts_json
from agentc.view.judged import BROKEN, HOLDS, OWED, UNKNOWN, Judged, judge
from agentc.view.page import page
from agentc.view.shown import events_json, printable
from agentc.view.subject import Subject
from agentc.view.table import plain_html, plain_text

__all__ = ["LookedAt"]

MOST_EXPLAINED: Final = 200
"""How many steps of a page are explained by the solver beforehand; nobody can ask it later."""


class LookedAt:
    """A judged subject.

    Parameters
    ----------
    subject : Subject
    limits : Limits, optional
        Budgets of the solver.
    """

    def __init__(self, subject: Subject, limits: Limits | None = None) -> None:
        self.subject = subject
        self.judged = _with_proposed(judge(subject.spec, subject.events, limits), subject)
        self._explainer = Explainer(self.judged, subject.domain, limits)

    @property
    def title(self) -> str:
        return self.subject.name or self.subject.spec.name or "trace"

    @property
    def start(self) -> int:
        """The event to look at first: where the trace first goes wrong, else the first one."""
        proposed = len(self.subject.events) - 1 if self.subject.proposed is not None else -1
        return min([*self.judged.broken, *self.judged.together], default=max(proposed, 0))

    def events(self) -> list[dict[str, Any]]:
        """Return the events as JSON."""
        shown = events_json(self.subject.events, self.subject.notes)
        if self.subject.proposed is not None:
            shown[-1]["proposed"] = True
        return shown

    def verdicts(self) -> dict[str, Any]:
        """Return the verdicts as JSON."""
        return {"title": printable(self.title), **verdicts_json(self.judged)}

    def why(self, position: int) -> dict[str, Any]:
        """Return as JSON what the solver says of the step at a position."""
        if self.subject.proposed is not None and position == len(self.subject.events) - 1:
            index = {c.name: j for j, c in enumerate(self.subject.spec.constraints)}
            return {"at": position, "repairs": repairs_json(self.subject.repairs, index)}
        return self._explainer.at(position)

    def state(self, cursor: int) -> dict[str, Any]:
        """Return everything, for a page that nobody can ask."""
        positions = dict.fromkeys([self.start, cursor, *self._explainer.notable()])
        asked = [t for t in positions if 0 <= t < len(self.subject.events)][:MOST_EXPLAINED]
        return {
            "events": self.events(),
            "verdicts": self.verdicts(),
            "why": {str(t): self.why(t) for t in asked},
            "cursor": cursor,
            "constraint": "",
            "live": False,
        }

    def page(self, cursor: int | None = None) -> str:
        """Return one HTML document that works from disk."""
        return page(self.state(self.start if cursor is None else cursor), self.title, self.plain_html())

    def plain_html(self) -> str:
        return plain_html(self.judged, self.title)

    def plain_text(self) -> str:
        return plain_text(self.judged, self.title)


def _with_proposed(judged: Judged, subject: Subject) -> Judged:
    """Give a proposed call the verdict that the session gave it: its output is not known yet."""
    judgement = subject.proposed
    if judgement is None:
        return judged
    last = len(judged.events) - 1
    sat = OWED if judgement.closed is not Verdict.SAT else HOLDS
    letter = {Verdict.UNSAT: BROKEN, Verdict.UNKNOWN: UNKNOWN}.get(judgement.verdict, sat)
    reasons = {**judged.reasons, last: judgement.reason} if judgement.reason else judged.reasons
    broken = {**judged.broken, last: judgement.violations} if judgement.violations else judged.broken
    return replace(judged, prefix=judged.prefix[:-1] + letter, reasons=reasons, broken=broken)
