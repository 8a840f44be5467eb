"""The project's own trace files: one header line per trace, then one line per event (docs/traces.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final

from agentc.errors import TraceError
from agentc.trace.event import MESSAGES, Event, Failed, Reading, Trace, reading
from agentc.trace.files import open_input, replacing
from agentc.trace.json_text import dump_json, parse_json
from agentc.trace.record import Record
from agentc.trace.values import JSON, MISSING, Key, Missing

__all__ = ["FORMAT", "MAX_LINE", "VERSION", "read_traces", "write_traces"]

FORMAT: Final = "agentc-trace"
VERSION: Final = 1
MAX_LINE: Final = 16 << 20
"""Longest line, in bytes."""

_HEADER = ("format", "version", "name", "meta", "events")
_EVENT = ("tool", "args", "output", "error", "state", "id", "time")
_READING = ("projection", "args", "absent", "value", "failed")
_EXAMPLE = f'{{"format": "{FORMAT}", "version": {VERSION}, "name": "..."}}'


def read_traces(path: str | Path) -> Iterator[Trace]:
    """Read the traces of a file in the project's own format, one at a time.

    Raises
    ------
    TraceError
        At the first line that is not as docs/traces.md says; tells file, line and field.
    """
    with open_input(path) as file:
        yield from _traces(file, str(path))


def _traces(file: BinaryIO, name: str) -> Iterator[Trace]:
    header: Record | None = None
    events: list[Event] = []
    for line in _lines(file, name):
        if "format" in line.fields:
            if header is not None:
                yield _trace(header, events)
            header, events = _header(line), []
        elif header is None:
            what = "a trace must begin with a header line"
            raise line.error(what, found=_names(line), hint=f"add {_EXAMPLE}")
        else:
            events.append(_event(line))
    if header is None:
        raise TraceError("the file holds no trace", where=name, hint=f"begin with {_EXAMPLE}")
    yield _trace(header, events)


def _lines(file: BinaryIO, name: str) -> Iterator[Record]:
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        where = f"{name}, line {number}"
        if len(line) > MAX_LINE:
            hint = "write one event a line; keep large outputs in files of their own"
            raise TraceError(f"a line may have at most {MAX_LINE >> 20} MiB", where=where, hint=hint)
        if line.strip():
            yield Record.of(_value(line, where), where)


def _value(line: bytes, where: str) -> JSON:
    try:
        return parse_json(line.rstrip(b"\r\n"), where)
    except TraceError as error:
        if not line.endswith(b"\n") and not error.hint:
            error.hint = "the file ends inside this line; write it again"
        raise


def _names(record: Record) -> str:
    return "a line with " + (", ".join(record.fields) or "no fields")


def _header(line: Record) -> Record:
    if line.get("format", "a string") != FORMAT:
        hint = f'write "{FORMAT}"'
        raise line.error("an unknown trace format", field="format", found=line.fields["format"], hint=hint)
    if line.get("version", "a whole number") != VERSION:
        hint = f"this release reads version {VERSION}; update the package"
        found = str(line.fields["version"])
        raise line.error("an unknown version of the format", field="version", found=found, hint=hint)
    line.only(_HEADER)
    return line


def _trace(header: Record, events: list[Event]) -> Trace:
    promised = header.find("events", "a whole number", len(events))
    if promised != len(events):
        what = f"the header promises {promised} events, the trace has {len(events)}"
        hint = "the file was cut short or edited: write it again, or take `events` out of the header"
        raise header.error(what, field="events", hint=hint)
    _check_ids(header, events)
    return Trace(tuple(events), header.find("name", "a string", ""), header.find("meta", "an object", {}))


def _check_ids(header: Record, events: list[Event]) -> None:
    """An event without an id goes by its position, so that no other may be called that."""
    first: dict[str, int] = {}
    for position, event in enumerate(events):
        name = event.id or str(position)
        if first.setdefault(name, position) != position:
            what = f"events {first[name]} and {position} of the trace have the same id"
            raise header.error(what, found=name, hint="give each its own, or none")


def _event(line: Record) -> Event:
    line.only(_EVENT)
    tool, args = line.get("tool", "a string"), line.get("args", "an object")
    if not tool:
        raise line.error("a tool must have a name", field="tool", hint="name the tool that was called")
    if tool in MESSAGES:
        _check_message(line.child("args"))
    return Event(
        tool,
        args,
        output=line.fields.get("output", MISSING),
        error=line.find("error", "true or false", False),
        state=_state(line),
        id=line.find("id", "a string", ""),
        time=_time(line),
    )


def _check_message(args: Record) -> None:
    args.get("text", "a string")
    args.only(("text",))


def _state(line: Record) -> dict[Reading, JSON | Missing | Failed]:
    state: dict[Reading, JSON | Missing | Failed] = {}
    for item in line.children("state"):
        item.only(_READING)
        key = _reading_key(item)
        if key in state:
            hint = "keep the one read before the call"
            raise item.error("a state reading stands twice", found=key[0], hint=hint)
        state[key] = _reading_value(item)
    return state


def _reading_key(item: Record) -> Reading:
    args = list(item.get("args", "a list"))
    for position in item.find("absent", "a list", ()):
        if type(position) is not int or not 0 <= position < len(args) or args[position] is not None:
            hint = "list the 0-based positions of the nulls in `args` that stand for absent arguments"
            raise item.error("no such absent argument", field="absent", found=dump_json(position), hint=hint)
        args[position] = MISSING
    return reading(item.get("projection", "a string"), *args)


def _reading_value(item: Record) -> JSON | Missing | Failed:
    if "failed" not in item.fields:
        return item.fields.get("value", MISSING)
    if "value" in item.fields:
        raise item.error("a state reading has `value` or `failed`, not both", hint="remove one")
    return Failed(item.get("failed", "a string"))


def _time(line: Record) -> float | None:
    time = line.find("time", "a number")
    try:
        return None if time is None else float(time)
    except OverflowError:
        hint = "write seconds since the epoch"
        raise line.error("the time is too large", field="time", found=str(time), hint=hint) from None


def write_traces(path: str | Path, traces: Trace | Iterable[Trace]) -> None:
    """Write traces in the project's own format; the file appears whole, or not at all.

    Parameters
    ----------
    path : str or Path
        Replaced if it exists.
    traces : Trace or Iterable of Trace

    Raises
    ------
    TraceError
        If the file can't be written, or `read_traces` would refuse it: every trace is read back first.
    """
    empty = True
    with replacing(path) as write:
        for number, trace in enumerate([traces] if isinstance(traces, Trace) else traces):
            where = f"{path}, trace {number}"
            text = "".join(f"{line}\n" for line in _text(trace, where))
            for _ in _traces(BytesIO(text.encode("utf-8")), where):
                empty = False
            write(text)
        if empty:
            raise TraceError("there is no trace to write", where=str(path), hint="give at least one")


def _text(trace: Trace, where: str) -> Iterator[str]:
    header = {"format": FORMAT, "version": VERSION, "name": trace.name, "meta": trace.meta}
    yield dump_json(header | {"events": len(trace)}, f"{where}, header")
    for position, event in enumerate(trace):
        yield dump_json(_fields(event), f"{where}, event {position}")


def _fields(event: Event) -> dict[str, Any]:
    fields: dict[str, Any] = {"tool": event.tool, "args": event.args}
    if event.output is not MISSING:
        fields["output"] = event.output
    if event.error:
        fields["error"] = True
    if event.state:
        fields["state"] = [_reading_fields(key, value) for key, value in event.state.items()]
    if event.id:
        fields["id"] = event.id
    if event.time is not None:
        fields["time"] = event.time
    return fields


def _reading_fields(key: Reading, value: JSON | Missing | Failed) -> dict[str, Any]:
    args = [_thaw(arg) for arg in key[1]]
    absent = [position for position, arg in enumerate(args) if arg is MISSING]
    fields: dict[str, Any] = {"projection": key[0], "args": [None if arg is MISSING else arg for arg in args]}
    if absent:
        fields["absent"] = absent
    if isinstance(value, Failed):
        fields["failed"] = value.reason
    elif value is not MISSING:
        fields["value"] = value
    return fields


def _thaw(key: Key) -> JSON | Missing:
    """Return the value of a frozen key."""
    match key[0]:
        case "missing":
            return MISSING
        case "null":
            return None
        case "list":
            return [_thaw(item) for item in key[1]]
        case "dict":
            return {name: _thaw(item) for name, item in key[1]}
        case _:
            return key[1]
