"""The error family: what is wrong, where, what was found, and one concrete edit."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "AgentcError",
    "BudgetError",
    "DomainError",
    "InternalError",
    "SpecificationError",
    "ToolError",
    "TraceError",
    "closest",
    "shorten",
]


class AgentcError(Exception):
    """An error told in four parts, always in this order.

    Parameters
    ----------
    what : str
        What is wrong, in the user's words.
    where : str
        The constraint, file and line, notebook cell or event.
    found : str
        What stood there.
    hint : str
        One concrete edit that would help.
    """

    def __init__(self, what: str, *, where: str = "", found: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what, self.where, self.found, self.hint = what, where, found, hint

    def __str__(self) -> str:
        parts = [self.what]
        parts += [f"  where: {self.where}"] if self.where else []
        parts += [f"  found: {self.found}"] if self.found else []
        parts += [f"  hint: {self.hint}"] if self.hint else []
        return "\n".join(parts)


class SpecificationError(AgentcError):
    """A specification that can't be read, or that says something its tools can't mean."""


class TraceError(AgentcError):
    """A trace that can't be read as what it claims to be."""


class ToolError(AgentcError):
    """A tool or projection signature that can't be used."""


class DomainError(AgentcError):
    """A domain that isn't installed, or data it doesn't have."""


class InternalError(AgentcError):
    """Something that can't be: a mistake in this project, not in what it was given."""


class BudgetError(AgentcError):
    """Something larger than the limits this project accepts."""


def closest(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean `x`?`` for the known name nearest to `name`, or the known names.

    >>> closest("ammount", ["amount", "order_id"])
    'did you mean `amount`?'
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    return "known names: " + ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") if names else ""


def shorten(text: str, limit: int = 80) -> str:
    """Cut hostile or long text to one printable line of at most `limit` characters."""
    line = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: limit + 1])
    return line if len(line) <= limit else line[: limit - 1] + "…"
