"""Tool and projection signatures, as JSON schemas, and the classes @read, @write and @any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agentc.errors import ToolError
from agentc.trace.event import MESSAGES

__all__ = ["CLASSES", "Kind", "Projection", "Schema", "Tool", "ToolSet"]

Schema = Mapping[str, Any]
Kind = Literal["read", "write", "other"]
CLASSES = frozenset({"@any", "@read", "@write"})

_TEXT: Schema = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool's signature.

    Parameters
    ----------
    name : str
    parameters : Schema
        JSON schema of the argument object (``properties``, ``required``, ...).
    kind : {"read", "write", "other"} or None
        None if nobody said; such a tool belongs to every class.
    output : Schema or None
        JSON schema of what it returns; None if nobody said.
    """

    name: str
    parameters: Schema = field(default_factory=lambda: {"type": "object", "properties": {}})
    kind: Kind | None = None
    output: Schema | None = None
    description: str = ""

    @property
    def arguments(self) -> Mapping[str, Schema]:
        """The schema of each declared argument."""
        return self.parameters.get("properties", {})

    @property
    def required(self) -> frozenset[str]:
        return frozenset(self.parameters.get("required", ()))

    @property
    def open(self) -> bool:
        """True if arguments that aren't declared are accepted."""
        return self.parameters.get("additionalProperties", False) is not False


@dataclass(frozen=True, slots=True)
class Projection:
    """Signature of a state projection Q(args) -> value; `parameters` are (name, schema) in order."""

    name: str
    parameters: tuple[tuple[str, Schema], ...] = ()
    returns: Schema | None = None
    description: str = ""


class ToolSet(Mapping[str, Tool]):
    """Tools by name. Messages are always known, as ``user_message(text)`` and ``assistant_message(text)``.

    >>> tools = ToolSet([Tool("open", kind="read"), Tool("think", kind="other"), Tool("odd")])
    >>> [n for n in ("open", "think", "odd", "nobody", "user_message") if tools.belongs(n, "@write")]
    ['odd', 'nobody']
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools or tool.name in MESSAGES:
                raise ToolError("a tool is declared twice", found=tool.name, hint="rename one of the two")
            self._tools[tool.name] = tool

    def __getitem__(self, name: str) -> Tool:
        return Tool(name, _TEXT, "other") if name in MESSAGES else self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools or name in MESSAGES

    def belongs(self, name: str, cls: str) -> bool:
        """Return whether tool `name` is in class `cls`; one that nobody described is in all of them."""
        if name in MESSAGES:
            return False
        kind = self._tools[name].kind if name in self._tools else None
        return cls == "@any" or kind is None or cls == f"@{kind}"
