"""Declarations of tools and projections: the short form of a JSON schema, both ways."""

from __future__ import annotations

from typing import Any, Final

from agentc.dsl.constants import is_name, quote, write_constant
from agentc.dsl.mistakes import Misread, near
from agentc.dsl.syntax import Raw
from agentc.errors import shorten
from agentc.tools.signature import Projection, Schema, Tool

__all__ = ["projection", "projection_text", "schema", "tool", "tool_text", "type_text"]

_PLAIN: Final = ("string", "number", "integer", "boolean", "null", "array", "object")
_KINDS: Final = ("@read", "@write", "@other")

# ---------------------------------------------------------------- reading


def schema(raw: Raw) -> Schema:
    """Return the JSON schema of a type as it is written."""
    if raw.kind == "object":
        return _json_schema(raw)
    texts = [p.value for p in raw.parts if p.kind == "literal"]
    options: list[Schema] = [{"type": "string", "enum": texts}] if texts else []
    options += [_plain(p) for p in raw.parts if p.kind != "literal"]
    return options[0] if len(options) == 1 else {"anyOf": options}


def _plain(raw: Raw) -> Schema:
    if raw.kind == "object":
        return _json_schema(raw)
    if raw.kind == "array":
        _known(raw.value, raw.at, ("array",), "only array has elements")
        return {"type": "array", "items": schema(raw.parts[0])}
    if raw.kind == "range":
        name, low, high = raw.value
        _known(name, raw.at, ("integer", "number"), "only integer and number have a range")
        bounds = {"minimum": low, "maximum": high}
        return {"type": name, **{k: v for k, v in bounds.items() if v is not None}}
    _known(raw.value, raw.at, (*_PLAIN, "any"), "")
    return {} if raw.value == "any" else {"type": raw.value}


def _known(name: str, at: int, known: tuple[str, ...], hint: str) -> None:
    if name not in known:
        raise Misread(
            f"there is no type `{shorten(name, 40)}`" + (" of this form" if hint else ""),
            at,
            hint or near(name, known),
        )


def _json_schema(raw: Raw) -> Schema:
    value = _json(raw)
    assert isinstance(value, dict)
    return value


def _json(raw: Raw) -> Any:
    """Return a JSON value as the parser of JSON would, its numbers not yet exact."""
    if raw.kind in ("string", "number", "literal"):
        return raw.value
    if raw.kind == "minus" and raw.parts[0].kind == "number":
        return -raw.parts[0].value
    if raw.kind == "list":
        return [_json(p) for p in raw.parts]
    if raw.kind == "object":
        if len({p.value for p in raw.parts}) != len(raw.parts):
            raise Misread("an object's keys must differ", raw.at, "remove one of the two")
        return {p.value: _json(p.parts[0]) for p in raw.parts}
    raise Misread("a JSON schema holds constants only", raw.at, "write JSON")


def _parameters(signature: Raw) -> list[tuple[str, bool, Schema]]:
    found: dict[str, tuple[str, bool, Schema]] = {}
    for parameter in signature.parts:
        name, optional = parameter.value
        if name in found:
            raise Misread(
                f"the argument `{shorten(name, 40)}` is declared twice", parameter.at, "remove one of the two"
            )
        found[name] = (name, optional, schema(parameter.parts[0]))
    return list(found.values())


def tool(raw: Raw) -> Tool:
    """Return the tool that a statement declares."""
    name, signature, returns, cls, about = raw.value
    if cls is not None and cls not in _KINDS:
        raise Misread(
            f"a tool can't be declared {shorten(cls, 40)}", raw.at, "write one of " + ", ".join(_KINDS)
        )
    kind = cls and cls[1:]
    return Tool(name, _tool_schema(signature), kind, None if returns is None else schema(returns), about)


def _tool_schema(signature: Raw) -> Schema:
    if signature.kind == "object":
        return _json_schema(signature)
    parameters = _parameters(signature)
    required = [name for name, optional, _ in parameters if not optional]
    return {
        "type": "object",
        "properties": {name: s for name, _, s in parameters},
        **({"required": required} if required else {}),
        **({"additionalProperties": True} if signature.value else {}),
    }


def projection(raw: Raw) -> Projection:
    """Return the projection that a statement declares."""
    name, signature, returns, about = raw.value
    if signature.kind == "object" or signature.value or any(p.value[1] for p in signature.parts):
        raise Misread(
            "a projection's arguments are all named and required",
            raw.at,
            "write `projection name(key: string) -> string`",
        )
    parameters = tuple((n, s) for n, _, s in _parameters(signature))
    return Projection(name, parameters, None if returns is None else schema(returns), about)


# ---------------------------------------------------------------- writing


def type_text(of: Schema) -> str:
    """Write a schema in the short form, or as JSON where that can't say it exactly.

    >>> type_text({"type": "integer", "minimum": 0}), type_text({"type": "string", "pattern": "^a"})
    ('integer(0..)', '{"type": "string", "pattern": "^a"}')
    """
    return _short(of) or _verbatim(of)


def _short(of: Schema) -> str:
    if set(of) == {"anyOf"} and isinstance(of["anyOf"], list) and len(of["anyOf"]) > 1:
        parts = [_short(o) if isinstance(o, dict) and "anyOf" not in o else "" for o in of["anyOf"]]
        literals = [o for o in of["anyOf"][1:] if isinstance(o, dict) and "enum" in o]
        return "" if "" in parts or literals else " | ".join(parts)
    kind = of.get("type")
    if not of:
        return "any"
    if set(of) == {"type"} and kind in _PLAIN:
        return str(kind)
    if (
        set(of) == {"type", "enum"}
        and kind == "string"
        and of["enum"]
        and all(isinstance(v, str) for v in of["enum"])
    ):
        return " | ".join(map(quote, of["enum"]))
    if set(of) == {"type", "items"} and kind == "array" and isinstance(of["items"], dict):
        return f"array[{type_text(of['items'])}]"
    bounds = [v for k, v in of.items() if k != "type"]
    plain = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in bounds)
    if kind in ("integer", "number") and bounds and plain and set(of) <= {"type", "minimum", "maximum"}:
        return f"{kind}({_bound(of, 'minimum')}..{_bound(of, 'maximum')})"
    return ""


def _bound(of: Schema, which: str) -> str:
    return write_constant(of[which]) if which in of else ""


def _verbatim(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quote(k)}: {_verbatim(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_verbatim, value)) + "]"
    return write_constant(value)


def _name(name: str) -> str:
    return name if is_name(name) else quote(name)


def _about(text: str) -> str:
    return f" {quote(text)}" if text else ""


def tool_text(of: Tool) -> str:
    """Write a tool's declaration; reading it gives an equal tool.

    >>> tool_text(Tool("open", {"type": "object", "properties": {"n": {"type": "integer"}}}, "read"))
    'tool open(n?: integer) @read'
    """
    returns = "" if of.output is None else f" -> {type_text(of.output)}"
    kind = f" @{of.kind}" if of.kind else ""
    return f"tool {_name(of.name)}{_signature(of)}{returns}{kind}{_about(of.description)}"


def _signature(of: Tool) -> str:
    parts = [f"{_name(n)}{'' if n in of.required else '?'}: {type_text(s)}" for n, s in of.arguments.items()]
    required = [n for n in of.arguments if n in of.required]
    short = {
        "type": "object",
        "properties": of.arguments,
        **({"required": required} if required else {}),
        **({"additionalProperties": True} if of.open else {}),
    }
    return (
        f"({', '.join(parts + ['...'] * of.open)})"
        if short == of.parameters
        else f" {_verbatim(of.parameters)}"
    )


def projection_text(of: Projection) -> str:
    """Write a projection's declaration; reading it gives an equal projection."""
    parts = ", ".join(f"{_name(n)}: {type_text(s)}" for n, s in of.parameters)
    returns = "" if of.returns is None else f" -> {type_text(of.returns)}"
    return f"projection {_name(of.name)}({parts}){returns}{_about(of.description)}"
