"""Run one job in a process of its own, and stop it when its time is up."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any

from agentc.trace import MESSAGES

__all__ = ["Run", "run"]

_Line = dict[str, Any]


@dataclass(slots=True)
class Run:
    """What came of a job.

    Parameters
    ----------
    lines : list of dict
        What it printed.
    stopped : bool
        Its time was up.
    error : str
        The end of what it wrote to stderr, if it failed.
    """

    lines: list[_Line] = field(default_factory=list)
    stopped: bool = False
    error: str = ""

    def first(self, key: str) -> Any:
        """Return the first value that was printed under `key`, or None."""
        return next((line[key] for line in self.lines if key in line), None)

    @property
    def timed(self) -> list[_Line]:
        """The lines that hold milliseconds, warm-up left out."""
        return [line for line in self.lines if "ms" in line and "warm" not in line]

    def first_by_tool(self) -> dict[str, float]:
        """Milliseconds of the first judgement of each tool, nothing kept for it from an earlier one."""
        found: dict[str, float] = {}
        for line in self.lines:
            for tool, ms in zip(line.get("tools", ()), line.get("ms", ()), strict=True):
                found.setdefault(tool, ms)
        return found

    def ms(self) -> list[float]:
        """Milliseconds of every judgement, in order."""
        return [ms for line in self.timed for ms in line["ms"]]

    def calls(self) -> list[float]:
        """The same without messages."""
        pairs = ((t, ms) for line in self.timed for t, ms in zip(line["tools"], line["ms"], strict=True))
        return [ms for tool, ms in pairs if tool not in MESSAGES]


def run(command: Sequence[str], job: _Line, budget_s: float, setup_s: float) -> Run:
    """Give a job to a command and collect its lines.

    Parameters
    ----------
    command : sequence of str
        The name of a file with the job, as JSON, is appended to it.
    budget_s : float
        Seconds after the line with ``fed`` in which it may go on; then it is killed.
    setup_s : float
        Seconds until that line.
    """
    found = Run()
    with tempfile.TemporaryDirectory() as folder:
        path, log = Path(folder) / "job.json", Path(folder) / "stderr"
        path.write_text(json.dumps(job), encoding="utf-8")
        with log.open("w+", encoding="utf-8") as errors:
            process = subprocess.Popen(
                [*command, str(path)], stdout=subprocess.PIPE, stderr=errors, text=True
            )
            found.stopped = _collect(process, found.lines, budget_s, setup_s)
            errors.seek(0)
            if process.returncode and not found.stopped:
                found.error = errors.read()[-2_000:] or f"exit status {process.returncode}"
    return found


def _collect(process: subprocess.Popen[str], lines: list[_Line], budget_s: float, setup_s: float) -> bool:
    """Read lines until the process ends; kill it past its deadline and return True."""
    assert process.stdout is not None
    queue: Queue[_Line | None] = Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, queue), daemon=True)
    reader.start()
    deadline = time.monotonic() + setup_s
    try:
        while (line := queue.get(timeout=max(0.0, deadline - time.monotonic()))) is not None:
            lines.append(line)
            if "fed" in line:
                deadline = time.monotonic() + budget_s
    except Empty:
        process.kill()
        return True
    finally:
        process.wait()
        reader.join()
    return False


def _read(stream: IO[str], queue: Queue[_Line | None]) -> None:
    for text in stream:
        if text.startswith("{"):
            queue.put(json.loads(text))
    queue.put(None)
