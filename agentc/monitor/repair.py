"""What would make a refused call legal, with what a model may be told kept apart from what only a person may
see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from agentc.dsl import nodes as n
from agentc.logic.engine import Partial, Verdict
from agentc.logic.leaves import resolve
from agentc.logic.missing_call import earlier_call
from agentc.monitor.judgement import Judgement, Repair
from agentc.tools.accepts import accepts
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event
from agentc.trace.values import JSON, MISSING, freeze

if TYPE_CHECKING:
    from agentc.monitor.session import Session

__all__ = ["repairs", "seen_values"]

MAX_CANDIDATES = 60
"""How many values the agent has seen are tried for one argument."""


def repairs(session: Session, judgement: Judgement) -> tuple[Repair, ...]:
    """Return the missing earlier calls, and for each argument the values that would pass."""
    call = judgement.event
    if call is None or judgement.verdict is Verdict.SAT:
        return ()
    broken = [session.spec[v.constraint] for v in judgement.violations]
    return (
        *_earlier(session, judgement, call),
        *_arguments(session, call, _that_matter(session, broken, call)),
    )


def _earlier(session: Session, judgement: Judgement, call: Event) -> Iterator[Repair]:
    for violation in judgement.violations:
        constraint = session.spec[violation.constraint]
        for node in n.walk(constraint.formula):
            if isinstance(node, n.Before):
                found = earlier_call(session.engine, node, call)
                if found is not None:
                    yield Repair("earlier call", constraint.name, _named(node.second), found)


def _named(pattern: n.Pattern) -> tuple[str, ...]:
    return tuple(b.name for b in pattern.branches)


def _that_matter(session: Session, broken: Sequence[n.Constraint], call: Event) -> list[str]:
    """Return the arguments that every broken constraint reads: changing another one can't help."""
    read = [set(_arguments_read(constraint, call, session.engine.tools)) for constraint in broken]
    return [name for name in call.args if all(name in names for names in read)]


def _arguments_read(constraint: n.Constraint, call: Event, tools: ToolSet) -> Iterator[str]:
    for node in n.walk(constraint.formula):
        for role, pattern, formula in _parts(node):
            branch = pattern.branch(call.tool, tools)
            if branch is not None:
                terms = n.walk(resolve(formula, branch, branch))
                yield from (t.name for t in terms if isinstance(t, n.Arg) and t.role == role)


def _parts(node: object) -> Iterator[tuple[n.Role, n.Pattern, n.Formula]]:
    """Yield each pattern of a temporal formula with the data formula that may read its events."""
    if isinstance(node, (n.Forall, n.Exists)):
        yield "first", node.first, node.where
    elif isinstance(node, (n.Before, n.After, n.Seq)):
        both = n.And((node.when, node.where))
        yield "first", node.first, both
        yield "second", node.second, both


def _arguments(session: Session, call: Event, names: Sequence[str]) -> Iterator[Repair]:
    for name in names:
        rest = {a: v for a, v in call.args.items() if a != name}
        values = tuple(
            v for v in _candidates(session, call, name) if _passes(session, call.tool, {**rest, name: v})
        )
        private = () if values else _solved(session, call, rest, name)
        if values or private:
            yield Repair("argument", argument=name, values=values, private_values=private)


def _passes(session: Session, tool: str, args: dict[str, JSON]) -> bool:
    """Return whether a call would be legal, and one that the tool accepts."""
    tools = session.spec.tools
    if tools is not None and tool in tools and accepts(tools[tool], args) is not None:
        return False
    return bool(session.engine.check(Event(tool, args, state=session.readings(tool, args))))


def _solved(session: Session, call: Event, rest: dict[str, JSON], name: str) -> tuple[JSON, ...]:
    """Let the solver propose a value, and keep it only if the real state agrees."""
    answer = session.engine.check_partial(
        Partial(call.tool, rest, state=session.readings(call.tool, rest, complete=False))
    )
    if answer.verdict is not Verdict.SAT or not answer.witness:
        return ()
    value = answer.witness[0].args.get(name, MISSING)
    if value is MISSING or not _passes(session, call.tool, {**rest, name: value}):
        return ()
    return (value,)


def _candidates(session: Session, call: Event, name: str) -> Iterator[JSON]:
    """Yield the schema's values, or values seen that look like the argument; each once, its own left out."""
    written = call.args[name]
    seen = {freeze(written)}
    tools = session.spec.tools
    schema = tools[call.tool].arguments.get(name, {}) if tools is not None and call.tool in tools else {}
    listed = list(schema.get("enum", ()))
    alike = (v for v in seen_values(session.events) if _shape(v) == _shape(written))
    known = listed or sorted(alike, key=lambda v: -_likeness(v, written))
    count = 0
    for value in known:
        if count < MAX_CANDIDATES and freeze(value) not in seen:
            seen.add(freeze(value))
            count += 1
            yield value


def _shape(value: JSON) -> object:
    """Tell values apart as a person would: by kind, by what a list is of, by an object's keys."""
    if isinstance(value, dict):
        return frozenset(value)
    if isinstance(value, (list, tuple)):
        return ("list", _shape(value[0]) if value else "")
    if isinstance(value, str):
        return ("str", any(c.isspace() for c in value))  # an identifier is no sentence
    return freeze(value)[0]


def _likeness(value: JSON, written: JSON) -> float:
    if not (isinstance(value, str) and isinstance(written, str)):
        return 0.0
    return SequenceMatcher(None, value[:60], written[:60]).ratio()


def seen_values(events: Sequence[Event]) -> Iterator[JSON]:
    """Yield every value the agent wrote or received, the latest first; never a state reading."""
    for event in reversed(events):
        yield from _scalars(event.output)
        for value in event.args.values():
            yield from _scalars(value)


def _scalars(value: JSON) -> Iterator[JSON]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _scalars(part)
    elif isinstance(value, (list, tuple)):
        yield value
        for part in value:
            yield from _scalars(part)
    elif value is not MISSING and value is not None:
        yield value
