"""Opening trace files, and replacing them whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, TextIO

from agentc.errors import TraceError

__all__ = ["MAX_FILE", "open_input", "read_input", "replacing"]

MAX_FILE: Final = 256 << 20
"""Largest file that is read in one piece, in bytes."""


def open_input(path: str | Path) -> BinaryIO:
    """Open a regular file that has something in it, for reading bytes."""
    where = str(path)
    _check_regular(path, where)
    try:
        file = open(path, "rb")  # noqa: SIM115  the caller closes it
    except FileNotFoundError:
        hint = "check the path; a relative one starts at the current directory"
        raise TraceError("there is no such file", where=where, hint=hint) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise TraceError("the file can't be opened", where=where, found=_reason(error)) from None
    if os.fstat(file.fileno()).st_size == 0:
        file.close()
        raise TraceError("the file is empty", where=where, hint="write the traces again")
    return file


def _check_regular(path: str | Path, where: str) -> None:
    """Devices and pipes may have no end, and can't be read twice."""
    if os.path.isdir(path):
        raise TraceError("a folder is not a trace file", where=where, hint="name a file in it")
    if os.path.exists(path) and not os.path.isfile(path):
        raise TraceError("a trace file must be a regular file", where=where, hint="save it to disk first")


def read_input(path: str | Path) -> bytes:
    """Read a file in one piece, if it isn't larger than ``MAX_FILE``."""
    with open_input(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_FILE:
            what = f"a file read in one piece may have at most {MAX_FILE >> 20} MiB"
            hint = "split it, or use agentc JSONL, which is read line by line"
            raise TraceError(what, where=str(path), found=f"{size / (1 << 20):.1f} MiB", hint=hint)
        return file.read(MAX_FILE)


@contextmanager
def replacing(path: str | Path) -> Iterator[Callable[[str], object]]:
    """Give a function that writes text; the file appears once the block ends without an error."""
    part, file = _create_beside(path)
    try:
        with file:
            yield file.write
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        part.unlink(missing_ok=True)


def _create_beside(path: str | Path) -> tuple[Path, TextIO]:
    """Create a file in the same folder, so that renaming it is one step."""
    try:
        part = Path(path).with_name(f".{Path(path).name}.{secrets.token_hex(4)}.part")
        return part, open(part, "x", encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def _unwritable(path: str | Path, error: Exception) -> TraceError:
    hint = "check that the folder exists and may be written to"
    return TraceError("the file can't be written", where=str(path), found=_reason(error), hint=hint)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
