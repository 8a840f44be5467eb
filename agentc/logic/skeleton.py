"""The specification as a Boolean formula over its temporal formulas: what their truth values say of the
whole.

Z3 is asked once for each combination of values that occurs; the unsat core names the constraints at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import z3

from agentc.dsl import nodes as n

__all__ = ["Skeleton", "connect"]

SHARED = 200
"""Constraints up to which a question about some of them is put to the solver that knows them all."""

Values = tuple[bool | None, ...]


class Skeleton:
    """Constraints over atoms, asked about all of them or some.

    `values` are truths of the atoms that the constraints in question are about, in the order of `atoms_of`;
    None where one isn't fixed. So a question about one constraint costs what that constraint costs.
    """

    def __init__(
        self,
        constraints: Sequence[n.Constraint],
        atoms: Sequence[n.Temporal],
        of_constraint: Sequence[tuple[int, ...]],
    ) -> None:
        self._of_constraint, self._atoms = of_constraint, range(len(atoms))
        index = {atom: i for i, atom in enumerate(atoms)}
        bools = [z3.Bool(f"atom!{i}") for i in self._atoms]
        self._literals = {True: bools, False: [z3.Not(b) for b in bools]}
        self.formulas = [connect(c.formula, lambda atom: bools[index[atom]]) for c in constraints]
        self._guards = [z3.Bool(f"constraint!{j}") for j in range(len(constraints))]
        self._solver = z3.SimpleSolver()
        for guard, formula in zip(self._guards, self.formulas, strict=True):
            self._solver.add(z3.Implies(guard, formula))
        self._known: dict[tuple[Values, tuple[int, ...]], tuple[bool, tuple[int, ...]]] = {}
        self._all = tuple(range(len(constraints)))

    def atoms_of(self, constraints: Iterable[int] | None = None) -> Sequence[int]:
        """Return the positions of the atoms that the constraints (default: all) are about."""
        if constraints is None:
            return self._atoms
        return tuple(dict.fromkeys(i for j in constraints for i in self._of_constraint[j]))

    def satisfiable(self, values: Values, constraints: Iterable[int] | None = None) -> bool:
        """Return whether the constraints (default: all) can hold together with the atoms fixed as in
        `values`."""
        chosen = self._all if constraints is None else tuple(constraints)
        return self._ask(values, chosen)[0]

    def core(self, values: Values, constraints: Iterable[int] | None = None) -> tuple[int, ...]:
        """Return constraints that can't hold together with `values`; empty if they all can."""
        chosen = self._all if constraints is None else tuple(constraints)
        return self._ask(values, chosen)[1]

    def fault(self, values: Values, constraint: int) -> tuple[int, ...]:
        """Return the atoms whose values alone make a constraint false; empty if it can hold."""
        fixed = dict(self._fixed(values, (constraint,)))
        if self._solver.check(self._guards[constraint], *fixed.values()) != z3.unsat:
            return ()
        core = {c.get_id() for c in self._solver.unsat_core()}
        return tuple(i for i, literal in fixed.items() if literal.get_id() in core)

    def valid(self, values: Values, constraints: Iterable[int] | None = None) -> bool:
        """Return whether the constraints hold whatever the atoms that aren't fixed turn out to be."""
        chosen = self._all if constraints is None else tuple(constraints)
        solver = z3.SimpleSolver()
        solver.add([literal for _, literal in self._fixed(values, constraints)])
        solver.add(z3.Not(z3.And([self.formulas[j] for j in chosen])))
        return solver.check() == z3.unsat

    def _fixed(self, values: Values, constraints: Iterable[int] | None) -> list[tuple[int, z3.BoolRef]]:
        """Return the atoms whose values are fixed, by position, with the literals that say so."""
        named = zip(self.atoms_of(constraints), values, strict=True)
        return [(i, self._literals[v][i]) for i, v in named if v is not None]

    def _ask(self, values: Values, chosen: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
        known = self._known.get((values, chosen))
        if known is None:
            known = self._known[values, chosen] = self._check(values, chosen)
        return known

    def _check(self, values: Values, chosen: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
        guards = [self._guards[j] for j in chosen]
        fixed = self._fixed(values, None if chosen == self._all else chosen)
        solver = self._solver_for(chosen)
        answer = solver.check(*guards, *(literal for _, literal in fixed))
        if answer == z3.sat:
            return True, ()
        if answer != z3.unsat:  # a Boolean query is always decided, unless somebody interrupts it
            raise KeyboardInterrupt(solver.reason_unknown())
        core = {c.get_id() for c in solver.unsat_core()}
        return False, tuple(j for j, g in enumerate(self._guards) if g.get_id() in core)

    def _solver_for(self, chosen: tuple[int, ...]) -> z3.Solver:
        """Return a solver that knows the chosen constraints; every check pays for all that it knows."""
        if len(self._all) <= max(SHARED, len(chosen)):
            return self._solver
        solver = z3.SimpleSolver()
        solver.add([z3.Implies(self._guards[j], self.formulas[j]) for j in chosen])
        return solver


def connect(formula: n.Formula, truth: Callable[[n.Temporal], z3.BoolRef]) -> z3.BoolRef:
    """Return a temporal formula's connectives over the given truth of its temporal formulas."""
    match formula:
        case n.Truth(value):
            return z3.BoolVal(value)
        case n.Not(arg):
            return z3.Not(connect(arg, truth))
        case n.And(args):
            return z3.And([connect(a, truth) for a in args])
        case n.Or(args):
            return z3.Or([connect(a, truth) for a in args])
        case n.Implies(left, right):
            return z3.Implies(connect(left, truth), connect(right, truth))
    return truth(formula)  # type: ignore[arg-type]
