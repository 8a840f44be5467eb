"""Which format a trace file is in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agentc.errors import TraceError, shorten
from agentc.trace import jsonl, tau_bench
from agentc.trace.event import Trace
from agentc.trace.files import open_input

__all__ = ["FORMATS", "Format", "load_traces"]

_SNIFFED: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of trace file.

    Parameters
    ----------
    name : str
        What people call it.
    shape : str
        How such a file begins, for people.
    recognises : callable
        Takes the first 64 KiB of a file (bytes), returns whether it looks like one.
    read : callable
        Takes a path, gives its traces one at a time.
    """

    name: str
    shape: str
    recognises: Callable[[bytes], bool]
    read: Callable[[str | Path], Iterator[Trace]]


def _is_jsonl(head: bytes) -> bool:
    line = head.lstrip().partition(b"\n")[0]
    return line.startswith(b"{") and any(field in line for field in (b'"format"', b'"tool"'))


def _is_tau_bench(head: bytes) -> bool:
    start = head.lstrip()
    return start.startswith(b"[") and any(field in start for field in (b'"task_id"', b'"traj"'))


FORMATS: Final = (
    Format("agentc JSONL", f'{{"format": "{jsonl.FORMAT}", ...', _is_jsonl, jsonl.read_traces),
    Format("tau-bench runs", '[{"task_id": ..., "traj": [...], ...', _is_tau_bench, tau_bench.read_traces),
)
"""The first that recognises a file reads it."""


def load_traces(path: str | Path) -> list[Trace]:
    """Read all traces of a file, whatever its format.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    TraceError
        If the file can't be opened, is in none of ``FORMATS``, or is not as its format says.

    Examples
    --------
    >>> import tempfile
    >>> from agentc.trace import Trace, call, message, write_traces
    >>> path = Path(tempfile.mkdtemp()) / "hello.jsonl"
    >>> write_traces(path, Trace((message("user", "open a.txt"), call("open", file="a.txt")), "hello"))
    >>> [trace] = load_traces(path)
    >>> trace.name, len(trace), trace[1].args
    ('hello', 2, {'file': 'a.txt'})
    """
    with open_input(path) as file:
        head = file.read(_SNIFFED)
    for candidate in FORMATS:
        if candidate.recognises(head.removeprefix(b"\xef\xbb\xbf")):
            return list(candidate.read(path))
    found = shorten(head[:60].decode("utf-8", "replace"), 60)
    hint = "accepted: " + "; ".join(f"{known.name} ({known.shape})" for known in FORMATS)
    raise TraceError("not a trace file of a known format", where=str(path), found=found, hint=hint)
