"""The five predicates, written with functions of the events as their conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentc.dsl import nodes as N
from agentc.dsl.build_events import EventExpr
from agentc.dsl.build_formulas import DataExpr, TemporalExpr
from agentc.dsl.build_functions import condition, named_parameters
from agentc.dsl.build_patterns import PatternExpr, merged
from agentc.dsl.build_place import here, misuse
from agentc.dsl.check import check_formula
from agentc.dsl.check_scope import Declared, Scope
from agentc.dsl.constants import is_name

__all__ = ["After", "Before", "Exists", "Forall", "Seq"]

Condition = Callable[..., "DataExpr | bool"] | bool | None
_ONE, _TWO = "the event: `lambda call: ...`", "the two events: `lambda first, second: ...`"

# ---------------------------------------------------------------- the five predicates


def Before(
    first: PatternExpr, second: PatternExpr, *, when: Condition = None, where: Condition = None
) -> TemporalExpr:
    """Return the formula that every `first` event has an earlier `second` event.

    Parameters
    ----------
    first, second : pattern
        Tools, ``t.a | t.b``, a class or a message.
    when : function of the first event, optional
        Which `first` events it is about (the paper's f1). Its output isn't known yet: a call is judged before
        it runs.
    where : function of the first and the second event, optional
        Which `second` event will do (f2).

    Raises
    ------
    SpecificationError
        If a name, a type or a use of Python's operators can't mean anything; with the place.

    Examples
    --------
    >>> from agentc.dsl.build import Tools
    >>> t = Tools()
    >>> print(Before(t.refund, t.approve, when=lambda r: r.amount > 100, where=lambda r, a: a.id == r.id))
    Before(refund as r, r.amount > 100, approve as a, a.id == r.id)
    """
    return _two(N.Before, first, second, when, where)


def After(
    first: PatternExpr, second: PatternExpr, *, when: Condition = None, where: Condition = None
) -> TemporalExpr:
    """Return the formula that every `first` event that succeeded has a later `second` event; as `Before`."""
    return _two(N.After, first, second, when, where)


def Seq(
    first: PatternExpr, second: PatternExpr, *, when: Condition = None, where: Condition = None
) -> TemporalExpr:
    """Return the formula that some `first` event has a later `second` event; as `Before`."""
    return _two(N.Seq, first, second, when, where)


def Forall(pattern: PatternExpr, where: Condition) -> TemporalExpr:
    """Return the formula that every event of `pattern` satisfies `where`.

    >>> from agentc.dsl.build import Tools
    >>> print(Forall(Tools().rm, lambda r: r.path != "/root"))
    Forall(rm as r, r.path != "/root")
    """
    return _one(N.Forall, pattern, where)


def Exists(pattern: PatternExpr, where: Condition = None) -> TemporalExpr:
    """Return the formula that some event of `pattern` that succeeded satisfies `where`."""
    return _one(N.Exists, pattern, where)


def _one(kind: type[N.Forall] | type[N.Exists], pattern: PatternExpr, where: Condition) -> TemporalExpr:
    known = _declared(kind.__name__, pattern)
    (label,) = _labels(kind, "where", where, 1) or ("",)
    first = replace(pattern._node, label=label)
    draft = kind(first, N.Truth(True))
    scope = _scope(draft, known, {"first": first}, outputs=kind is N.Exists)
    node = kind(first, _read(kind, "where", where, scope, (label,)))
    return _finished(node, known)


Two = type[N.Before] | type[N.After] | type[N.Seq]


def _two(
    kind: Two, first: PatternExpr, second: PatternExpr, when: Condition, where: Condition
) -> TemporalExpr:
    known = _declared(kind.__name__, first, second)
    labels = _labels(kind, "where", where, 2) or (*(_labels(kind, "when", when, 1) or ("",)), "")
    patterns = [replace(p._node, label=label) for p, label in zip((first, second), labels, strict=True)]
    draft = kind(patterns[0], N.Truth(True), patterns[1], N.Truth(True))
    alone = _scope(draft, known, {"first": patterns[0]}, outputs=kind is not N.Before)
    both = replace(
        alone, patterns={"first": patterns[0], "second": patterns[1]}, outputs=alone.outputs | {"second"}
    )
    f1 = _read(kind, "when", when, alone, labels[:1])
    return _finished(kind(patterns[0], f1, patterns[1], _read(kind, "where", where, both, labels)), known)


def _declared(name: str, *patterns: object) -> Declared | None:
    known: Declared | None = None
    for pattern in patterns:
        if not isinstance(pattern, PatternExpr):
            hint = f"write `{name}(t.tool, ...)`; conditions are given as when= and where="
            raise misuse(
                f"{name} takes {'a pattern' if len(patterns) == 1 else 'two patterns'} first",
                repr(pattern),
                hint,
            )
        known = merged(known, pattern._declared)
    return known


def _scope(
    draft: N.Temporal, known: Declared | None, patterns: dict[N.Role, N.Pattern], outputs: bool
) -> Scope:
    finished: frozenset[N.Role] = frozenset({"first"}) if outputs else frozenset()
    return Scope(known or Declared(), draft, "", patterns, finished, lambda problem: None)


def _labels(kind: type, part: str, given: Condition, many: int) -> tuple[str, ...] | None:
    """Return what a condition's parameters call the events."""
    if given is None or isinstance(given, bool):
        return None
    names = named_parameters(given, many, f"{part} of {kind.__name__}", _ONE if many == 1 else _TWO)
    wrong = next((n for n in names if not is_name(n)), None)
    if wrong:
        raise misuse("an event can't have this name", wrong, "rename the parameter")
    return names


def _read(kind: type, part: str, given: Condition, scope: Scope, labels: tuple[str, ...]) -> N.Formula:
    """Call a condition with the events, and return what it says."""
    if given is None or isinstance(given, bool):
        return N.Truth(given is not False)
    _labels(kind, part, given, len(scope.patterns))
    events = [EventExpr(role, label, scope) for role, label in zip(scope.patterns, labels, strict=True)]
    result = given(*events)
    return condition(result, f"{part} of {kind.__name__}", any(e._spoken for e in events))


def _finished(node: N.Temporal, known: Declared | None) -> TemporalExpr:
    declared = known or Declared()
    check_formula(node, declared.tools, declared.projections, str(here()))
    return TemporalExpr(node, known)
