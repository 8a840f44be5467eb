"""Builder to tree to text to tree is the identity, on random formulas written through the builder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from inspect import Parameter, Signature
from typing import Any

from hypothesis import HealthCheck, assume, given, settings

from agentc.dsl import build
from agentc.dsl import nodes as N
from agentc.dsl.build_functions import is_bool
from agentc.dsl.build_terms import TermExpr
from agentc.dsl.check import check_formula
from agentc.dsl.parse import parse_formula
from agentc.dsl.show_text import to_text
from agentc.errors import SpecificationError
from tests.strategies import temporal_formulas

t = build.Tools()
KINDS: dict[str, Callable[[TermExpr], Any]] = {
    "missing": build.absent, "null": build.is_null, "bool": is_bool, "num": build.is_number,
    "int": build.is_integer, "str": build.is_string, "list": build.is_list, "dict": build.is_object,
}  # fmt: skip
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "+": lambda a, b: a + b, "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}  # fmt: skip


def function(names: list[str], body: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose parameters have these names, as a person would write it."""

    def call(*given: Any) -> Any:
        return body(*given)

    call.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in names])
    return call


# ---------------------------------------------------------------- what the builder would write


def written(node: Any, root: bool = True) -> Any:
    """The tree as the builder makes it: `&` and `|` flat, a plain truth only as a whole condition."""
    if isinstance(node, N.Truth) and not root:
        known = N.Is(N.Const(1), "num")
        return known if node.value else N.Not(known)
    if isinstance(node, (N.And, N.Or)):
        args = [written(a, False) for a in node.args]
        flat = [part for a in args for part in (a.args if type(a) is type(node) else (a,))]
        return type(node)(tuple(flat))
    if isinstance(node, N.Temporal):
        conditions = {c: written(getattr(node, c)) for c in ("when", "where") if hasattr(node, c)}
        return replace(node, **conditions)
    inner = {f.name: getattr(node, f.name) for f in fields(node)} if is_dataclass(node) else {}
    return replace(node, **{k: written(v, False) for k, v in inner.items() if is_dataclass(v)})


# ---------------------------------------------------------------- writing it


def term(node: N.Term, events: dict[str, Any]) -> Any:
    match node:
        case N.Const(value):
            return build.value(value)
        case N.Arg(role, name, path) | N.Var(role, name, path):
            return inside(events[role][name], path)
        case N.Output(role, path):
            return inside(build.output(events[role]), path)
        case N.State(role, name, args, path):
            return inside(events[role].state[name](*(term(a, events) for a in args)), path)
        case N.Item(name, path):
            return inside(events[name], path)
        case N.Arith(op, left, right):
            return OPERATORS[op](term(left, events), term(right, events))
        case N.Len(of):
            return build.length(term(of, events))
        case N.Count(item, over, where):
            return build.count(term(over, events), element(item, where, events))
    raise AssertionError(node)


def inside(value: Any, path: N.Path) -> Any:
    for step in path:
        value = value[step]
    return value


def element(item: str, where: N.Formula, events: dict[str, Any]) -> Callable[..., Any]:
    return function([item], lambda value: data(where, {**events, item: value}))


def data(node: N.Formula, events: dict[str, Any]) -> Any:
    match node:
        case N.Truth(value):
            return value
        case N.Compare(op, left, right):
            return OPERATORS[op](term(left, events), term(right, events))
        case N.In(of, options):
            return term(of, events).is_in(term(options, events))
        case N.Contains(whole, part):
            return term(whole, events).contains(term(part, events))
        case N.Text(op, of, other):
            return getattr(term(of, events), op)(term(other, events))
        case N.Is(of, sort):
            return KINDS[sort](term(of, events))
        case N.Each(op, item, over, where):
            quantify = build.all_of if op == "all" else build.any_of
            return quantify(term(over, events), element(item, where, events))
        case N.Distinct(of):
            return build.distinct(term(of, events))
    return joined(node, lambda part: data(part, events))


def joined(node: N.Formula, inner: Callable[[N.Formula], Any]) -> Any:
    match node:
        case N.Not(arg):
            return ~inner(arg)
        case N.Implies(left, right):
            return build.Implies(inner(left), inner(right))
    parts = [inner(a) for a in node.args]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole & part if isinstance(node, N.And) else whole | part
    return whole


def pattern(node: N.Pattern) -> Any:
    alternatives = [t[b.name].bind(**{v: a for a, v in b.bindings}) for b in node.branches]
    whole = alternatives[0]
    for other in alternatives[1:]:
        whole = whole | other
    return build.attempted(whole) if node.attempted else whole


def temporal(node: N.Formula) -> Any:
    if isinstance(node, (N.Forall, N.Exists)):
        where = function([node.first.label], lambda e: data(node.where, {"first": e}))
        return getattr(build, type(node).__name__)(pattern(node.first), where)
    if isinstance(node, (N.Before, N.After, N.Seq)):
        names = [node.first.label, node.second.label]
        when = function(names[:1], lambda e: data(node.when, {"first": e}))
        where = function(names, lambda e, f: data(node.where, {"first": e, "second": f}))
        return getattr(build, type(node).__name__)(
            pattern(node.first), pattern(node.second), when=when, where=where
        )
    return joined(node, temporal)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
@given(temporal_formulas())
def test_builder_to_text_to_tree_is_the_identity(formula):
    expected = written(formula)
    try:
        check_formula(expected)
    except SpecificationError:
        assume(False)
    made = temporal(expected)
    assert made.node == expected
    assert parse_formula(to_text(made.node)) == made.node
