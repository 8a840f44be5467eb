"""LaTeX of data formulas and terms, over the data of one or two events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from agentc.dsl import nodes as N
from agentc.dsl.constants import KINDS, write_constant
from agentc.dsl.tex import RELATION, Tex, both, either, function, implies, negate, quantify, typewriter
from agentc.errors import AgentcError, SpecificationError

__all__ = ["Data", "bindings"]

_COMPARE: Final = {"==": "=", "!=": r"\neq", "<": "<", "<=": r"\leq", ">": ">", ">=": r"\geq"}
_ARITH: Final = {"+": "+", "-": "-", "*": r"\cdot"}


@dataclass(frozen=True, slots=True)
class Data:
    """Writes data formulas; `marks` is what the data of each event carry: ``_{t}``, or a prime."""

    marks: Mapping[N.Role, str]
    patterns: Mapping[N.Role, N.Pattern]

    def formula(self, node: N.Formula) -> Tex:
        match node:
            case N.Truth(value):
                return Tex(r"\top" if value else r"\bot")
            case N.Not(arg):
                return negate(self.formula(arg))
            case N.And(args):
                return both(map(self.formula, args))
            case N.Or(args):
                return either(map(self.formula, args))
            case N.Implies(left, right):
                return implies(self.formula(left), self.formula(right))
            case N.Each(op, item, over, where):
                sign = "forall" if op == "all" else "exists"
                return quantify(sign, rf"{typewriter(item)} \in {self.term(over)}", self.formula(where))
        return self.atom(node)

    def atom(self, node: N.Formula) -> Tex:
        match node:
            case N.Compare(op, left, right):
                return Tex(f"{self.term(left)} {_COMPARE[op]} {self.term(right)}", RELATION)
            case N.In(term, options):
                return Tex(rf"{self.term(term)} \in {self.term(options)}", RELATION)
            case N.Contains(whole, part):
                return function("contains", self.term(whole), self.term(part))
            case N.Text(op, term, other):
                return function(op, self.term(term), self.term(other))
            case N.Is(term, sort):
                return function(KINDS[sort], self.term(term))
            case N.Distinct(term):
                return function("distinct", self.term(term))
        raise SpecificationError(
            "a predicate about time stands inside a data formula", found=type(node).__name__
        )

    def term(self, node: N.Term) -> str:
        match node:
            case N.Const(value):
                return _constant(value)
            case N.Arg(role, name, path):
                return f"x{self.marks[role]}" + _path((name, *path))
            case N.Var(role, name, path):
                return self.variable(role, name) + _path(path)
            case N.Output(role, path):
                return f"y{self.marks[role]}" + _path(path)
            case N.State(role, name, args, path):
                return f"s{self.marks[role]}.{typewriter(name)}({', '.join(map(self.term, args))})" + _path(
                    path
                )
            case N.Item(name, path):
                return typewriter(name) + _path(path)
            case N.Arith(op, left, right):
                return f"{self.factor(left)} {_ARITH[op]} {self.factor(right)}"
            case N.Len(term):
                return function("len", self.term(term)).text
            case N.Count(item, over, where):
                inside = rf"{typewriter(item)} \in {self.term(over)} \mid {self.formula(where).text}"
                return rf"\#\{{{inside}\}}"
        raise SpecificationError("only the language's terms can be written", found=type(node).__name__)

    def factor(self, node: N.Term) -> str:
        return f"({self.term(node)})" if isinstance(node, N.Arith) else self.term(node)

    def variable(self, role: N.Role, name: str) -> str:
        """Return the argument a variable stands for, or its own name where branches differ."""
        argument = _argument_of(self.patterns[role], name)
        mark = self.marks[role]
        return f"{typewriter(name)}{mark}" if argument is None else f"x{mark}{_path((argument,))}"


def _constant(value: object) -> str:
    try:
        text = write_constant(value)
    except AgentcError:
        if isinstance(value, Fraction):
            return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
        text = repr(value)
    plain = (
        isinstance(value, (int, Fraction))
        and not isinstance(value, bool)
        and len(text) < 40
        and "E" not in text
    )
    return text if plain else typewriter(text)


def _path(path: N.Path) -> str:
    return "".join(f".{typewriter(s)}" if isinstance(s, str) else f"[{s}]" for s in path)


def _argument_of(pattern: N.Pattern, variable: str) -> str | None:
    """Return the one argument that every branch binds to the variable, or None."""
    bound = {next((a for a, v in b.bindings if v == variable), None) for b in pattern.branches}
    return bound.pop() if len(bound) == 1 else None


def bindings(branch: N.Branch, pattern: N.Pattern, mark: str) -> list[Tex]:
    """Say what the variables are that don't stand for one argument in all branches."""
    loose = [(a, v) for a, v in branch.bindings if _argument_of(pattern, v) is None]
    return [Tex(f"{typewriter(v)}{mark} = x{mark}{_path((a,))}", RELATION) for a, v in loose]
