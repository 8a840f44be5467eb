"""Why a verdict is what it is, read off the engine's fold and Z3's cores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from agentc.dsl import nodes as n
from agentc.logic.cells import Cell, cells
from agentc.logic.engine import Engine, Verdict
from agentc.logic.fold import AtomFold
from agentc.logic.future import Answer
from agentc.monitor.judgement import ConstraintState, Obligation, Violation, Witness
from agentc.trace.event import Event

__all__ = [
    "all_satisfied",
    "lacking",
    "obligations",
    "of_core",
    "states",
    "together",
    "violations",
    "witnesses",
]


def all_satisfied(spec: n.Specification) -> Mapping[str, ConstraintState]:
    """Return the states of constraints that all hold (the conjunction does, so each does)."""
    return _all_satisfied(tuple(c.name for c in spec.constraints))


@lru_cache(maxsize=64)
def _all_satisfied(names: tuple[str, ...]) -> Mapping[str, ConstraintState]:
    return {name: ConstraintState(name, Verdict.SAT, Verdict.SAT) for name in names}


def states(engine: Engine, known: Mapping[int, Verdict]) -> dict[str, ConstraintState]:
    """Judge each constraint alone; `known` has prefix verdicts that were found already, by position."""
    return {
        c.name: ConstraintState(
            c.name, known.get(j) or engine.prefix((j,)).verdict, engine.closed((j,)).verdict
        )
        for j, c in enumerate(engine.spec.constraints)
    }


def together(engine: Engine, found: Mapping[str, ConstraintState], answer: Answer) -> tuple[str, ...]:
    """Name the joint core where no constraint alone is at fault; without any one of it the rest can hold."""
    if answer.verdict is not Verdict.UNSAT or any(s.prefix is Verdict.UNSAT for s in found.values()):
        return ()
    core = list(answer.core)
    for j in answer.core:
        rest = tuple(k for k in core if k != j)
        if len(core) > 1 and engine.prefix(rest).verdict is Verdict.UNSAT:
            core = list(rest)
    return tuple(engine.spec.constraints[j].name for j in core)


def violations(engine: Engine, found: Mapping[str, ConstraintState]) -> tuple[Violation, ...]:
    """Explain each constraint that is UNSAT alone, from the events that settled it."""
    broken = [(j, c) for j, c in enumerate(engine.spec.constraints) if found[c.name].prefix is Verdict.UNSAT]
    return tuple(_violation(engine, j, c) for j, c in broken)


def _violation(engine: Engine, j: int, constraint: n.Constraint) -> Violation:
    at_fault = [engine.atoms[i] for i in engine.fault(j)]
    shown = [(f, f.evidence[-1]) for f in at_fault if f.evidence]
    events = tuple(sorted({t for _, evidence in shown for t in evidence}))
    found = [c for f, evidence in shown for c in cells(f, engine.events, evidence, engine.tools)]
    return Violation(constraint.name, constraint.sentence, events, tuple(_distinct(found)))


def _distinct(found: Sequence[Cell]) -> list[Cell]:
    """Drop repeats; cells may hold lists and objects, so by place, which fixes the value."""
    return list({(c.event, c.part, c.name): c for c in found}.values())


def of_core(spec: n.Specification, core: Sequence[int]) -> tuple[Violation, ...]:
    """Name the constraints of a core, where no finished event can be pointed at."""
    return tuple(Violation(spec.constraints[j].name, spec.constraints[j].sentence, (), ()) for j in core)


def lacking(engine: Engine, constraint: int) -> tuple[tuple[str, ...], ...]:
    """Return the earlier calls that a constraint asks of the last event and did not find: each one of some
    tools."""
    last = len(engine.events) - 1
    broken = [f for f in _folds(engine, constraint) if isinstance(f.node, n.Before) and f.settled is False]
    return tuple(
        tuple(b.name for b in f.pattern("second").branches) for f in broken if f.evidence[-1][0] == last
    )


def witnesses(engine: Engine) -> tuple[Witness, ...]:
    """Return what the last event was answered by, and what it answers."""
    last = len(engine.events) - 1
    return tuple(
        Witness(c.name, trigger, by)
        for j, c in enumerate(engine.spec.constraints)
        for fold in _folds(engine, j)
        for trigger, by in _links(fold, last)
    )


def _links(fold: AtomFold, last: int) -> list[tuple[int, int]]:
    found = [(last, fold.witness[last])] if last in fold.witness else []
    found += [(t, last) for t in fold.answered.get(last, ())]
    if isinstance(fold.node, n.Seq) and fold.evidence and fold.evidence[-1][-1] == last:
        found.append((fold.evidence[-1][0], last))
    return found


def _folds(engine: Engine, constraint: int) -> list[AtomFold]:
    return [engine.atoms[i] for i in engine.program.of_constraint[constraint]]


def obligations(engine: Engine, continuation: Sequence[Event]) -> tuple[Obligation, ...]:
    """Return what the solver's continuation does for each thing still owed.

    The continuation is pushed event by event; what each discharges or makes true is what it is owed for.
    """
    start, owed = len(engine.events), []
    open_roots = {a for a, f in engine.folds.items() if isinstance(a, (n.Exists, n.Seq)) and not f.settled}
    try:
        for event in continuation:
            engine.push(event)
            owed += [
                o
                for j in range(len(engine.spec.constraints))
                for o in _met(engine, j, event, start, open_roots)
            ]
    finally:
        while len(engine.events) > start:
            engine.pop()
    order = {c.name: j for j, c in enumerate(engine.spec.constraints)}
    return tuple(sorted(owed, key=lambda o: (order[o.constraint], o.triggers)))  # Z3's order means nothing


def _met(engine: Engine, constraint: int, event: Event, start: int, open_roots: set) -> list[Obligation]:
    last, name = len(engine.events) - 1, engine.spec.constraints[constraint].name
    found = []
    for fold in _folds(engine, constraint):
        triggers = tuple(t for t in fold.answered.get(last, ()) if t < start)
        if triggers:
            found.append(Obligation(name, triggers, event))
        elif fold.node in open_roots and fold.settled and fold.evidence[-1][-1] == last:
            found.append(Obligation(name, tuple(t for t in fold.evidence[-1] if t < start), event))
    return found
