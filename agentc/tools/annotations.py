"""JSON schemas from Python's type annotations."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NotRequired, Required, Union, get_args, get_origin

from agentc.errors import AgentcError, ToolError, shorten
from agentc.tools.references import resolved
from agentc.tools.signature import Schema
from agentc.trace.values import freeze

__all__ = ["schema_of"]

_PLAIN: Final[Mapping[Any, Schema]] = {
    Any: {},
    object: {},
    None: {"type": "null"},
    type(None): {"type": "null"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    list: {"type": "array"},
    tuple: {"type": "array"},
    dict: {"type": "object"},
}
_BOUNDS: Final = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_LENGTHS: Final = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}


def schema_of(annotation: Any, where: str, trail: tuple[Any, ...] = ()) -> Schema:
    """Return the JSON schema of the values an annotation stands for.

    Parameters
    ----------
    annotation : type
        str, bool, int, float, None, Any, list, dict, tuple, Sequence, Mapping, Literal, Optional and unions,
        Enum, NewType, TypedDict, dataclasses, Annotated (bounds, lengths, a description), pydantic models.
    where : str
        What is described, for errors.
    trail : tuple of type
        The classes being described, which may not come again.

    Raises
    ------
    ToolError
        If JSON has no such values, or the annotation is recursive.

    Examples
    --------
    >>> schema_of(list[int] | None, "x")
    {'anyOf': [{'type': 'array', 'items': {'type': 'integer'}}, {'type': 'null'}]}
    """
    if isinstance(annotation, typing.Hashable) and annotation in _PLAIN:
        return dict(_PLAIN[annotation])
    if isinstance(annotation, typing.NewType):
        return schema_of(annotation.__supertype__, where, trail)
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return _of_class(annotation, where, trail)
    return _of_generic(annotation, where, trail)


def _of_generic(annotation: Any, where: str, trail: tuple[Any, ...]) -> Schema:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Annotated, Required, NotRequired):
        return _annotated(schema_of(args[0], where, trail), getattr(annotation, "__metadata__", ()))
    if origin is Literal:
        return {"enum": _constants(args, where)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(a, where, trail) for a in args]}
    if origin is tuple and args[1:] != (...,):
        return _of_tuple(args, where, trail)
    if origin in (list, tuple, Sequence, Iterable):
        return {"type": "array", "items": schema_of(args[0], where, trail)}
    if origin in (dict, Mapping) and args[0] is str:
        return {"type": "object", "additionalProperties": schema_of(args[1], where, trail)}
    raise _unusable(annotation, where)


def _of_tuple(args: tuple[Any, ...], where: str, trail: tuple[Any, ...]) -> Schema:
    parts = [schema_of(a, where, trail) for a in args]
    return {"type": "array", "prefixItems": parts, "items": False, "minItems": len(parts)}


def _of_class(cls: type, where: str, trail: tuple[Any, ...]) -> Schema:
    if cls in trail:
        raise ToolError(
            "an annotation is recursive",
            where=where,
            found=shorten(cls.__name__),
            hint="write it out to the depth you need",
        )
    if issubclass(cls, enum.Enum):
        return {"enum": _constants([member.value for member in cls], where)}
    if hasattr(cls, "model_json_schema"):  # a pydantic model, without importing pydantic
        return typing.cast(Schema, resolved(cls.model_json_schema(), f"{where}, model {cls.__name__}"))
    if typing.is_typeddict(cls):
        required: Iterable[str] = cls.__required_keys__  # type: ignore[attr-defined]
    elif dataclasses.is_dataclass(cls):
        required = [f.name for f in dataclasses.fields(cls) if _needed(f)]
    else:
        raise _unusable(cls, where)
    hints = typing.get_type_hints(cls, include_extras=True)
    properties = {name: schema_of(hint, where, (*trail, cls)) for name, hint in hints.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(required),
        "additionalProperties": False,
    }


def _needed(field: dataclasses.Field[Any]) -> bool:
    return (
        field.init and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    )


def _annotated(schema: Schema, notes: Iterable[Any]) -> Schema:
    """Add what notes say: a description, and the bounds of pydantic's Field or of annotated_types."""
    found = dict(schema)
    for note in notes:
        description = note if isinstance(note, str) else getattr(note, "description", None)
        if isinstance(description, str):
            found["description"] = description
        for part in (note, *(getattr(note, "metadata", None) or ())):
            found |= {
                word: getattr(part, key)
                for key, word in _BOUNDS.items()
                if getattr(part, key, None) is not None
            }
            least, most = _LENGTHS.get(str(schema.get("type")), ("", ""))
            found |= (
                {least: part.min_length} if least and getattr(part, "min_length", None) is not None else {}
            )
            found |= {most: part.max_length} if most and getattr(part, "max_length", None) is not None else {}
    return found


def _constants(values: Iterable[Any], where: str) -> list[Any]:
    found = list(values)
    try:
        freeze(found)
    except AgentcError as problem:
        raise ToolError(
            "a constant in an annotation isn't JSON", where=where, found=problem.found, hint="use strings"
        ) from None
    return found


def _unusable(annotation: Any, where: str) -> ToolError:
    return ToolError(
        "an annotation has no JSON schema",
        where=where,
        found=shorten(getattr(annotation, "__name__", None) or repr(annotation)),
        hint="use str, int, float, bool, list[...], dict[str, ...], Literal, a dataclass or a TypedDict",
    )
