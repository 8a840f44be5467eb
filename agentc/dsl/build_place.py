"""Where something is being written: the file or notebook cell, and the line, of whoever uses the builder."""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType

from agentc.dsl.nodes import Place
from agentc.errors import SpecificationError, shorten

__all__ = ["here", "misuse", "place_of"]

_BUILDER = "agentc.dsl.build"


def here() -> Place:
    """Return the place of the nearest caller outside the builder."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_BUILDER):
        frame = frame.f_back
    return Place(_source(frame.f_code.co_filename), frame.f_lineno)


def place_of(code: CodeType) -> Place:
    """Return the place of a function's first line."""
    return Place(_source(code.co_filename), code.co_firstlineno)


def misuse(what: str, found: str = "", hint: str = "") -> SpecificationError:
    """Return the error of something written wrongly, with its place."""
    return SpecificationError(what, where=str(here()), found=shorten(found, 160), hint=hint)


def _source(filename: str) -> str:
    """Name a notebook cell by its number, a file by its path from here."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    name = shell.compile.format_code_name(filename) if shell is not None else None
    if name:
        return " ".join(name)
    try:
        return str(Path(filename).relative_to(Path.cwd()))
    except ValueError:
        return filename
