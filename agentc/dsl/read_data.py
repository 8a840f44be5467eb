"""Raw trees to data formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, NoReturn

from agentc.dsl import nodes as N
from agentc.dsl.constants import KINDS
from agentc.dsl.mistakes import FUNCTIONS, PREDICATES, Misread, near
from agentc.dsl.read_scope import Scope, arguments, function, ungroup
from agentc.dsl.read_terms import only, term
from agentc.dsl.syntax import Raw
from agentc.errors import shorten

__all__ = ["connective", "each", "formula"]

_KINDS: Final = {function: sort for sort, function in KINDS.items()}


def connective(raw: Raw, inner: Callable[[Raw], N.Formula]) -> N.Formula | None:
    """Read truth, ``& | ~`` and Implies, their arguments by `inner`; None if `raw` is something else."""
    if raw.kind == "truth":
        return N.Truth(raw.value == "True")
    if raw.kind == "not":
        return N.Not(inner(raw.parts[0]))
    if raw.kind in ("and", "or"):
        parts = tuple(map(inner, raw.parts))
        return N.And(parts) if raw.kind == "and" else N.Or(parts)
    if function(raw) == "Implies":
        left, right = arguments(raw, 2, "Implies(condition, formula)")
        return N.Implies(inner(left), inner(right))
    return None


def formula(raw: Raw, scope: Scope) -> N.Formula:
    """Read a data formula."""
    raw = ungroup(raw)
    found = connective(raw, lambda part: formula(part, scope))
    if found is not None:
        return found
    if raw.kind == "compare":
        return N.Compare(raw.value, *(term(p, scope) for p in raw.parts))
    if raw.kind == "in":
        return N.In(term(raw.parts[0], scope), term(raw.parts[1], scope))
    return _predicate(raw, function(raw) or "", scope)


def _predicate(raw: Raw, name: str, scope: Scope) -> N.Formula:
    if name in _KINDS:
        return N.Is(only(raw, name, scope), _KINDS[name])  # type: ignore[arg-type]
    if name == "distinct":
        return N.Distinct(only(raw, name, scope))
    if name in ("starts_with", "ends_with", "matches"):
        usage = f"{name}(text, {'regular_expression' if name == 'matches' else 'part'})"
        left, right = arguments(raw, 2, usage)
        return N.Text(name, term(left, scope), term(right, scope))  # type: ignore[arg-type]
    if name == "contains":
        whole, part = arguments(raw, 2, "contains(whole, part)")
        return N.Contains(term(whole, scope), term(part, scope))
    if name in ("all", "any"):
        return N.Each(name, *each(raw, name, scope))  # type: ignore[arg-type]
    _no_formula(raw, name, scope)


def _no_formula(raw: Raw, name: str, scope: Scope) -> NoReturn:
    if name in PREDICATES:
        hint = "join predicates with `&`, `|`, `~` or Implies outside of them"
        raise Misread(f"{name} speaks of time and can't stand inside {scope.predicate}", raw.at, hint)
    if raw.kind == "bind":
        raise Misread("`=` doesn't compare", raw.value, "write `==`")
    if raw.kind == "literal" and isinstance(raw.value, bool):
        raise Misread(
            "a formula is expected here, `true` and `false` are values", raw.at, f"write `{raw.value}`"
        )
    if name and name not in FUNCTIONS:
        raise Misread(f"there is no function `{shorten(name, 40)}`", raw.at, near(name, FUNCTIONS))
    if raw.kind in ("label", "union", "class", "each"):
        raise Misread(
            "a formula is expected here, this is a pattern",
            raw.at,
            "patterns are arguments of their own; write True where there is no condition",
        )
    term(raw, scope)  # a mistake in the term comes first
    raise Misread(
        "a formula is expected here, this is a value",
        raw.at,
        "compare it: `... == true`, or ask `~absent(...)`",
    )


def each(raw: Raw, name: str, scope: Scope) -> tuple[str, N.Term, N.Formula]:
    """Read what stands between the brackets of all, any and count."""
    (inside,) = arguments(raw, 1, f"{name}(i in list: formula)", kinds=("each",))
    head, where = inside.parts
    if head.kind != "in" or head.parts[0].kind != "word":
        raise Misread(
            f"{name} takes an element's name and a list", inside.at, f"write `{name}(i in list: formula)`"
        )
    item = head.parts[0].value
    if item in scope.items or item in scope.names:
        raise Misread(
            f"the name `{item}` is taken in this predicate", head.at, "give the element a name of its own"
        )
    inner = replace(scope, items=(*scope.items, item))
    return item, term(head.parts[1], scope), formula(where, inner)
