"""The checker's view of data formulas: comparisons that can't hold, guards, lists, time out of place."""

from __future__ import annotations

from dataclasses import replace

from agentc.dsl import nodes as N
from agentc.dsl.check_scope import Scope
from agentc.dsl.check_terms import type_of
from agentc.dsl.clash import clash
from agentc.dsl.constants import is_name
from agentc.dsl.guards import Facts, joined, proven
from agentc.dsl.regex import parse_regex
from agentc.dsl.types import ANYTHING, Type, constant_type, describe
from agentc.errors import SpecificationError, shorten
from agentc.tools.types import NUMBERS

__all__ = ["check_data", "check_elements"]


def check_data(formula: N.Formula, scope: Scope) -> None:
    """Report what is wrong with a data formula.

    Notes
    -----
    Within ``a & b`` each part is read where the other is true, within ``a | b`` where the other is false:
    that is what makes a guard of a part (see `guards`).
    """
    match formula:
        case N.Truth():
            return
        case N.Not(arg):
            check_data(arg, scope)
        case N.And(args):
            _check_all(args, scope, joined(proven(a, True) for a in args))
        case N.Or(args):
            _check_all(args, scope, joined(proven(a, False) for a in args))
        case N.Implies(left, right):
            _check_all((left, right), scope, joined((proven(left, True), proven(right, False))))
        case N.Before() | N.After() | N.Seq() | N.Forall() | N.Exists():
            what = f"{type(formula).__name__} speaks of time and can't stand in a condition"
            scope.problem(what, formula, "join predicates with `&`, `|`, `~` or Implies, outside of them")
        case _:
            _check_atom(formula, scope)


def _check_all(args: tuple[N.Formula, ...], scope: Scope, facts: Facts) -> None:
    inner = replace(scope, facts=joined((scope.facts, facts))) if facts else scope
    for arg in args:
        check_data(arg, inner)


def _check_atom(formula: N.Formula, scope: Scope) -> None:
    match formula:
        case N.Compare(op):
            (_check_equality if op in ("==", "!=") else _check_order)(formula, scope)
        case N.In():
            _check_in(formula, scope)
        case N.Contains():
            _check_contains(formula, scope)
        case N.Text():
            _check_text(formula, scope)
        case N.Is(term):
            type_of(term, replace(scope, demanding=False))
        case N.Each():
            check_elements(formula, scope)
        case N.Distinct(term):
            _list_of(term, scope, "distinct")
        case _:
            scope.problem("a formula is expected here, this is a value", formula, "compare it: `... == true`")


# ---------------------------------------------------------------- comparisons


def _check_equality(formula: N.Compare, scope: Scope) -> None:
    reason = clash(type_of(formula.left, scope), type_of(formula.right, scope))
    if reason:
        never = "this is never true" if formula.op == "==" else "this is always true"
        scope.problem(f"{never}: {reason[0]}", formula, reason[1])


def _check_order(formula: N.Compare, scope: Scope) -> None:
    left, right = type_of(formula.left, scope), type_of(formula.right, scope)
    numbers = left.kinds & NUMBERS and right.kinds & NUMBERS
    if not numbers and "str" not in left.kinds & right.kinds:
        sides = f"{describe(left.kinds)} and {describe(right.kinds)}"
        what = f"this is never true: `{formula.op}` orders numbers or strings, not {sides}"
        scope.problem(what, formula, "compare two numbers or two strings")


def _check_in(formula: N.In, scope: Scope) -> None:
    term, options = type_of(formula.term, scope), type_of(formula.options, scope)
    if "list" not in options.kinds:
        hint = (
            "for part of a string write `contains(string, part)`"
            if options.kinds == {"str"}
            else "write `x in [a, b]`"
        )
        scope.problem(f"`in` needs a list, and this is {describe(options.kinds)}", formula, hint)
    elif isinstance(formula.options, N.Const):
        _check_options(formula, term, formula.options.value, scope)
    else:
        _report_never(formula, clash(term, options.elements), scope)


def _check_options(formula: N.In, term: Type, options: tuple[object, ...], scope: Scope) -> None:
    if not options:
        scope.problem("this is never true: the list is empty", formula, "list the values that are meant")
    for option in options:
        _report_never(formula, clash(term, constant_type(option)), scope)


def _report_never(formula: N.Formula, reason: tuple[str, str] | None, scope: Scope) -> None:
    if reason:
        scope.problem(f"an element can never be equal: {reason[0]}", formula, reason[1])


def _check_contains(formula: N.Contains, scope: Scope) -> None:
    whole, part = type_of(formula.whole, scope), type_of(formula.part, scope)
    if not whole.kinds & {"str", "list"}:
        what = f"only a string or a list contains something, and this is {describe(whole.kinds)}"
        scope.problem(what, formula, "the whole comes first: `contains(whole, part)`")
    elif "str" not in whole.kinds & part.kinds:
        in_list = clash(whole.elements, part) if "list" in whole.kinds else None
        if in_list:
            _report_never(formula, in_list, scope)
        elif "list" not in whole.kinds:
            what = f"this is never true: a string contains strings, not {describe(part.kinds)}"
            scope.problem(what, formula, "write the part as a string")


def _check_text(formula: N.Text, scope: Scope) -> None:
    for side in (formula.term, formula.other):
        found = type_of(side, scope)
        if "str" not in found.kinds:
            scope.problem(
                f"{formula.op} needs strings, and this is {describe(found.kinds)}",
                formula,
                "give it two strings",
            )
            return
    if formula.op == "matches":
        _check_regex(formula, scope)


def _check_regex(formula: N.Text, scope: Scope) -> None:
    if not isinstance(formula.other, N.Const):
        scope.problem(
            "matches needs a constant expression", formula, "write the regular expression as a string"
        )
        return
    try:
        parse_regex(formula.other.value)
    except SpecificationError as error:
        scope.problem(f"{error.what} ({error.where})" if error.where else error.what, formula, error.hint)


# ---------------------------------------------------------------- lists


def check_elements(node: N.Each | N.Count, scope: Scope) -> None:
    """Report what is wrong with ``all``, ``any`` or ``count``: list, element's name, condition."""
    over = _list_of(node.over, scope, node.op if isinstance(node, N.Each) else "count")
    labels = {p.label for p in scope.patterns.values()}
    variables = {v for p in scope.patterns.values() for b in p.branches for _, v in b.bindings}
    if node.item in labels | variables | set(scope.items) or not is_name(node.item):
        what = f"`{shorten(node.item)}` can't name an element: it is taken, or no name"
        scope.problem(what, node, "give the element a name of its own")
    of_argument = any(isinstance(t, (N.Arg, N.Var)) for t in N.walk(node.over)) or any(
        isinstance(t, N.Item) and scope.items.get(t.name, (ANYTHING, False))[1] for t in N.walk(node.over)
    )
    items = {**scope.items, node.item: (over.elements if over is not ANYTHING else ANYTHING, of_argument)}
    check_data(node.where, replace(scope, items=items))


def _list_of(term: N.Term, scope: Scope, word: str) -> Type:
    found = type_of(term, scope)
    if "list" in found.kinds:
        return found
    scope.problem(f"{word} needs a list, and this is {describe(found.kinds)}", term, "give it a list")
    return ANYTHING
