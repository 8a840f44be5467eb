"""Writing JSON text that reads back as an equal value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from agentc.errors import TraceError, shorten
from agentc.trace import json_limits as limits
from agentc.trace.json_limits import MAX_DIGITS, MAX_STRING, RefusedError, check_digits, in_range, not_finite
from agentc.trace.values import JSON, MAX_DEPTH

__all__ = ["dump_json"]

Out = Callable[[str], None]
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def dump_json(value: JSON, where: str = "") -> str:
    """Write a JSON value on one line, so that `parse_json` reads an equal one.

    Parameters
    ----------
    value : JSON
        None, bool, int, float, Decimal, Fraction, str, list or tuple, and dict with string keys.
    where : str
        What the value is called in errors.

    Raises
    ------
    TraceError
        If the value is not JSON (NaN, an absent value, a fraction without a finite decimal), or passes a
        limit of `parse_json`.

    >>> dump_json({"a": Fraction(1, 8), "b": [None, True, "é"]})
    '{"a": 0.125, "b": [null, true, "é"]}'
    """
    parts: list[str] = []
    try:
        _write(value, parts.append, 0)
    except RefusedError as refused:
        found = shorten(refused.found, 60)
        raise TraceError(refused.what, where=where, found=found, hint=refused.hint) from None
    return "".join(parts)


def _write(value: JSON, out: Out, depth: int) -> None:
    if value is None or isinstance(value, bool):
        out({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, str):
        out(_quote(value))
    elif isinstance(value, (int, float, Decimal, Fraction)):
        out(_number(value))
    elif depth >= MAX_DEPTH:
        raise RefusedError(limits.TOO_DEEP, type(value).__name__, "flatten it")
    elif isinstance(value, Mapping):
        _write_all(((f"{_key(k)}: ", v) for k, v in value.items()), "{}", out, depth + 1)
    elif isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        _write_all((("", v) for v in value), "[]", out, depth + 1)
    else:
        raise RefusedError("a value must be JSON", type(value).__name__, "convert it first, or leave it out")


def _write_all(items: Iterable[tuple[str, JSON]], brackets: str, out: Out, depth: int) -> None:
    opening, closing = brackets[0], brackets[1]
    for label, value in items:
        out(opening + label)
        _write(value, out, depth)
        opening = ", "
    out(closing if opening == ", " else brackets)


def _quote(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RefusedError(limits.SURROGATE, text[error.start], "write the whole character") from None
    written = _ENCODER.encode(text)
    if len(written) - 2 > MAX_STRING:
        raise RefusedError(limits.TOO_LONG, written, limits.SHORTEN)
    return written


def _key(key: object) -> str:
    if isinstance(key, str):
        return _quote(key)
    raise RefusedError("an object's keys must be strings", repr(key), "write it as a string")


def _number(value: int | float | Decimal | Fraction) -> str:
    if isinstance(value, (int, Fraction)):
        return _rational(value)
    # Subclasses (numpy's float64, say) may print themselves as something else than a number.
    text = float.__repr__(value) if isinstance(value, float) else str(value)
    if not Decimal(text).is_finite():
        not_finite(text)
    check_digits(text)
    in_range(text)
    return text


def _rational(value: int | Fraction) -> str:
    numerator, denominator = value.numerator, value.denominator
    _check_bits(numerator, denominator)
    if denominator == 1:
        return _digits(numerator)
    places = next((k for k in range(MAX_DIGITS) if 10**k % denominator == 0), None)
    if places is None:
        raise RefusedError("a fraction without a finite decimal can't be written", f"{value}", "round it")
    digits = numerator * 10**places // denominator
    _check_bits(digits)
    return _number(Decimal(f"{digits}e-{places}"))


def _check_bits(*numbers: int) -> None:
    """Refuse before Python may refuse to write the digits out; 2000 bits are always more than 600 digits."""
    if max(number.bit_length() for number in numbers) > 2000:
        raise RefusedError(limits.TOO_MANY_DIGITS, "more", limits.ROUND)


def _digits(number: int) -> str:
    text = int.__repr__(number)
    check_digits(text)
    return text
