"""Whether a call is one that the tool's schema accepts."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from agentc.errors import AgentcError, closest, shorten
from agentc.tools.signature import Schema, Tool
from agentc.tools.types import AnySchema
from agentc.trace.values import JSON, exact, freeze

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

__all__ = ["accepts", "complaint"]

_MAX_VALIDATORS: Final = 4_096
_validators: dict[int, tuple[AnySchema, Validator]] = {}  # by identity, with the schema kept alive


def accepts(tool: Tool, args: Mapping[str, JSON]) -> str | None:
    """Return why `args` aren't arguments that `tool` accepts, or None if they are.

    Notes
    -----
    Numbers are exact, ``1.0`` is an integer and ``true`` isn't one; arguments that aren't declared are
    refused unless the tool is open. ``format`` isn't checked, as JSON Schema has it by default.

    Examples
    --------
    >>> tool = Tool("open", {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}})
    >>> accepts(tool, {"n": 1.0}), accepts(tool, {"n": 0})
    (None, 'argument `n`: 0 is less than the minimum of 1')
    """
    if not isinstance(args, Mapping):
        return "the arguments must be an object"
    if not tool.open:
        for name in args:
            if name not in tool.arguments:
                what = f"`{tool.name}` has no argument `{shorten(str(name))}`"
                return f"{what}; {closest(str(name), tool.arguments)}".rstrip("; ")
    return complaint(tool.parameters, args)


def complaint(schema: AnySchema, value: JSON) -> str | None:
    """Return why `schema` doesn't accept `value`, or None if it does."""
    try:
        freeze(value)
    except AgentcError as problem:
        return f"{problem.what}: {problem.found}"
    error = next(
        iter(sorted(_validator(schema).iter_errors(_plain(value)), key=lambda e: len(e.absolute_path))), None
    )
    if error is None:
        return None
    path = ".".join(str(p) for p in error.absolute_path)
    return (
        f"argument `{shorten(path)}`: {shorten(error.message, 160)}" if path else shorten(error.message, 160)
    )


def _plain(value: Any) -> Any:
    """Return the value with exact numbers, lists and dicts, as the validator compares them."""
    if isinstance(value, (float, Decimal, Fraction)):
        return exact(value)
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def _validator(schema: AnySchema) -> Validator:
    known = _validators.get(id(schema))
    if known is None:
        if len(_validators) >= _MAX_VALIDATORS:
            _validators.clear()
        known = _validators[id(schema)] = (schema, _build(True if schema is None else schema))
    return known[1]


def _build(schema: Schema | bool) -> Validator:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    def multiple_of(validator: Any, step: Any, value: Any, _: Any) -> Any:
        if validator.is_type(value, "number") and Fraction(value) % Fraction(step):
            yield ValidationError(f"{value} is not a multiple of {step}")

    exactly = extend(Draft202012Validator, {"multipleOf": multiple_of})
    return exactly(_plain(schema))
