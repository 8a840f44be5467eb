"""Tools from Python functions: annotations become JSON schemas, the docstring the description."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable
from inspect import Parameter
from typing import Any

from agentc.errors import AgentcError, ToolError, shorten
from agentc.tools.annotations import schema_of
from agentc.tools.from_schema import tool_from_schema
from agentc.tools.signature import Kind, Schema, Tool, ToolSet
from agentc.trace.values import freeze

__all__ = ["from_functions", "tool_from_function"]

Function = Callable[..., Any]


def from_functions(
    *functions: Function,
    read: Iterable[Function] = (),
    write: Iterable[Function] = (),
    other: Iterable[Function] = (),
) -> ToolSet:
    """Return the tools that Python functions are.

    Parameters
    ----------
    *functions : callable
        Functions of no stated class; such a tool belongs to every class.
    read, write, other : iterable of callable
        Functions of each class.

    Raises
    ------
    ToolError
        If a function's arguments can't be described, or a name comes twice.

    Examples
    --------
    >>> def refund(order_id: str, amount: float, note: str = "") -> bool:
    ...     "Pay an order back."
    >>> tool = from_functions(write=[refund])["refund"]
    >>> tool.kind, sorted(tool.required), tool.output, tool.description
    ('write', ['amount', 'order_id'], {'type': 'boolean'}, 'Pay an order back.')
    """
    classes: list[tuple[Kind | None, Iterable[Function]]] = [
        (None, functions),
        ("read", read),
        ("write", write),
        ("other", other),
    ]
    return ToolSet(tool_from_function(f, kind=kind) for kind, group in classes for f in group)


def tool_from_function(function: Function, *, name: str = "", kind: Kind | None = None) -> Tool:
    """Return the tool that a function is.

    Parameters
    ----------
    function : callable
        Its parameters are annotated as `schema_of` takes it; one without an annotation accepts anything, one
        with a default may be left out, ``**more`` lets any further argument in.
    name : str
        By default the function's own.
    kind : {"read", "write", "other"}, optional

    Raises
    ------
    ToolError
        If an annotation has no JSON schema, an argument can't be given by name, or nothing can be read.

    Notes
    -----
    The output is described where the return annotation has a JSON schema, and otherwise left open.
    """
    name = name or getattr(function, "__name__", "")
    where = f"function `{shorten(name)}`"
    signature, hints = _signature(function, where)
    properties: dict[str, Schema] = {}
    more: Schema | bool = False
    for parameter in signature.parameters.values():
        schema = schema_of(hints.get(parameter.name, Any), f"{where}, argument `{parameter.name}`")
        if parameter.kind is Parameter.VAR_KEYWORD:
            more = schema or True
        else:
            properties[parameter.name] = _with_default(schema, _nameable(parameter, where))
    required = [
        p.name for p in signature.parameters.values() if p.name in properties and p.default is Parameter.empty
    ]
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": more,
    }
    described = {"name": name, "description": inspect.getdoc(function) or "", "parameters": parameters}
    return tool_from_schema(described | _output(hints, where), kind=kind)


def _signature(function: Function, where: str) -> tuple[inspect.Signature, dict[str, Any]]:
    target = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    try:
        return inspect.signature(function), typing.get_type_hints(target, include_extras=True)
    except Exception as problem:  # annotations are other people's code, and may raise anything
        raise ToolError(
            "a function's signature can't be read",
            where=where,
            found=shorten(f"{type(problem).__name__}: {problem}"),
            hint="pass a function annotated with types that are defined where it is",
        ) from None


def _nameable(parameter: Parameter, where: str) -> Parameter:
    if parameter.name in ("self", "cls"):
        raise ToolError(
            "a tool is a method without its object",
            where=where,
            found=parameter.name,
            hint="pass `thing.method`",
        )
    if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.POSITIONAL_ONLY):
        raise ToolError(
            "a tool's argument can't be given by name",
            where=where,
            found=str(parameter),
            hint="a call names its arguments: leave out `/` and `*args`",
        )
    return parameter


def _with_default(schema: Schema, parameter: Parameter) -> Schema:
    """Say the default in the schema, where JSON can."""
    if parameter.default is Parameter.empty:
        return schema
    try:
        freeze(parameter.default)
    except AgentcError:
        return schema
    return {**schema, "default": parameter.default}


def _output(hints: dict[str, Any], where: str) -> dict[str, Schema]:
    try:
        schema = schema_of(hints.get("return", Any), where)
    except ToolError:
        return {}
    return {"output": schema} if schema else {}
