"""Events in a condition that is being written: their arguments, variables, projections and outputs."""

from __future__ import annotations

from typing import Any, NoReturn

from agentc.dsl import nodes as N
from agentc.dsl.build_place import here, misuse
from agentc.dsl.build_terms import TermExpr, term
from agentc.dsl.build_traps import Expr, show
from agentc.dsl.check_scope import Problem, Scope
from agentc.dsl.check_terms import type_of
from agentc.errors import SpecificationError

__all__ = ["EventExpr", "output"]


class EventExpr(Expr):
    """An event: ``order.order_id`` is an argument, or a variable, and ``order.state.q(...)`` a projection.

    ``order["state"]`` is an argument whose name means something else here.
    """

    __slots__ = ("_finished", "_label", "_role", "_scope", "_spoken")
    _what = "an event"

    def __init__(self, role: N.Role, label: str, scope: Scope) -> None:
        self._role, self._label, self._scope = role, label, scope
        self._finished, self._spoken = role in scope.outputs, False

    def __repr__(self) -> str:
        return f"<an event: {self._label or self._role}>"

    def _shown(self) -> str:
        return self._label or self._role

    def __getattr__(self, name: str) -> TermExpr:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> TermExpr:
        if not isinstance(name, str):
            raise misuse("an event's arguments have names", repr(name), f"write `{self._shown()}.argument`")
        bound = {v for b in self._scope.patterns[self._role].branches for _, v in b.bindings}
        return self._term(N.Var(self._role, name) if name in bound else N.Arg(self._role, name))

    @property
    def state(self) -> StateExpr:
        """The state read just before the event: ``event.state.projection(arguments)``."""
        return StateExpr(self)

    def _term(self, node: N.Term) -> TermExpr:
        self._spoken = True
        return TermExpr(node, self._check)

    def _check(self, node: N.Term) -> None:
        """Refuse a name or path that isn't there, where it is written."""
        found: list[Problem] = []
        type_of(node, Scope(self._scope.declared, self._scope.predicate, "this", self._scope.patterns,
                            self._scope.outputs, found.append, demanding=False))  # fmt: skip
        if found:
            raise SpecificationError(
                found[0].what, where=str(here()), found=found[0].found, hint=found[0].hint
            )

    def _compared(self, *others: object) -> NoReturn:
        hint = f"compare its arguments, `{self._shown()}.argument`, or its output, `output({self._shown()})`"
        raise misuse("an event can't be compared or computed with", self._shown(), hint)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared
    __and__ = __or__ = __rand__ = __ror__ = __invert__ = __add__ = __sub__ = __mul__ = __call__ = _compared
    __hash__ = Expr.__hash__


class StateExpr(Expr):
    """The projections that can be read at an event."""

    __slots__ = ("_event",)
    _what = "the state"

    def __init__(self, event: EventExpr) -> None:
        self._event = event

    def __repr__(self) -> str:
        return f"<the state at {self._event._shown()}>"

    def _shown(self) -> str:
        return f"{self._event._shown()}.state"

    def __getattr__(self, name: str) -> ProjectionExpr:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> ProjectionExpr:
        return ProjectionExpr(self._event, name)

    def _misused(self, *others: object) -> NoReturn:
        event = self._event._shown()
        hint = f'read a projection, `{event}.state.name(...)`; an argument called state is `{event}["state"]`'
        raise misuse("the state itself is no value", self._shown(), hint)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __call__ = _misused
    __hash__ = Expr.__hash__


class ProjectionExpr(Expr):
    """A projection at an event, waiting for its arguments."""

    __slots__ = ("_event", "_name")
    _what = "a projection"

    def __init__(self, event: EventExpr, name: str) -> None:
        self._event, self._name = event, name

    def __repr__(self) -> str:
        return f"<a projection: {self._shown()}>"

    def _shown(self) -> str:
        return f"{self._event._shown()}.state.{self._name}"

    def __call__(self, *args: object, **named: object) -> TermExpr:
        if named:
            raise misuse(
                "a projection's arguments have no names here",
                f"{self._shown()}({next(iter(named))}=...)",
                "give them in order",
            )
        return self._event._term(N.State(self._event._role, self._name, tuple(map(term, args))))

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        self._misused()

    def _misused(self, *others: object) -> NoReturn:
        raise misuse("a projection is read by calling it", self._shown(), f"write `{self._shown()}(...)`")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = _misused
    __hash__ = Expr.__hash__


def output(event: Any) -> TermExpr:
    """Return the output of an event: ``output(auth).id``.

    Raises
    ------
    SpecificationError
        If it isn't an event, or its output isn't known there: a call is judged before it runs.
    """
    if not isinstance(event, EventExpr):
        raise misuse(
            "output takes an event",
            event._shown() if isinstance(event, Expr) else show(event),
            "write `output(event).part`",
        )
    return event._term(N.Output(event._role))
