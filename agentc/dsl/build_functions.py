"""Functions of values being written: kinds, lengths, lists; and reading the functions that conditions are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from agentc.dsl import nodes as N
from agentc.dsl.build_formulas import DataExpr, TemporalExpr
from agentc.dsl.build_place import misuse
from agentc.dsl.build_terms import TermExpr
from agentc.dsl.build_traps import Expr

__all__ = [
    "absent", "all_of", "any_of", "condition", "count", "distinct", "is_bool", "is_integer", "is_list",
    "is_null", "is_number", "is_object", "is_string", "length", "named_parameters",
]  # fmt: skip


def _value(value: object, function: str) -> N.Term:
    if not isinstance(value, TermExpr):
        raise misuse(
            f"{function} takes a value that is being written",
            repr(value),
            f"write `{function}(event.argument)`",
        )
    return value._node


def length(value: TermExpr) -> TermExpr:
    """Return the length of a string (code points), list or object; absent of anything else."""
    return TermExpr(N.Len(_value(value, "length")))


def absent(value: TermExpr) -> DataExpr:
    """Whether there is no such value: an argument left out, an entity or a part that doesn't exist."""
    return DataExpr(N.Is(_value(value, "absent"), "missing"))


def is_null(value: TermExpr) -> DataExpr:
    """Whether the value is null (``None``)."""
    return DataExpr(N.Is(_value(value, "is_null"), "null"))


def is_bool(value: TermExpr) -> DataExpr:
    """Whether the value is true or false."""
    return DataExpr(N.Is(_value(value, "is_bool"), "bool"))


def is_number(value: TermExpr) -> DataExpr:
    """Whether the value is a number."""
    return DataExpr(N.Is(_value(value, "is_number"), "num"))


def is_integer(value: TermExpr) -> DataExpr:
    """Whether the value is a whole number; ``1.0`` is one."""
    return DataExpr(N.Is(_value(value, "is_integer"), "int"))


def is_string(value: TermExpr) -> DataExpr:
    """Whether the value is a string."""
    return DataExpr(N.Is(_value(value, "is_string"), "str"))


def is_list(value: TermExpr) -> DataExpr:
    """Whether the value is a list."""
    return DataExpr(N.Is(_value(value, "is_list"), "list"))


def is_object(value: TermExpr) -> DataExpr:
    """Whether the value is an object."""
    return DataExpr(N.Is(_value(value, "is_object"), "dict"))


def distinct(values: TermExpr) -> DataExpr:
    """Whether no two elements of the list are equal."""
    return DataExpr(N.Distinct(_value(values, "distinct")))


Element = Callable[[TermExpr], "DataExpr | bool"]


def all_of(values: TermExpr, where: Element) -> DataExpr:
    """Whether every element of the list satisfies `where`; false of what is no list."""
    return DataExpr(N.Each("all", *_quantified("all_of", values, where)))


def any_of(values: TermExpr, where: Element) -> DataExpr:
    """Whether some element of the list satisfies `where`; false of what is no list."""
    return DataExpr(N.Each("any", *_quantified("any_of", values, where)))


def count(values: TermExpr, where: Element) -> TermExpr:
    """Return how many elements of the list satisfy `where`."""
    return TermExpr(N.Count(*_quantified("count", values, where)))


def _quantified(function: str, values: TermExpr, where: Any) -> tuple[str, N.Term, N.Formula]:
    over = _value(values, function)
    (item,) = named_parameters(where, 1, f"the condition of {function}", "the element: `lambda item: ...`")
    return item, over, condition(where(TermExpr(N.Item(item))), f"the condition of {function}", spoken=True)


def named_parameters(function: object, many: int, what: str, of: str) -> tuple[str, ...]:
    """Return the names of a function's parameters, if it takes exactly `many` plain ones."""
    if not callable(function) or isinstance(function, Expr):
        raise misuse(f"{what} is a function", repr(function), f"a function of {of}")
    parameters = list(inspect.signature(function).parameters.values())
    plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(plain) != many or len(parameters) != many:
        takes = ", ".join(str(p) for p in parameters) or "nothing"
        raise misuse(
            f"{what} takes {many} parameter{'s' * (many != 1)}", f"it takes {takes}", f"a function of {of}"
        )
    return tuple(plain)


def condition(result: object, what: str, spoken: bool) -> N.Formula:
    """Return the formula that a function gave; a plain bool only if it spoke of nothing that could differ."""
    if isinstance(result, DataExpr):
        return result._node
    if isinstance(result, bool) and not spoken:
        return N.Truth(result)
    if isinstance(result, bool):
        hint = "write `is_null(x)` for `x is None`, `is_string(x)` for isinstance, `x == True` for a boolean"
        raise misuse(f"{what} came out as plain {result}, whatever the values are", repr(result), hint)
    if isinstance(result, TemporalExpr):
        raise misuse(
            f"{what} speaks of time",
            repr(result),
            "join predicates with `&`, `|`, `~` or Implies, outside of them",
        )
    if isinstance(result, TermExpr):
        raise misuse(f"{what} is a value, not a formula", repr(result), "compare it: `... == True`")
    if result is None:
        raise misuse(f"{what} returned nothing", "None", "return the formula")
    raise misuse(f"{what} isn't a formula", repr(result), "compare the events' arguments")
