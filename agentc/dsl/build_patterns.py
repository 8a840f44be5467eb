"""Patterns being written: tools by attribute, unions, classes, messages, variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NoReturn

from agentc.dsl import nodes as N
from agentc.dsl.build_place import here, misuse
from agentc.dsl.build_traps import Expr
from agentc.dsl.check_patterns import pattern_problems
from agentc.dsl.check_scope import Declared
from agentc.errors import SpecificationError
from agentc.tools.signature import Projection, ToolSet
from agentc.trace.event import ASSISTANT_MESSAGE, MESSAGES, USER_MESSAGE

__all__ = [
    "PatternExpr", "Tools", "any_tool", "assistant_message", "attempted", "merged", "read_tools",
    "user_message", "write_tools",
]  # fmt: skip


class PatternExpr(Expr):
    """A pattern of events: ``t.a | t.b`` matches calls of either tool."""

    __slots__ = ("_declared",)
    _what = "a pattern"
    _node: N.Pattern

    def __init__(self, node: N.Pattern, declared: Declared | None = None) -> None:
        super().__init__(node)
        self._declared = declared

    @property
    def node(self) -> N.Pattern:
        """The pattern as plain data."""
        return self._node

    def __or__(self, other: object) -> PatternExpr:
        if not isinstance(other, PatternExpr):
            raise misuse("`|` joins patterns, and this isn't one", repr(other), "write `t.one | t.other`")
        if self._node.attempted or other._node.attempted:
            raise misuse(
                "attempted stands outside a union", repr(other), "write `attempted(t.one | t.other)`"
            )
        both = N.Pattern(self._node.branches + other._node.branches)
        return _checked(PatternExpr(both, merged(self._declared, other._declared)))

    def bind(self, **variables: str) -> PatternExpr:
        """Name arguments, for unions whose alternatives call them differently.

        Parameters
        ----------
        **variables : str
            ``variable="argument"``; the event then has the variable as an attribute.

        Examples
        --------
        >>> t = Tools()
        >>> (t.by_email.bind(who="email") | t.by_name.bind(who="name")).node.branches[1].bindings
        (('name', 'who'),)
        """
        if len(self._node.branches) != 1:
            raise misuse(
                "bind takes one alternative at a time",
                repr(self),
                "write `t.one.bind(...) | t.other.bind(...)`",
            )
        (branch,) = self._node.branches
        wrong = next((v for v in variables.values() if not isinstance(v, str)), "")
        if wrong:
            raise misuse("bind takes an argument's name", repr(wrong), 'write `bind(variable="argument")`')
        bound = replace(branch, bindings=branch.bindings + tuple((a, v) for v, a in variables.items()))
        return _checked(PatternExpr(replace(self._node, branches=(bound,)), self._declared))

    def _joined(self, *others: object) -> NoReturn:
        raise misuse(
            "patterns are joined by `|` only",
            repr(self),
            "`&` and `~` join formulas: Before(...) & ~Exists(...)",
        )

    def _misused(self, *others: object, **named: object) -> NoReturn:
        raise misuse(
            "a pattern is neither called nor compared", repr(self), "conditions go into when= and where="
        )

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        hint = f"write `where=lambda event: event.{name} == ...`"
        raise misuse("arguments are spoken of in a condition", f"{self!r}.{name}", hint)

    __and__ = __rand__ = __invert__ = _joined
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __call__ = __getitem__ = _misused
    __hash__ = Expr.__hash__


def _checked(pattern: PatternExpr) -> PatternExpr:
    """Refuse a pattern that can't match as written, where it is written."""
    problem = next(
        pattern_problems(pattern._node, pattern._declared.tools if pattern._declared else None), None
    )
    if problem is not None:
        raise SpecificationError(problem.what, where=str(here()), found=problem.found, hint=problem.hint)
    return pattern


def merged(one: Declared | None, other: Declared | None) -> Declared | None:
    """Return what is declared for both of two patterns or formulas."""
    if one is None or other is None or one is other:
        return one or other
    if one.tools is not other.tools:
        raise misuse(
            "two sets of tools in one formula", hint="make one `Tools(...)` and take all tools from it"
        )
    return one


class Tools:
    """Tools as attributes: ``t = Tools(toolset); t.refund`` is the pattern of its calls.

    Parameters
    ----------
    tools : ToolSet, a domain, or None
        A domain gives its projections too. None declares nothing: any name is a tool, nothing is checked.
    projections : Mapping[str, Projection], optional
        What ``event.state`` can read.

    Raises
    ------
    SpecificationError
        On a tool that isn't there; with the closest name.

    Examples
    --------
    >>> from agentc.tools import Tool, ToolSet
    >>> t = Tools(ToolSet([Tool("refund"), Tool("approve")]))
    >>> t.refund | t.approve
    <a pattern: {refund | approve}>
    """

    __slots__ = ("_declared",)

    def __init__(self, tools: Any = None, projections: Mapping[str, Projection] | None = None) -> None:
        if tools is not None and not isinstance(tools, ToolSet):
            tools, projections = _of_domain(tools, projections)
        self._declared = Declared(tools, projections or {})

    def __getattr__(self, name: str) -> PatternExpr:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> PatternExpr:
        """Return the pattern of a tool whose name is no Python name."""
        return _checked(PatternExpr(N.Pattern((N.Branch(name),)), self._declared))

    def __dir__(self) -> list[str]:
        return sorted([*(self._declared.tools or ()), *MESSAGES])

    def __repr__(self) -> str:
        tools = self._declared.tools
        return "<Tools: any>" if tools is None else f"<Tools: {', '.join(tools)}>"

    def __call__(self, *args: object) -> NoReturn:
        raise misuse("tools are attributes", repr(self), "write `t.name`")


def _of_domain(
    domain: Any, projections: Mapping[str, Projection] | None
) -> tuple[ToolSet, Mapping[str, Projection] | None]:
    tools = getattr(domain, "tools", None)
    if not isinstance(tools, ToolSet):
        hint = "make one with agentc.tools.from_schemas or from_functions"
        raise misuse("Tools takes a ToolSet or a domain", repr(domain), hint)
    return tools, getattr(domain, "projections", None) if projections is None else projections


def attempted(pattern: PatternExpr) -> PatternExpr:
    """Return the pattern that matches failed calls too, where it would match only successful ones."""
    if not isinstance(pattern, PatternExpr):
        raise misuse("attempted takes a pattern", repr(pattern), "write `attempted(t.name)`")
    return PatternExpr(replace(pattern._node, attempted=True), pattern._declared)


def _known(name: str) -> PatternExpr:
    return PatternExpr(N.Pattern((N.Branch(name),)))


any_tool: Final = _known("@any")
"""Every call; never a message."""
read_tools: Final = _known("@read")
"""Calls of the tools declared to read, and of any nobody described."""
write_tools: Final = _known("@write")
"""Calls of the tools declared to write, and of any nobody described."""
user_message: Final = _known(USER_MESSAGE)
"""What the user says; its one argument is ``text``."""
assistant_message: Final = _known(ASSISTANT_MESSAGE)
"""What the agent says; its one argument is ``text``."""
