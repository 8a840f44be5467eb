"""What the checker knows while it reads one condition: the events, their tools, and what is wrong so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agentc.dsl import nodes as N
from agentc.dsl.guards import NOTHING, Facts
from agentc.dsl.types import Type, reads
from agentc.errors import SpecificationError, shorten
from agentc.tools.signature import Projection, Tool, ToolSet

__all__ = ["Declared", "Problem", "Report", "Scope"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a formula, what stood there, and an edit."""

    what: str
    found: str = ""
    hint: str = ""


Report = Callable[[Problem], None]


@dataclass(frozen=True, slots=True)
class Declared:
    """What is known of tools and projections; with `tools` None nothing is, and no name is checked."""

    tools: ToolSet | None = None
    projections: Mapping[str, Projection] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be spoken of in one condition of one predicate.

    Parameters
    ----------
    predicate : Temporal
    part : str
        What the condition is called in errors.
    patterns : dict of Role to Pattern
        The events that may be spoken of.
    outputs : frozenset of Role
        Those of them whose output is known.
    facts : Facts
        What is known to be present here.
    items : dict of str to (Type, bool)
        The list elements in scope; True if the list is part of an argument.
    demanding : bool
        Whether an optional argument needs a guard here.
    """

    declared: Declared
    predicate: N.Temporal
    part: str
    patterns: Mapping[N.Role, N.Pattern]
    outputs: frozenset[N.Role]
    report: Report
    facts: Facts = field(default_factory=lambda: NOTHING)
    items: Mapping[str, tuple[Type, bool]] = field(default_factory=dict)
    demanding: bool = True

    def problem(self, what: str, node: object, hint: str = "") -> None:
        self.report(Problem(what, self.shown(node), hint))

    def shown(self, node: object) -> str:
        """Write a node as it stands in the predicate."""
        from agentc.dsl.show_text import to_text

        try:
            return shorten(to_text(node, None, self.predicate), 160)
        except SpecificationError:
            return type(node).__name__

    def event(self, role: N.Role) -> str:
        from agentc.dsl.show_text import event_names

        return event_names(self.predicate).get(role, role)

    def tools(self, role: N.Role) -> list[tuple[N.Branch, Tool]]:
        """Return the declared tools of an event, each with its branch; none if nothing is known."""
        tools, pattern = self.declared.tools, self.patterns.get(role)
        return list(reads(pattern, tools)) if tools is not None and pattern is not None else []
