"""Constants as the language keeps and writes them, and the limits of the text form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from agentc.trace.json_text import dump_json
from agentc.trace.values import JSON, exact, freeze

__all__ = [
    "KINDS",
    "MAX_CONSTRAINTS",
    "MAX_NAME",
    "MAX_NESTING",
    "MAX_WORDS",
    "Record",
    "constant",
    "is_name",
    "quote",
    "visible",
    "write_constant",
]

MAX_CONSTRAINTS: Final = 20_000
"""Most constraints in one specification."""

MAX_WORDS: Final = 1_000_000
"""Most words (names, constants, operators, brackets) in one text."""

MAX_NAME: Final = 1_000
"""Longest name, in characters."""

MAX_NESTING: Final = 100
"""Deepest nesting of brackets, operators and functions; ``&`` and ``|`` take any number at one level."""

KINDS: Final[Mapping[str, str]] = {
    "missing": "absent",
    "null": "is_null",
    "bool": "is_bool",
    "num": "is_number",
    "int": "is_integer",
    "str": "is_string",
    "list": "is_list",
    "dict": "is_object",
}
"""The function that asks for each kind of value."""

_NAME = re.compile(r"(?!(?:in|as|true|false|null|True|False)\Z)[^\W\d]\w*")


class Record(Mapping[str, JSON]):
    """A JSON object that can't change: what `Const` keeps for one.

    >>> Record({"a": 1}) == Record({"a": 1.0}), Record({"a": 1}) == Record({"a": True})
    (True, False)
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, JSON]) -> None:
        self._items = dict(sorted(items.items()))

    def __getitem__(self, key: str) -> JSON:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and freeze(self) == freeze(other)

    def __hash__(self) -> int:
        return hash(freeze(self))

    def __repr__(self) -> str:
        return f"Record({self._items!r})"


def constant(value: JSON) -> JSON:
    """Return a JSON value in the form `Const` keeps: exact numbers, lists as tuples, objects as `Record`.

    Raises
    ------
    TraceError, BudgetError
        If it is not JSON, or nests too deeply.

    >>> constant({"a": [1.0, 0.5]})
    Record({'a': (1, Fraction(1, 2))})
    """
    freeze(value)  # refuses what is not JSON before anything below recurses
    return _constant(value)


def _constant(value: JSON) -> JSON:
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, float, Decimal, Fraction)):
        return exact(value)
    if isinstance(value, Mapping):
        return Record({k: _constant(v) for k, v in value.items()})
    assert isinstance(value, Sequence), value
    return tuple(_constant(v) for v in value)


def is_name(text: str) -> bool:
    """Return whether the text form can write `text` as it is; anything else is quoted."""
    return _NAME.fullmatch(text) is not None


def quote(text: str) -> str:
    """Write a string in JSON; what doesn't print is escaped, so that no character can hide or reorder text.

    Raises
    ------
    TraceError
        If it has a lone surrogate or is too long.
    """
    return visible(dump_json(text))


def visible(text: str) -> str:
    """Return text to be shown: every character that doesn't print is spelt out.

    >>> visible("a\\u202eb")
    'a\\\\u202eb'
    """
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def write_constant(value: JSON) -> str:
    """Write a constant in JSON syntax, its objects' keys in order.

    Raises
    ------
    TraceError
        If the text form can't say it: a fraction without a finite decimal, a lone surrogate, or past a limit.

    >>> write_constant({"b": (True, Fraction(1, 8)), "a": "é\\u202e"})
    '{"a": "é\\\\u202e", "b": [true, 0.125]}'
    """
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{quote(k)}: {write_constant(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(write_constant, value)) + "]"
    return dump_json(value)
