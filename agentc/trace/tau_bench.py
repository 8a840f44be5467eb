"""Runs recorded by tau-bench (github.com/sierra-research/tau-bench), read as traces."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from agentc.errors import TraceError, closest, shorten
from agentc.trace.event import MESSAGES, Event, Trace, message
from agentc.trace.files import read_input
from agentc.trace.json_text import parse_json
from agentc.trace.record import Record
from agentc.trace.values import JSON

__all__ = ["read_traces"]

_RUN: Final = ("task_id", "reward", "info", "traj", "trial")
_TITLE: Final = re.compile(r"^#\s*(\w+) agent policy\b", re.IGNORECASE | re.MULTILINE)
_CALLS_AS_TEXT: Final = "API output: "


def read_traces(path: str | Path) -> Iterator[Trace]:
    """Read the runs of a file that tau-bench wrote; docs/traces.md says what becomes of each part.

    Raises
    ------
    TraceError
        If the file is not as tau-bench writes it; tells file, place as a JSON path, and field.
    """
    runs = parse_json(read_input(path), str(path))
    if not isinstance(runs, list) or not runs:
        found = "an empty list" if runs == [] else type(runs).__name__
        raise TraceError("a tau-bench file must be a list of runs", where=str(path), found=found)
    names = _Names()
    for index, run in enumerate(runs):
        yield _trace(Record.of(run, str(path), f"[{index}]"), Path(path).name, names)


def _trace(run: Record, file: str, names: _Names) -> Trace:
    task, trial = run.get("task_id", "a whole number"), run.get("trial", "a whole number")
    reward, info = run.get("reward", "a number"), run.get("info", "an object")
    run.get("traj", "a list")
    reader = _Reader()
    reader.keep(run, _RUN)
    for record in run.children("traj"):
        reader.read(_without_nulls(record))
    reader.check_calls()
    name = names.unused(f"{_domain(reader.system)}-{task}-trial{trial}")
    meta = {"format": "tau-bench", "file": file, "task_id": task, "trial": trial, "reward": reward}
    meta["task"] = info.get("task", {})
    meta["info"] = {key: value for key, value in info.items() if key != "task"}
    return Trace(tuple(reader.events), name, meta | reader.meta())


def _without_nulls(record: Record) -> Record:
    """Clients dump every field they know, most of them null."""
    return replace(record, fields={key: value for key, value in record.fields.items() if value is not None})


def _domain(system: list[str]) -> str:
    """Return which domain a run is of by its policy's title: the file doesn't say it elsewhere."""
    titles = [title for text in system if (title := _TITLE.search(text))]
    return titles[0].group(1).lower() if titles else "task"


class _Names:
    """Names given out once each."""

    def __init__(self) -> None:
        self.last: dict[str, int] = {}

    def unused(self, name: str) -> str:
        """Return `name`, or the first of name#2, name#3, ... that wasn't given out yet."""
        unused, number = name, self.last.get(name, 0)
        while unused in self.last:
            number += 1
            unused = f"{name}#{number}"
        self.last[name] = max(number, 1)
        self.last.setdefault(unused, 1)
        return unused


@dataclass
class _Reader:
    """Makes events of the messages of one run, and keeps what no event says."""

    events: list[Event] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    waiting: dict[str, deque[int]] = field(default_factory=dict)
    ids: _Names = field(default_factory=_Names)
    unreadable: dict[int, str] = field(default_factory=dict)
    kept_as_text: list[int] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)
    call_as_text: Record | None = None

    def read(self, record: Record) -> None:
        match role := record.get("role", "a string"):
            case "system":
                self._system(record)
            case "user":
                self._user(record)
            case "assistant":
                self._assistant(record)
            case "tool":
                self._tool(record)
            case _:
                hint = closest(shorten(role), ("system", "user", "assistant", "tool"))
                raise record.error("an unknown role", field="role", found=role, hint=hint)

    def check_calls(self) -> None:
        """Refuse a run that made calls in another way: read as one without calls, it would break no rule."""
        if self.call_as_text and all(event.is_message for event in self.events):
            hint = "record with the strategy tool-calling; act and react write calls into the text"
            found = self.call_as_text.fields["content"]
            raise self.call_as_text.error("the calls of this run are text", found=found, hint=hint)

    def keep(self, record: Record, known: Collection[str]) -> None:
        """Remember the fields that nothing reads."""
        others = {key: value for key, value in record.fields.items() if key not in known}
        if others:
            self.others.append({"at": record.path, "fields": others})

    def meta(self) -> dict[str, JSON]:
        """Return what no event says; a list that would be empty is left out."""
        unanswered = sorted(position for positions in self.waiting.values() for position in positions)
        found: Mapping[str, list[Any]] = {
            "system": self.system,
            "without_output": unanswered,
            "unreadable_arguments": [{"event": p, "text": text} for p, text in self.unreadable.items()],
            "outputs_kept_as_text": self.kept_as_text,
            "other_fields": self.others,
        }
        return {name: entries for name, entries in found.items() if entries}

    def _system(self, record: Record) -> None:
        self.keep(record, ("role", "content"))
        self.system.append(record.get("content", "a string"))

    def _user(self, record: Record) -> None:
        self.keep(record, ("role", "content"))
        text = record.get("content", "a string")
        if text.startswith(_CALLS_AS_TEXT) and self.call_as_text is None:
            self.call_as_text = record
        self.events.append(message("user", text))

    def _assistant(self, record: Record) -> None:
        if "function_call" in record.fields:
            hint = "convert it to an entry of tool_calls"
            raise record.error("a call must stand in `tool_calls`", field="function_call", hint=hint)
        self.keep(record, ("role", "content", "tool_calls"))
        calls = record.children("tool_calls")
        text = record.find("content", "a string", "")
        if text or not calls:
            self.events.append(message("assistant", text))
        for call in calls:
            self._call(_without_nulls(call))

    def _call(self, call: Record) -> None:
        self.keep(call, ("id", "type", "function"))
        function = call.child("function")
        self.keep(function, ("name", "arguments"))
        position, args = len(self.events), _object(function.get("arguments", "a string"))
        if args is None:
            self.unreadable[position] = function.fields["arguments"]
        call_id = call.get("id", "a string")
        self.waiting.setdefault(call_id, deque()).append(position)
        self.events.append(Event(_tool_name(function), args or {}, error=args is None, id=self._id(call_id)))

    def _id(self, call_id: str) -> str:
        # tau-bench's runs repeat ids; and a plain number would be the name of the event at that position.
        return self.ids.unused(f"call_{call_id}" if call_id.isdecimal() or not call_id else call_id)

    def _tool(self, record: Record) -> None:
        self.keep(record, ("role", "content", "tool_call_id", "name"))
        position = self._answered(record)
        event, text = self.events[position], record.get("content", "a string")
        error = text.startswith("Error:") or text == f"Unknown action {event.tool}"
        if position in self.unreadable and not error:
            hint = "repair the arguments in the file, or take the run out"
            raise record.error("a call succeeded whose arguments can't be read", found=event.id, hint=hint)
        self.events[position] = replace(event, output=self._output(position, text), error=error)

    def _answered(self, record: Record) -> int:
        """Return the position of the first call with this id that has no output yet."""
        call_id = record.get("tool_call_id", "a string")
        if not self.waiting.get(call_id):
            hint = "an output must come after its call, once"
            raise record.error("an output answers no call", field="tool_call_id", found=call_id, hint=hint)
        position = self.waiting[call_id].popleft()
        tool, name = self.events[position].tool, record.find("name", "a string")
        if name not in (None, tool):
            raise record.error(f"an output of `{shorten(tool)}` names another tool", field="name", found=name)
        return position

    def _output(self, position: int, text: str) -> JSON:
        try:
            return parse_json(text)
        except TraceError:
            if text.lstrip().startswith(("{", "[")):
                self.kept_as_text.append(position)
            return text


def _object(text: str) -> dict[str, JSON] | None:
    try:
        value = parse_json(text)
    except TraceError:
        return None
    return value if isinstance(value, dict) else None


def _tool_name(function: Record) -> str:
    name = function.get("name", "a string")
    if not name or name in MESSAGES:
        hint = "a call by that name would pass for a message; take the run out" if name else "name the tool"
        raise function.error("a tool can't be called that", field="name", found=repr(name), hint=hint)
    return name
