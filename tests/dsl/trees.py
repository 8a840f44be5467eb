"""Trees of every shape the text form can say, with hostile names and strings, whatever they mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from agentc.dsl import nodes as N
from agentc.dsl.constants import Record, constant, is_name

__all__ = ["constants", "formulas", "odd_text", "specifications"]

HOSTILE = [
    "",
    "state",
    "True",
    "in",
    "as",
    "Before",
    "len",
    "attempted",
    "@read",
    "order_id",
    "a b",
    'say "hi"',
    "\\u{41}",
    "\\",
    "\\n",
    "\n",
    "\t\x00\x1f\x7f",
    "# no comment",
    "constraint x: True",
    "</script><b onmouseover=x>",
    "$\\frac{1}{2}$",
    "\u202eevil\u2066",
    "é",
    "\N{GRINNING FACE}",
    "\u2028",
    "\ufeff",
    "&amp;",
    "{a | b}",
    "x" * 90,
]
odd_text = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(["order_id", "amount", "items"]),
)
identifiers = st.sampled_from(["x", "y1", "order", "_", "été", "count", "output", "state", "Before", "π"])
tool_names = st.one_of(st.sampled_from(["open", "read", "len", "attempted", "user_message"]), odd_text)
classes = st.sampled_from(["@read", "@write", "@any"])

# ---------------------------------------------------------------- constants

numbers = st.one_of(
    st.integers(-3, 12),
    st.integers(-(10**390), 10**390),
    st.builds(
        lambda n, p, q: Fraction(n, 2**p * 5**q),
        st.integers(-999, 999),
        st.integers(0, 40),
        st.integers(0, 40),
    ),
)
constants: st.SearchStrategy[Any] = st.recursive(
    st.one_of(numbers, odd_text, st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(odd_text, inner, max_size=3).map(Record)
    ),
    max_leaves=6,
).map(constant)
paths = st.lists(st.one_of(odd_text, st.integers(0, 10**6)), max_size=3).map(tuple)

# ---------------------------------------------------------------- data formulas


@dataclass(frozen=True)
class World:
    """What may be spoken of: events that have a label, variables, events whose output is known, elements."""

    labels: tuple[N.Role, ...] = ()
    variables: tuple[N.Var, ...] = ()
    outputs: tuple[N.Role, ...] = ()
    items: tuple[str, ...] = ()
    bare: bool = False

    def own(self, role: N.Role) -> World:
        variables = tuple(v for v in self.variables if v.role == role)
        return World(tuple(r for r in self.labels if r == role), variables, (), self.items, self.bare)


@st.composite
def leaves(draw: st.DrawFn, world: World) -> N.Term:
    options: list[Any] = [st.builds(N.Const, constants)]
    if world.labels:
        options.append(st.builds(N.Arg, st.sampled_from(world.labels), odd_text, paths))
    if world.variables:
        chosen = st.sampled_from(world.variables)
        options.append(st.builds(lambda v, p: replace(v, path=p), chosen, paths))
    if world.outputs:
        options.append(st.builds(N.Output, st.sampled_from(world.outputs), paths))
    if world.items:
        options.append(st.builds(N.Item, st.sampled_from(world.items), paths))
    return draw(st.one_of(options))


@st.composite
def terms(draw: st.DrawFn, world: World, depth: int) -> N.Term:
    shape = draw(st.sampled_from(["leaf", "leaf", "arith", "len", "count", "state"])) if depth > 0 else "leaf"
    if shape == "arith":
        op = draw(st.sampled_from(["+", "-", "*"]))
        return N.Arith(op, draw(terms(world, depth - 1)), draw(terms(world, depth - 1)))
    if shape == "len":
        return N.Len(draw(terms(world, depth - 1)))
    if shape == "count":
        return N.Count(*draw(elements(world, depth - 1)))
    roles = ("first",) if world.bare else world.labels
    if shape == "state" and roles:
        role = draw(st.sampled_from(roles))
        args = draw(st.lists(terms(world.own(role), depth - 1), max_size=2))
        return N.State(role, draw(odd_text), tuple(args), draw(paths))
    return draw(leaves(world))


@st.composite
def elements(draw: st.DrawFn, world: World, depth: int) -> tuple[str, N.Term, N.Formula]:
    item = f"i{len(world.items)}"
    inner = replace(world, items=(*world.items, item))
    return item, draw(terms(world, depth)), draw(data_formulas(inner, depth))


@st.composite
def atoms(draw: st.DrawFn, world: World, depth: int) -> N.Formula:
    term = terms(world, depth)
    texts, sorts = (
        st.sampled_from(["starts_with", "ends_with", "matches"]),
        st.sampled_from(["missing", "null", "bool", "num", "int", "str", "list", "dict"]),
    )
    if depth > 0 and draw(st.integers(1, 6)) == 1:
        return N.Each(draw(st.sampled_from(["all", "any"])), *draw(elements(world, depth - 1)))
    return draw(
        st.one_of(
            st.builds(N.Compare, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), term, term),
            st.builds(N.In, term, term),
            st.builds(N.Contains, term, term),
            st.builds(N.Text, texts, term, term),
            st.builds(N.Is, term, sorts),
            st.builds(N.Distinct, term),
            st.builds(N.Truth, st.booleans()),
        )
    )


@st.composite
def connected(draw: st.DrawFn, leaf: Any, inner: Any, depth: int) -> N.Formula:
    shape = draw(st.sampled_from(["leaf", "leaf", "not", "and", "or", "implies"])) if depth else "leaf"
    if shape == "leaf":
        return draw(leaf)
    args = tuple(draw(inner()) for _ in range(draw(st.sampled_from([2, 2, 3]))))
    if shape == "not":
        return N.Not(args[0])
    if shape == "implies":
        return N.Implies(*args[:2])
    return N.And(args) if shape == "and" else N.Or(args)


def data_formulas(world: World, depth: int = 2) -> st.SearchStrategy[N.Formula]:
    return connected(atoms(world, depth), lambda: data_formulas(world, depth - 1), depth)


# ---------------------------------------------------------------- patterns and temporal formulas


@st.composite
def patterns(draw: st.DrawFn, prefix: str) -> N.Pattern:
    """Variables and labels begin with `prefix`, so that the two patterns of a predicate share none."""
    branches = []
    for _ in range(draw(st.sampled_from([1, 1, 2, 3]))):
        names = draw(st.lists(odd_text, max_size=2, unique=True))
        variables = draw(st.lists(identifiers, min_size=len(names), max_size=len(names), unique=True))
        name = draw(st.one_of(tool_names, classes))
        branches.append(
            N.Branch(name, tuple((a, f"{prefix}{v}") for a, v in zip(names, variables, strict=True)))
        )
    label = draw(st.sampled_from(["", f"{prefix}event", f"{prefix}état"]))
    return N.Pattern(tuple(branches), label, draw(st.booleans()))


def variables(pattern: N.Pattern, role: N.Role) -> tuple[N.Var, ...]:
    return tuple(N.Var(role, v) for b in pattern.branches for _, v in b.bindings)


@st.composite
def predicates(draw: st.DrawFn) -> N.Temporal:
    op = draw(st.sampled_from([N.Before, N.After, N.Seq, N.Forall, N.Exists]))
    first, second = draw(patterns("a")), draw(patterns("b"))
    known: tuple[N.Role, ...] = () if op in (N.Before, N.Forall) else ("first",)
    one: tuple[N.Role, ...] = ("first",) if first.label else ()
    two: tuple[N.Role, ...] = ("second",) if second.label else ()
    alone = World(one, variables(first, "first"), tuple(r for r in known if r in one), bare=not one)
    if op in (N.Forall, N.Exists):
        return op(first, draw(data_formulas(alone, draw(st.sampled_from([1, 1, 2])))))
    outputs = tuple(r for r in (*known, "second") if r in (*one, *two))
    both = World((*one, *two), (*alone.variables, *variables(second, "second")), outputs, bare=not one)
    when = draw(st.one_of(st.builds(N.Truth, st.booleans()), data_formulas(alone, 1)))
    return op(first, when, second, draw(data_formulas(both, draw(st.sampled_from([1, 1, 2])))))


def formulas(depth: int = 1) -> st.SearchStrategy[N.Formula]:
    leaf = st.one_of(predicates(), predicates(), st.builds(N.Truth, st.booleans()))
    return connected(leaf, lambda: formulas(depth - 1), depth)


@st.composite
def specifications(draw: st.DrawFn) -> N.Specification:
    names = draw(st.lists(st.one_of(odd_text, st.sampled_from(["a", "b", "tool"])), max_size=2, unique=True))
    constraints = tuple(N.Constraint(n, draw(formulas()), draw(odd_text)) for n in names)
    name = draw(odd_text)
    title = draw(odd_text) if name else ""
    return N.Specification(name, constraints, domain=draw(odd_text), title=title)


assert not is_name("in") and is_name("count")
