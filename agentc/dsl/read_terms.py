"""Raw trees to constants and terms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

from agentc.dsl import nodes as N
from agentc.dsl.constants import MAX_NESTING, Record, constant
from agentc.dsl.mistakes import FUNCTIONS, Misread, near
from agentc.dsl.read_scope import Scope, arguments, function, look_up, ungroup
from agentc.dsl.syntax import Raw
from agentc.errors import AgentcError, BudgetError, shorten
from agentc.trace.values import JSON

__all__ = ["only", "term"]


def term(raw: Raw, scope: Scope) -> N.Term:
    raw = ungroup(raw)
    if raw.kind in ("string", "number", "literal", "list", "object", "minus"):
        return N.Const(_frozen(raw))
    if raw.kind == "arith":
        left, right = raw.parts
        return N.Arith(raw.value, term(left, scope), term(right, scope))
    if raw.kind in ("word", "attribute", "index", "call"):
        return _chain(raw, scope)
    _noterm(raw)


def _noterm(raw: Raw) -> NoReturn:
    if raw.kind == "truth":
        raise Misread(
            f"a value is expected here, `{raw.value}` is a formula",
            raw.at,
            f"the value is written `{raw.value.lower()}`",
        )
    if raw.kind == "bind":
        raise Misread("`=` doesn't compare", raw.value, "write `==`")
    if raw.kind in ("compare", "in", "and", "or", "not"):
        raise Misread(
            "a value is expected here, this is a formula",
            raw.at,
            "join formulas with `&`, `|`, `~`; compare values",
        )
    raise Misread(
        "a value is expected here, this is a pattern",
        raw.at,
        "speak of the event by its label: `label.argument`",
    )


def _frozen(raw: Raw) -> JSON:
    try:
        return constant(_literal(raw))
    except Misread:
        raise
    except AgentcError as error:
        raise Misread(error.what, raw.at, error.hint, type(error)) from None


def _literal(raw: Raw) -> JSON:
    raw = ungroup(raw)
    if raw.kind in ("string", "number", "literal"):
        return raw.value
    if raw.kind == "minus":
        return _negative(raw)
    if raw.kind == "list":
        return [_literal(p) for p in raw.parts]
    if raw.kind == "object":
        return Record(_fields(raw))
    raise Misread(
        "a list or object here holds constants only", raw.at, "compare one by one: `x == a | x == b`"
    )


def _negative(raw: Raw) -> JSON:
    operand = ungroup(raw.parts[0])
    value = _literal(operand) if operand.kind in ("number", "minus") else None
    if value is None:
        raise Misread("`-` before a value needs a number", raw.at, "write `0 - value`")
    return -value


def _fields(raw: Raw) -> dict[str, JSON]:
    fields: dict[str, JSON] = {}
    for pair in raw.parts:
        if pair.value in fields:
            raise Misread("an object's keys must differ", pair.at, "remove one of the two")
        fields[pair.value] = _literal(pair.parts[0])
    return fields


@dataclass(frozen=True, slots=True)
class _Step:
    """One step after a name: a key or position (`call` None), or a call's arguments."""

    at: int
    key: str | int = ""
    call: Raw | None = None
    dotted: bool = False


def _steps(raw: Raw) -> tuple[Raw, list[_Step]]:
    """Take ``name.a[0](...)`` apart, first step first."""
    steps: list[_Step] = []
    while raw.kind in ("attribute", "index", "call"):
        if raw.kind == "attribute":
            steps.append(_Step(raw.value[1], raw.value[0], dotted=True))
        elif raw.kind == "index":
            steps.append(_Step(raw.parts[1].at, _key(raw.parts[1])))
        else:
            steps.append(_Step(raw.at, call=raw))
        raw = raw.parts[0]
        if len(steps) > MAX_NESTING:
            raise Misread(f"a path may have at most {MAX_NESTING} steps", raw.at, "shorten it", BudgetError)
    return raw, steps[::-1]


def _key(raw: Raw) -> str | int:
    if raw.kind == "string" or (raw.kind == "number" and isinstance(raw.value, int)):
        return raw.value
    raise Misread(
        "between `[` and `]` stands a name in quotes or a position from 0",
        raw.at,
        'write `["name"]` or `[0]`',
    )


def _path(steps: list[_Step]) -> N.Path:
    for step in steps:
        if step.call is not None:
            raise Misread("this can't be called", step.at, "projections are read as `label.state.name(...)`")
    return tuple(s.key for s in steps)


def _chain(raw: Raw, scope: Scope) -> N.Term:
    base, steps = _steps(raw)
    if base.kind != "word":
        raise Misread(
            "a path starts at an argument, an output, a state or an element", base.at, "begin with its name"
        )
    if steps and steps[0].call is not None:
        return _call(steps[0].call, base.value, steps[1:], scope)
    if base.value in scope.items:
        return N.Item(base.value, _path(steps))
    kind, role = look_up(base, scope)
    if kind == "variable":
        return N.Var(role, base.value, _path(steps))
    return _of_event(base, role, steps, scope)


def _of_event(base: Raw, role: N.Role, steps: list[_Step], scope: Scope) -> N.Term:
    """Read what follows a label: an argument and a path, or a projection."""
    if not steps:
        raise Misread(
            f"`{base.value}` is an event, not a value",
            base.at,
            f"write `{base.value}.argument` or `output({base.value})`",
        )
    if steps[0].dotted and steps[0].key == "state" and len(steps) > 1:
        return _state(role, steps, scope)
    path = _path(steps)
    if not isinstance(path[0], str):
        raise Misread("an event's arguments have names", steps[0].at, f"write `{base.value}.argument`")
    return N.Arg(role, path[0], path[1:])


def _state(role: N.Role, steps: list[_Step], scope: Scope) -> N.State:
    projection = steps[1]
    if len(steps) < 3 or steps[2].call is None or not isinstance(projection.key, str):
        raise Misread(
            "a projection is called: `label.state.name(...)`",
            projection.at,
            'add its arguments; an argument that is named state is written `label["state"]`',
        )
    return _reading(role, projection.key, steps[2].call, steps[3:], scope)


def _reading(role: N.Role, name: str, call: Raw, rest: list[_Step], scope: Scope) -> N.State:
    inner = replace(scope, roles=scope.roles & {role}, outputs=frozenset(), in_state=True)
    return N.State(role, name, tuple(term(a, inner) for a in call.parts[1:]), _path(rest))


def _call(call: Raw, name: str, rest: list[_Step], scope: Scope) -> N.Term:
    if name == "output":
        return N.Output(_output_of(call, scope), _path(rest))
    if name == "state":
        return _bare_state(call, rest, scope)
    if rest:
        raise Misread(
            "a path starts at an argument, an output, a state or an element",
            rest[0].at,
            f"{name}(...) has no parts",
        )
    if name == "len":
        return N.Len(only(call, name, scope))
    if name == "count":
        from agentc.dsl.read_data import each  # terms and formulas hold each other

        return N.Count(*each(call, name, scope))
    if name in FUNCTIONS:
        raise Misread(
            f"a value is expected here, {name}(...) is a formula",
            call.at,
            "join formulas with `&`, `|`, `~`; compare values",
        )
    raise Misread(f"there is no function `{shorten(name, 40)}`", call.at, near(name, FUNCTIONS))


def _output_of(call: Raw, scope: Scope) -> N.Role:
    (event,) = arguments(call, 1, "output(label)")
    if event.kind != "word" or scope.names.get(event.value, ("label",))[0] != "label":
        raise Misread(
            "output takes an event's label",
            event.at,
            "label the pattern (`tool as label`) and write `output(label)`, with the path after it",
        )
    _, role = look_up(event, scope)
    if role not in scope.outputs:
        raise Misread(
            f"the output of `{event.value}` isn't known yet where {scope.predicate} asks for it",
            call.at,
            "a call is judged before it runs; ask its arguments or the state instead",
        )
    return role


def _bare_state(call: Raw, rest: list[_Step], scope: Scope) -> N.State:
    (reading,) = arguments(call, 1, "state(projection(...))")
    name = function(reading)
    if name is None:
        raise Misread(
            "state takes a projection's call",
            reading.at,
            "write `state(name(...))`; it is read at the first event",
        )
    return _reading("first", name, reading, rest, scope)


def only(raw: Raw, name: str, scope: Scope) -> N.Term:
    (argument,) = arguments(raw, 1, f"{name}(value)")
    return term(argument, scope)
