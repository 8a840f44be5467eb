"""The checker: whether a specification says something that its tools, projections and types can mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from agentc.dsl import nodes as N
from agentc.dsl.check_formulas import check_data
from agentc.dsl.check_patterns import name_problems, pattern_problems
from agentc.dsl.check_scope import Declared, Problem, Scope
from agentc.dsl.constants import MAX_CONSTRAINTS, MAX_NESTING, MAX_WORDS
from agentc.dsl.guards import proven
from agentc.errors import SpecificationError, shorten
from agentc.tools.signature import Projection, ToolSet

__all__ = ["check", "check_formula", "problems"]

MAX_TOLD: Final = 20


def check(spec: N.Specification) -> None:
    """Refuse a specification that can't mean what it says.

    Raises
    ------
    SpecificationError
        Of the first problem; its text lists the others too.

    Notes
    -----
    Looks for: unknown tools, classes, arguments, variables and projections; paths into what a schema closes;
    comparisons that can never hold, by kind or by value; operations on values that don't have them; patterns
    and alternatives that can't match; outputs asked for before they are known; optional arguments compared
    without a guard (see `agentc.dsl.guards`); regular expressions outside the subset; names used twice. Where
    no tools are declared nothing is known of names and types, and only the rest is checked. Linear in the
    specification.

    Examples
    --------
    >>> from agentc.dsl.parse import parse_specification
    >>> check(parse_specification("tool rm(path: string)  constraint safe: Forall(rm as r, r.pth != 3)"))
    Traceback (most recent call last):
    agentc.errors.SpecificationError: `rm` has no argument `pth`
      where: constraint `safe`, text, line 1
      found: r.pth
      hint: did you mean `path`?
    """
    _refuse(problems(spec))


def check_formula(
    formula: N.Formula,
    tools: ToolSet | None = None,
    projections: Mapping[str, Projection] | None = None,
    where: str = "",
) -> None:
    """Refuse a temporal formula as `check` does; `where` is told as its place."""
    _refuse([_error(p, where) for p in _formula(formula, Declared(tools, projections or {}))])


def problems(spec: N.Specification) -> list[SpecificationError]:
    """Return everything that is wrong with a specification, in its order; see `check`."""
    if len(spec.constraints) > MAX_CONSTRAINTS:
        return [_too_much(f"{MAX_CONSTRAINTS:,} constraints", f"{len(spec.constraints):,}", spec.name)]
    declared = Declared(spec.tools, spec.projections)
    found = list(_names(spec))
    for constraint in spec.constraints:
        found += [_error(p, _place(constraint)) for p in _formula(constraint.formula, declared)]
    return found


def _refuse(found: list[SpecificationError]) -> None:
    if not found:
        return
    first, *others = found
    lines = [f"  * {e.what} ({e.where})" if e.where else f"  * {e.what}" for e in others[:MAX_TOLD]]
    lines += [f"  * and {len(others) - MAX_TOLD} more"] if len(others) > MAX_TOLD else []
    hint = "\n".join([first.hint, "also:", *lines]) if lines else first.hint
    raise SpecificationError(first.what, where=first.where, found=first.found, hint=hint)


def _error(problem: Problem, where: str) -> SpecificationError:
    return SpecificationError(problem.what, where=where, found=problem.found, hint=problem.hint)


def _place(constraint: N.Constraint) -> str:
    return ", ".join(
        part for part in (f"constraint `{shorten(constraint.name)}`", str(constraint.place)) if part
    )


def _too_much(most: str, found: str, where: str) -> SpecificationError:
    what = f"a specification may have at most {most}"
    return SpecificationError(
        what, where=where, found=found, hint="split it; `&` and `|` take any number of parts"
    )


def _names(spec: N.Specification) -> Iterator[SpecificationError]:
    counts = Counter(c.name for c in spec.constraints)
    told: set[str] = set()
    for constraint in spec.constraints:
        name = constraint.name
        if not name:
            yield SpecificationError("a constraint has no name", where=str(constraint.place), hint="name it")
        elif counts[name] > 1 and name not in told:
            told.add(name)
            what = "two constraints have one name"
            yield SpecificationError(
                what, where=_place(constraint), found=shorten(name), hint="rename one of them"
            )


# ---------------------------------------------------------------- time


def _formula(formula: N.Formula, declared: Declared) -> list[Problem]:
    """Return what is wrong with a temporal formula, the same thing once."""
    size, depth = _measure(formula)
    if depth > MAX_NESTING or size > MAX_WORDS:
        what = f"a formula may have at most {MAX_NESTING} levels and {MAX_WORDS:,} parts"
        found = f"over {MAX_NESTING} levels" if depth > MAX_NESTING else f"{size:,} parts"
        return [Problem(what, found, "flatten it: `&` and `|` take any number of parts at one level")]
    found_: list[Problem] = []
    for part in _predicates(formula, found_):
        _predicate(part, declared, found_)
    return list(dict.fromkeys(found_))


def _measure(formula: N.Formula) -> tuple[int, int]:
    """Return the number of nodes and the depth, without recursion; past a limit, what was seen so far."""
    stack: list[tuple[object, int]] = [(formula, 1)]
    size = deepest = 0
    while stack and size <= MAX_WORDS and deepest <= MAX_NESTING:
        node, depth = stack.pop()
        size, deepest = size + 1, max(deepest, depth)
        if not isinstance(node, N.Const):
            stack.extend((child, depth + 1) for child in N.children(node))
    return size, deepest


def _predicates(formula: N.Formula, found: list[Problem]) -> Iterator[N.Temporal]:
    """Yield the predicates of a temporal formula; report what is neither one nor a connective."""
    match formula:
        case N.Truth():
            return
        case N.Not(arg):
            yield from _predicates(arg, found)
        case N.And(args) | N.Or(args):
            for part in args:
                yield from _predicates(part, found)
        case N.Implies(left, right):
            yield from _predicates(left, found)
            yield from _predicates(right, found)
        case N.Before() | N.After() | N.Seq() | N.Forall() | N.Exists():
            yield formula
        case _:
            what = "a temporal formula is expected here, this says nothing about time"
            hint = "put it inside a predicate: for every call that matches, Forall(tool, condition)"
            found.append(Problem(what, type(formula).__name__, hint))


_FIRST: Final[frozenset[N.Role]] = frozenset({"first"})
_SECOND: Final[frozenset[N.Role]] = frozenset({"second"})


def _predicate(node: N.Temporal, declared: Declared, found: list[Problem]) -> None:
    second = node.second if isinstance(node, (N.Before, N.After, N.Seq)) else None
    patterns: dict[N.Role, N.Pattern] = {"first": node.first}
    if second is not None:
        patterns["second"] = second
    for pattern in patterns.values():
        found += pattern_problems(pattern, declared.tools)
    found += name_problems(node.first, second)
    known = frozenset[N.Role]() if isinstance(node, (N.Before, N.Forall)) else _FIRST
    alone = Scope(declared, node, "the first condition", {"first": node.first}, known, found.append)
    if second is None:
        check_data(node.where, replace(alone, part="the condition"))
        return
    assert isinstance(node, (N.Before, N.After, N.Seq))
    check_data(node.when, alone)
    both = replace(alone, part="the second condition", patterns=patterns, outputs=known | _SECOND)
    check_data(node.where, replace(both, facts=proven(node.when, True)))
