"""The earlier call that a Before misses, made up by Z3."""

from __future__ import annotations

import z3

from agentc.dsl import nodes as n
from agentc.logic.encode import encode
from agentc.logic.engine import Engine
from agentc.logic.future import callable_tools
from agentc.logic.leaves import resolve
from agentc.logic.slots import PairView, Slot
from agentc.logic.witness import concrete
from agentc.trace.event import Event

__all__ = ["earlier_call"]


def earlier_call(engine: Engine, node: n.Before, trigger: Event) -> Event | None:
    """Return a call that, had it happened before `trigger`, would have satisfied the Before; None if none
    would."""
    first = node.first.branch(trigger.tool, engine.tools)
    if first is None:
        return None
    names = callable_tools(n.Exists(node.second, n.Truth(True)), engine.spec.tools)
    return next(
        (e for name in names if (e := _of_tool(engine, node, first, trigger, name)) is not None), None
    )


def _of_tool(engine: Engine, node: n.Before, first: n.Branch, trigger: Event, name: str) -> Event | None:
    second = node.second.branch(name, engine.tools)
    if second is None:
        return None
    engine.interner.used.clear()
    slot = Slot("earlier", [name], engine.spec.tools, engine.interner)
    view = PairView(trigger, slot, engine.interner)
    solver = z3.SimpleSolver()
    solver.set("rlimit", engine.limits.partial_rlimit)
    solver.set("timeout", engine.limits.partial_ms)
    solver.add(encode(resolve(node.where, first, second), view))  # type: ignore[arg-type]
    solver.add([name == meaning for name, meaning in [*view.texts, *slot.texts]])
    solver.add(z3.Not(slot.error), *slot.links("length"), *slot.links("text"), *slot.facts)
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    return concrete([slot], model)[0]
