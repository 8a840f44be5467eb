"""Raw trees to terms and data formulas, under the names a predicate's patterns bind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NoReturn

from agentc.dsl import nodes as N
from agentc.dsl.constants import Record, constant
from agentc.dsl.mistakes import FUNCTIONS, PREDICATES, Misread
from agentc.dsl.syntax import Raw
from agentc.errors import AgentcError, closest, shorten
from agentc.trace.values import JSON

__all__ = ["Scope", "connective", "formula", "ungroup"]

_KINDS: Final[dict[str, N.Sort]] = {
    "absent": "missing", "is_null": "null", "is_bool": "bool", "is_number": "num", "is_integer": "int", "is_string": "str",
    "is_list": "list", "is_object": "dict",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean in one argument of one predicate.

    `names` are the patterns' labels and variables, `roles` the events that may be spoken of here, `outputs` those
    of them whose output is known.
    """

    predicate: str
    argument: str
    names: dict[str, tuple[Literal["label", "variable"], N.Role]]
    roles: frozenset[N.Role]
    outputs: frozenset[N.Role]
    items: tuple[str, ...] = ()
    in_state: bool = False


def ungroup(raw: Raw) -> Raw:
    """Drop parentheses."""
    while raw.kind == "group":
        raw = raw.parts[0]
    return raw


def connective(raw: Raw, inner: Callable[[Raw], N.Formula]) -> N.Formula | None:
    """Read truth, ``& | ~`` and Implies, their arguments by `inner`; None if `raw` is something else."""
    if raw.kind == "group":
        return inner(raw.parts[0])
    if raw.kind == "truth":
        return N.Truth(raw.value == "True")
    if raw.kind == "not":
        return N.Not(inner(raw.parts[0]))
    if raw.kind in ("and", "or"):
        parts = tuple(map(inner, raw.parts))
        return N.And(parts) if raw.kind == "and" else N.Or(parts)
    if _function(raw) == "Implies":
        left, right = _arguments(raw, 2, "Implies(condition, formula)")
        return N.Implies(inner(left), inner(right))
    return None


# ---------------------------------------------------------------- data formulas


def formula(raw: Raw, scope: Scope) -> N.Formula:
    """Read a data formula."""
    found = connective(raw, lambda part: formula(part, scope))
    if found is not None:
        return found
    if raw.kind == "compare":
        return N.Compare(raw.value, *(_term(p, scope) for p in raw.parts))
    if raw.kind == "in":
        return N.In(_term(raw.parts[0], scope), _term(raw.parts[1], scope))
    return _predicate(raw, _function(raw), scope)


def _predicate(raw: Raw, name: str, scope: Scope) -> N.Formula:
    if name in _KINDS:
        return N.Is(_only(raw, name, scope), _KINDS[name])
    if name == "distinct":
        return N.Distinct(_only(raw, name, scope))
    if name in ("starts_with", "ends_with", "matches"):
        left, right = _arguments(raw, 2, f"{name}(text, {'regular_expression' if name == 'matches' else 'part'})")
        return N.Text(name, _term(left, scope), _term(right, scope))  # type: ignore[arg-type]
    if name == "contains":
        whole, part = _arguments(raw, 2, "contains(whole, part)")
        return N.Contains(_term(whole, scope), _term(part, scope))
    if name in ("all", "any"):
        return N.Each(name, *_each(raw, name, scope))  # type: ignore[arg-type]
    _no_formula(raw, name, scope)


def _no_formula(raw: Raw, name: str, scope: Scope) -> NoReturn:
    if name in PREDICATES:
        hint = "join predicates with `&`, `|`, `~` or Implies outside of them"
        raise Misread(f"{name} speaks of time and can't stand inside {scope.predicate}", raw.at, hint)
    if raw.kind == "bind":
        raise Misread("`=` doesn't compare", raw.value, "write `==`")
    if raw.kind == "literal" and isinstance(raw.value, bool):
        raise Misread("a formula is expected here, `true` and `false` are values", raw.at, f"write `{raw.value}`")
    if name and name not in FUNCTIONS:
        raise Misread(f"there is no function `{shorten(name, 40)}`", raw.at, closest(name, FUNCTIONS))
    if raw.kind in ("label", "union", "class", "each"):
        raise Misread("a formula is expected here, this is a pattern", raw.at, "patterns are arguments of their own; write True where there is no condition")
    _term(raw, scope)  # a mistake in the term comes first
    raise Misread("a formula is expected here, this is a value", raw.at, "compare it: `... == true`, or ask `~absent(...)`")


def _each(raw: Raw, name: str, scope: Scope) -> tuple[str, N.Term, N.Formula]:
    (each,) = _arguments(raw, 1, f"{name}(i in list: formula)", kinds=("each",))
    head, where = each.parts
    if head.kind != "in" or head.parts[0].kind != "word":
        raise Misread(f"{name} takes an element's name and a list", each.at, f"write `{name}(i in list: formula)`")
    item = head.parts[0].value
    if item in scope.items or item in scope.names:
        raise Misread(f"the name `{item}` is taken in this predicate", head.at, "give the element a name of its own")
    inner = replace(scope, items=(*scope.items, item))
    return item, _term(head.parts[1], scope), formula(where, inner)


# ---------------------------------------------------------------- terms


def _term(raw: Raw, scope: Scope) -> N.Term:
    raw = ungroup(raw)
    if raw.kind in ("string", "number", "literal", "list", "object", "minus"):
        return N.Const(_frozen(raw))
    if raw.kind == "arith":
        left, right = raw.parts
        return N.Arith(raw.value, _term(left, scope), _term(right, scope))
    if raw.kind in ("word", "attribute", "index", "call"):
        return _chain(raw, scope)
    _no_term(raw)


def _no_term(raw: Raw) -> NoReturn:
    if raw.kind == "truth":
        raise Misread(f"a value is expected here, `{raw.value}` is a formula", raw.at, f"the value is written `{raw.value.lower()}`")
    if raw.kind == "bind":
        raise Misread("`=` doesn't compare", raw.value, "write `==`")
    if raw.kind in ("compare", "in", "and", "or", "not"):
        raise Misread("a value is expected here, this is a formula", raw.at, "join formulas with `&`, `|`, `~`; compare values")
    raise Misread("a value is expected here, this is a pattern", raw.at, "speak of the event by its label: `label.argument`")


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
    raise Misread("a list or object here holds constants only", raw.at, "compare one by one: `x == a | x == b`")


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
    return raw, steps[::-1]


def _key(raw: Raw) -> str | int:
    if raw.kind == "string" or (raw.kind == "number" and isinstance(raw.value, int)):
        return raw.value
    raise Misread("between `[` and `]` stands a name in quotes or a position from 0", raw.at, 'write `["name"]` or `[0]`')


def _path(steps: list[_Step]) -> N.Path:
    for step in steps:
        if step.call is not None:
            raise Misread("this can't be called", step.at, "projections are read as `label.state.name(...)`")
    return tuple(s.key for s in steps)


def _chain(raw: Raw, scope: Scope) -> N.Term:
    base, steps = _steps(raw)
    if base.kind != "word":
        raise Misread("a path starts at an argument, an output, a state or an element", base.at, "begin with its name")
    if steps and steps[0].call is not None:
        return _call(steps[0].call, base.value, steps[1:], scope)
    if base.value in scope.items:
        return N.Item(base.value, _path(steps))
    kind, role = _look_up(base, scope)
    if kind == "variable":
        return N.Var(role, base.value, _path(steps))
    return _of_event(base, role, steps, scope)


def _look_up(base: Raw, scope: Scope) -> tuple[str, N.Role]:
    name = base.value
    if name not in scope.names:
        if name in ("None", "none", "nil", "NULL", "Null"):
            raise Misread(f"`{name}` isn't written here", base.at, "the value is written `null`; `absent(x)` asks for no value")
        raise Misread(f"nothing here is named `{shorten(name, 40)}`", base.at, closest(name, [*scope.names, *scope.items]) or "label a pattern: `tool as label`")
    kind, role = scope.names[name]
    if role not in scope.roles:
        if scope.in_state:
            raise Misread("a projection's arguments speak of its own event only", base.at, f"`{name}` belongs to the other event; use `{name}`'s own state")
        raise Misread(f"`{name}` is the second event; {scope.argument} of {scope.predicate} speaks of the first only", base.at, "move this condition to the fourth argument")
    return kind, role


def _of_event(base: Raw, role: N.Role, steps: list[_Step], scope: Scope) -> N.Term:
    """Read what follows a label: an argument and a path, or a projection."""
    if not steps:
        raise Misread(f"`{base.value}` is an event, not a value", base.at, f"write `{base.value}.argument` or `output({base.value})`")
    if steps[0].dotted and steps[0].key == "state" and len(steps) > 1:
        return _state(role, steps, scope)
    path = _path(steps)
    if not isinstance(path[0], str):
        raise Misread("an event's arguments have names", steps[0].at, f"write `{base.value}.argument`")
    return N.Arg(role, path[0], path[1:])


def _state(role: N.Role, steps: list[_Step], scope: Scope) -> N.State:
    projection = steps[1]
    if len(steps) < 3 or steps[2].call is None or not isinstance(projection.key, str):
        raise Misread("a projection is called: `label.state.name(...)`", projection.at, 'add its arguments; an argument that is named state is written `label["state"]`')
    return _reading(role, projection.key, steps[2].call, steps[3:], scope)


def _reading(role: N.Role, name: str, call: Raw, rest: list[_Step], scope: Scope) -> N.State:
    inner = replace(scope, roles=scope.roles & {role}, outputs=frozenset(), in_state=True)
    return N.State(role, name, tuple(_term(a, inner) for a in call.parts[1:]), _path(rest))


def _call(call: Raw, name: str, rest: list[_Step], scope: Scope) -> N.Term:
    if name == "output":
        return N.Output(_output_of(call, scope), _path(rest))
    if name == "state":
        return _bare_state(call, rest, scope)
    if rest:
        raise Misread("a path starts at an argument, an output, a state or an element", rest[0].at, f"{name}(...) has no parts")
    if name == "len":
        return N.Len(_only(call, name, scope))
    if name == "count":
        return N.Count(*_each(call, name, scope))
    if name in FUNCTIONS:
        raise Misread(f"a value is expected here, {name}(...) is a formula", call.at, "join formulas with `&`, `|`, `~`; compare values")
    raise Misread(f"there is no function `{shorten(name, 40)}`", call.at, closest(name, FUNCTIONS))


def _output_of(call: Raw, scope: Scope) -> N.Role:
    (event,) = _arguments(call, 1, "output(label)")
    if event.kind != "word" or scope.names.get(event.value, ("label",))[0] != "label":
        raise Misread("output takes an event's label", event.at, "label the pattern (`tool as label`) and write `output(label)`, with the path after it")
    _, role = _look_up(event, scope)
    if role not in scope.outputs:
        raise Misread(f"the output of `{event.value}` isn't known yet where {scope.predicate} asks for it", call.at, "a call is judged before it runs; ask its arguments or the state instead")
    return role


def _bare_state(call: Raw, rest: list[_Step], scope: Scope) -> N.State:
    (reading,) = _arguments(call, 1, "state(projection(...))")
    name = _function(reading)
    if not name:
        raise Misread("state takes a projection's call", reading.at, "write `state(name(...))`; it is read at the first event")
    return _reading("first", name, reading, rest, scope)


# ---------------------------------------------------------------- calls


def _function(raw: Raw) -> str:
    """Return the name that `raw` calls, or nothing."""
    head = raw.parts[0] if raw.kind == "call" else raw
    return head.value if raw.kind == "call" and head.kind in ("word", "string") else ""


def _arguments(raw: Raw, count: int, usage: str, kinds: tuple[str, ...] = ()) -> tuple[Raw, ...]:
    arguments: tuple[Raw, ...] = raw.parts[1:]
    if len(arguments) != count:
        raise Misread(f"{usage.split('(')[0]} takes {count} argument{'s' * (count != 1)}, here are {len(arguments)}", raw.at, f"write `{usage}`")
    wrong: Any = next((a for a in arguments if kinds and a.kind not in kinds), None)
    if wrong:
        raise Misread(f"{usage.split('(')[0]} is not written so", wrong.at, f"write `{usage}`")
    return arguments


def _only(raw: Raw, name: str, scope: Scope) -> N.Term:
    (argument,) = _arguments(raw, 1, f"{name}(value)")
    return _term(argument, scope)
