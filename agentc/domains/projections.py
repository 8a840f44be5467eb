"""Projections: named, typed, read-only questions about a domain's state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import getdoc

from agentc.domains.store import Store
from agentc.errors import DomainError, closest
from agentc.tools.signature import Projection, Schema
from agentc.trace.values import JSON, MISSING, Missing

__all__ = ["INTEGER", "NUMBER", "Q", "TEXT", "TEXTS", "Projections", "array", "read", "record"]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
INTEGER: Schema = {"type": "integer"}


def array(items: Schema) -> Schema:
    """Return the schema of a list of `items`."""
    return {"type": "array", "items": items}


def record(**properties: Schema) -> Schema:
    """Return the schema of an object with these properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


TEXTS: Schema = array(TEXT)

_PYTHON: Mapping[str, tuple[type, ...]] = {"string": (str,), "array": (list, tuple), "object": (dict,)}


@dataclass(frozen=True, slots=True)
class Q:
    """A projection's signature and the function that answers it from a store."""

    signature: Projection
    function: Callable[..., JSON | Missing]

    def __call__(self, store: Store, *args: JSON | Missing) -> JSON | Missing:
        """Answer from `store`; MISSING if an argument is absent or can't name what is asked about."""
        wanted = self.signature.parameters
        if len(args) != len(wanted):
            raise DomainError(
                "a projection was read with the wrong number of arguments",
                where=self.signature.name,
                found=str(len(args)),
                hint=f"give it {len(wanted)}: " + ", ".join(name for name, _ in wanted),
            )
        if not all(isinstance(a, _PYTHON[s["type"]]) for a, (_, s) in zip(args, wanted, strict=True)):
            return MISSING
        return self.function(store, *args)


class Projections(dict[str, Q]):
    """A domain's projections by name, filled by decorating functions with an instance."""

    def __call__(self, returns: Schema, **parameters: Schema) -> Callable[[Callable[..., JSON | Missing]], Q]:
        """Return a decorator that adds a function; its docstring describes the projection."""

        def decorate(function: Callable[..., JSON | Missing]) -> Q:
            return self.add(function.__name__, returns, parameters, getdoc(function) or "", function)

        return decorate

    def add(
        self,
        name: str,
        returns: Schema,
        parameters: Mapping[str, Schema],
        meaning: str,
        function: Callable[..., JSON | Missing],
    ) -> Q:
        """Add a function under a name, with the types of its parameters and of what it returns."""
        self[name] = Q(Projection(name, tuple(parameters.items()), returns, meaning), function)
        return self[name]


def read(projections: Mapping[str, Q], store: Store, name: str, *args: JSON | Missing) -> JSON | Missing:
    """Read projection `name` from `store`.

    Raises
    ------
    DomainError
        There is no such projection, or it takes another number of arguments.
    """
    if name not in projections:
        raise DomainError("there is no such projection", found=name, hint=closest(name, projections))
    return projections[name](store, *args)
