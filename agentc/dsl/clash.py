"""Why two terms can never be equal, as far as their types tell."""

from __future__ import annotations

from typing import Final

from agentc.dsl.constants import write_constant
from agentc.dsl.types import Type, describe
from agentc.errors import AgentcError, closest, shorten
from agentc.tools.accepts import complaint
from agentc.tools.types import NUMBERS
from agentc.trace.values import JSON

__all__ = ["clash"]

_NUMERALS: Final = frozenset("0123456789.-")


def clash(left: Type, right: Type) -> tuple[str, str] | None:
    """Return why two terms can never be equal, and a hint; None if they can.

    >>> status, typo = Type(({"enum": ["pending", "delivered"]},)), Type(({"const": "pendng"},))
    >>> clash(status, typo)
    ('it is never "pendng"', 'did you mean `pending`?')
    """
    if not left.schemas or not right.schemas:
        return None
    if not left.meets(right):
        return f"{describe(left.kinds)} never equals {describe(right.kinds)}", _unquoted(left, right)
    if left.shares(right):
        return None
    if all(t.values is not None and len(t.values) > 1 for t in (left, right)):
        return "the two have no value in common", f"one is in {_listed(left)}, the other in {_listed(right)}"
    one, other = (left, right) if left.values is not None and len(left.values) == 1 else (right, left)
    value = (one.values or [None])[0]
    listed = [v for v in other.values or () if isinstance(v, str)]
    hint = closest(value, listed) if isinstance(value, str) and listed else complaint(other.schemas[0], value)
    return f"it is never {_said(value)}", hint or ""


def _listed(found: Type) -> str:
    return f"[{shorten(', '.join(map(_said, found.values or [])))}]"


def _said(value: JSON) -> str:
    try:
        return shorten(write_constant(value))
    except AgentcError:  # a lone surrogate, a third
        return shorten(repr(value))


def _unquoted(left: Type, right: Type) -> str:
    """Say that a number stands in quotes, where that is the mistake."""
    for text, number in ((left, right), (right, left)):
        value = text.values[0] if text.values else None
        if isinstance(value, str) and value and set(value) <= _NUMERALS and number.kinds & NUMBERS:
            return f"write {value} without quotes"
    return "compare values of one kind"
