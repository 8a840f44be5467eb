"""Where an engine may differ from a case file and be right, and how that is made sure of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from agentc.dsl import nodes as N
from agentc.logic.quantified import QuantifiedEngine
from agentc.logic.reference import conforms
from agentc.trace.event import Event
from agentc.trace.values import MISSING
from tests.cases_format import Case

__all__ = ["proved_without_bound", "rests_on_absent"]

OUTPUTS = (MISSING, "ok", True, 0)


class Found(Protocol):
    """A verdict that isn't the file's; `index` counts events."""

    field: str
    index: int
    expected: bool | None
    got: str


def proved_without_bound(case: Case, found: Found) -> bool:
    """The file certifies no verdict here, and a query that limits the future in no way is UNSAT.

    The query is the quantified engine's, which shares neither the fold nor the bounds with the other. For a
    call whose output is unknown it is asked of five outputs, which is evidence and no proof.
    """
    if found.expected is not None or found.got != "UNSAT":
        return False
    *past, last = case.events[: found.index]
    results = (last.output, *OUTPUTS) if found.field == "precall" else (last.output,)
    return all(_never(case.spec, [*past, replace(last, output=result)]) for result in results)


def _never(spec: N.Specification, trace: Sequence[Event]) -> bool:
    judge = QuantifiedEngine(spec, timeout_ms=5_000)
    for event in trace:
        judge.push(event)
    proof = judge.refutation()
    return proof is not None and proof.size is None


def rests_on_absent(case: Case, found: Found) -> bool:
    """The file's own witness satisfies the specification nowhere, since in it two absent arguments would have
    to be equal; in the language what is absent equals nothing.
    """
    if found.expected is not True or not found.got.startswith("UNSAT") or not case.witness:
        return False
    prefixes = zip(case.expected["prefix"], case.expected["closed"], strict=True)
    pending = [i for i, (prefix, closed) in enumerate(prefixes) if prefix and not closed]
    return not any(conforms(case.spec, [*case.events[:i], *case.witness]) for i in pending)
