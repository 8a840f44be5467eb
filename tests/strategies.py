"""Hypothesis strategies for specifications and traces over one small world of tools.

Values come from small pools, so that triggers fire and witnesses match. What is made can be written in the
text form: labels are set, variables are unique in a predicate, a projection's arguments are its own event's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from agentc.dsl import nodes as N
from agentc.tools.signature import Projection, Tool, ToolSet
from agentc.trace.event import Event, Failed, Reading, message, reading
from agentc.trace.values import MISSING

__all__ = ["PROJECTIONS", "TOOLS", "World", "data_formulas", "events", "runs", "specifications", "traces"]

IDS = ("u", "v")
TAGS = {"type": "array", "items": {"type": "string"}, "maxItems": 3}
ITEMS = {"type": "array", "items": {"type": "object"}, "maxItems": 2}
NUMBER = {"type": "number", "minimum": -3, "maximum": 3}


def _tool(name: str, kind: Any, required: list[str], **properties: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    fields = {"ok": {"type": "boolean"}, "id": {"type": "string"}, "n": NUMBER, "tags": TAGS}
    return Tool(name, schema, kind, {"type": "object", "properties": fields} if kind == "read" else None)


TOOLS = ToolSet([
    _tool("look", "read", ["id"], id={"enum": list(IDS)}, n={"type": "integer"}, tags=TAGS),
    _tool("mend", "write", ["id"], id={"type": "string"}, n=NUMBER, tags=TAGS, items=ITEMS),
    _tool("pay", "write", [], id={"type": ["string", "null"]}, n=NUMBER),
    _tool("think", "other", [], n={"type": "integer", "minimum": 0, "maximum": 2}),
])  # fmt: skip
PROJECTIONS = {
    "owner": Projection("owner", (("id", {"type": "string"}),)),
    "total": Projection("total", ()),
}
NAMES = (*TOOLS, "odd")  # nobody described `odd`

# ---------------------------------------------------------------- values

ids = st.sampled_from(IDS)
numbers = st.sampled_from([0, 1, 2, 1.0, 1.5, -1, 0.1])
oddities = st.sampled_from([None, True, False, "", "uv", "#W1", "é", [], {}, [1, "u"], 10**20])
tags = st.lists(st.one_of(ids, ids, numbers), max_size=3)
items = st.lists(st.fixed_dictionaries({"n": numbers}, optional={"id": ids}), max_size=2)
scalars = st.one_of(ids, numbers, oddities)
outputs = st.one_of(
    st.fixed_dictionaries({}, optional={"ok": st.booleans(), "id": ids, "n": numbers, "tags": tags}),
    st.fixed_dictionaries({"ok": st.just(True), "id": ids}),
    scalars,
    st.just(MISSING),
)


def rarely(usual: st.SearchStrategy, rare: st.SearchStrategy, one_in: int = 12) -> st.SearchStrategy:
    return st.integers(1, one_in).flatmap(lambda i: rare if i == 1 else usual)


# ---------------------------------------------------------------- events

ARGUMENTS = {"id": rarely(ids, scalars), "n": rarely(numbers, scalars), "tags": tags, "items": items}
OWNERS = st.one_of(ids, st.fixed_dictionaries({"name": ids}), st.just(MISSING))


NOBODY: tuple[str, ...] = (*NAMES, "user_message", "assistant_message")


@st.composite
def events(draw: st.DrawFn, names: tuple[str, ...] = NOBODY, failing: bool = True) -> Event:
    """One event; with `failing`, now and then a projection raised or was not read."""
    name = draw(st.sampled_from(names))
    if name.endswith("_message"):
        said = message(name.removesuffix("_message"), draw(st.sampled_from(["yes", "no", "u"])))
        return replace(said, state=draw(states({}, failing)))
    known = list(TOOLS[name].arguments) if name in TOOLS else ["id", "n"]
    args = {a: draw(ARGUMENTS[a]) for a in known if draw(st.integers(1, 8)) > 1}
    error = draw(st.integers(1, 8)) == 1
    return Event(name, args, draw(outputs), error, draw(states(args, failing)))


@st.composite
def states(draw: st.DrawFn, args: Mapping[str, Any], failing: bool) -> dict[Reading, Any]:
    """Every reading that a specification may need of an event with these arguments."""
    state: dict[Reading, Any] = {reading("total"): draw(numbers)}
    state |= {reading("owner", who): draw(OWNERS) for who in (*IDS, args.get("id", MISSING))}
    if failing and draw(st.integers(1, 15)) == 1:
        lost = draw(st.sampled_from(list(state)))
        state[lost] = Failed("database is gone")
        if draw(st.booleans()):
            del state[lost]
    return state


@st.composite
def traces(
    draw: st.DrawFn, names: tuple[str, ...] = NOBODY, max_size: int = 6, failing: bool = True
) -> tuple[Event, ...]:
    size = draw(st.integers(0, max_size))
    return tuple(draw(events(names, failing)) for _ in range(size))


# ---------------------------------------------------------------- terms


@dataclass(frozen=True)
class World:
    """What a data formula may speak of: the roles there are, their variables, their outputs, list items."""

    roles: tuple[N.Role, ...]
    variables: Mapping[N.Role, tuple[tuple[str, str], ...]]
    outputs: tuple[N.Role, ...]
    items: tuple[str, ...] = ()


ELEMENT = {"str": ("id",), "num": ("n",)}


@st.composite
def leaves(draw: st.DrawFn, world: World, kind: str) -> N.Term:
    """A leaf that usually holds a str, num or list; the argument through its variable where it has one."""
    role = draw(st.sampled_from(world.roles))
    argument = {"str": "id", "num": "n"}.get(kind) or draw(st.sampled_from(["tags", "items"]))
    bound = [N.Var(role, v) for a, v in world.variables.get(role, ()) if a == argument]
    found: list[N.Term] = [*bound, N.Arg(role, argument), N.Arg(role, argument)]
    if role in world.outputs:
        field = "id" if kind == "str" else "n" if kind == "num" else "tags"
        found += [N.Output(role, (field,)), N.Output(role)]
    if kind == "str":
        who = draw(st.sampled_from([N.Arg(role, "id"), N.Const("u")]))
        found.append(N.State(role, "owner", (who,), draw(st.sampled_from([(), ("name",)]))))
    if kind == "num":
        found.append(N.State(role, "total"))
    if kind == "list":
        found.append(N.Const(tuple(draw(st.lists(st.one_of(ids, st.integers(0, 2)), max_size=3)))))
    else:
        found += [N.Item(i, path) for i in world.items for path in ((), ELEMENT[kind])] * 3
        found.append(N.Const(draw(ids if kind == "str" else st.integers(-1, 2))))
    return draw(st.sampled_from(found))


@st.composite
def terms(draw: st.DrawFn, world: World, kind: str, depth: int = 1) -> N.Term:
    if kind != "num" or depth == 0 or draw(st.integers(1, 4)) > 1:
        return draw(leaves(world, kind))
    shape = draw(st.sampled_from(["arith", "len", "count"]))
    if shape == "arith":
        op = draw(st.sampled_from(["+", "-", "*"]))
        return N.Arith(op, draw(terms(world, "num", 0)), draw(terms(world, "num", 0)))
    over = draw(leaves(world, draw(st.sampled_from(["list", "list", "str"])) if shape == "len" else "list"))
    if shape == "len":
        return N.Len(over)
    item, inner = _fresh(world)
    return N.Count(item, over, draw(atoms(inner, 0)))


def _fresh(world: World) -> tuple[str, World]:
    item = f"i{len(world.items)}"
    return item, replace(world, items=(*world.items, item))


# ---------------------------------------------------------------- data formulas

KINDS = ("str", "str", "str", "num", "num")
EQUAL = ("==", "==", "==", "!=")
ORDER = ("<", "<=", ">", ">=")
SORTS = ("missing", "missing", "null", "bool", "num", "int", "str", "list", "dict")


@st.composite
def comparisons(draw: st.DrawFn, world: World, depth: int) -> N.Formula:
    kind = draw(st.sampled_from(KINDS))
    other = draw(st.sampled_from(KINDS)) if draw(st.integers(1, 15)) == 1 else kind
    op = draw(st.sampled_from(EQUAL if kind == "str" and draw(st.integers(1, 4)) > 1 else (*EQUAL, *ORDER)))
    return N.Compare(op, draw(terms(world, kind, depth)), draw(terms(world, other, depth)))


@st.composite
def joins(draw: st.DrawFn, world: World) -> N.Formula:
    """The commonest condition of a policy: the second event speaks of what the first one does."""
    argument = draw(st.sampled_from(["id", "id", "n"]))
    left: N.Term = N.Arg("second", argument)
    if "second" in world.outputs and draw(st.integers(1, 3)) == 1:
        left = N.Output("second", (argument,))
    return N.Compare("==", left, N.Arg("first", argument))


def memberships(world: World) -> st.SearchStrategy[N.Formula]:
    word, lists = leaves(world, "str"), leaves(world, "list")
    chosen = st.lists(ids, max_size=2).map(lambda values: N.Const(tuple(values)))
    return st.one_of(st.builds(N.In, word, st.one_of(chosen, lists)), st.builds(N.Contains, lists, word))


REGULAR = st.sampled_from(["u|v", "#W[0-9]+", "[a-u]*", ".", ""]).map(N.Const)
AFFIX = st.sampled_from(["", "u"]).map(N.Const)


def strings(world: World) -> st.SearchStrategy[N.Formula]:
    word, affix = leaves(world, "str"), st.sampled_from(["starts_with", "ends_with"])
    return st.one_of(
        st.builds(N.Contains, word, word),
        st.builds(N.Text, affix, word, st.one_of(word, AFFIX)),
        st.builds(N.Text, st.just("matches"), word, REGULAR),
    )


def kinds(world: World) -> st.SearchStrategy[N.Formula]:
    anything = st.one_of(*(leaves(world, kind) for kind in ("str", "num", "list")))
    return st.one_of(
        st.builds(N.Is, anything, st.sampled_from(SORTS)),
        st.builds(N.Distinct, leaves(world, "list")),
    )


@st.composite
def atoms(draw: st.DrawFn, world: World, depth: int = 1) -> N.Formula:
    shape = draw(st.integers(1, 12))
    if shape <= 4 and "second" in world.roles:
        return draw(joins(world))
    if shape <= 8:
        return draw(comparisons(world, depth))
    if shape == 9 and depth:
        item, inner = _fresh(world)
        over = draw(leaves(world, "list"))
        return N.Each(draw(st.sampled_from(["all", "any"])), item, over, draw(data_formulas(inner, 1)))
    if shape == 12:
        return N.Truth(draw(st.booleans()))
    return draw(st.one_of(memberships(world), strings(world), kinds(world)))


def data_formulas(world: World, depth: int = 2) -> st.SearchStrategy[N.Formula]:
    return _connected(atoms(world, 1 if depth > 1 else 0), lambda: data_formulas(world, depth - 1), depth)


@st.composite
def _connected(draw: st.DrawFn, leaf: st.SearchStrategy, inner: Any, depth: int) -> N.Formula:
    if depth == 0 or draw(st.integers(1, 3)) > 1:
        return draw(leaf)
    shape = draw(st.sampled_from(["not", "and", "or", "implies"]))
    if shape == "not":
        return N.Not(draw(inner()))
    left, right = draw(inner()), draw(inner())
    if shape == "implies":
        return N.Implies(left, right)
    return (N.And if shape == "and" else N.Or)((left, right))


# ---------------------------------------------------------------- patterns and temporal formulas


@st.composite
def patterns(draw: st.DrawFn, label: str) -> N.Pattern:
    """A tool, a union, a class or a message; every branch binds the same variables, named after the label."""
    shape = draw(st.integers(1, 10))
    names = [draw(st.sampled_from(NAMES))]
    if shape <= 2:
        names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=3, unique=True))
    elif shape == 3:
        return N.Pattern((N.Branch("user_message", (("text", f"{label}_id"),)),), label)
    bindings: tuple[tuple[str, str], ...] = ()
    if shape == 4:
        names = [draw(st.sampled_from(["@any", "@read", "@write"]))]
    elif draw(st.booleans()):
        bindings = (("id", f"{label}_id"), ("n", f"{label}_n"))[: draw(st.integers(1, 2))]
    return N.Pattern(tuple(N.Branch(n, bindings) for n in names), label, draw(st.integers(1, 8)) == 1)


@st.composite
def predicates(draw: st.DrawFn) -> N.Temporal:
    op = draw(st.sampled_from([N.Before, N.Before, N.After, N.Seq, N.Forall, N.Exists]))
    first, second = draw(patterns("a")), draw(patterns("b"))
    if draw(st.integers(1, 6)) == 1:
        second = replace(first, label="b", branches=tuple(N.Branch(b.name) for b in first.branches))
    variables = {"first": first.branches[0].bindings, "second": second.branches[0].bindings}
    past = () if op in (N.Before, N.Forall) else ("first",)
    alone = World(("first",), variables, past)
    if op in (N.Forall, N.Exists):
        return op(first, draw(data_formulas(alone)))
    both = World(("first", "second"), variables, ("second", *past))
    when = draw(st.one_of(st.just(N.Truth(True)), data_formulas(alone, 1)))
    return op(first, when, second, draw(data_formulas(both)))


def temporal_formulas(depth: int = 2) -> st.SearchStrategy[N.Formula]:
    return _connected(predicates(), lambda: temporal_formulas(depth - 1), depth)


@st.composite
def specifications(draw: st.DrawFn, tools: bool | None = None) -> N.Specification:
    """One to three constraints, over `TOOLS` or (tools=False) over tools nobody described; None is either."""
    formulas = draw(st.lists(temporal_formulas(), min_size=1, max_size=3))
    named = tuple(N.Constraint(f"rule{i}", f) for i, f in enumerate(formulas))
    declared = draw(st.booleans()) if tools is None else tools
    return N.Specification("made", named, TOOLS if declared else None, PROJECTIONS)


@st.composite
def runs(
    draw: st.DrawFn, tools: bool | None = None, max_size: int = 6, failing: bool = True
) -> tuple[N.Specification, tuple[Event, ...]]:
    """A specification and a trace of mostly the tools it speaks of."""
    spec = draw(specifications(tools))
    branches = (node for c in spec.constraints for node in N.walk(c.formula) if isinstance(node, N.Branch))
    named = tuple(sorted({b.name for b in branches if not b.is_class})) or NAMES
    return spec, draw(traces((*named * 3, *NOBODY[:4]), max_size, failing))
