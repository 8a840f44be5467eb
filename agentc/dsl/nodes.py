"""The language as plain frozen data: terms, data formulas, patterns, temporal formulas, specifications.

Nodes compare and hash by structure and never overload operators; what a person writes is in `build` and
`parse`. A *first* event is the one at t (its arguments unprimed), a *second* event the one at t' (primed).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Literal

from agentc.errors import SpecificationError, closest, shorten
from agentc.tools.signature import Projection, ToolSet
from agentc.trace.values import JSON

Role = Literal["first", "second"]
Path = tuple[str | int, ...]

# ---------------------------------------------------------------- terms


@dataclass(frozen=True, slots=True)
class Const:
    """A JSON constant, kept in a hashable form: numbers int or Fraction, lists tuples, objects `Record`."""

    value: JSON

    def __eq__(self, other: object) -> bool:  # True == 1 in Python, not here
        return isinstance(other, Const) and _tagged(self.value) == _tagged(other.value)

    def __hash__(self) -> int:
        return hash(_tagged(self.value))


def _tagged(value: JSON) -> object:
    from agentc.trace.values import freeze

    return freeze(value)


@dataclass(frozen=True, slots=True)
class Arg:
    """Argument `name` of an event, by its own name: ``order.order_id``."""

    role: Role
    name: str
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Var:
    """An argument through the variable the pattern bound to it: ``f1`` in ``open(f1)``."""

    role: Role
    name: str
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Output:
    """An event's output: ``output(auth).id``."""

    role: Role
    path: Path = ()


@dataclass(frozen=True, slots=True)
class State:
    """Projection `name` read at an event; `args` mention only that event's own arguments, and constants."""

    role: Role
    name: str
    args: tuple[Term, ...] = ()
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Item:
    """The element bound by a list quantifier: ``i`` in ``all(i in order.items: i.price > 0)``."""

    name: str
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Arith:
    """Exact arithmetic; absent unless both sides are numbers."""

    op: Literal["+", "-", "*"]
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Len:
    """Length of a string (code points), list or object; absent of anything else."""

    term: Term


@dataclass(frozen=True, slots=True)
class Count:
    """How many elements of the list `over` satisfy `where`; absent if `over` is no list."""

    item: str
    over: Term
    where: Formula


Term = Const | Arg | Var | Output | State | Item | Arith | Len | Count

# ---------------------------------------------------------------- data formulas and connectives


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


@dataclass(frozen=True, slots=True)
class Not:
    arg: Formula


@dataclass(frozen=True, slots=True)
class And:
    args: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    args: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Compare:
    """``==`` needs both sides present; ``!=`` is its negation; order is within numbers or within strings."""

    op: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class In:
    """The term equals an element of the list `options` (a constant list, or a term whose value is a list)."""

    term: Term
    options: Term


@dataclass(frozen=True, slots=True)
class Contains:
    """Substring where both are strings, membership where `whole` is a list; else false."""

    whole: Term
    part: Term


@dataclass(frozen=True, slots=True)
class Text:
    """``starts_with``, ``ends_with`` (constant or term), ``matches`` (a regular expression for all of it)."""

    op: Literal["starts_with", "ends_with", "matches"]
    term: Term
    other: Term


Sort = Literal["missing", "null", "bool", "num", "int", "str", "list", "dict"]


@dataclass(frozen=True, slots=True)
class Is:
    """The term's kind; ``absent(x)`` is kind "missing", ``is_null(x)`` kind "null"."""

    term: Term
    sort: Sort


@dataclass(frozen=True, slots=True)
class Each:
    """``all`` or ``any`` element of the list `over` satisfies `where`; both false if `over` is no list."""

    op: Literal["all", "any"]
    item: str
    over: Term
    where: Formula


@dataclass(frozen=True, slots=True)
class Distinct:
    """No two elements of the list are equal; false of anything that is no list."""

    term: Term


# ---------------------------------------------------------------- patterns


@dataclass(frozen=True, slots=True)
class Branch:
    """One alternative: a tool (or message) name or a class ``@...``; `bindings` are (argument, variable)."""

    name: str
    bindings: tuple[tuple[str, str], ...] = ()

    @property
    def is_class(self) -> bool:
        return self.name.startswith("@")

    def matches(self, tool: str, tools: ToolSet) -> bool:
        return tools.belongs(tool, self.name) if self.is_class else tool == self.name


@dataclass(frozen=True, slots=True)
class Pattern:
    """A union of branches, named `label` in formulas (``as order``); `attempted` also matches failed calls.

    An event is read through the first branch that matches it.
    """

    branches: tuple[Branch, ...]
    label: str = ""
    attempted: bool = False

    def branch(self, tool: str, tools: ToolSet) -> Branch | None:
        """Return the branch an event of `tool` is read through, or None if the pattern doesn't match it."""
        return next((b for b in self.branches if b.matches(tool, tools)), None)


# ---------------------------------------------------------------- temporal formulas


@dataclass(frozen=True, slots=True)
class Before:
    """For all t matching `first` and `when`, some t' < t matches `second` and `where`."""

    first: Pattern
    when: Formula
    second: Pattern
    where: Formula


@dataclass(frozen=True, slots=True)
class After:
    """For all t matching `first` and `when`, some t' > t matches `second` and `where`."""

    first: Pattern
    when: Formula
    second: Pattern
    where: Formula


@dataclass(frozen=True, slots=True)
class Seq:
    """For some t matching `first` and `when`, some t' > t matches `second` and `where`."""

    first: Pattern
    when: Formula
    second: Pattern
    where: Formula


@dataclass(frozen=True, slots=True)
class Forall:
    """Every t matching `first` satisfies `where`."""

    first: Pattern
    where: Formula


@dataclass(frozen=True, slots=True)
class Exists:
    """Some t matching `first` satisfies `where`."""

    first: Pattern
    where: Formula


Temporal = Before | After | Seq | Forall | Exists
"""The five predicates. Below them formulas are about data, above them about time."""

Connective = Truth | Not | And | Or | Implies
Formula = Connective | Compare | In | Contains | Text | Is | Each | Distinct | Temporal
"""A data formula (no `Temporal` inside) or a temporal formula (connectives over `Temporal` only)."""

# ---------------------------------------------------------------- specifications


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was written: a file or notebook cell, and 1-based line and column."""

    source: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.source or 'text'}, line {self.line}" if self.line else self.source


@dataclass(frozen=True, slots=True)
class Constraint:
    """A named temporal formula and the sentence of the policy it formalises."""

    name: str
    formula: Formula
    sentence: str = ""
    place: Place = field(default=Place(), compare=False)

    def __str__(self) -> str:
        from agentc.dsl.show_text import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        from agentc.dsl.html import to_html

        return to_html(self)

    def _repr_latex_(self) -> str:
        from agentc.dsl.latex import to_latex

        return rf"$\displaystyle {to_latex(self.formula)}$"


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Specification:
    """Named constraints, all of which must hold, over declared tools and projections.

    `tools` is None when nothing was declared: then any tool may be called, with any arguments.
    """

    name: str
    constraints: tuple[Constraint, ...]
    tools: ToolSet | None = field(default=None, compare=False)
    projections: Mapping[str, Projection] = field(default_factory=dict, compare=False)
    domain: str = ""
    title: str = ""

    def __getitem__(self, name: str) -> Constraint:
        found = next((c for c in self.constraints if c.name == name), None)
        if found is None:
            names = [c.name for c in self.constraints]
            raise SpecificationError(
                "the specification has no such constraint",
                where=self.name,
                found=shorten(str(name)),
                hint=closest(str(name), names),
            )
        return found

    def __str__(self) -> str:
        from agentc.dsl.show_text import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        from agentc.dsl.html import to_html

        return to_html(self)


# ---------------------------------------------------------------- walking


def children(node: object) -> Iterator[object]:
    """Yield the nodes directly below a term, formula or pattern, left to right."""
    for f in fields(node):  # type: ignore[arg-type]
        value = getattr(node, f.name)
        for child in value if isinstance(value, tuple) else (value,):
            if hasattr(child, "__dataclass_fields__") and not isinstance(child, Place):
                yield child


def walk(node: object) -> Iterator[object]:
    """Yield `node` and everything below it, depth first; iterative, so depth is no limit."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if not isinstance(current, Const):
            stack.extend(reversed(list(children(current))))
