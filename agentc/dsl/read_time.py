"""Raw trees to patterns and temporal formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn

from agentc.dsl import nodes as N
from agentc.dsl.mistakes import FUNCTIONS, PREDICATES, Misread, near
from agentc.dsl.read_data import connective, formula
from agentc.dsl.read_scope import Names, Scope, ungroup
from agentc.dsl.syntax import Raw
from agentc.errors import shorten
from agentc.tools.signature import ToolSet

__all__ = ["temporal"]

_USAGE: Final = {
    "Before": "Before(tool, condition or True, earlier_tool, condition or True)",
    "After": "After(tool, condition or True, later_tool, condition or True)",
    "Seq": "Seq(tool, condition or True, later_tool, condition or True)",
    "Forall": "Forall(tool, condition)",
    "Exists": "Exists(tool, condition or True)",
}
_PAIRS: Final[Mapping[str, type[N.Before | N.After | N.Seq]]] = {
    c.__name__: c for c in (N.Before, N.After, N.Seq)
}
_FIRST: Final[frozenset[N.Role]] = frozenset({"first"})
_SECOND: Final[frozenset[N.Role]] = frozenset({"second"})


def temporal(raw: Raw, tools: ToolSet | None) -> N.Formula:
    """Read a temporal formula; `tools` gives the order of arguments that are bound by position."""
    raw = ungroup(raw)
    found = connective(raw, lambda part: temporal(part, tools))
    if found is not None:
        return found
    name = raw.parts[0].value if raw.kind == "call" else ""
    if name in PREDICATES:
        return _predicate(raw, name, tools)
    if raw.kind == "call" and isinstance(name, str) and name not in FUNCTIONS:
        raise Misread(f"there is no predicate `{shorten(name, 40)}`", raw.at, near(name, PREDICATES))
    if raw.kind == "string":
        raise Misread(
            "a temporal formula is expected here, this is a string",
            raw.at,
            "the policy's sentence stands before it, once",
        )
    hint = (
        "put it inside one: "
        + ", ".join(PREDICATES)
        + "; for every call that matches: Forall(tool, condition)"
    )
    raise Misread("a temporal formula is expected here, this says nothing about time", raw.at, hint)


def _predicate(raw: Raw, name: str, tools: ToolSet | None) -> N.Formula:
    arguments = raw.parts[1:]
    patterns = 1 if name in ("Forall", "Exists") else 2
    if len(arguments) != 2 * patterns:
        what = f"{name} takes {2 * patterns} arguments, here are {len(arguments)}"
        raise Misread(what, raw.at, f"write `{_USAGE[name]}`")
    first = _pattern(arguments[0], tools)
    if patterns == 1:
        outputs = _FIRST if name == "Exists" else frozenset[N.Role]()
        scope = Scope(name, "the second argument", _names(arguments[0], first, "first"), _FIRST, outputs)
        return (N.Forall if name == "Forall" else N.Exists)(first, formula(arguments[1], scope))
    second = _pattern(arguments[2], tools)
    names = _both(arguments, first, second)
    known = frozenset[N.Role]() if name == "Before" else _FIRST
    when = formula(arguments[1], Scope(name, "the second argument", names, _FIRST, known))
    where = formula(
        arguments[3], Scope(name, "the fourth argument", names, _FIRST | _SECOND, known | _SECOND)
    )
    return _PAIRS[name](first, when, second, where)


# ---------------------------------------------------------------- names


def _names(raw: Raw, pattern: N.Pattern, role: N.Role) -> Names:
    names: Names = {v: ("variable", role) for b in pattern.branches for _, v in b.bindings}
    if pattern.label in names:
        raise Misread(
            f"`{pattern.label}` names both the event and one of its arguments",
            raw.at,
            "rename one of the two",
        )
    return names | ({pattern.label: ("label", role)} if pattern.label else {})


def _both(arguments: tuple[Raw, ...], first: N.Pattern, second: N.Pattern) -> Names:
    one, two = _names(arguments[0], first, "first"), _names(arguments[2], second, "second")
    shared = next((n for n in two if n in one), None)
    if shared is not None:
        hint = f"give each its own name and compare: `{shared}1 == {shared}2`"
        raise Misread(f"`{shared}` is bound in both patterns", arguments[2].at, hint)
    return one | two


# ---------------------------------------------------------------- patterns


def _pattern(raw: Raw, tools: ToolSet | None) -> N.Pattern:
    label = ""
    if raw.kind == "label":
        label = _fresh(raw.value)
        raw = raw.parts[0]
    attempted = raw.kind == "call" and raw.parts[0].kind == "word" and raw.parts[0].value == "attempted"
    if attempted:
        if len(raw.parts) != 2:
            raise Misread("attempted takes one pattern", raw.at, "write `attempted({a | b}) as label`")
        raw = raw.parts[1]
        if raw.kind == "label":
            raise Misread(
                "a label stands outside attempted", raw.value.at, "write `attempted(tool) as label`"
            )
    return N.Pattern(tuple(_branch(b, tools) for b in _branches(raw)), label, attempted)


def _branches(raw: Raw) -> tuple[Raw, ...]:
    if raw.kind != "union":
        return (raw,)
    inner = raw.parts[0]
    return inner.parts if inner.kind == "or" else (inner,)


def _branch(raw: Raw, tools: ToolSet | None) -> N.Branch:
    head, arguments = (raw.parts[0], raw.parts[1:]) if raw.kind == "call" else (raw, ())
    if head.kind not in ("word", "string", "class"):
        _no_pattern(raw)
    name = head.value
    if head.kind == "word" and name in FUNCTIONS:
        raise Misread(
            f"a pattern is expected here, `{name}` is a word of the language",
            head.at,
            f'a tool of this name is written "{name}" in quotes',
        )
    bindings: list[tuple[str, str]] = []
    for position, raw_binding in enumerate(arguments):
        argument, variable = _binding(raw_binding, position, head, tools)
        if argument in (a for a, _ in bindings):
            raise Misread(
                f"the argument `{shorten(argument, 40)}` is bound twice",
                raw_binding.at,
                "remove one of the two",
            )
        if variable in (v for _, v in bindings):
            raise Misread(
                f"`{variable}` is bound twice in one pattern",
                raw_binding.at,
                "give each argument its own name and compare them in the condition",
            )
        bindings.append((argument, variable))
    return N.Branch(name, tuple(bindings))


def _no_pattern(raw: Raw) -> NoReturn:
    if raw.kind == "or":
        raise Misread("a union of tools stands in braces", raw.at, "write `{a | b} as label`")
    if raw.kind == "truth":
        raise Misread(
            f"a pattern is expected here, `{raw.value}` is a condition",
            raw.at,
            "write a tool's name, or @any",
        )
    raise Misread(
        "a pattern is expected here",
        raw.at,
        "write a tool's name, `{a | b}` or a class such as @write; a label follows as `... as label`",
    )


def _binding(raw: Raw, position: int, head: Raw, tools: ToolSet | None) -> tuple[str, str]:
    if raw.kind == "bind":
        name, variable = raw.parts
        if name.kind not in ("word", "string"):
            raise Misread("an argument's name stands before `=`", name.at, "write `tool(argument=variable)`")
        return name.value, _fresh(variable)
    return _by_position(raw, position, head, tools), _fresh(raw)


def _by_position(raw: Raw, position: int, head: Raw, tools: ToolSet | None) -> str:
    name = head.value
    if head.kind == "class":
        raise Misread("a class has no order of arguments", raw.at, f"write `{name}(argument=variable)`")
    known = tools if tools is not None else ToolSet()
    if name not in known:
        if tools is None:
            raise Misread(
                f"the order of `{shorten(name, 40)}`'s arguments isn't known here",
                raw.at,
                f"declare the tool, or name them: `{shorten(name, 40)}(argument=variable)`",
            )
        raise Misread(f"there is no tool `{shorten(name, 40)}`", head.at, near(name, known))
    declared = list(known[name].arguments)
    if position >= len(declared):
        what = f"`{shorten(name, 40)}` has {len(declared)} argument{'s' * (len(declared) != 1)}"
        raise Misread(
            what, raw.at, "they are: " + (", ".join(shorten(d, 40) for d in declared[:12]) or "none")
        )
    return declared[position]


def _fresh(raw: Raw) -> str:
    """Return the name a pattern introduces."""
    if raw.kind != "word":
        inner = ungroup(raw)
        shown = "a constant" if inner.kind in ("string", "number", "literal") else "this"
        raise Misread(
            f"a new name is expected here, not {shown}",
            raw.at,
            "bind a name and compare it in the condition: `tool(x), x == ...`",
        )
    return raw.value
