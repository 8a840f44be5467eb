"""Data formulas on ground events, for the reference evaluator: own equality, own order, own path access.

Truth is three-valued (Kleene's strong logic), since a formula may hang on a reading nobody has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any

from agentc.dsl import nodes as N
from agentc.dsl.regex import Alternatives, Characters, Concat, Literal, Regex, Repeat, parse_regex
from agentc.errors import BudgetError, SpecificationError, TraceError, shorten
from agentc.trace.event import Event, Failed, reading
from agentc.trace.values import MISSING

__all__ = ["Kleene", "Scope", "Seen", "Unknown", "all_of", "any_of", "connective", "holds", "negate"]

# ---------------------------------------------------------------- three-valued truth


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value, or a truth value, that hangs on a reading nobody has."""

    reason: str

    def __bool__(self) -> bool:
        raise AssertionError("an unknown truth value was used as a plain one")


Kleene = bool | Unknown


def negate(value: Kleene) -> Kleene:
    return value if isinstance(value, Unknown) else not value


def any_of(values: Iterable[Kleene]) -> Kleene:
    """Kleene's disjunction, left to right; the first reason met is the one that is told."""
    unknown: Unknown | None = None
    for value in values:
        if isinstance(value, Unknown):
            unknown = value if unknown is None else unknown
        elif value:
            return True
    return False if unknown is None else unknown


def all_of(values: Iterable[Kleene]) -> Kleene:
    return negate(any_of(negate(value) for value in values))


# ---------------------------------------------------------------- values


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "bool"),  # before the numbers: Python's bool is an int
    ((int, float, Decimal, Fraction), "num"),
    (str, "str"),  # before the lists: Python's str is a sequence
    (Mapping, "dict"),
    ((list, tuple), "list"),
)


def _kind(value: Any) -> str:
    if value is None or value is MISSING:
        return "null" if value is None else "missing"
    for types, kind in _KINDS:
        if isinstance(value, types):
            return kind
    raise TraceError("a value must be JSON", found=shorten(repr(value)), hint="convert it first")


def _number(value: Any) -> Fraction:
    """Return the number as its shortest decimal says it."""
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal):
        if not value.is_finite():
            hint = "JSON has no NaN or Infinity; use null"
            raise TraceError("a number must be finite", found=str(value), hint=hint)
        if abs(value.adjusted()) > 400:  # 10**exponent is written out digit by digit
            found = shorten(str(value))
            raise BudgetError("a number's exponent must stay within ±400", found=found, hint="scale it")
    return Fraction(value)


def _same(left: Any, right: Any) -> bool:
    """Structural equality of two present values; a stack, not recursion, so that depth is no limit."""
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        kind = _kind(a)
        if kind != _kind(b) or kind == "missing":
            return False
        if kind == "list" and len(a) == len(b):
            stack.extend(zip(a, b, strict=True))
        elif kind == "dict" and set(a) == set(b):
            stack.extend((a[key], b[key]) for key in a)
        elif kind in {"list", "dict"}:
            return False
        elif kind == "num":
            if _number(a) != _number(b):
                return False
        elif a != b:
            return False
    return True


def _follow(value: Any, path: N.Path) -> Any:
    for step in path:
        if isinstance(value, Unknown):
            return value
        kind = _kind(value)
        named = kind == "dict" and isinstance(step, str) and step in value
        if not named and not (kind == "list" and isinstance(step, int) and 0 <= step < len(value)):
            return MISSING
        value = value[step]
    return value


# ---------------------------------------------------------------- terms


@dataclass(frozen=True, slots=True)
class Seen:
    """An event as a pattern reads it: through one of the pattern's branches."""

    event: Event
    branch: N.Branch

    def variable(self, name: str) -> Any:
        arguments = (argument for argument, variable in self.branch.bindings if variable == name)
        return next((self.event.args.get(a, MISSING) for a in arguments), MISSING)


@dataclass(frozen=True, slots=True)
class Scope:
    """What the names of a data formula stand for."""

    first: Seen | None
    second: Seen | None
    items: Mapping[str, Any] = field(default_factory=dict)

    def at(self, role: N.Role) -> Seen:
        seen = self.first if role == "first" else self.second
        if seen is None:
            what = f"a formula speaks of a {role} event where there is none"
            raise SpecificationError(what, hint="name an event the predicate has")
        return seen

    def bind(self, name: str, value: Any) -> Scope:
        return Scope(self.first, self.second, {**self.items, name: value})


def _term(term: N.Term, scope: Scope) -> Any:
    """Return the term's value: JSON, MISSING, or Unknown."""
    match term:
        case N.Const(value):
            return value
        case N.Arg(role, name, path):
            return _follow(scope.at(role).event.args.get(name, MISSING), path)
        case N.Var(role, name, path):
            return _follow(scope.at(role).variable(name), path)
        case N.Output(role, path):
            return _follow(scope.at(role).event.output, path)
        case N.State():
            return _follow(_state(term, scope), term.path)
        case N.Item(name, path):
            if name not in scope.items:
                what = "a list variable is used outside its quantifier"
                raise SpecificationError(what, found=name, hint="bind it with all, any or count")
            return _follow(scope.items[name], path)
        case N.Arith(op, left, right):
            return _arith(op, _term(left, scope), _term(right, scope))
        case N.Len(inner):
            return _length(_term(inner, scope))
        case N.Count():
            return _count(term, scope)
    raise SpecificationError("a term of an unknown kind", found=type(term).__name__)


def _state(term: N.State, scope: Scope) -> Any:
    args = [_term(arg, scope) for arg in term.args]
    for arg in args:
        if isinstance(arg, Unknown):
            return arg
    name = f"{term.name}({', '.join(shorten(repr(arg), 30) for arg in args)})"
    state = scope.at(term.role).event.state
    key = reading(term.name, *args)
    if key not in state:
        return Unknown(f"{name} was not read at {scope.at(term.role).event.tool}")
    value = state[key]
    return Unknown(f"{name} failed: {value.reason}") if isinstance(value, Failed) else value


def _arith(op: str, left: Any, right: Any) -> Any:
    unknown = [v for v in (left, right) if isinstance(v, Unknown)]
    if any(_kind(v) != "num" for v in (left, right) if not isinstance(v, Unknown)):
        return MISSING
    if unknown:
        return unknown[0]
    a, b = _number(left), _number(right)
    return a + b if op == "+" else a - b if op == "-" else a * b


def _length(value: Any) -> Any:
    if isinstance(value, Unknown):
        return value
    return len(value) if _kind(value) in {"str", "list", "dict"} else MISSING


def _count(term: N.Count, scope: Scope) -> Any:
    over = _term(term.over, scope)
    if isinstance(over, Unknown):
        return over
    if _kind(over) != "list":
        return MISSING
    met = [holds(term.where, scope.bind(term.item, element)) for element in over]
    unknown = [h for h in met if isinstance(h, Unknown)]
    return unknown[0] if unknown else sum(1 for h in met if h)


# ---------------------------------------------------------------- data formulas


def holds(formula: N.Formula, scope: Scope) -> Kleene:
    """Return the truth of a data formula."""
    if isinstance(formula, (N.Truth, N.Not, N.And, N.Or, N.Implies)):
        return connective(formula, lambda part: holds(part, scope))
    match formula:
        case N.Compare(op, left, right):
            return _compare(op, _term(left, scope), _term(right, scope))
        case N.In(term, options):
            return _member(_term(term, scope), _term(options, scope))
        case N.Contains(whole, part):
            return _contains(_term(whole, scope), _term(part, scope))
        case N.Text(op, term, other):
            return _text(op, _term(term, scope), _term(other, scope))
        case N.Is(term, sort):
            return _is(_term(term, scope), sort)
        case N.Each():
            return _each(formula, scope)
        case N.Distinct(term):
            return _distinct(_term(term, scope))
    raise SpecificationError("this can't stand in a data formula", found=type(formula).__name__)


def connective(formula: N.Connective, inner: Callable[[N.Formula], Kleene]) -> Kleene:
    match formula:
        case N.Truth(value):
            return value
        case N.Not(arg):
            return negate(inner(arg))
        case N.And(args):
            return all_of(inner(arg) for arg in args)
        case N.Or(args):
            return any_of(inner(arg) for arg in args)
        case N.Implies(left, right):
            return any_of((negate(inner(left)), inner(right)))


def _compare(op: str, left: Any, right: Any) -> Kleene:
    if op == "!=":
        return negate(_equal(left, right))
    return _equal(left, right) if op == "==" else _ordered(op, left, right)


def _equal(left: Any, right: Any) -> Kleene:
    if left is MISSING or right is MISSING:
        return False
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    return _same(left, right)


def _ordered(op: str, left: Any, right: Any) -> Kleene:
    known = {_kind(v) for v in (left, right) if not isinstance(v, Unknown)}
    if known not in ({"num"}, {"str"}, set()):
        return False
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    a, b = (_number(left), _number(right)) if known == {"num"} else (left, right)  # str orders by code point
    return bool(a < b if op == "<" else a <= b if op == "<=" else a > b if op == ">" else a >= b)


def _member(term: Any, options: Any) -> Kleene:
    if isinstance(options, Unknown):
        return False if term is MISSING else options
    return any_of(_equal(term, option) for option in options) if _kind(options) == "list" else False


def _contains(whole: Any, part: Any) -> Kleene:
    if isinstance(whole, Unknown):
        return False if part is MISSING else whole
    if _kind(whole) == "list":
        return _member(part, whole)
    if isinstance(whole, str):
        return part if isinstance(part, Unknown) else isinstance(part, str) and part in whole
    return False


def _text(op: str, term: Any, other: Any) -> Kleene:
    if any(_kind(v) != "str" for v in (term, other) if not isinstance(v, Unknown)):
        return False
    for value in (term, other):
        if isinstance(value, Unknown):
            return value
    if op == "matches":
        return len(term) in _ends(parse_regex(other), term, frozenset({0}))
    return bool(term.startswith(other) if op == "starts_with" else term.endswith(other))


def _ends(regex: Regex, text: str, starts: frozenset[int]) -> frozenset[int]:
    """Return where a match that begins at one of `starts` may end; no backtracking, so no text hangs it."""
    match regex:
        case Literal(literal):
            return frozenset(s + len(literal) for s in starts if text.startswith(literal, s))
        case Characters(ranges):
            here = ((s, ord(text[s])) for s in starts if s < len(text))
            return frozenset(s + 1 for s, code in here if any(a <= code <= b for a, b in ranges))
        case Concat(parts):
            return reduce(lambda at, part: _ends(part, text, at), parts, starts)
        case Alternatives(options):
            return frozenset().union(*(_ends(option, text, starts) for option in options))
        case Repeat(part, low, high):
            for _ in range(low):
                starts = _ends(part, text, starts)
            return _repeated(part, text, starts, None if high is None else high - low)


def _repeated(part: Regex, text: str, starts: frozenset[int], times: int | None) -> frozenset[int]:
    """Return where up to `times` more matches may end; None is without limit."""
    reached, new = starts, starts
    while new and times != 0:
        new = _ends(part, text, new) - reached
        reached |= new
        times = None if times is None else times - 1
    return reached


def _is(value: Any, sort: str) -> Kleene:
    if isinstance(value, Unknown):
        return value
    if sort == "int":
        return _kind(value) == "num" and _number(value).denominator == 1
    return _kind(value) == sort


def _each(formula: N.Each, scope: Scope) -> Kleene:
    over = _term(formula.over, scope)
    if isinstance(over, Unknown):
        return over
    if _kind(over) != "list":
        return False
    met = (holds(formula.where, scope.bind(formula.item, element)) for element in over)
    return all_of(met) if formula.op == "all" else any_of(met)


def _distinct(value: Any) -> Kleene:
    if isinstance(value, Unknown):
        return value
    return _kind(value) == "list" and not any(_same(a, b) for i, a in enumerate(value) for b in value[:i])
