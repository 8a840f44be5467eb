"""Strict JSON text: what is read is exactly what was written, and what can't be is refused with its place."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from decimal import Decimal
from typing import NoReturn

from agentc.errors import TraceError, shorten
from agentc.trace import json_limits as limits
from agentc.trace.json_dump import dump_json
from agentc.trace.json_limits import MAX_DIGITS, MAX_STRING, RefusedError, check_digits, in_range, not_finite
from agentc.trace.values import JSON, MAX_DEPTH

__all__ = ["MAX_DIGITS", "MAX_STRING", "decode_utf8", "dump_json", "parse_json"]

_BOM = "JSON text must not begin with a byte order mark"
_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_SHAPE = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_KEYS = re.compile(rf"({_STRING})(?:[ \t\r\n]*(:))?|[\[\]{{}}]", re.DOTALL)
_SCALARS = re.compile(rf"{_STRING}|[-+.\w]+", re.DOTALL)
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPES = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F]..)|\\.", re.DOTALL)


class _RepeatedKeyError(RefusedError):
    pass


def parse_json(text: str | bytes, where: str = "") -> JSON:
    """Read one JSON value, exactly.

    Parameters
    ----------
    text : str or bytes
        The text; bytes must be UTF-8 without a byte order mark.
    where : str
        What the text is called in errors, for instance a file's name.

    Returns
    -------
    JSON
        Integers as int, of any size within the limit; other numbers as float where the float's shortest
        decimal is the number written, else as `decimal.Decimal`.

    Raises
    ------
    TraceError
        If the text is not one JSON value, repeats a key, has a lone surrogate or NaN, or passes one of the
        limits ``MAX_DEPTH``, ``MAX_STRING``, ``MAX_DIGITS``, ``MAX_EXPONENT``.
        Lines and columns count from 1.

    Notes
    -----
    Python's own parser does the reading; a scan before it bounds the recursion. Time is linear in the text.

    >>> parse_json('[1, 1.0, 0.10000000000000000001, null]')
    [1, 1.0, Decimal('0.10000000000000000001'), None]
    """
    text = decode_utf8(text, where) if isinstance(text, bytes) else _encodable(text, where)
    _check_shape(text, where)
    try:
        return _DECODER.decode(text)
    except RefusedError as refused:
        find = _find_repeated_key if isinstance(refused, _RepeatedKeyError) else _find_scalar
        _fail(refused.what, text, find(text, refused.found), where, hint=refused.hint, found=refused.found)
    except json.JSONDecodeError as error:
        what, position = _explain(error, text)
        _fail(what, text, position, where)


def decode_utf8(data: bytes, where: str = "") -> str:
    """Decode UTF-8 without a byte order mark, or say at which byte (counted from 0) it isn't."""
    if data.startswith(codecs.BOM_UTF8):
        place = _join(where, "byte 0")
        raise TraceError(_BOM, where=place, found="EF BB BF", hint="save it as UTF-8 without it")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = _join(where, f"byte {error.start}")
        found = data[error.start : error.end][:8].hex(" ").upper()
    raise TraceError("the text is not UTF-8", where=place, found=found, hint="save it as UTF-8")


def _encodable(text: str, where: str) -> str:
    if text.startswith("\ufeff"):
        _fail(_BOM, text, 0, where, hint="remove the first character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        _fail_surrogate(text, error.start, error.start + 1, where)
    return text


def _check_shape(text: str, where: str) -> None:
    """Bound nesting before a recursive parser sees it; refuse in strings what it would let through."""
    suspicious = _ESCAPED_SURROGATE.search(text) is not None
    depth = 0
    for token in _SHAPE.finditer(text):
        start, end = token.span()
        first = text[start]
        if first in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                _fail(limits.TOO_DEEP, text, start, where, hint="flatten it")
        elif first in "]}":
            depth -= 1
        elif end - start - 2 > MAX_STRING:
            _fail(limits.TOO_LONG, text, start, where, hint=limits.SHORTEN)
        elif suspicious:
            _check_surrogates(text, start, end, where)


def _check_surrogates(text: str, start: int, end: int, where: str) -> None:
    for escape in _ESCAPES.finditer(text, start, end):
        if escape.group(1):
            _fail_surrogate(text, *escape.span(1), where)


def _fail_surrogate(text: str, start: int, end: int, where: str) -> NoReturn:
    hint = r"write the character itself, or its pair of \u escapes"
    _fail(limits.SURROGATE, text, start, where, hint=hint, found=text[start:end])


def _integer(text: str) -> int:
    check_digits(text)
    return int(text)


def _decimal(text: str) -> float | Decimal:
    check_digits(text)
    nearest = float(text)
    shortest = repr(nearest)
    if shortest == text:
        return nearest
    number = in_range(text)
    return nearest if Decimal(shortest) == number else number


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    key = Counter(key for key, _ in pairs).most_common(1)[0][0]
    raise _RepeatedKeyError("an object must not repeat a key", key, "remove one of the two, or rename it")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_decimal, parse_constant=not_finite
)


def _find_scalar(text: str, written: str) -> int:
    """Return where a number first stands outside strings."""
    return next((token.start() for token in _SCALARS.finditer(text) if token.group() == written), 0)


def _find_repeated_key(text: str, key: str) -> int:
    """Return where `key` first stands in an object that already has it, however either is spelt."""
    seen: list[bool] = []
    for token in _KEYS.finditer(text):
        if token.group() in ("{", "["):
            seen.append(False)
        elif token.group() in ("}", "]"):
            seen.pop()
        elif token.group(2) and json.loads(token.group(1), strict=False) == key:
            if seen[-1]:
                return token.start()
            seen[-1] = True
    return 0


def _explain(error: json.JSONDecodeError, text: str) -> tuple[str, int]:
    """Say in our words what Python's parser found wrong, and where."""
    if not text.strip(" \t\r\n"):
        return "there is no JSON value, the text is empty", 0
    if error.msg == "Extra data":
        return "there is more text after the end of the JSON value", error.pos
    if error.msg.startswith("Unterminated string") or not text[error.pos :].strip(" \t\r\n"):
        return "the JSON text is cut short", error.pos
    return f"this is not JSON: {error.msg[0].lower()}{error.msg[1:].removesuffix(' at')}", error.pos


def _fail(
    what: str, text: str, position: int, where: str, *, hint: str = "", found: str | None = None
) -> NoReturn:
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    place = f"line {line}, column {column}" if "\n" in text else f"column {column}"
    found = text[position : position + 60] or "the end" if found is None else found
    raise TraceError(what, where=_join(where, place), found=shorten(found, 60), hint=hint) from None


def _join(where: str, place: str) -> str:
    return f"{where}, {place}" if where else place
