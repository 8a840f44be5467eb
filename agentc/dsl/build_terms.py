"""Terms being written: arguments, outputs and states of events, list elements, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NoReturn

from agentc.dsl import nodes as N
from agentc.dsl.build_formulas import DataExpr, TemporalExpr
from agentc.dsl.build_place import misuse
from agentc.dsl.build_traps import Expr
from agentc.dsl.constants import constant
from agentc.errors import AgentcError, closest, shorten

__all__ = ["TermExpr", "term", "value"]

_METHODS = ("is_in", "contains", "starts_with", "ends_with", "matches")
_PATHS = (N.Arg, N.Var, N.Output, N.State, N.Item)

Checked = Callable[[N.Term], None]


class TermExpr(Expr):
    """A value being written: ``order.amount``, ``output(auth).id``, ``order.state.owner(order.id)``.

    Attributes and ``[...]`` lead into it; ``x["name"]`` also where the name is one of a method.
    """

    __slots__ = ("_checked",)
    _what = "a value"
    _node: N.Term

    def __init__(self, node: N.Term, checked: Checked = lambda node: None) -> None:
        super().__init__(node)
        self._checked = checked
        checked(node)

    # ------------------------------------------------------------ paths

    def __getattr__(self, name: str) -> TermExpr:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, step: str | int) -> TermExpr:
        if not isinstance(self._node, _PATHS):
            raise misuse(
                "this value has no parts",
                self._shown(),
                "a path starts at an argument, output, state or element",
            )
        if isinstance(step, bool) or not isinstance(step, (str, int)) or (isinstance(step, int) and step < 0):
            raise misuse(
                "a path's step is a name or a position from 0",
                repr(step),
                'write `x.name`, `x["name"]` or `x[0]`',
            )
        return TermExpr(replace(self._node, path=(*self._node.path, step)), self._checked)

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        name = self._node.path[-1] if isinstance(self._node, _PATHS) and self._node.path else ""
        near = closest(str(name), _METHODS)
        hint = near if near.startswith("did you mean") else f"methods of a value: {', '.join(_METHODS)}"
        raise misuse("a value can't be called", f"{self._shown()}(...)", hint)

    # ------------------------------------------------------------ comparisons

    def __eq__(self, other: object) -> DataExpr:  # type: ignore[override]
        return self._compare("==", other)

    def __ne__(self, other: object) -> DataExpr:  # type: ignore[override]
        return self._compare("!=", other)

    def __lt__(self, other: object) -> DataExpr:
        return self._compare("<", other)

    def __le__(self, other: object) -> DataExpr:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> DataExpr:
        return self._compare(">", other)

    def __ge__(self, other: object) -> DataExpr:
        return self._compare(">=", other)

    __hash__ = Expr.__hash__

    def _compare(self, op: Literal["==", "!=", "<", "<=", ">", ">="], other: object) -> DataExpr:
        return DataExpr(N.Compare(op, self._node, term(other)))

    def is_in(self, options: object) -> DataExpr:
        """Whether the value equals an element of a list of constants, or of a value that is a list."""
        if isinstance(options, (list, tuple)) and any(isinstance(o, Expr) for o in options):
            raise misuse(
                "is_in takes constants, or one value that is a list",
                repr(options),
                "write `(x == a) | (x == b)`",
            )
        return DataExpr(N.In(self._node, term(options)))

    def contains(self, part: object) -> DataExpr:
        """Whether `part` is a substring, or an element of the list."""
        return DataExpr(N.Contains(self._node, term(part)))

    def starts_with(self, prefix: object) -> DataExpr:
        """Whether the string begins with `prefix`."""
        return DataExpr(N.Text("starts_with", self._node, term(prefix)))

    def ends_with(self, suffix: object) -> DataExpr:
        """Whether the string ends with `suffix`."""
        return DataExpr(N.Text("ends_with", self._node, term(suffix)))

    def matches(self, pattern: str) -> DataExpr:
        """Whether the whole string matches a regular expression (see `agentc.dsl.regex`)."""
        return DataExpr(N.Text("matches", self._node, term(pattern)))

    # ------------------------------------------------------------ arithmetic

    def __add__(self, other: object) -> TermExpr:
        return _arith("+", self, other)

    def __radd__(self, other: object) -> TermExpr:
        return _arith("+", other, self)

    def __sub__(self, other: object) -> TermExpr:
        return _arith("-", self, other)

    def __rsub__(self, other: object) -> TermExpr:
        return _arith("-", other, self)

    def __mul__(self, other: object) -> TermExpr:
        return _arith("*", self, other)

    def __rmul__(self, other: object) -> TermExpr:
        return _arith("*", other, self)

    def __neg__(self) -> TermExpr:
        return _arith("-", 0, self)

    def _no_division(self, other: object) -> NoReturn:
        raise misuse(
            "there are `+`, `-` and `*`, nothing else",
            self._shown(),
            "for a division multiply the other side",
        )

    __truediv__ = __floordiv__ = __mod__ = __pow__ = _no_division
    __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _no_division

    # ------------------------------------------------------------ `&` binds tighter than `==`

    def _joined(self, other: object) -> NoReturn:
        hint = "write `(a.x == 1) & (b.y == 2)`, with parentheses; for a boolean, `(a.flag == True) & ...`"
        raise misuse(
            "`&`, `|` and `~` join formulas, and bind tighter than `==` and `<`", self._shown(), hint
        )

    __and__ = __rand__ = __or__ = __ror__ = __xor__ = _joined

    def __invert__(self) -> NoReturn:
        self._joined(None)


def term(value: object) -> N.Term:
    """Return the node of a term being written, or of a constant."""
    if isinstance(value, TermExpr):
        return value._node
    if isinstance(value, (DataExpr, TemporalExpr)):
        hint = "`&` and `|` bind tighter than `==`: put parentheses around each comparison"
        raise misuse("a value is expected here, this is a formula", repr(value), hint)
    if isinstance(value, Expr):
        raise misuse(
            f"a value is expected here, this is {value._what}",
            repr(value),
            "write `event.argument` or `output(event)`",
        )
    try:
        return N.Const(constant(value))
    except AgentcError as error:
        solver = type(value).__module__.split(".")[0] == "z3"
        hint = (
            "write constants as Python values; formulas become solver terms later" if solver else error.hint
        )
        raise misuse(
            f"a constant must be JSON: {error.what}", error.found or shorten(repr(value)), hint
        ) from None


def value(constant: object) -> TermExpr:
    """Return a constant as a value being written, for its methods: ``value(["a", "b"]).contains(x)``."""
    return TermExpr(term(constant))


def _arith(op: Literal["+", "-", "*"], left: object, right: object) -> TermExpr:
    for side in (left, right):
        if isinstance(side, str) or side is None or isinstance(side, (bool, list, dict)):
            hint = "there is no string concatenation; use starts_with, ends_with, contains or matches"
            raise misuse(
                f"`{op}` needs numbers",
                repr(side),
                hint if isinstance(side, str) else "use numbers on both sides",
            )
    return TermExpr(N.Arith(op, term(left), term(right)))
