"""Formulas as a text tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from agentc.dsl import nodes as N
from agentc.dsl.constants import visible
from agentc.dsl.show_text import to_text, too_deep
from agentc.errors import SpecificationError

__all__ = ["to_tree"]

_MEANING: Final[Mapping[type, str]] = {
    N.Before: "every first event has an earlier second one",
    N.After: "every first event has a later second one",
    N.Seq: "some first event has a later second one",
    N.Forall: "every event",
    N.Exists: "some event",
}
_SPREAD: Final = (N.Not, N.And, N.Or, N.Implies, N.Each, N.Temporal)  # what takes lines of its own
_Tree = tuple[str, tuple["_Tree", ...]]


def to_tree(node: N.Specification | N.Constraint | N.Formula) -> str:
    """Draw a specification, a constraint or a formula as a tree of lines.

    Examples
    --------
    >>> from agentc.dsl.parse import parse_formula
    >>> print(to_tree(parse_formula("~Before(pay as p, p.n > 1 & p.ok == true, ask as a, a.id == p.id)")))
    not
    └─ Before: every first event has an earlier second one
       ├─ first: pay as p
       ├─ when: and
       │  ├─ p.n > 1
       │  └─ p.ok == true
       ├─ second: ask as a
       └─ where: a.id == p.id
    """
    try:
        return "\n".join(_lines(_top(node)))
    except RecursionError:
        raise too_deep() from None


def _lines(tree: _Tree) -> Iterable[str]:
    head, below = tree
    yield head
    for i, child in enumerate(below):
        last = i == len(below) - 1
        first, *rest = _lines(child)
        yield ("└─ " if last else "├─ ") + first
        yield from (("   " if last else "│  ") + line for line in rest)


def _top(node: N.Specification | N.Constraint | N.Formula) -> _Tree:
    if isinstance(node, N.Specification):
        title = f": {visible(node.title)}" if node.title else ""
        return f"specification {visible(node.name)}{title}", tuple(map(_top, node.constraints))
    if isinstance(node, N.Constraint):
        sentence = ((f"“{visible(node.sentence)}”", ()),) if node.sentence else ()
        return f"constraint {visible(node.name)}", (*sentence, _formula(node.formula, None))
    return _formula(node, None)


def _formula(node: N.Formula, within: N.Temporal | None) -> _Tree:
    if isinstance(node, N.Temporal):
        return _predicate(node)
    match node:
        case N.Not(arg) if isinstance(arg, _SPREAD):
            return "not", (_formula(arg, within),)
        case N.And(args) | N.Or(args):
            return "and" if isinstance(node, N.And) else "or", tuple(_formula(a, within) for a in args)
        case N.Implies(left, right):
            return "implies", (_named("if", _formula(left, within)), _named("then", _formula(right, within)))
        case N.Each(op, item, over, where) if isinstance(where, _SPREAD):
            return f"{op} {item} in {_text(over, within)}", (_formula(where, within),)
    return _text(node, within), ()


def _predicate(node: N.Temporal) -> _Tree:
    parts: list[tuple[str, _Tree]] = [("first", (_text(node.first, node), ()))]
    if isinstance(node, (N.Before, N.After, N.Seq)):
        parts += [("when", _formula(node.when, node)), ("second", (_text(node.second, node), ()))]
    parts += [("where", _formula(node.where, node))]
    return f"{type(node).__name__}: {_MEANING[type(node)]}", tuple(_named(name, part) for name, part in parts)


def _named(name: str, tree: _Tree) -> _Tree:
    return f"{name}: {tree[0]}", tree[1]


def _text(node: object, within: N.Temporal | None) -> str:
    try:
        return to_text(node, None, within)
    except SpecificationError as error:
        return f"({type(node).__name__}: {error.what})"
