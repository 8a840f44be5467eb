"""Pieces of LaTeX mathematics: escaping, precedence and connectives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

__all__ = [
    "AND",
    "ATOM",
    "OR",
    "RELATION",
    "Tex",
    "both",
    "either",
    "function",
    "implies",
    "negate",
    "quantify",
    "typewriter",
]

QUANTIFIED, IMPLIES, OR, AND, RELATION, ATOM = range(6)
LONGEST: Final = 80

_ESCAPES: Final = {
    "\\": r"\backslash ",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"{\#}",
    "%": r"\%",
    "_": r"\_",
    "^": r"{\wedge}",
    "~": r"{\sim}",
    " ": r"\ ",
    "'": r"\text{'}",
    '"': r'\text{"}',
    "`": r"\text{`}",
}


class Tex(NamedTuple):
    """A formula in LaTeX and how tightly it holds together."""

    text: str
    level: int = ATOM

    def within(self, level: int) -> str:
        """Return it as part of something of `level`, in parentheses where it would come apart."""
        return self.text if self.level > level else f"({self.text})"


def typewriter(text: str) -> str:
    r"""Write hostile text in math mode: no character of it is a command.

    >>> print(typewriter(r"a_b\end{x}$"))
    \mathtt{a\_b\backslash end\{x\}\$}
    """
    shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return rf"\mathtt{{{''.join(map(_character, shown))}}}"


def _character(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isascii() and char.isprintable():
        return (
            char if char.isalnum() else f"{{{char}}}"
        )  # in braces, so that it's no operator and begins no tag
    if char.isalpha() or char == "…":
        return rf"\text{{{char}}}"
    return rf"\backslash u{ord(char):04x}"


def function(name: str, *arguments: str) -> Tex:
    """Write a function of the language by its name."""
    return Tex(rf"\mathrm{{{name.replace('_', chr(92) + '_')}}}({', '.join(arguments)})")


def negate(arg: Tex) -> Tex:
    return Tex(rf"\neg {arg.within(RELATION)}")


def both(args: Iterable[Tex]) -> Tex:
    return _join(args, r" \wedge ", AND, r"\top")


def either(args: Iterable[Tex]) -> Tex:
    return _join(args, r" \vee ", OR, r"\bot")


def _join(args: Iterable[Tex], sign: str, level: int, neutral: str) -> Tex:
    parts = [a for a in args if a.text != neutral]
    if len(parts) < 2:
        return parts[0] if parts else Tex(neutral)
    texts = [a.text if a.level in (level, RELATION, ATOM) else f"({a.text})" for a in parts]
    return Tex(sign.join(texts), level)


def implies(left: Tex, right: Tex) -> Tex:
    if left.text == r"\top":
        return right
    after = right.text if right.level == QUANTIFIED else right.within(IMPLIES)
    return Tex(rf"{left.within(IMPLIES)} \Rightarrow {after}", IMPLIES)


def quantify(sign: str, names: str, body: Tex) -> Tex:
    return Tex(rf"\{sign} {names}.\; {body.text}", QUANTIFIED)
