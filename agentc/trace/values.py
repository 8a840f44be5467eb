"""JSON values with exact numbers: the one reading of equality that every other file starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from agentc.errors import BudgetError, TraceError, shorten

__all__ = [
    "JSON",
    "MAX_DEPTH",
    "MAX_EXPONENT",
    "MISSING",
    "Missing",
    "Key",
    "at_path",
    "detach",
    "exact",
    "freeze",
]

JSON = Any
"""None, bool, int, float, Decimal, Fraction, str, list (or tuple) and dict with string keys."""

Key = tuple[Any, ...]
"""A hashable, tagged form of a JSON value: equal keys are equal values."""

MAX_DEPTH: Final = 64
MAX_EXPONENT: Final = 400
MAX_BITS: Final = 4_000


class Missing:
    """The absent value: equal to nothing by the language's `==`, not even to itself."""

    _instance: Missing | None = None

    def __new__(cls) -> Missing:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()


def exact(number: int | float | Decimal | Fraction) -> int | Fraction:
    """Return the number as written: a float stands for its shortest decimal, integral values become int.

    >>> exact(0.1) + exact(0.2) == exact(0.3), exact(1.0)
    (True, 1)
    """
    if isinstance(number, int):
        return _written_out(number)
    if isinstance(number, Fraction):
        _written_out(number.denominator)
        numerator = _written_out(number.numerator)
        return numerator if number.denominator == 1 else number
    decimal = number if isinstance(number, Decimal) else Decimal(repr(float(number)))
    if not decimal.is_finite():
        raise TraceError(
            "a number must be finite",
            found=str(number),
            hint="JSON has no NaN or Infinity; leave it out or use null",
        )
    if abs(decimal.adjusted()) > MAX_EXPONENT:
        raise BudgetError(
            f"a number's exponent must stay within ±{MAX_EXPONENT}",
            found=shorten(str(number)),
            hint="scale it",
        )
    value = Fraction(decimal)
    return value.numerator if value.denominator == 1 else value


def _written_out(number: int) -> int:
    """Return the integer if Python will still write it as text, which is how the solver is told it."""
    if number.bit_length() > MAX_BITS:
        raise BudgetError(
            f"an integer may have at most {MAX_BITS:,} bits",
            found=f"one of {number.bit_length():,} bits",
            hint="write it as a string",
        )
    return number


def freeze(value: JSON, depth: int = 0) -> Key:
    """Return the tagged, hashable key of a JSON value (or MISSING).

    >>> freeze(True) == freeze(1), freeze(1) == freeze(1.0)
    (False, True)
    >>> freeze({"a": 1, "b": 2}) == freeze({"b": 2, "a": 1})
    True
    """
    if isinstance(value, str):
        return ("str", value)
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, (int, float, Decimal, Fraction)):
        return ("num", exact(value))
    if value is None:
        return ("null",)
    if value is MISSING:
        return ("missing",)
    if depth >= MAX_DEPTH:
        raise BudgetError(
            f"a value must not nest deeper than {MAX_DEPTH} levels",
            found=shorten(repr(type(value))),
            hint="flatten it",
        )
    if isinstance(value, Mapping):
        return ("dict", tuple(sorted((_name(k), freeze(v, depth + 1)) for k, v in value.items())))
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return ("list", tuple(freeze(v, depth + 1) for v in value))
    raise TraceError(
        "a value must be JSON", found=shorten(f"{type(value).__name__}: {value!r}"), hint="convert it first"
    )


def _name(key: object) -> str:
    if not isinstance(key, str):
        raise TraceError(
            "an object's keys must be strings", found=shorten(repr(key)), hint="write it as a string"
        )
    return key


def detach(value: JSON, depth: int = 0) -> JSON:
    """Return a copy of a JSON value that shares no list or object with it, so that nobody else can change it.

    >>> live = {"items": [1]}
    >>> kept = detach(live)
    >>> live["items"].append(2)
    >>> kept
    {'items': [1]}
    """
    if isinstance(value, (str, bool)) or value is None or value is MISSING:
        return value
    if isinstance(value, Mapping) and depth < MAX_DEPTH:
        return {_name(k): detach(v, depth + 1) for k, v in value.items()}
    if isinstance(value, (list, tuple)) and depth < MAX_DEPTH:
        return [detach(v, depth + 1) for v in value]
    freeze(value, depth)  # a number within the limits, or a clear error
    return value


def at_path(value: JSON, path: tuple[str | int, ...]) -> JSON:
    """Follow a path of object keys and 0-based list positions; MISSING where it leads nowhere."""
    for step in path:
        if isinstance(step, str) and isinstance(value, Mapping):
            value = value.get(step, MISSING)
        elif isinstance(step, int) and isinstance(value, (list, tuple)) and 0 <= step < len(value):
            value = value[step]
        else:
            return MISSING
    return value
