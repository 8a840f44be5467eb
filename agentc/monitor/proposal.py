"""Calls that are refused before any constraint is asked: the tools don't accept what was proposed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentc.errors import AgentcError, shorten
from agentc.logic.limits import Verdict
from agentc.monitor.judgement import Judgement
from agentc.tools.accepts import accepts, complaint
from agentc.tools.signature import Tool, ToolSet
from agentc.trace.event import MESSAGES, Event
from agentc.trace.values import JSON, detach

__all__ = ["arguments"]


def arguments(tool: Any, args: Any, tools: ToolSet | None, complete: bool) -> dict[str, JSON] | Judgement:
    """Return the arguments of a proposed call, copied, or the judgement that refuses it.

    Parameters
    ----------
    tool, args : Any
        As proposed: a model may have written them.
    tools : ToolSet or None
    complete : bool
        Whether no further argument will come.

    Notes
    -----
    UNKNOWN for what can't be judged at all: no name of a tool, no object, values that are no JSON, or the
    name of a message, which would forge what the user or the assistant said. UNSAT for arguments that the
    tool's schema doesn't accept: nothing that follows makes it a call of this tool.
    """
    if not isinstance(tool, str) or not tool:
        return _refused(None, Verdict.UNKNOWN, f"no tool goes by the name {shorten(repr(tool), 60)}")
    if tool in MESSAGES:
        reason = f"{tool} is a message, not a tool: no call may go by that name"
        return _refused(Event(tool), Verdict.UNKNOWN, reason)
    if not isinstance(args, Mapping):
        reason = f"the arguments of {tool} must be an object, not {type(args).__name__}"
        return _refused(Event(tool), Verdict.UNKNOWN, reason)
    try:
        known = detach(args)
    except AgentcError as problem:
        reason = f"the arguments of {tool} can't be judged: {problem.what} ({problem.found})"
        return _refused(Event(tool), Verdict.UNKNOWN, reason)
    reason = _unacceptable(tools[tool], known, complete) if tools is not None and tool in tools else ""
    return _refused(Event(tool, known), Verdict.UNSAT, reason) if reason else known


def _unacceptable(tool: Tool, known: Mapping[str, JSON], complete: bool) -> str:
    if complete:
        why = accepts(tool, known)
    else:
        told = (_of_one(tool, name, value) for name, value in known.items())
        why = next((w for w in told if w), None)
    return f"{tool.name} doesn't accept these arguments: {why}" if why else ""


def _of_one(tool: Tool, name: str, value: JSON) -> str | None:
    schema = tool.arguments.get(name)
    if schema is not None:
        why = complaint(schema, value)
        return why and f"argument `{shorten(name)}`: {why}"
    return None if tool.open else f"it has no argument `{shorten(name)}`"


def _refused(event: Event | None, verdict: Verdict, reason: str) -> Judgement:
    return Judgement(verdict, verdict, reason, event=event, blame="call")
