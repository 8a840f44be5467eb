"""What of a specification can be prepared once and shared by all its sessions: interned values, templates,
skeleton."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from agentc.dsl import nodes as n
from agentc.logic.bound import literals
from agentc.logic.instances import Test
from agentc.logic.skeleton import Skeleton
from agentc.logic.values import Interner

__all__ = ["MAX_INTERNED", "Program"]

MAX_INTERNED = 200_000
"""Strings, lists and objects a program interns before later sessions start a new one, so that memory is
bounded."""


class Program:
    """A prepared specification.

    Attributes
    ----------
    atoms : list of Temporal
        Its temporal formulas, each once.
    of_constraint : list of tuple of int
        For each constraint, the positions of its atoms.
    """

    def __init__(self, spec: n.Specification) -> None:
        self.interner = Interner()
        per_constraint = [list(dict.fromkeys(a for a, _ in literals(c.formula))) for c in spec.constraints]
        self.atoms: list[n.Temporal] = list(dict.fromkeys(a for found in per_constraint for a in found))
        index = {atom: i for i, atom in enumerate(self.atoms)}
        self.of_constraint = [tuple(index[a] for a in found) for found in per_constraint]
        self.skeleton = Skeleton(spec.constraints, self.atoms, self.of_constraint)
        self._tests: dict[tuple[int, str, int, int], Test] = {}

    def test(self, atom: int, kind: str, first: int, second: int, make: Callable[[], Test]) -> Test:
        """Return the prepared data formula of an atom for a pair of branches."""
        key = (atom, kind, first, second)
        test = self._tests.get(key)
        if test is None:
            test = self._tests[key] = make()
        return test

    @staticmethod
    def of(spec: n.Specification) -> Program:
        """Return the specification's program, prepared at its first session and kept as long as it lives."""
        known = _PROGRAMS.get(id(spec))
        if known is not None and len(known.interner) < MAX_INTERNED:
            return known
        if known is None:
            weakref.finalize(spec, _PROGRAMS.pop, id(spec), None)
        program = _PROGRAMS[id(spec)] = Program(spec)
        return program


_PROGRAMS: dict[int, Program] = {}
