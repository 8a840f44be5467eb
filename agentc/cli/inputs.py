"""What a command is given: specifications, traces, and the state the traces were in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentc.domains import Domain, Replayed, load, load_specification, needed_by, replay
from agentc.dsl.nodes import Specification
from agentc.errors import TraceError, closest, shorten
from agentc.trace import Trace, load_traces

__all__ = ["NO_DOMAIN", "Rebuild", "NO_GROUP", "domain_of", "one_trace", "open_specification", "open_traces"]

NO_DOMAIN = "none"
"""The name that asks for no domain: the state is what the traces hold."""

NO_GROUP = "none"
"""The name that asks for no group of constraints."""


@dataclass(frozen=True, slots=True)
class Rebuild:
    """Gives traces the state that a specification reads, by running them again on its domain."""

    spec: Specification
    domain: Domain | None

    def __call__(self, trace: Trace) -> Replayed:
        """Return the trace with state; as it is where there is no domain."""
        if self.domain is None:
            return Replayed(trace)
        return replay(trace, self.domain, needed_by(self.spec))


def open_specification(path_or_name: str, groups: Sequence[str] | None) -> Specification:
    """Return a checked specification; `groups` as they were asked for, ``none`` for none."""
    if groups is None:
        return load_specification(path_or_name)
    return load_specification(path_or_name, groups=[g for g in groups if g != NO_GROUP])


def domain_of(spec: Specification, name: str = "") -> Domain | None:
    """Return the domain of that name, by default the specification's own."""
    name = name or spec.domain or NO_DOMAIN
    return None if name == NO_DOMAIN else load(name)


def open_traces(paths: Iterable[str]) -> list[tuple[str, Trace]]:
    """Return the traces of all files, each with its file's name.

    Raises
    ------
    TraceError
        Of the first file that can't be read: none is judged then.
    """
    return [(path, trace) for path in paths for trace in load_traces(path)]


def one_trace(path: str, wanted: str = "") -> Trace:
    """Return one trace of a file, by its name or 0-based position; the only one needs neither.

    Raises
    ------
    TraceError
        If there are several and none was asked for, or there is none like that.
    """
    traces = load_traces(path)
    if not wanted and len(traces) == 1:
        return traces[0]
    names = [t.name for t in traces]
    if not wanted:
        found = f"{len(traces)} traces: {', '.join(shorten(n, 40) for n in names[:4])}, ..."
        hint = f"say which: --trace {shorten(names[0], 40) or '0'}, or --trace 0"
        raise TraceError("the file holds several traces", where=path, found=found, hint=hint)
    if wanted in names:
        return traces[names.index(wanted)]
    if wanted.isdecimal() and int(wanted) < len(traces):
        return traces[int(wanted)]
    hint = closest(wanted, names) or f"positions go from 0 to {len(traces) - 1}"
    raise TraceError("the file has no such trace", where=path, found=shorten(wanted), hint=shorten(hint, 400))
