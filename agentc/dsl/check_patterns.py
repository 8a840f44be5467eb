"""The checker's view of patterns: unknown names, alternatives that match nothing, names used twice."""

from __future__ import annotations

from collections.abc import Iterator

from agentc.dsl import nodes as N
from agentc.dsl.check_scope import Problem
from agentc.dsl.constants import is_name
from agentc.dsl.types import members
from agentc.errors import closest, shorten
from agentc.tools.signature import CLASSES, ToolSet
from agentc.trace.event import MESSAGES

__all__ = ["name_problems", "pattern_problems"]


def pattern_problems(pattern: N.Pattern, tools: ToolSet | None) -> Iterator[Problem]:
    """Yield what is wrong with a pattern; where `tools` is None, tools' names aren't checked."""
    if not pattern.branches:
        yield Problem("a pattern without alternatives matches nothing", "{}", "name a tool, or @any")
    for i, branch in enumerate(pattern.branches):
        named = list(_name(branch, tools))
        yield from named or _reach(branch, pattern.branches[:i], tools)
        yield from _bindings(branch, tools)


def _name(branch: N.Branch, tools: ToolSet | None) -> Iterator[Problem]:
    shown = shorten(branch.name)
    if branch.is_class and branch.name not in CLASSES:
        yield Problem(f"there is no class `{shown}`", shown, closest(branch.name, CLASSES))
    elif not branch.is_class and tools is not None and branch.name not in tools:
        yield Problem(f"there is no tool `{shown}`", shown, closest(branch.name, [*tools, *MESSAGES]))
    elif not branch.name:
        yield Problem("a pattern's alternative has no name", hint="name a tool, or @any")


def _reach(branch: N.Branch, earlier: tuple[N.Branch, ...], tools: ToolSet | None) -> Iterator[Problem]:
    """Yield a problem if the branch matches nothing, or nothing that is left to it."""
    if tools is not None and branch.is_class and not members(branch, tools):
        hint = "declare tools of this class, or use @any"
        yield Problem(f"`{branch.name}` matches nothing: no declared tool is in it", branch.name, hint)
    elif any(_covers(e, branch, tools) for e in earlier) or _exhausted(branch, earlier, tools):
        what = f"the alternative `{shorten(branch.name)}` is never used: earlier ones match all it does"
        yield Problem(what, shorten(branch.name), "remove it, or put it first")


def _covers(earlier: N.Branch, branch: N.Branch, tools: ToolSet | None) -> bool:
    if branch.is_class:
        return earlier.name in ("@any", branch.name)
    return earlier.matches(branch.name, tools if tools is not None else ToolSet())


def _exhausted(branch: N.Branch, earlier: tuple[N.Branch, ...], tools: ToolSet | None) -> bool:
    """Return whether the declared tools of a class are all matched earlier."""
    if tools is None or not branch.is_class or not earlier:
        return False
    taken = {name for e in earlier for name in members(e, tools)}
    return taken.issuperset(members(branch, tools))


def _bindings(branch: N.Branch, tools: ToolSet | None) -> Iterator[Problem]:
    known = [tools[name] for name in members(branch, tools)] if tools is not None else []
    for i, (argument, variable) in enumerate(branch.bindings):
        lacking = next((t for t in known if argument not in t.arguments and not t.open), None)
        if lacking is not None:
            what = f"`{lacking.name}` has no argument `{shorten(argument)}`"
            yield Problem(
                what,
                f"{shorten(branch.name)}({shorten(argument)}={shorten(variable)})",
                closest(argument, lacking.arguments),
            )
        if argument in (a for a, _ in branch.bindings[:i]):
            yield Problem(
                f"the argument `{shorten(argument)}` is bound twice",
                shorten(branch.name),
                "remove one of the two",
            )
        if variable in (v for _, v in branch.bindings[:i]):
            yield Problem(
                f"`{shorten(variable)}` is bound twice in one pattern",
                shorten(branch.name),
                "rename one of the two",
            )


def name_problems(first: N.Pattern, second: N.Pattern | None) -> Iterator[Problem]:
    """Yield the labels and variables that can't be told apart, or aren't names."""
    patterns = [first] if second is None else [first, second]
    seen: set[str] = set()
    for pattern in patterns:
        variables = {v for b in pattern.branches for _, v in b.bindings}
        names = variables | ({pattern.label} - {""})
        for name in sorted(names):
            if not is_name(name):
                yield Problem(
                    f"`{shorten(name)}` can't name an event or a variable",
                    shorten(name),
                    "use letters, digits and `_`",
                )
        twice = sorted((seen & names) | (variables & {pattern.label}))
        if twice:
            hint = f"give each its own name: `{twice[0]}1`, `{twice[0]}2`"
            yield Problem(f"`{twice[0]}` names two things in one predicate", twice[0], hint)
        seen |= names
