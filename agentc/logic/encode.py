"""Data formulas to Z3, given a view that says which Z3 expression stands for each leaf.

The same encoding serves the ground query (leaves are the values of past events), the symbolic one (leaves of
a call being written, or of the future) and the quantified engine (leaves are functions of time).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Final, Protocol

import z3

from agentc.dsl import nodes as n
from agentc.dsl import regex as rx
from agentc.logic.leaves import Leaf, leaf_of
from agentc.logic.values import MAX_CHAR, VAL, Interner, kind_test, number, text_literal
from agentc.trace.values import JSON, Key, Missing, at_path, freeze

__all__ = ["OPEN", "Abstracted", "ListView", "Open", "View", "encode", "z3_regex"]


@dataclass(frozen=True, slots=True)
class ListView:
    """A list as Z3 sees it: is it one, its elements each with a guard "the list is that long", and too long
    to say."""

    is_list: z3.BoolRef
    items: tuple[tuple[z3.BoolRef, n.Term], ...]
    overflow: z3.BoolRef | None = None


class Abstracted(Exception):
    """Raised by a view for what it can't express; the innermost formula then becomes a free boolean."""


class Open:
    """Said of a leaf whose value isn't known yet."""


OPEN: Final = Open()


class View(Protocol):
    """What stands for a leaf: its value where that is known, else Z3 expressions."""

    interner: Interner

    def fixed(self, leaf: Leaf) -> JSON | Missing | Open: ...
    def val(self, leaf: Leaf) -> z3.ExprRef: ...
    def text(self, leaf: Leaf) -> z3.SeqRef: ...
    def length(self, leaf: Leaf) -> z3.ExprRef: ...
    def elements(self, leaf: Leaf) -> ListView: ...
    def free(self) -> z3.BoolRef: ...
    def on_text(self, test: z3.BoolRef) -> z3.BoolRef: ...


Env = Mapping[str, n.Term]


def encode(formula: n.Formula, view: View) -> z3.BoolRef:
    """Return the Z3 formula of a resolved data formula (no `Var` left in it)."""
    return _Encoder(view).formula(formula, {})


class _Encoder:
    def __init__(self, view: View) -> None:
        self.view = view

    # ------------------------------------------------------------ formulas

    def formula(self, f: n.Formula, env: Env) -> z3.BoolRef:
        match f:
            case n.Truth(value):
                return z3.BoolVal(value)
            case n.Not(arg):
                return z3.Not(self.formula(arg, env))
            case n.And(args):
                return z3.And([self.formula(a, env) for a in args])
            case n.Or(args):
                return z3.Or([self.formula(a, env) for a in args])
            case n.Implies(left, right):
                return z3.Implies(self.formula(left, env), self.formula(right, env))
        try:
            return self._atom(f, env)
        except Abstracted:
            return self.view.free()

    def _atom(self, f: n.Formula, env: Env) -> z3.BoolRef:
        match f:
            case n.Compare(op, left, right):
                return self._compare(op, self._term(left, env), self._term(right, env))
            case n.In(term, options):
                item = self._term(term, env)
                return self._some(self._list(options, env), lambda option: self._equal(item, option))
            case n.Contains(whole, part):
                return self._contains(self._term(whole, env), self._term(part, env))
            case n.Text(op, term, other):
                return self._text(op, self._term(term, env), other, env)
            case n.Is(term, sort):
                return kind_test(self._val(self._term(term, env)), sort)
            case n.Each(op, item, over, where):
                return self._each(op, self._list(over, env), lambda e: self.formula(where, {**env, item: e}))
            case n.Distinct(term):
                return self._distinct(self._list(term, env))
        raise TypeError(f"not a data formula: {f!r}")

    def _compare(self, op: str, left: n.Term, right: n.Term) -> z3.BoolRef:
        match op:
            case "==":
                return self._equal(left, right)
            case "!=":
                return z3.Not(self._equal(left, right))
            case "<":
                return self._less(left, right, strict=True)
            case "<=":
                return self._less(left, right, strict=False)
            case ">":
                return self._less(right, left, strict=True)
        return self._less(right, left, strict=False)

    def _equal(self, left: n.Term, right: n.Term) -> z3.BoolRef:
        a, b = self._val(left), self._val(right)
        return z3.And(a == b, a != VAL.missing)

    def _less(self, left: n.Term, right: n.Term, strict: bool) -> z3.BoolRef:
        cases = []
        if _may_be(left, "num") and _may_be(right, "num"):
            a, b = self._val(left), self._val(right)
            order = VAL.n(a) < VAL.n(b) if strict else VAL.n(a) <= VAL.n(b)
            cases.append(z3.And(VAL.is_num(a), VAL.is_num(b), order))
        if _may_be(left, "str") and _may_be(right, "str"):
            s, t = self._string(left), self._string(right)
            ordered = self.view.on_text(s < t if strict else s <= t)
            cases.append(z3.And(self._is_text(left), self._is_text(right), ordered))
        return z3.Or(cases)

    def _contains(self, whole: n.Term, part: n.Term) -> z3.BoolRef:
        cases = []
        if _may_be(whole, "str") and _may_be(part, "str"):
            both = z3.And(self._is_text(whole), self._is_text(part))
            cases.append(
                z3.And(both, self.view.on_text(z3.Contains(self._string(whole), self._string(part))))
            )
        if _may_be(whole, "list"):
            cases.append(self._some(self._elements(whole), lambda e: self._equal(e, part)))
        return z3.Or(cases)

    def _text(self, op: str, term: n.Term, other: n.Term, env: Env) -> z3.BoolRef:
        if not _may_be(term, "str"):
            return z3.BoolVal(False)
        is_text = self._is_text(term)
        if op == "matches":
            pattern = _pattern(other.value)  # type: ignore[union-attr]
            return z3.And(is_text, self.view.on_text(z3.InRe(self._string(term), pattern)))
        affix = self._term(other, env)
        if not _may_be(affix, "str"):
            return z3.BoolVal(False)
        test = z3.PrefixOf if op == "starts_with" else z3.SuffixOf
        return z3.And(
            is_text, self._is_text(affix), self.view.on_text(test(self._string(affix), self._string(term)))
        )

    # ------------------------------------------------------------ lists

    def _list(self, over: n.Term, env: Env) -> ListView:
        return self._elements(self._term(over, env))

    def _elements(self, term: n.Term) -> ListView:
        if isinstance(term, n.Const):
            is_list = isinstance(term.value, (list, tuple))
            items = tuple((z3.BoolVal(True), n.Const(v)) for v in term.value) if is_list else ()
            return ListView(z3.BoolVal(is_list), items)
        leaf = leaf_of(term)
        return self.view.elements(leaf) if leaf else ListView(z3.BoolVal(False), ())

    def _each(self, op: str, over: ListView, where: Callable[[n.Term], z3.BoolRef]) -> z3.BoolRef:
        if op == "any":
            return self._some(over, where)
        every = z3.And([z3.Implies(guard, where(item)) for guard, item in over.items])
        return z3.And(over.is_list, self._unless_overflow(over, every))

    def _some(self, over: ListView, where: Callable[[n.Term], z3.BoolRef]) -> z3.BoolRef:
        some = z3.Or([z3.And(guard, where(item)) for guard, item in over.items])
        return z3.And(over.is_list, self._unless_overflow(over, some))

    def _distinct(self, over: ListView) -> z3.BoolRef:
        pairs = combinations(over.items, 2)
        same = [z3.And(g, h, self._equal(a, b)) for (g, a), (h, b) in pairs]
        return z3.And(over.is_list, self._unless_overflow(over, z3.Not(z3.Or(same))))

    def _unless_overflow(self, over: ListView, exactly: z3.BoolRef) -> z3.BoolRef:
        return exactly if over.overflow is None else z3.If(over.overflow, self.view.free(), exactly)

    # ------------------------------------------------------------ terms

    def _term(self, term: n.Term, env: Env) -> n.Term:
        """Put elements in the place of items; everything else stays as it is."""
        match term:
            case n.Item(name, path):
                extended = _extend(env[name], path)
                leaf = leaf_of(extended)
                return extended if leaf is None else self._leaf(leaf)
            case n.Arith(op, left, right):
                return n.Arith(op, self._term(left, env), self._term(right, env))
            case n.Len(of):
                return n.Len(self._term(of, env))
            case n.Arg() | n.Output() | n.State():
                return self._leaf(term)
            case n.Count(item, over, where):
                counted = _Counted(self._list(over, env), lambda e: self.formula(where, {**env, item: e}))
                return counted  # type: ignore[return-value]
        return term

    def _leaf(self, leaf: Leaf) -> n.Term:
        value = self.view.fixed(leaf)
        return leaf if isinstance(value, Open) else n.Const(value)

    def _is_text(self, term: n.Term) -> z3.BoolRef:
        return (
            z3.BoolVal(isinstance(term.value, str))
            if isinstance(term, n.Const)
            else VAL.is_str(self._val(term))
        )

    def _val(self, term: n.Term) -> z3.ExprRef:
        match term:
            case n.Const(value):
                return self.view.interner.expr(freeze(value))
            case n.Arith(op, left, right):
                return _arith(op, self._val(left), self._val(right))
            case n.Len(of):
                return self._length(of)
            case _Counted():
                return self._count(term)
        return self.view.val(term)  # type: ignore[arg-type]

    def _length(self, of: n.Term) -> z3.ExprRef:
        if isinstance(of, n.Const):
            sized = isinstance(of.value, (str, list, tuple, Mapping))
            return VAL.num(number(len(of.value))) if sized else VAL.missing
        leaf = leaf_of(of)
        return self.view.length(leaf) if leaf else VAL.missing

    def _count(self, counted: _Counted) -> z3.ExprRef:
        if counted.over.overflow is not None:
            raise Abstracted
        hits = [
            z3.If(z3.And(g, counted.where(e)), z3.RealVal(1), z3.RealVal(0)) for g, e in counted.over.items
        ]
        return z3.If(counted.over.is_list, VAL.num(z3.Sum(hits) if hits else z3.RealVal(0)), VAL.missing)

    def _string(self, term: n.Term) -> z3.SeqRef:
        if isinstance(term, n.Const):
            literal = text_literal(term.value) if isinstance(term.value, str) else z3.StringVal("")
            if literal is None:
                raise Abstracted
            return literal
        leaf = leaf_of(term)
        return self.view.text(leaf) if leaf else z3.StringVal("")


@dataclass(frozen=True, slots=True)
class _Counted:
    """A `Count` whose list has been looked at."""

    over: ListView
    where: Callable[[n.Term], z3.BoolRef]


def _extend(term: n.Term, path: n.Path) -> n.Term:
    if not path:
        return term
    if isinstance(term, n.Const):
        return n.Const(at_path(term.value, path))
    assert isinstance(term, n.Arg | n.Output | n.State), "only constants and leaves have elements"
    return replace(term, path=(*term.path, *path))


def _may_be(term: n.Term, kind: str) -> bool:
    """Return whether a term can have a value of kind num, str or list; only constants and arithmetic can't.
    """
    if isinstance(term, n.Const):
        key: Key = freeze(term.value)
        return key[0] == kind
    if isinstance(term, (n.Arith, n.Len, _Counted)):
        return kind == "num"
    return True


def _arith(op: str, a: z3.ExprRef, b: z3.ExprRef) -> z3.ExprRef:
    x, y = VAL.n(a), VAL.n(b)
    result = x + y if op == "+" else x - y if op == "-" else x * y
    return z3.If(z3.And(VAL.is_num(a), VAL.is_num(b)), VAL.num(result), VAL.missing)


@lru_cache(maxsize=512)
def _pattern(text: str) -> z3.ReRef:
    return z3_regex(rx.parse_regex(text))


def z3_regex(node: rx.Regex) -> z3.ReRef:
    """Return Z3's form of a regular expression; one that names a character Z3 doesn't have is left open."""
    match node:
        case rx.Literal(text):
            literal = text_literal(text)
            if literal is None:
                raise Abstracted
            return z3.Re(literal)
        case rx.Characters(ranges):
            return _union(
                [z3.Range(_char(low), _char(min(high, MAX_CHAR))) for low, high in ranges if low <= MAX_CHAR]
            )
        case rx.Concat(parts):
            return _concat([z3_regex(p) for p in parts])
        case rx.Alternatives(options):
            return _union([z3_regex(o) for o in options])
    part = z3_regex(node.part)
    if node.high is not None:
        return z3.Loop(part, node.low, node.high) if node.high else _concat([])
    return z3.Star(part) if node.low == 0 else z3.Concat(z3.Loop(part, node.low, node.low), z3.Star(part))


def _char(code: int) -> z3.SeqRef:
    literal = text_literal(chr(code))
    assert literal is not None, "ranges are cut to the characters Z3 has"
    return literal


def _union(parts: list[z3.ReRef]) -> z3.ReRef:
    nothing = z3.Empty(z3.ReSort(z3.StringSort()))
    return nothing if not parts else parts[0] if len(parts) == 1 else z3.Union(parts)


def _concat(parts: list[z3.ReRef]) -> z3.ReRef:
    return z3.Re(z3.StringVal("")) if not parts else parts[0] if len(parts) == 1 else z3.Concat(parts)
