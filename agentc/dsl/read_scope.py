"""What the readers of raw trees share: names in scope, calls and their arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentc.dsl import nodes as N
from agentc.dsl.mistakes import Misread, near
from agentc.dsl.syntax import Raw
from agentc.errors import shorten

__all__ = ["Names", "Scope", "arguments", "function", "look_up", "ungroup"]

Names = dict[str, tuple[Literal["label", "variable"], N.Role]]


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean in one argument of one predicate.

    `names` are the patterns' labels and variables, `roles` the events that may be spoken of here, `outputs`
    those of them whose output is known.
    """

    predicate: str
    argument: str
    names: Names
    roles: frozenset[N.Role]
    outputs: frozenset[N.Role]
    items: tuple[str, ...] = ()
    in_state: bool = False


def ungroup(raw: Raw) -> Raw:
    """Drop parentheses."""
    while raw.kind == "group":
        raw = raw.parts[0]
    return raw


def look_up(base: Raw, scope: Scope) -> tuple[str, N.Role]:
    name = base.value
    if name not in scope.names:
        if name in ("None", "none", "nil", "NULL", "Null"):
            raise Misread(
                f"`{name}` isn't written here",
                base.at,
                "the value is written `null`; `absent(x)` asks for no value",
            )
        raise Misread(
            f"nothing here is named `{shorten(name, 40)}`",
            base.at,
            near(name, [*scope.names, *scope.items]) or "label a pattern: `tool as label`",
        )
    kind, role = scope.names[name]
    if role not in scope.roles:
        if scope.in_state:
            raise Misread(
                "a projection's arguments speak of its own event only",
                base.at,
                f"`{name}` belongs to the other event; use `{name}`'s own state",
            )
        raise Misread(
            f"`{name}` is the second event; {scope.argument} of {scope.predicate} speaks of the first only",
            base.at,
            "move this condition to the fourth argument",
        )
    return kind, role


def function(raw: Raw) -> str | None:
    """Return the name that `raw` calls, or None."""
    head = raw.parts[0] if raw.kind == "call" else raw
    return head.value if raw.kind == "call" and head.kind in ("word", "string") else None


def arguments(raw: Raw, count: int, usage: str, kinds: tuple[str, ...] = ()) -> tuple[Raw, ...]:
    """Return a call's arguments, which must be `count` and, if given, of those kinds."""
    name, given = usage.split("(", 1)[0], raw.parts[1:]
    if len(given) != count:
        plural = "s" * (count != 1)
        raise Misread(
            f"{name} takes {count} argument{plural}, here are {len(given)}", raw.at, f"write `{usage}`"
        )
    wrong = next((a for a in given if kinds and a.kind not in kinds), None)
    if wrong is not None:
        raise Misread(f"{name} is not written so", wrong.at, f"write `{usage}`")
    return given
