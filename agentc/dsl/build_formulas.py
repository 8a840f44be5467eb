"""Formulas being written: data formulas and temporal formulas, joined by ``& | ~`` and Implies."""

from __future__ import annotations

from typing import NoReturn, Self, TypeVar

from agentc.dsl import nodes as N
from agentc.dsl.build_place import misuse
from agentc.dsl.build_traps import Expr
from agentc.dsl.check_scope import Declared

__all__ = ["DataExpr", "FormulaExpr", "Implies", "TemporalExpr"]

_PRECEDENCE = "`&`, `|` and `~` bind tighter than comparisons: write `(a.x == 1) & (b.y == 2)`"


class FormulaExpr(Expr):
    """A formula being written."""

    __slots__ = ()
    _node: N.Formula

    @property
    def node(self) -> N.Formula:
        """The formula as plain data."""
        return self._node

    def _with(self, node: N.Formula, other: FormulaExpr | None = None) -> Self:
        return type(self)(node)

    def _operand(self, other: object) -> FormulaExpr:
        if isinstance(other, bool):
            return self._with(N.Truth(other))
        if isinstance(other, FormulaExpr) and isinstance(other, DataExpr) == isinstance(self, DataExpr):
            return other
        if isinstance(other, FormulaExpr):
            hint = "conditions go into a predicate's when= and where=; predicates are joined outside of them"
            raise misuse("a condition on data and a formula about time can't be joined", repr(other), hint)
        raise misuse("only formulas can be joined by `&` and `|`", repr(other), _PRECEDENCE)

    def __and__(self, other: object) -> Self:
        right = self._operand(other)
        return self._with(N.And(_parts(N.And, self._node) + _parts(N.And, right._node)), right)

    def __or__(self, other: object) -> Self:
        right = self._operand(other)
        return self._with(N.Or(_parts(N.Or, self._node) + _parts(N.Or, right._node)), right)

    def __rand__(self, other: object) -> Self:
        left = self._operand(other)
        return self._with(N.And(_parts(N.And, left._node) + _parts(N.And, self._node)))

    def __ror__(self, other: object) -> Self:
        left = self._operand(other)
        return self._with(N.Or(_parts(N.Or, left._node) + _parts(N.Or, self._node)))

    def __invert__(self) -> Self:
        return self._with(N.Not(self._node))

    def _compared(self, other: object) -> NoReturn:
        hint = f'for "if and only if" join two Implies; {_PRECEDENCE}'
        raise misuse("formulas can't be compared", self._shown(), hint)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared
    __hash__ = Expr.__hash__


def _parts(kind: type[N.And] | type[N.Or], node: N.Formula) -> tuple[N.Formula, ...]:
    return node.args if isinstance(node, kind) else (node,)


class DataExpr(FormulaExpr):
    """A condition on one or two events, being written."""

    __slots__ = ()
    _what = "a condition"


class TemporalExpr(FormulaExpr):
    """A formula about time: predicates and their connectives."""

    __slots__ = ("_declared",)
    _what = "a formula"

    def __init__(self, node: N.Formula, declared: Declared | None = None) -> None:
        super().__init__(node)
        self._declared = declared

    def _repr_html_(self) -> str:
        from agentc.dsl.html import to_html

        return to_html(self._node)

    def _repr_latex_(self) -> str:
        from agentc.dsl.latex import to_latex

        return rf"$\displaystyle {to_latex(self._node)}$"

    def _with(self, node: N.Formula, other: FormulaExpr | None = None) -> Self:
        known = self._declared or getattr(other, "_declared", None)
        return TemporalExpr(node, known)  # type: ignore[return-value]

    def __str__(self) -> str:
        return self._shown()

    def __format__(self, spec: str) -> str:
        return format(self._shown(), spec)


AnyFormula = TypeVar("AnyFormula", DataExpr, TemporalExpr)


def Implies(left: AnyFormula, right: AnyFormula) -> AnyFormula:
    """Return the formula that `right` holds where `left` does; both about data, or both about time.

    >>> from agentc.dsl.build import Exists, Tools
    >>> t = Tools()
    >>> Implies(Exists(t.open), Exists(t.close)).node.left.first.branches[0].name
    'open'
    """
    if not isinstance(left, FormulaExpr):
        raise misuse("Implies takes two formulas", repr(left), _PRECEDENCE)
    other = left._operand(right)
    return left._with(N.Implies(left._node, other._node), other)
