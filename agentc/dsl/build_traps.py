"""What the builder's objects share: they stand for formulas, and refuse to be used as Python values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from agentc.dsl.build_place import misuse
from agentc.errors import SpecificationError

__all__ = ["Expr", "show"]

_WORDS = "write `a & b`, `a | b`, `~a`, `x.is_in([...])`, and `(0 < x) & (x < 9)` for `0 < x < 9`"


def show(node: object) -> str:
    """Write a node for an error or a repr."""
    from agentc.dsl.show_text import to_text

    try:
        return to_text(node, None)
    except SpecificationError:
        return type(node).__name__


class Expr:
    """Something of the language that is being written; `_node` is what it will be."""

    __slots__ = ("_node",)
    __array_ufunc__ = None  # numpy's numbers leave the operators to us
    _what = "this"

    def __init__(self, node: object) -> None:
        self._node = node

    def __repr__(self) -> str:
        return f"<{self._what}: {show(self._node)}>"

    def _shown(self) -> str:
        return show(self._node)

    def __bool__(self) -> bool:
        raise misuse(
            f"{self._what} has no truth value yet, as `and`, `or`, `not`, `in`, `if` or `a < b < c` need",
            self._shown(),
            _WORDS,
        )

    def __str__(self) -> str:
        raise self._as_text()

    def __format__(self, spec: str) -> str:
        raise self._as_text()

    def _as_text(self) -> SpecificationError:
        hint = "compare it, or use contains, starts_with, ends_with and matches; repr() shows it"
        return misuse(
            f"{self._what} has no text yet: not in str(), an f-string or print()",
            self._shown(),
            hint,
        )

    def __hash__(self) -> int:
        raise misuse(f"{self._what} can't be in a set or be a key", self._shown(), "keep it in a list")

    def __iter__(self) -> Iterator[NoReturn]:
        hint = "write `all_of(xs, lambda i: ...)`, `any_of`, `count` or `distinct`"
        raise misuse(f"{self._what} has no elements yet", self._shown(), hint)

    def __len__(self) -> int:
        raise misuse(f"{self._what} has no length yet", self._shown(), "write `length(x)`")

    def __contains__(self, item: object) -> bool:
        raise misuse(
            "`in` can't be used while a formula is written",
            self._shown(),
            "write `x.is_in(xs)` or `xs.contains(x)`",
        )
