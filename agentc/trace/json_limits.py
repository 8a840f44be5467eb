"""The limits that reading and writing JSON text share, and the checks of numbers that keep them."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final, NoReturn

from agentc.trace.values import MAX_DEPTH, MAX_EXPONENT

__all__ = [
    "MAX_DIGITS", "MAX_STRING", "ROUND", "SHORTEN", "SURROGATE", "TOO_DEEP", "TOO_LONG", "TOO_MANY_DIGITS",
    "RefusedError", "check_digits", "in_range", "not_finite",
]  # fmt: skip

MAX_STRING: Final = 1 << 20
"""Longest string, in characters as written: an escape counts whole, the quotes don't count."""

MAX_DIGITS: Final = 600
"""Longest number, in characters as written; Python itself can be set to refuse integers of 641 digits."""

TOO_DEEP: Final = f"a value must not nest deeper than {MAX_DEPTH} levels"
TOO_LONG: Final = f"a string may have at most {MAX_STRING:,} characters"
TOO_MANY_DIGITS: Final = f"a number may have at most {MAX_DIGITS} digits"
SURROGATE: Final = "a lone surrogate is not a character"
SHORTEN: Final = "shorten it, or keep it in a file of its own"
ROUND: Final = "round it, or write it as a string"


class RefusedError(Exception):
    """Raised where it is known what is wrong with a value, but not where the value stands."""

    def __init__(self, what: str, found: str, hint: str) -> None:
        super().__init__(what)
        self.what, self.found, self.hint = what, found, hint


def check_digits(text: str) -> None:
    if len(text) > MAX_DIGITS:
        raise RefusedError(TOO_MANY_DIGITS, text, ROUND)


def in_range(text: str) -> Decimal:
    """Return the number written, if its exponent stays within the limit."""
    try:
        number = Decimal(text)
        if abs(number.adjusted()) <= MAX_EXPONENT:
            return number
    except InvalidOperation:  # an exponent of twenty digits or more
        pass
    raise RefusedError(f"a number's exponent must stay within ±{MAX_EXPONENT}", text, "scale it")


def not_finite(text: str) -> NoReturn:
    hint = "JSON has no NaN or Infinity; leave it out or use null"
    raise RefusedError("a number must be finite", text, hint)
