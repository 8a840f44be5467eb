"""Errors of the text form: where they are, what stood there, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from agentc.dsl.constants import KINDS
from agentc.errors import AgentcError, SpecificationError, closest, shorten

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedInput

__all__ = ["FUNCTIONS", "PREDICATES", "Misread", "explain", "near", "place", "report"]

PREDICATES: Final = ("Before", "After", "Seq", "Forall", "Exists")
FUNCTIONS: Final = (
    *PREDICATES, *KINDS.values(), "Implies", "attempted", "output", "state", "len", "count", "all", "any",
    "distinct", "contains", "starts_with", "ends_with", "matches",
)  # fmt: skip

_STATEMENTS: Final = ("specification", "domain", "tool", "projection", "constraint")
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
_SHAPE = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|#[^\n]*|[()\[\]{}]')
_WORD = re.compile(r"[^\W\d]\w*")

_SPELLINGS: Final = {
    "and": "write `&`",
    "or": "write `|`",
    "not": 'write `~(...)`; "not in" is `~(x in [...])`',
    "implies": "write `Implies(a, b)`",
    "if": "write `Implies(condition, formula)`",
    "&&": "write `&`",
    "||": "write `|`",
    "!": "write `~` for not, `!=` for not equal",
    "=>": "write `Implies(a, b)`",
    "->": "write `Implies(a, b)`",
    "<>": "write `!=`",
    "=": "`==` compares",
    "'": "strings stand in double quotes",
    "`": "leave the back quotes out; strings stand in double quotes",
    "“": "strings stand in straight double quotes",
    "”": "strings stand in straight double quotes",
    "‘": "strings stand in straight double quotes",
    "’": "strings stand in straight double quotes",
    "//": "a comment begins with `#`",
    "/": "there is no division; multiply the other side",
    "%": "there is no remainder",
    "**": "there are `+`, `-` and `*`",
    ";": "leave it out; arguments are separated by commas",
    "≠": "write `!=`",
    "≤": "write `<=`",
    "≥": "write `>=`",
    "∧": "write `&`",
    "∨": "write `|`",
    "¬": "write `~`",
    "⇒": "write `Implies(a, b)`",
    "→": "write `Implies(a, b)`",
    "∈": "write `in`",
}


class Misread(Exception):
    """A mistake at offset `at`, before it is known what the text is called."""

    def __init__(
        self, what: str, at: int, hint: str = "", kind: type[AgentcError] = SpecificationError
    ) -> None:
        super().__init__(what)
        self.what, self.at, self.hint, self.kind = what, at, hint, kind


def place(text: str, at: int) -> tuple[int, int]:
    """Return the 1-based line and column of an offset."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def report(text: str, source: str, mistake: Misread, constraint: str = "") -> AgentcError:
    """Return the error a person sees: the line with a caret under the mistake."""
    line, column = place(text, mistake.at)
    where = f"{shorten(source) or 'text'}, line {line}, column {column}" + (
        f", in constraint `{constraint}`" if constraint else ""
    )
    return mistake.kind(mistake.what, where=where, found=_excerpt(text, mistake.at), hint=mistake.hint)


def _excerpt(text: str, at: int) -> str:
    begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    begin, end = max(begin, at - 60), min(len(text) if end < 0 else end, at + 40)
    line = "".join(
        c if c.isprintable() else " " if c in "\t\r" else "\N{REPLACEMENT CHARACTER}" for c in text[begin:end]
    )
    lead = len(line) - len(line.lstrip())
    if not line.strip():
        return "the end of the line" if end < len(text) else "the end of the text"
    lead = min(lead, at - begin)
    return f"{line[lead:].rstrip()}\n         {' ' * (at - begin - lead)}^"


def explain(text: str, error: UnexpectedInput) -> Misread:
    """Turn a parser's complaint into words a person can act on."""
    at = error.pos_in_stream
    at = (
        len(text.rstrip())
        if at is None or at < 0 or getattr(getattr(error, "token", None), "type", "") == "$END"
        else at
    )
    return _bracket(text, at) or _string(text, at) or _spelling(text, at) or _order(text, at, error)


def _bracket(text: str, at: int) -> Misread | None:
    """A bracket closed by another kind, or open where the text or the statement ends."""
    stack: list[tuple[str, int]] = []
    for token in _SHAPE.finditer(text, 0, at):
        if token.group() in _BRACKETS:
            stack.append((token.group(), token.start()))
        elif token.group() in _BRACKETS.values() and stack:
            stack.pop()
    here = text[at : at + 1]
    if here in _BRACKETS.values() and here and not (stack and _BRACKETS[stack[-1][0]] == here):
        opened = f"; `{stack[-1][0]}` in line {place(text, stack[-1][1])[0]} is still open" if stack else ""
        return Misread(
            f"`{here}` closes nothing{opened}",
            at,
            f"write `{_BRACKETS[stack[-1][0]]}`" if stack else f"remove `{here}`",
        )
    starts_line = not text[text.rfind("\n", 0, at) + 1 : at].strip()
    word = _WORD.match(text, at)
    if stack and (not here or (starts_line and word and word.group() in _STATEMENTS)):
        bracket, opened_at = stack[-1]
        return Misread(
            f"`{bracket}` is never closed", opened_at, f"add `{_BRACKETS[bracket]}` where its contents end"
        )
    return None


def _string(text: str, at: int) -> Misread | None:
    if text[at : at + 1] != '"' or re.compile(r'"(?:[^"\\\n]++|\\.)*+"').match(text, at):
        return None
    return Misread(
        "the string doesn't end on its line", at, 'close it with `"`; a line break inside is written \\n'
    )


def _spelling(text: str, at: int) -> Misread | None:
    """A word or operator of another language, here or just before (`not x` is noticed at `x`)."""
    word = _WORD.match(text, at)
    before = re.search(r"(\w+)[ \t]+$", text[max(at - 20, 0) : at])
    spellings = [(word.group(), at)] if word else []
    spellings += [(text[at - 1 : at + 1], at - 1)] if at else []
    spellings += [(text[at : at + 2], at), (text[at : at + 1], at)]
    spellings += [(before.group(1), max(at - 20, 0) + before.start())] if before else []
    wrong = next(((s, i) for s, i in spellings if s.lower() in _SPELLINGS), None)
    return (
        Misread(f"`{wrong[0]}` isn't written here", wrong[1], _SPELLINGS[wrong[0].lower()]) if wrong else None
    )


def _order(text: str, at: int, error: UnexpectedInput) -> Misread:
    """Everything the text itself doesn't show: something stands where it may not."""
    kind = getattr(getattr(error, "token", None), "type", "")
    before = _WORD.findall(text[max(text.rfind("\n", 0, at), 0) : at])
    word = _WORD.match(text, at)
    shown = _shown(word.group() if word else text[at : at + 1])
    if kind in ("COMPARE", "IN"):
        return Misread("comparisons don't chain", at, "join two: `a < b & b < c`")
    if at >= len(text.rstrip()):
        return Misread(
            "the text ends too early" if text.strip() else "the text is empty", at, _expected(error)
        )
    if not before and word and _near(word.group(), _STATEMENTS):
        return Misread(f"there is no statement `{shown}`", at, near(word.group(), _STATEMENTS))
    if kind in ("NAME", "STRING", "NUMBER", "TRUTH", "TRUE", "FALSE", "NULL", "LBRACE", "CLASS") and before:
        return Misread(
            f"`{shown}` can't follow what stands before it",
            at,
            "a comma or an operator is missing, or a bracket",
        )
    return Misread(f"`{shown}` can't stand here", at, _expected(error))


def _shown(word: str) -> str:
    return shorten(word, 40) if word.isprintable() and not word.isspace() else f"U+{ord(word[:1]):04X}"


def near(name: str, known: Iterable[str]) -> str:
    """Return `closest`, of names of any length."""
    return closest(name[:100], {k[:100] for k in known})


def _near(word: str, known: tuple[str, ...]) -> bool:
    return near(word, known).startswith("did you mean")


def _expected(error: UnexpectedInput) -> str:
    wanted = set(getattr(error, "expected", None) or getattr(error, "allowed", None) or ())
    if {"NAME", "STRING", "NUMBER"} <= wanted:
        return "a name, a constant or a formula is expected"
    if {"CONSTRAINT", "TOOL"} <= wanted:
        return "a statement is expected: " + ", ".join(_STATEMENTS)
    names = {
        "RPAR": "`)`",
        "COMMA": "`,`",
        "COLON": "`:`",
        "NAME": "a name",
        "STRING": "a string",
        "LPAR": "`(`",
        "RSQB": "`]`",
        "RBRACE": "`}`",
    }
    words = sorted(names[w] for w in wanted if w in names)
    return "expected here: " + " or ".join(words) if words else ""
