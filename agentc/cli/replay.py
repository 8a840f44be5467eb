"""`agentc replay`: proposed calls run on fresh environments of a domain, each checked before it runs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentc.cli.console import Output, counted, open_output, table, tracked
from agentc.domains import Domain, load, load_specification
from agentc.dsl.nodes import Specification
from agentc.errors import TraceError, shorten
from agentc.logic.engine import Partial, Verdict
from agentc.logic.future import Answer
from agentc.monitor.judgement import Judgement
from agentc.monitor.proposal import arguments
from agentc.monitor.session import Session
from agentc.trace.event import MESSAGES, Event, message
from agentc.trace.files import open_input, replacing
from agentc.trace.json_text import dump_json, parse_json
from agentc.trace.jsonl import MAX_LINE
from agentc.trace.record import Record
from agentc.trace.values import JSON

__all__ = ["Proposed", "Verdicts", "judge", "read_proposed", "run"]


@dataclass(frozen=True, slots=True)
class Proposed:
    """One line of input: what an agent would do, in order; messages may stand between the calls."""

    id: JSON
    actions: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What became of it.

    Parameters
    ----------
    violations : tuple of (int, tuple of str)
        0-based position of an action and the constraints it broke first; without any that can be named where
        the verdict was UNKNOWN, which is refused.
    refused_by_tool : tuple of int
        Positions of the calls that ran and failed.
    """

    violations: tuple[tuple[int, tuple[str, ...]], ...]
    refused_by_tool: tuple[int, ...]

    def as_json(self, name: JSON, every: bool = False) -> dict[str, Any]:
        """Return the line of output; `every`: with each violation's position."""
        broken = dict.fromkeys(name for _, names in self.violations for name in names)
        first = self.violations[0][0] if self.violations else None
        line: dict[str, Any] = {"id": name, "first_bad": first, "constraints": list(broken)}
        line["refused_by_tool"] = list(self.refused_by_tool)
        if every:
            line["violations"] = [{"index": i, "constraints": list(names)} for i, names in self.violations]
        return line


def run(args: Namespace) -> int:
    """Judge every line, write the verdicts, and return the exit status."""
    domain = load(args.domain)
    spec = load_specification(domain.name, groups=args.group)
    lines = list(read_proposed(args.actions))
    with replacing(args.out) as write:
        judged = []
        for line in tracked(lines, len(lines), "judging"):
            judged.append(judge(spec, domain, line.actions, args.all))
            write(dump_json(judged[-1].as_json(line.id, args.all), args.out) + "\n")
    _print(open_output(), spec, judged)
    return 0


def judge(spec: Specification, domain: Domain, actions: Sequence[Event], every: bool = False) -> Verdicts:
    """Run actions on a fresh environment up to the first violation; `every`: run that too, and go on.

    Examples
    --------
    >>> from agentc.trace.event import call
    >>> cancel = call("cancel_pending_order", order_id="#W5918442", reason="no longer needed")
    >>> spec = load_specification("retail", groups=())
    >>> judge(spec, load("retail"), [cancel]).violations
    ((0, ('authenticated', 'own_orders', 'status_checked')),)
    """
    live = _Live(spec, domain)
    violations, refused = [], []
    for position, event in enumerate(actions):
        broken = live.broken_by(event)
        if broken is None or every:
            refused += [position] if live.execute() else []
            broken = _joined(broken, live.broken_by_output())
        if broken is not None:
            violations.append((position, broken))
            if not every:
                break
    return Verdicts(tuple(violations), tuple(refused))


def _joined(before: tuple[str, ...] | None, after: tuple[str, ...]) -> tuple[str, ...] | None:
    return (*(before or ()), *after) if before is not None or after else None


class _Live:
    """A session on an environment that goes on after a violation, with the constraints that still hold."""

    def __init__(self, spec: Specification, domain: Domain) -> None:
        self.spec, self.environment = spec, domain.environment()
        self.session = Session(spec, lambda name, args: self.environment.read(name, *args))
        self.rest = tuple(range(len(spec.constraints)))
        self.event = Event("")

    def broken_by(self, event: Event) -> tuple[str, ...] | None:
        """Return the constraints that an action can't but break; None if it is legal."""
        self.event = event
        if event.is_message:
            return None
        self.event = replace(event, state=self.session.readings(event.tool, event.args))
        answer = self._ask(self.rest)
        if answer.verdict is Verdict.SAT:
            return None
        alone = [j for j in self.rest if self._ask((j,)).verdict is not Verdict.SAT]
        return self._drop(alone or answer.core)

    def _ask(self, constraints: tuple[int, ...]) -> Answer:
        """Judge the action under some constraints; what its tool does not accept is a failed attempt."""
        engine, event = self.session.engine, self.event
        if isinstance(arguments(event.tool, event.args, self.spec.tools, complete=True), Judgement):
            engine.push(replace(event, error=True))
            try:
                return engine.prefix(constraints)
            finally:
                engine.pop()
        if len(constraints) == len(self.spec.constraints):
            return engine.check(event)
        known = Partial(event.tool, event.args, complete=True, state=event.state)
        return engine.check_partial(known, constraints)

    def execute(self) -> bool:
        """Run the action last asked about, append it, and return whether it failed."""
        if not self.event.is_message:
            output, error = self.environment.execute(self.event.tool, self.event.args)
            self.event = replace(self.event, output=output, error=error)
        self.session.engine.push(self.event)
        return self.event.error

    def broken_by_output(self) -> tuple[str, ...]:
        """Return the constraints that only the output of the last action broke."""
        engine = self.session.engine
        if engine.prefix(self.rest).verdict is not Verdict.UNSAT:
            return ()
        return self._drop([j for j in self.rest if engine.prefix((j,)).verdict is Verdict.UNSAT])

    def _drop(self, broken: Sequence[int]) -> tuple[str, ...]:
        self.rest = tuple(j for j in self.rest if j not in broken)
        return tuple(self.spec.constraints[j].name for j in broken)


# ---------------------------------------------------------------- reading


def read_proposed(path: str) -> Iterator[Proposed]:
    """Read proposed actions, a line each.

    Raises
    ------
    TraceError
        At the first line that is malformed; tells file, line and field.
    """
    number = 0
    with open_input(path) as file:
        while line := file.readline(MAX_LINE + 1):
            number += 1
            where = f"{path}, line {number}"
            if len(line) > MAX_LINE:
                raise TraceError(f"a line may have at most {MAX_LINE >> 20} MiB", where=where)
            if line.strip():
                yield _proposed(Record.of(parse_json(line.rstrip(b"\r\n"), where), where))


def _proposed(line: Record) -> Proposed:
    name = line.fields.get("id")
    if not isinstance(name, (str, int)) or isinstance(name, bool):
        what = (
            "`id` must be a string or a whole number" if "id" in line.fields else "the field `id` is missing"
        )
        raise line.error(what, field="id", found=dump_json(name))
    line.get("actions", "a list")
    return Proposed(name, tuple(map(_action, line.children("actions"))))


def _action(item: Record) -> Event:
    if "role" in item.fields and "name" not in item.fields:
        return _message(item)
    tool = item.get("name", "a string")
    if not tool or tool in MESSAGES:
        hint = 'write {"role": "user", "content": "..."}' if tool else "name the tool"
        raise item.error("a tool can't be called that", field="name", found=repr(tool), hint=hint)
    return Event(tool, item.get("arguments", "an object"))


def _message(item: Record) -> Event:
    role, text = item.get("role", "a string"), item.get("content", "a string")
    if role not in ("user", "assistant"):
        raise item.error("an unknown role", field="role", found=role, hint="write user or assistant")
    return message(role, text)


# ---------------------------------------------------------------- telling


def _print(out: Output, spec: Specification, judged: Sequence[Verdicts]) -> None:
    counts = {
        c.name: sum(any(c.name in n for _, n in v.violations) for v in judged) for c in spec.constraints
    }
    rows = table("constraint", "broken in", numbers=("broken in",))
    for name, number in counts.items():
        if number:
            rows.add_row(shorten(name, 60), str(number))
    if rows.row_count:
        out.print(rows)
    bad = sum(bool(v.violations) for v in judged)
    refused = sum(len(v.refused_by_tool) for v in judged)
    out.print(f"{bad} of {counted(len(judged), 'line')} violate a constraint", style="bold")
    out.print(f"{counted(refused, 'call')} that ran failed")
