"""The `calculate` tool without `eval`: the text is parsed, and only numbers and + - * / are worked out."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

__all__ = ["calculate"]

_LONGEST = 1000
_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[float], float]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def calculate(expression: str) -> str:
    """Return the value of an arithmetic expression, rounded to two places, as tau2's own tool writes it.

    Raises
    ------
    ValueError
        If it is not an expression over numbers, ``+ - * /`` and parentheses, or too long. tau2's tool
        evaluates the text as Python, so that ``9**9**9**9`` keeps it busy for ever; here ``**`` is refused,
        and so is ``//``.

    Examples
    --------
    >>> calculate("2 * ((350 - 122) + (499 - 127))")
    '1200.0'
    """
    if not isinstance(expression, str) or len(expression) > _LONGEST:
        raise ValueError("Invalid expression")
    if not all(char in "0123456789+-*/(). " for char in expression):
        raise ValueError("Invalid characters in expression")
    try:
        return str(round(float(_value(ast.parse(expression.strip(), mode="eval").body)), 2))
    except (SyntaxError, MemoryError, RecursionError, OverflowError) as problem:
        raise ValueError("Invalid expression") from problem


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.BinOp(left, op, right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left), _value(right))
        case ast.UnaryOp(op, operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(operand))
    raise ValueError("Invalid expression")
