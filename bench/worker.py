"""One measurement in a process of its own: ``python -m bench.worker JOB.json`` prints JSON lines.

A job has `subject`, `workload`, `density`, `past` (events), `samples` (judgements to time), `warm` (windows
judged first, their lines marked so) and `warm_s` (seconds after which no further window is).

``{"ready": ms}`` is how long it took to make the subject; lines with milliseconds, tools and verdicts follow;
``{"fed": s}`` says that past and warm-up are over and the clock starts. A job whose subject is ``memory``
prints one line.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from agentc.trace import Event
from bench.subjects import SUBJECTS, Subject
from bench.workloads import Workload, workload

__all__ = ["main", "measure", "memory"]

Line = dict[str, Any]

_LONG_MS = 100.0
"""A judgement this long is told at once: the process may be stopped during the next."""


def main(path: str) -> None:
    job = json.loads(Path(path).read_text(encoding="utf-8"))
    for line in memory(job) if job["subject"] == "memory" else measure(job):
        print(json.dumps(line), flush=True)


# ---------------------------------------------------------------- time


def measure(job: Line) -> Iterator[Line]:
    """Yield the lines of a timed job."""
    w = workload(job["workload"], job["density"])
    started = time.perf_counter_ns()
    subject = SUBJECTS[job["subject"]](w)
    yield {"ready": _ms(started)}
    started = time.perf_counter_ns()
    for event in w.past(job["past"]):
        subject.feed(event)
    windows = _windows(w, subject, job["past"])
    yield from _warm(subject, windows, job)
    yield {"fed": _ms(started) / 1e3}
    left = job["samples"]
    while left > 0:
        for line in _judge(subject, next(windows)):
            left -= len(line["ms"])
            yield line


def _warm(subject: Subject, windows: Iterator[list[Event]], job: Line) -> Iterator[Line]:
    end = time.monotonic() + job["warm_s"]
    for window in islice(windows, job["warm"]):
        yield from ({**line, "warm": True} for line in _judge(subject, window))
        if time.monotonic() > end:
            return


def _windows(w: Workload, subject: Subject, n: int) -> Iterator[list[Event]]:
    return ([call] for call in w.refused(n)) if subject.refused else w.windows(n)


def _judge(subject: Subject, window: Sequence[Event]) -> Iterator[Line]:
    """Judge a window's events one after another, and take them back; yield a line, more if it takes long."""
    line: Line = {"ms": [], "tools": [], "verdicts": []}
    for event in window:
        timed = not (subject.calls_only and event.is_message)
        if timed:
            started = time.perf_counter_ns()
            verdict = subject.judge(event)
            ms = _ms(started)
            for key, value in (("ms", ms), ("tools", event.tool), ("verdicts", str(verdict))):
                line[key].append(value)
            if ms > _LONG_MS:
                yield line
                line = {"ms": [], "tools": [], "verdicts": []}
        if not (timed and subject.appends) and not subject.refused:
            subject.feed(event)
    if line["ms"]:
        yield line
    for _ in () if subject.refused else window:
        subject.pop()


def _ms(started: int) -> float:
    return (time.perf_counter_ns() - started) / 1e6


# ---------------------------------------------------------------- memory


def memory(job: Line) -> Iterator[Line]:
    """Yield how much the process grows while a session judges the past, and what the events themselves take.

    After `warm_s` seconds it stops and tells how many events it judged.
    """
    w = workload(job["workload"], job["density"])
    subject = SUBJECTS["session"](w)
    start = _resident()
    events = w.past(job["past"])
    made, end = _resident(), time.monotonic() + job["warm_s"]
    judged = 0
    for event in events:
        if time.monotonic() > end:
            break
        subject.judge(event)
        judged += 1
    yield {"events": judged, "events_mib": _mib(start, made), "judging_mib": _mib(made, _resident())}


def _resident() -> int | None:
    """Resident set size in bytes, Z3's own memory included; None where the system doesn't say."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    import resource

    return pages * resource.getpagesize()


def _mib(before: int | None, after: int | None) -> float | None:
    return None if before is None or after is None else (after - before) / 2**20


if __name__ == "__main__":
    main(sys.argv[1])
