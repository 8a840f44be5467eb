"""Why a verdict is what it is, at one step, as the JSON that the widget draws.

What the fold knows (cells, links) is told for the whole trace at once; what needs the solver (what is still
owed, what would have made a call legal) only for the step that is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from agentc.domains.domain import Domain
from agentc.domains.legal import what_would_help
from agentc.dsl.constants import visible
from agentc.dsl.show_text import to_text
from agentc.errors import AgentcError
from agentc.logic.cells import Cell
from agentc.logic.engine import Engine, Limits, Verdict
from agentc.monitor import explain
from agentc.monitor.judgement import Obligation, Repair, Violation
from agentc.view.judged import BROKEN, OWED, Judged
from agentc.view.shown import brief, call_line, printable, value_json

__all__ = ["Explainer", "repairs_json", "verdicts_json"]

MOST: Final = 40
"""Most cells, obligations or values told of one thing."""


def verdicts_json(judged: Judged) -> dict[str, Any]:
    """Return every verdict of a trace, with the cores' cells and the links between events."""
    index = _index(judged)
    return {
        "constraints": [
            {
                "name": visible(c.name),
                "sentence": printable(" ".join(c.sentence.split())),
                "formula": _formula(c.formula),
                "place": visible(str(c.place)) if c.place.line else "",
            }
            for c in judged.spec.constraints
        ],
        "prefix": judged.prefix,
        "cells": list(judged.cells),
        "touched": list(judged.touched),
        "violations": [
            _violation(judged, at, violation, index)
            for at, broken in sorted(judged.broken.items())
            for violation in broken
        ],
        "together": [
            {"at": at, "constraints": [index[name] for name in names]}
            for at, names in judged.together.items()
        ],
        "links": [[index[w.constraint], w.trigger, w.by] for w in judged.links],
        "reasons": {str(at): printable(reason) for at, reason in judged.reasons.items()},
    }


def _index(judged: Judged) -> dict[str, int]:
    return {c.name: j for j, c in enumerate(judged.spec.constraints)}


def _formula(formula: Any) -> str:
    try:
        return printable(to_text(formula))
    except AgentcError as error:
        return f"this formula has no text form: {printable(error.what)}"


def _violation(judged: Judged, at: int, violation: Violation, index: dict[str, int]) -> dict[str, Any]:
    missing = judged.missing.get((at, violation.constraint), ())
    return {
        "at": at,
        "constraint": index[violation.constraint],
        "events": list(violation.events),
        "cells": [_cell(c) for c in violation.cells[:MOST]],
        "missing": [[visible(tool) for tool in tools] for tools in missing],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    shown = {"event": cell.event, "part": cell.part, "name": visible(cell.name)}
    return shown | {"line": brief(cell.value, 160)}


class Explainer:
    """Explains single steps of a judged trace.

    Parameters
    ----------
    judged : Judged
    domain : Domain or None
        Where other arguments' state is read, to say what would have been legal; without one only what was
        recorded is known.
    limits : Limits, optional
    """

    def __init__(self, judged: Judged, domain: Domain | None = None, limits: Limits | None = None) -> None:
        self.judged, self.domain = judged, domain
        self._engine = Engine(judged.spec, limits=limits)
        self._index = _index(judged)
        self._known: dict[int, dict[str, Any]] = {}

    def at(self, position: int) -> dict[str, Any]:
        """Return what the solver says of the step at a 0-based position."""
        if position not in self._known:
            self._known[position] = {"at": position, **self._explain(position)}
        return self._known[position]

    def notable(self) -> list[int]:
        """Return the positions at which there is something to ask the solver about."""
        return [t for t in range(len(self.judged.events)) if self._breaks(t) or self._owes(t)]

    def _breaks(self, position: int) -> bool:
        return position in self.judged.broken or position in self.judged.together

    def _owes(self, position: int) -> bool:
        """Whether something is owed, and the event changed what."""
        columns = zip(self.judged.cells, self.judged.touched, strict=True)
        return self.judged.prefix[position + 1] == OWED and any(
            t[position] != "0" and OWED in c[position : position + 2] for c, t in columns
        )

    def _explain(self, position: int) -> dict[str, Any]:
        if self._breaks(position):
            blame = self._blame(position)
            repairs = () if blame == "environment" else self._repairs(position)
            return {"blame": blame, "repairs": repairs_json(repairs, self._index)}
        if self.judged.prefix[position + 1] == OWED:
            return {"obligations": self._obligations(position)}
        return {}

    def _move(self, length: int) -> None:
        while len(self._engine.events) > length:
            self._engine.pop()
        for event in self.judged.events[len(self._engine.events) : length]:
            self._engine.push(event)

    def _blame(self, position: int) -> str:
        """Say whether the first violation is the call's doing, or only its output's."""
        event = self.judged.events[position]
        if BROKEN in self.judged.prefix[: position + 1] or event.is_message:
            return ""
        self._move(position)
        return "environment" if self._engine.check(event).verdict is Verdict.SAT else "call"

    def _repairs(self, position: int) -> Sequence[Repair]:
        """Return what would have made the call legal, constraints broken earlier left aside."""
        before = self.judged.broken_before(position)
        kept = tuple(c for c in self.judged.spec.constraints if c.name not in before)
        rest = replace(self.judged.spec, constraints=kept)
        return what_would_help(rest, self.judged.events, position, self.domain)

    def _obligations(self, position: int) -> list[dict[str, Any]]:
        self._move(position + 1)
        owed = explain.obligations(self._engine, self._engine.prefix().witness)
        return [_obligation(o, self._index) for o in owed[:MOST]]


def _obligation(obligation: Obligation, index: dict[str, int]) -> dict[str, Any]:
    return {
        "constraint": index[obligation.constraint],
        "triggers": list(obligation.triggers[:MOST]),
        "tool": visible(obligation.call.tool),
        "line": call_line(obligation.call),
    }


def repairs_json(repairs: Sequence[Repair], index: dict[str, int]) -> list[dict[str, Any]]:
    """Return what would make a call legal, as a person may see it."""
    return [_repair(r, index) for r in repairs]


def _repair(repair: Repair, index: dict[str, int]) -> dict[str, Any]:
    if repair.kind == "earlier call":
        example = [visible(repair.call.tool), call_line(repair.call)] if repair.call is not None else None
        tools = [visible(tool) for tool in repair.tools]
        return {"constraint": index.get(repair.constraint, -1), "tools": tools, "example": example}
    values = [value_json(v, 400) for v in (repair.values or repair.private_values)[:MOST]]
    return {"argument": visible(repair.argument), "values": values, "private": not repair.values}
