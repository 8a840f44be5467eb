"""A world so small that all can be tried: random specifications and traces, and futures by brute force.

Made from a seeded generator, so that a run is the same everywhere. The oracle is the reference evaluator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

from agentc.dsl import nodes as N
from agentc.logic.reference import Undecided, conforms
from agentc.tools.signature import Projection, Tool, ToolSet
from agentc.trace.event import Event, Failed, message, reading
from agentc.trace.values import MISSING

__all__ = [
    "CALLS",
    "TOOLS",
    "completable",
    "completions",
    "outputs_of",
    "random_call",
    "random_event",
    "random_formula",
    "random_spec",
    "random_trace",
    "truth",
]

NEVER = {"not": {}}
ARGUMENTS: dict[str, dict[str, list[Any]]] = {
    "get": {"x": [0, 1]},
    "set": {"x": [0, 1], "y": ["u", MISSING]},
    "end": {},
}
OUTPUTS: dict[str, list[Any]] = {"get": ["ok", "err"], "set": [MISSING], "end": [MISSING]}
LEVELS = (0, 1)


def _tool(name: str, kind: Any) -> Tool:
    said = ARGUMENTS[name]
    properties = {a: {"enum": [v for v in values if v is not MISSING]} for a, values in said.items()}
    required = [a for a, values in said.items() if MISSING not in values]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    listed = [v for v in OUTPUTS[name] if v is not MISSING]
    return Tool(name, schema, kind, {"enum": listed} if listed else NEVER)


TOOLS = ToolSet([_tool("get", "read"), _tool("set", "write"), _tool("end", "other")])
PROJECTIONS = {"level": Projection("level", ())}


def calls_of(tool: str, known: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every argument object of the tool that agrees with what is known of it."""
    options = {a: [known[a]] if a in known else values for a, values in ARGUMENTS[tool].items()}
    for chosen in product(*options.values()):
        yield {a: v for a, v in zip(options, chosen, strict=True) if v is not MISSING}


def _events(tool: str, args: dict[str, Any]) -> Iterator[Event]:
    for output, level in product(OUTPUTS[tool], LEVELS):
        yield Event(tool, args, output, state={reading("level"): level})


CALLS: tuple[Event, ...] = tuple(e for t in ARGUMENTS for args in calls_of(t, {}) for e in _events(t, args))
FAILED = tuple(
    Event(t, args, error=True, state={reading("level"): 0}) for t in ARGUMENTS for args in calls_of(t, {})
)

# ---------------------------------------------------------------- what can be tried, all of it


def truth(spec: N.Specification, events: Sequence[Event]) -> str:
    """Return the reference's closed verdict in the engines' words."""
    try:
        return "SAT" if conforms(spec, events) else "UNSAT"
    except Undecided:
        return "UNKNOWN"


def completable(spec: N.Specification, events: Sequence[Event], depth: int) -> bool:
    """Return whether some continuation of at most `depth` calls satisfies the specification."""
    future = (*CALLS, *FAILED)
    later = (more for size in range(depth + 1) for more in product(future, repeat=size))
    return any(conforms(spec, [*events, *more]) for more in later)


def outputs_of(call: Event) -> Iterator[Event]:
    """Yield the call with each output its tool may give."""
    for output in OUTPUTS[call.tool]:
        yield replace(call, output=output, error=False)


def completions(tool: str, known: dict[str, Any], level: Any = None) -> Iterator[Event]:
    """Yield every finished event that a partial call may become."""
    for args in calls_of(tool, known):
        for event in _events(tool, args):
            if level is None or event.state[reading("level")] == level:
                yield event


# ---------------------------------------------------------------- events at random


def random_event(rng: Random, failing: bool = False) -> Event:
    """One event: mostly a call that went well; with `failing`, now and then the state wasn't read."""
    if rng.random() < 0.05:
        return message("user", rng.choice(["ok", "u"]))
    event = rng.choice(FAILED if rng.random() < 0.12 else CALLS)
    if rng.random() < 0.05:
        event = replace(event, tool="odd", output=MISSING)
    if failing and rng.random() < 0.1:
        return replace(event, state=rng.choice([{}, {reading("level"): Failed("gone")}]))
    return event


def random_trace(rng: Random, longest: int = 4, failing: bool = False) -> list[Event]:
    return [random_event(rng, failing) for _ in range(rng.randint(0, longest))]


def random_call(rng: Random) -> Event:
    return rng.choice(CALLS)


# ---------------------------------------------------------------- specifications at random


def _leaf(rng: Random, role: N.Role, outputs: bool) -> N.Term:
    options: list[N.Term] = [N.Arg(role, "x")] * 3 + [N.Arg(role, "y"), N.State(role, "level")]
    if outputs:
        options += [N.Output(role)] * 2
    return rng.choice(options)


def _atom(rng: Random, roles: Sequence[tuple[N.Role, bool]]) -> N.Formula:
    if len(roles) == 2 and rng.random() < 0.6:
        return _join(rng, *roles)
    leaf, shape = _leaf(rng, *rng.choice(roles)), rng.random()
    if shape < 0.15:
        return N.Is(leaf, rng.choice(["missing", "num", "str"]))
    if shape < 0.3:
        return N.In(leaf, N.Const(rng.choice([(0, "u"), (1, True), ("ok",)])))
    if shape < 0.35:
        return N.Text("starts_with", leaf, N.Const(rng.choice(["o", "u"])))
    if shape < 0.5:
        return N.Compare(rng.choice(["<", ">="]), leaf, N.Const(1))
    return N.Compare(rng.choice(["==", "==", "!="]), leaf, N.Const(rng.choice([0, 1, "u", "ok", "err"])))


def _join(rng: Random, first: tuple[N.Role, bool], second: tuple[N.Role, bool]) -> N.Formula:
    """What the two events have to do with each other; the commonest condition of a policy is the first."""
    same = N.Arg(first[0], "x"), N.Arg(second[0], "x")
    left, right = rng.choice([same, same, (_leaf(rng, *first), _leaf(rng, *second))])
    op = rng.choice(["==", "==", "==", "!=", "<", ">="] if (left, right) == same else ["==", "=="])
    return N.Compare(op, *rng.choice([(left, right), (right, left)]))


def _data(rng: Random, roles: Sequence[tuple[N.Role, bool]], depth: int = 1) -> N.Formula:
    shape = rng.random()
    if depth == 0 or shape < 0.6:
        return _atom(rng, roles)
    if shape < 0.7:
        return N.Not(_data(rng, roles, depth - 1))
    parts = (_data(rng, roles, depth - 1), _data(rng, roles, depth - 1))
    return N.And(parts) if shape < 0.9 else N.Or(parts)


def _pattern(rng: Random, label: str) -> N.Pattern:
    names = [rng.choice(["get", "set", "set", "end"])]
    shape = rng.random()
    if shape < 0.15:
        names = ["get", "set"]
    elif shape < 0.22:
        names = [rng.choice(["@any", "@read", "@write"])]
    elif shape < 0.26:
        names = ["user_message"]
    return N.Pattern(tuple(N.Branch(n) for n in names), label, rng.random() < 0.1)


def _predicate(rng: Random) -> N.Temporal:
    kind = rng.choice([N.Before, N.Before, N.After, N.After, N.Seq, N.Seq, N.Forall, N.Exists])
    first, past = _pattern(rng, "a"), kind in (N.Before, N.Forall)
    alone: list[tuple[N.Role, bool]] = [("first", not past)]
    if kind in (N.Forall, N.Exists):
        return kind(first, _data(rng, alone))
    second = first if rng.random() < 0.2 else _pattern(rng, "b")
    when = N.Truth(True) if rng.random() < 0.6 else _data(rng, alone, 0)
    where = N.Truth(True) if rng.random() < 0.1 else _data(rng, [*alone, ("second", True)])
    return kind(first, when, second, where)


def random_formula(rng: Random, depth: int = 1) -> N.Formula:
    shape = rng.random()
    if depth == 0 or shape < 0.55:
        return _predicate(rng)
    if shape < 0.75:
        return N.Not(_predicate(rng))
    parts = (random_formula(rng, depth - 1), random_formula(rng, depth - 1))
    if shape < 0.83:
        return N.Implies(*parts)
    return N.Or(parts) if shape < 0.92 else N.And(parts)


def random_spec(rng: Random, most: int = 3) -> N.Specification:
    """One to `most` constraints over `TOOLS`; a new object each time, so that nothing prepared is shared."""
    formulas = [random_formula(rng) for _ in range(rng.randint(1, most))]
    named = tuple(N.Constraint(f"rule{i}", f) for i, f in enumerate(formulas))
    return N.Specification("small", named, TOOLS, PROJECTIONS)
