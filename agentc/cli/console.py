"""Printing: what comes from outside is shown as one line of printable characters, and never as markup."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Final, NoReturn, TypeVar

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from agentc.logic.future import Verdict

__all__ = ["GLYPHS", "Output", "blank", "counted", "open_output", "table", "tracked", "verdict_text"]

WIDTH: Final = 120
"""Columns where nobody says how many there are: output to a file or a pipe."""

GLYPHS: Final = {Verdict.SAT: "✓", Verdict.UNSAT: "✗", Verdict.UNKNOWN: "?"}
_STYLES: Final = {Verdict.SAT: "#0072b2", Verdict.UNSAT: "bold #d55e00", Verdict.UNKNOWN: "bold #d55e00"}

_T = TypeVar("_T")


class Output(Console):
    """A console that leaves a broken pipe to `main`."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def open_output(file: IO[str] | None = None) -> Output:
    """Return where to print: by default standard output."""
    file = file or sys.stdout
    known = "COLUMNS" in os.environ or file.isatty()
    return Output(file=file, markup=False, emoji=False, highlight=False, width=None if known else WIDTH)


def verdict_text(verdict: Verdict, pending: bool = False) -> Text:
    """Return a verdict as glyph and word, in its colour; `pending` is SAT with something still owed."""
    word = f"{GLYPHS[verdict]} {'pending' if pending else verdict}"
    return Text(word, _STYLES[verdict], no_wrap=True)


def table(*columns: str, numbers: Sequence[str] = (), title: str = "") -> Table:
    """Return a table whose columns in `numbers` are aligned to the right."""
    made = Table(
        box=box.SIMPLE_HEAD, title=title or None, title_justify="left", title_style="bold", pad_edge=False
    )
    for column in columns:
        right = column in numbers
        made.add_column(column, justify="right" if right else "left", overflow="fold", no_wrap=right)
    return made


def blank(number: int) -> str:
    """Return a count for a table, nothing for zero."""
    return str(number) if number else ""


def counted(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun.

    >>> counted(1, "trace"), counted(0, "trace"), counted(2, "query", "queries")
    ('1 trace', '0 traces', '2 queries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


@contextmanager
def _progress() -> Iterator[Progress]:
    shown = Output(stderr=True, markup=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal) as progress:
        yield progress


def tracked(items: Iterable[_T], total: int, what: str) -> Iterator[_T]:
    """Yield the items with a progress bar on standard error, if that is a terminal."""
    with _progress() as progress:
        yield from progress.track(items, total, description=what)
