"""Constraints and specifications, written in Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agentc.dsl import nodes as N
from agentc.dsl.build_formulas import DataExpr, TemporalExpr
from agentc.dsl.build_patterns import Tools, merged
from agentc.dsl.build_place import misuse, place_of
from agentc.dsl.build_traps import Expr
from agentc.dsl.check import check
from agentc.dsl.check_scope import Declared
from agentc.tools.signature import Projection

__all__ = ["ConstraintExpr", "constraint", "specification"]


class ConstraintExpr(TemporalExpr):
    """A named formula with the sentence of the policy it formalises."""

    __slots__ = ("constraint",)

    def __init__(self, constraint: N.Constraint, declared: Declared | None) -> None:
        super().__init__(constraint.formula, declared)
        self.constraint = constraint

    def __repr__(self) -> str:
        from agentc.dsl.show_text import to_text

        return to_text(self.constraint)


def constraint(function: Callable[[], TemporalExpr]) -> ConstraintExpr:
    """Make a constraint of a function: its name, its docstring as the policy's sentence, its place.

    Raises
    ------
    SpecificationError
        If it takes parameters, or doesn't return a formula about time.

    Examples
    --------
    >>> from agentc.dsl.build import After, Tools
    >>> t = Tools()
    >>> @constraint
    ... def closed():
    ...     "Close what you open."
    ...     return After(t.open, t.close, where=lambda o, c: o.file == c.file)
    >>> closed.constraint.name, closed.constraint.sentence
    ('closed', 'Close what you open.')
    """
    if isinstance(function, Expr) or not inspect.isfunction(function):
        raise misuse(
            "@constraint stands before a function",
            repr(function),
            "write `@constraint`, then `def name(): return ...`",
        )
    if inspect.signature(function).parameters:
        raise misuse(
            "a constraint's function takes no parameters", function.__name__, "write `def name(): ...`"
        )
    result = function()
    if isinstance(result, DataExpr):
        raise misuse(
            "a constraint says something about time",
            repr(result),
            "put the condition into Forall(t.tool, ...)",
        )
    if not isinstance(result, TemporalExpr):
        hint = (
            "return the formula"
            if result is None
            else "return a formula made of Before, After, Seq, Forall, Exists"
        )
        raise misuse(
            "a constraint's function returns a formula", f"{function.__name__} returned {result!r}", hint
        )
    sentence = " ".join((inspect.getdoc(function) or "").split())
    named = N.Constraint(function.__name__, result._node, sentence, place_of(function.__code__))
    return ConstraintExpr(named, result._declared)


def specification(
    name: str,
    constraints: Iterable[ConstraintExpr | N.Constraint],
    *,
    tools: Any = None,
    projections: Mapping[str, Projection] | None = None,
    domain: str = "",
    title: str = "",
) -> N.Specification:
    """Return a specification, checked.

    Parameters
    ----------
    name : str
    constraints : iterable of constraints
        What `@constraint` made, or `nodes.Constraint`.
    tools : Tools, ToolSet or a domain, optional
        By default the tools that the constraints were written with.
    projections : Mapping[str, Projection], optional
        By default those that came with the tools.
    domain, title : str, optional

    Raises
    ------
    SpecificationError
        As in `agentc.dsl.check.check`.

    Examples
    --------
    >>> from agentc.dsl.build import After, Tools
    >>> t = Tools()
    >>> @constraint
    ... def closed():
    ...     return After(t.open, t.close, where=lambda o, c: o.file == c.file)
    >>> specification("files", [closed])["closed"].name
    'closed'
    """
    known = _given(tools, projections)
    if isinstance(constraints, Expr) or not isinstance(constraints, Iterable):
        raise misuse(
            "a specification is made of named constraints", repr(constraints), "give it a list of them"
        )
    named: list[N.Constraint] = []
    for one in constraints:
        named.append(_named(one))
        known = known if tools is not None else merged(known, getattr(one, "_declared", None))
    known = known or Declared()
    spec = N.Specification(name, tuple(named), known.tools, known.projections, domain, title)
    check(spec)
    return spec


def _named(one: object) -> N.Constraint:
    if isinstance(one, N.Constraint):
        return one
    if isinstance(one, ConstraintExpr):
        return one.constraint
    hint = "name it: `@constraint` before a function that returns it"
    raise misuse("a specification is made of named constraints", repr(one), hint)


def _given(tools: Any, projections: Mapping[str, Projection] | None) -> Declared | None:
    if tools is None:
        return None
    whole = tools if isinstance(tools, Tools) and projections is None else Tools(tools, projections)
    return whole._declared
