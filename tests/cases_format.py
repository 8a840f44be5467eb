"""Loader of the case format: small specifications and traces, one JSON object a line, with known verdicts.

    {"id", "spec": S, "trace": [E...], "domain"?, "closed": [...], "prefix": [...], "precall"?, "prefix_fin"?}
    E = {"tool", "args": {..}, "output"?, "state"?: {..}}

S, F and T are JSON trees of temporal formulas, data formulas and terms; their operators are the keys below.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentc.dsl import nodes as N
from agentc.tools.signature import Tool, ToolSet
from agentc.trace.event import Event, Reading, reading
from agentc.trace.values import JSON, MISSING, exact

FIELDS = ("closed", "prefix", "precall", "prefix_fin")
SHARED = Path(__file__).parents[2] / "shared" / "cases"
NEVER = {"not": {}}
"""The schema nothing meets: as a tool's output schema it says that no output ever comes."""


@dataclass(frozen=True)
class Case:
    """One case. `expected[field][i]` is the verdict after i events; None where nobody certified one.

    `witness` is the file's own continuation of the whole trace, where it gives one.
    """

    id: str
    note: str
    spec: N.Specification
    events: tuple[Event, ...]
    domain: ToolSet | None
    expected: dict[str, list[bool | None]]
    witness: tuple[Event, ...] | None = None

    @property
    def formula(self) -> N.Formula:
        return self.spec.constraints[0].formula

    @property
    def finite(self) -> N.Specification:
        """The specification over the case's finite domain: the future is limited to its calls."""
        return replace(self.spec, tools=self.domain)


def load(path: str | Path) -> Iterator[Case]:
    with Path(path).open(encoding="utf-8") as lines:
        yield from (case(json.loads(line)) for line in lines if line.strip())


def case(record: dict[str, Any]) -> Case:
    formula = temporal(record["spec"])
    projections = {node.name for node in N.walk(formula) if isinstance(node, N.State)}
    return Case(
        record["id"],
        record.get("note", ""),
        N.Specification(record["id"], (N.Constraint("rule", formula, record.get("note", "")),)),
        tuple(event(e, projections) for e in record["trace"]),
        domain(record["domain"]) if "domain" in record else None,
        {name: record[name] for name in FIELDS if name in record},
        tuple(event(e, projections) for e in record["witness"]) if record.get("witness") else None,
    )


# ---------------------------------------------------------------- formulas

PREDICATES = {"before": N.Before, "after": N.After, "seq": N.Seq, "forall": N.Forall, "exists": N.Exists}


def temporal(tree: dict[str, Any]) -> N.Formula:
    op = tree["op"]
    if op in {"true", "false"}:
        return N.Truth(op == "true")
    if op == "not":
        return N.Not(temporal(tree["arg"]))
    if op in {"and", "or"}:
        return (N.And if op == "and" else N.Or)(tuple(temporal(arg) for arg in tree["args"]))
    if op in {"forall", "exists"}:
        return PREDICATES[op](pattern(tree["P"]), data(tree["f"]))
    return PREDICATES[op](pattern(tree["P"]), data(tree["f1"]), pattern(tree["Q"]), data(tree["f2"]))


def pattern(tool: str) -> N.Pattern:
    return N.Pattern((N.Branch(tool),))


def data(tree: list[Any]) -> N.Formula:
    op, *parts = tree
    if op in {"true", "false"}:
        return N.Truth(op == "true")
    if op == "not":
        return N.Not(data(parts[0]))
    if op in {"and", "or"}:
        return (N.And if op == "and" else N.Or)(tuple(data(part) for part in parts))
    return atom(op, *parts)


def atom(op: Any, left: Any, right: Any) -> N.Formula:
    if op == "in":
        return N.In(term(left), N.Const(constant(right)))
    if op == "contains":
        return N.Contains(term(left), term(right))
    return N.Is(term(left), right) if op == "is" else N.Compare(op, term(left), term(right))


def term(tree: list[Any]) -> N.Term:
    op, *parts = tree
    role: N.Role = "second" if op.endswith("'") else "first"
    if op == "const":
        return N.Const(constant(parts[0]))
    if op == "len":
        return N.Len(term(parts[0]))
    if op in {"+", "-"}:
        return N.Arith(op, term(parts[0]), term(parts[1]))
    if op in {"y", "y'"}:
        return N.Output(role, tuple(parts))
    if op in {"s", "s'"}:
        return N.State(role, parts[0], (), tuple(parts[1:]))
    if op in {"x", "x'"}:
        return N.Arg(role, parts[0], tuple(parts[1:]))
    raise ValueError(f"no term begins with {op!r}")


def constant(value: JSON) -> JSON:
    """Return the value in the form `Const` keeps: exact numbers, lists as tuples."""
    if isinstance(value, list):
        return tuple(constant(v) for v in value)
    if isinstance(value, dict):
        raise ValueError("the format has no object constants")
    return exact(value) if isinstance(value, float) else value


# ---------------------------------------------------------------- events and domains


def event(record: dict[str, Any], projections: set[str]) -> Event:
    args = {name: value for name, value in record["args"].items() if not is_missing(value)}
    output = record.get("output", {"$missing": True})
    given = record.get("state", {})
    state: dict[Reading, Any] = {reading(name): MISSING for name in projections}
    state |= {reading(name): value for name, value in given.items() if not is_missing(value)}
    return Event(record["tool"], args, MISSING if is_missing(output) else output, state=state)


def is_missing(value: JSON) -> bool:
    return isinstance(value, dict) and "$missing" in value


def domain(record: dict[str, Any]) -> ToolSet:
    return ToolSet(tool(name, signature) for name, signature in record["tools"].items())


def tool(name: str, signature: dict[str, Any]) -> Tool:
    """Return the tool whose arguments and output range over the listed values; $missing: may be left out."""
    args = signature["args"]
    properties = {arg: {"enum": present(values)} for arg, values in args.items()}
    required = [arg for arg, values in args.items() if not any(map(is_missing, values))]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(name, schema, output=output_schema(signature.get("output", [{"$missing": True}])))


def output_schema(values: list[JSON]) -> dict[str, Any]:
    listed = {"enum": present(values)}
    if not listed["enum"]:
        return NEVER
    return {"anyOf": [listed, NEVER]} if any(map(is_missing, values)) else listed


def present(values: list[JSON]) -> list[JSON]:
    return [value for value in values if not is_missing(value)]
