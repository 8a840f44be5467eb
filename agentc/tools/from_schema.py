"""Tools from JSON schemas, as OpenAI, Anthropic and MCP write them, or bare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from agentc.errors import ToolError, closest, shorten
from agentc.tools.references import resolved
from agentc.tools.signature import Kind, Schema, Tool, ToolSet
from agentc.trace.event import MESSAGES

__all__ = ["classed", "from_schemas", "tool_from_schema"]

_PARAMETERS: Final = ("parameters", "inputSchema", "input_schema")
_OUTPUT: Final = ("output", "outputSchema")
_NO_ARGUMENTS: Final[Schema] = {"type": "object", "properties": {}}


def from_schemas(
    schemas: Iterable[Mapping[str, Any]],
    *,
    read: Iterable[str] = (),
    write: Iterable[str] = (),
    other: Iterable[str] = (),
) -> ToolSet:
    """Return the tools that a list of tool schemas describes.

    Parameters
    ----------
    schemas : iterable of dict
        Each as `tool_from_schema` takes it.
    read, write, other : iterable of str
        Names of the tools of each class. A tool named in none of them belongs to every class: what nobody
        described is not trusted.

    Raises
    ------
    ToolError
        If a schema isn't valid or refers to itself, or a name is unknown or given twice.

    Examples
    --------
    >>> get = {"name": "get", "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}}
    >>> from_schemas([get], read=["get"])["get"].kind
    'read'
    """
    return classed((tool_from_schema(schema) for schema in schemas), read=read, write=write, other=other)


def tool_from_schema(schema: Mapping[str, Any], *, name: str = "", kind: Kind | None = None) -> Tool:
    """Return the tool one schema describes.

    Parameters
    ----------
    schema : dict
        ``{"type": "function", "function": {...}}`` or only the inner ``{"name": ..., "parameters": ...}``
        (OpenAI); the same with ``input_schema`` (Anthropic) or ``inputSchema`` and ``outputSchema`` (MCP); or
        the bare JSON schema of the argument object, with `name` or a ``title``. ``output`` may describe what
        is returned.
    name : str
        The tool's name, where the schema gives none.
    kind : {"read", "write", "other"}, optional

    Raises
    ------
    ToolError
        If the schema isn't valid, refers to itself or elsewhere, or has no name.

    Notes
    -----
    ``$ref`` is written out, so that nobody after this has to follow one.

    Examples
    --------
    >>> tool = tool_from_schema({"type": "object", "properties": {"id": {"type": "string"}}}, name="get")
    >>> list(tool.arguments), tool.required
    (['id'], frozenset())
    """
    if not isinstance(schema, Mapping):
        raise ToolError(
            "a tool's schema must be an object",
            found=shorten(repr(schema)),
            hint='write {"name": ..., "parameters": ...}',
        )
    inner = schema["function"] if isinstance(schema.get("function"), Mapping) else schema
    bare = not any(key in inner for key in ("name", *_PARAMETERS))
    name = _named(name or inner.get("name") or (inner.get("title") if bare else None))
    found = (
        inner
        if bare
        else next((inner[key] for key in _PARAMETERS if inner.get(key) is not None), _NO_ARGUMENTS)
    )
    output = next((inner[key] for key in _OUTPUT if inner.get(key) is not None), None) if not bare else None
    return Tool(
        name,
        _arguments(found, f"tool `{name}`"),
        kind,
        None if output is None else cast(Schema, resolved(output, f"output of tool `{name}`")),
        str(inner.get("description") or ""),
    )


def classed(
    tools: Iterable[Tool], *, read: Iterable[str] = (), write: Iterable[str] = (), other: Iterable[str] = ()
) -> ToolSet:
    """Return a `ToolSet` of `tools`, those that are named in a class put into it."""
    known = ToolSet(tools)
    kinds: dict[str, Kind] = {}
    named = [
        (name, kind) for kind, names in (("read", read), ("write", write), ("other", other)) for name in names
    ]
    for name, kind in named:
        if name not in known or name in MESSAGES:
            raise ToolError(
                "a class names an unknown tool", where=f"{kind}=", found=name, hint=closest(name, list(known))
            )
        if name in kinds:
            raise ToolError("a tool is put into two classes", found=name, hint="name it once")
        kinds[name] = cast(Kind, kind)
    return ToolSet(replace(tool, kind=kinds.get(tool.name, tool.kind)) for tool in known.values())


def _named(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise ToolError(
            "a tool has no name", found=shorten(repr(name)), hint='add "name": "...", or pass name='
        )
    if name.startswith("@") or not name.isprintable() or name in MESSAGES:
        raise ToolError(
            "a tool can't have this name",
            found=shorten(name),
            hint="`@...` names classes; messages are built in",
        )
    return name


def _arguments(schema: object, where: str) -> Schema:
    """Return the schema of the argument object, written out and complete."""
    found = resolved(schema, where)
    if not isinstance(found, Mapping) or found.get("type", "object") != "object":
        raise ToolError(
            "a tool's arguments must be an object",
            where=where,
            found=shorten(repr(schema)),
            hint='write {"type": "object", "properties": {...}}',
        )
    arguments = {"type": "object", "properties": {}, **found}
    missing = [name for name in arguments.get("required", ()) if name not in arguments["properties"]]
    if missing and arguments.get("additionalProperties", False) is False:
        raise ToolError(
            "a required argument isn't among the tool's properties",
            where=where,
            found=shorten(missing[0]),
            hint=closest(missing[0], arguments["properties"]) or "declare it",
        )
    return arguments
