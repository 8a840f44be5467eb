"""Regular expressions of ``matches``: a small exact subset, as plain data that every engine can translate.

What is in the subset: characters, ``.``, ``[...]`` and ``[^...]`` with ranges, ``|``, ``(...)`` and
``(?:...)``, ``* + ? {m} {m,} {,n} {m,n}``, ``\\d \\w \\s \\D \\W \\S`` (ASCII only), escaped punctuation,
``\\n \\t \\r \\f \\v``, ``\\xHH \\uHHHH \\UHHHHHHHH``. An expression is always matched against the whole
string, ``.`` is any character, a newline too, and upper and lower case differ. Look-around, back references,
flags, anchors and lazy or possessive repeats are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from agentc.errors import SpecificationError, shorten

__all__ = [
    "ANY",
    "Alternatives",
    "Characters",
    "Concat",
    "Literal",
    "Regex",
    "Repeat",
    "parse_regex",
    "size",
    "to_python",
]

MAX_CODE: Final = 0x10FFFF
MAX_LENGTH: Final = 1_000
MAX_NESTING: Final = 30
MAX_SIZE: Final = 5_000

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """Exactly this text, at least one character."""

    text: str


@dataclass(frozen=True, slots=True)
class Characters:
    """One character whose code point is in one of the inclusive, sorted, disjoint `ranges`."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Concat:
    """One after the other; ``Concat(())`` is the empty string."""

    parts: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Any one of two or more."""

    options: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`part` at least `low` and at most `high` times; `high` None is without limit."""

    part: Regex
    low: int
    high: int | None


Regex = Literal | Characters | Concat | Alternatives | Repeat

ANY: Final = Characters(((0, MAX_CODE),))

_DIGIT: Ranges = ((48, 57),)
_WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Ranges = ((9, 13), (32, 32))
_CLASSES: Final = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_CONTROL: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_HEX: Final = {"x": 2, "u": 4, "U": 8}
_SPECIAL: Final = frozenset("|()[]{}*+?.^$\\")


def parse_regex(pattern: str) -> Regex:
    """Read `pattern` as an expression of the subset.

    Raises
    ------
    SpecificationError
        If it isn't one, or uses what the subset leaves out; with the 1-based column.

    Examples
    --------
    >>> parse_regex("#W[0-9]{7}")
    Concat(parts=(Literal(text='#W'), Repeat(part=Characters(ranges=((48, 57),)), low=7, high=7)))
    """
    if len(pattern) > MAX_LENGTH:
        raise SpecificationError(
            f"a regular expression must stay within {MAX_LENGTH} characters",
            found=f"{len(pattern)} characters: {shorten(pattern)}",
            hint="split it into several `matches`",
        )
    parser = _Parser(pattern)
    regex = parser.alternatives(0)
    if parser.at < len(pattern):
        raise parser.error("a `)` closes nothing", "write `\\)` for the character")
    if size(regex) > MAX_SIZE:
        raise SpecificationError(
            f"a regular expression must stay within {MAX_SIZE} characters once its repeats are written out",
            found=shorten(pattern),
            hint="use smaller repeat counts, or `*`",
        )
    return regex


def size(regex: Regex) -> int:
    """Return the number of character positions once counted repeats are written out."""
    match regex:
        case Literal(text):
            return len(text)
        case Characters():
            return 1
        case Concat(items) | Alternatives(items):
            return sum(size(i) for i in items) + 1
        case Repeat(part, low, high):
            return (size(part) + 1) * max(low, high or 0, 1)


def to_python(regex: Regex) -> str:
    """Return a pattern for ``re.fullmatch`` with no flags that accepts the same strings.

    Python's matcher backtracks, and may take exponential time: not for text that others wrote.

    >>> to_python(parse_regex(r"a.|\\d+"))
    '(?:a[\\\\U00000000-\\\\U0010ffff]|[\\\\U00000030-\\\\U00000039]{1,})'
    """
    match regex:
        case Literal(text):
            return "".join(_escape(c) for c in text)
        case Characters(ranges):
            return "[" + "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in ranges) + "]" if ranges else "(?!)"
        case Concat(parts):
            return "".join(to_python(p) for p in parts)
        case Alternatives(options):
            return "(?:" + "|".join(to_python(o) for o in options) + ")"
        case Repeat(part, low, high):
            body = to_python(part)
            bounds = f"{{{low},{'' if high is None else high}}}"
            return (body if isinstance(part, Characters) else f"(?:{body})") + bounds


def _escape(char: str) -> str:
    return char if char.isascii() and char.isalnum() else f"\\U{ord(char):08x}"


class _Parser:
    """Recursive descent over the pattern; recursion is bounded by MAX_NESTING groups."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def error(self, what: str, hint: str, at: int | None = None) -> SpecificationError:
        at = self.at if at is None else at
        return SpecificationError(
            f"a regular expression can't be used: {what}",
            where=f"column {at + 1} of the expression",
            found=shorten(self.pattern),
            hint=hint,
        )

    def peek(self, count: int = 1) -> str:
        return self.pattern[self.at : self.at + count]

    def take(self, text: str) -> bool:
        if not self.pattern.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def alternatives(self, nesting: int) -> Regex:
        options = [self.concat(nesting)]
        while self.take("|"):
            options.append(self.concat(nesting))
        return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def concat(self, nesting: int) -> Regex:
        parts: list[Regex] = []
        while self.at < len(self.pattern) and self.peek() not in ("|", ")"):
            part = self.repeat(nesting)
            if isinstance(part, Literal) and parts and isinstance(parts[-1], Literal):
                parts[-1] = Literal(parts[-1].text + part.text)
            elif part != Concat(()):
                parts.append(part)
        return parts[0] if len(parts) == 1 else Concat(tuple(parts))

    def repeat(self, nesting: int) -> Regex:
        part = self.atom(nesting)
        counts = self.counts()
        if counts is None:
            return part
        if self.peek() and self.peek() in "?+*{":
            raise self.error("a repeat of a repeat, lazy or possessive, isn't supported", "group with (...)")
        return Repeat(part, *counts)

    def counts(self) -> tuple[int, int | None] | None:
        for sign, bounds in {"*": (0, None), "+": (1, None), "?": (0, 1)}.items():
            if self.take(sign):
                return bounds
        start = self.at
        if not self.take("{"):
            return None
        low = self.digits()
        high = self.digits() if self.take(",") else low
        if not self.take("}") or self.pattern[start : self.at] in ("{}", "{,}"):
            raise self.error(
                "a `{` begins no repeat count", "write `{2}` or `{2,5}`; `\\{` is the character", start
            )
        if high is not None and (low or 0) > high:
            raise self.error("a repeat's lower count is above its upper one", "swap the two", start)
        return low or 0, high

    def digits(self) -> int | None:
        start = self.at
        while self.peek() and self.peek() in "0123456789":
            self.at += 1
        if self.at - start > 4:
            raise self.error("a repeat count is too large", "use `*` or a smaller count", start)
        return int(self.pattern[start : self.at]) if self.at > start else None

    def atom(self, nesting: int) -> Regex:
        char = self.peek()
        if char == "(":
            return self.group(nesting)
        if char == "[":
            return self.char_class()
        if char == "\\":
            found = self.escape()
            return Literal(found) if isinstance(found, str) else Characters(found)
        if char == ".":
            self.at += 1
            return ANY
        if char in "^$":
            raise self.error(
                f"`{char}` isn't needed", f"leave `{char}` out: `matches` is of the whole string"
            )
        if char in _SPECIAL:
            raise self.error(
                f"`{char}` stands where a character should", f"write `\\{char}` for the character"
            )
        self.at += 1
        return Literal(char)

    def group(self, nesting: int) -> Regex:
        start = self.at
        if nesting >= MAX_NESTING:
            raise self.error(f"groups nest deeper than {MAX_NESTING}", "flatten it")
        self.at += 1
        if not self.take("?:") and self.peek() == "?":
            raise self.error(
                "look-around, flags and named groups aren't supported", "use `(...)` or `(?:...)`", start
            )
        inner = self.alternatives(nesting + 1)
        if not self.take(")"):
            raise self.error("a `(` isn't closed", "add `)`, or write `\\(` for the character", start)
        return inner

    def escape(self) -> str | Ranges:
        """Read ``\\...``: a character, or the ranges of a class."""
        start = self.at
        char = self.peek(2)[1:]
        self.at += 2
        if char.lower() in _CLASSES:
            ranges = _CLASSES[char.lower()]
            return ranges if char.islower() else _complement(ranges)
        if char in _CONTROL:
            return _CONTROL[char]
        if char in _HEX:
            return self.code_point(_HEX[char], start)
        if char and char.isascii() and not char.isalnum() and char.isprintable():
            return char
        raise self.error(
            f"`\\{char}` isn't supported", "use a class like `[a-z]`, or `\\\\` for a backslash", start
        )

    def code_point(self, count: int, start: int) -> str:
        digits = self.peek(count)
        hexadecimal = len(digits) == count and all(d in "0123456789abcdefABCDEF" for d in digits)
        if not hexadecimal or int(digits, 16) > MAX_CODE:
            raise self.error(
                f"this escape needs {count} hexadecimal digits of a code point",
                "for example `\\u0041`",
                start,
            )
        self.at += count
        return chr(int(digits, 16))

    def char_class(self) -> Characters:
        start = self.at
        self.at += 1
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            if self.at >= len(self.pattern):
                raise self.error("a `[` isn't closed", "add `]`, or write `\\[` for the character", start)
            ranges += self.class_item()
        if not ranges:
            raise self.error("a `[]` is empty", "list its characters; `\\]` is the character", start)
        merged = _merge(ranges)
        return Characters(_complement(merged) if negated else merged)

    def class_item(self) -> Ranges:
        start = self.at
        low = self.class_char()
        if self.peek() != "-" or self.peek(2) == "-]":
            return ((ord(low), ord(low)),) if isinstance(low, str) else low
        self.at += 1
        high = self.class_char()
        if not (isinstance(low, str) and isinstance(high, str) and low <= high):
            raise self.error(
                "a range in `[...]` runs backwards or isn't between characters",
                "write it like `[a-z]`",
                start,
            )
        return ((ord(low), ord(high)),)

    def class_char(self) -> str | Ranges:
        char = self.peek()
        if char == "\\":
            return self.escape()
        if char in ("", "[") or self.peek(2) in ("&&", "||", "~~", "--"):
            raise self.error(f"`{self.peek(2)}` can't stand in `[...]`", "escape it with a backslash")
        self.at += 1
        return char


def _merge(ranges: Iterable[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def _complement(ranges: Ranges) -> Ranges:
    gaps, start = [], 0
    for low, high in ranges:
        gaps.append((start, low - 1))
        start = high + 1
    return tuple((a, b) for a, b in [*gaps, (start, MAX_CODE)] if a <= b)
