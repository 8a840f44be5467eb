"""Models of a query, the cheap ones first: text is put to Z3's string solver only where nothing simpler will
do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3

from agentc.logic.limits import Limits, Verdict
from agentc.logic.query import Query

__all__ = ["Candidates"]


class Candidates:
    """Iterate over models that may, once made concrete, satisfy a formula; then see `verdict`.

    Parameters
    ----------
    query : Query
        Every truth of the formula has been taken from it already.
    formula : z3.BoolRef
    limits : Limits
    failures : bool
        Whether failed calls are worth considering among the slots.

    Attributes
    ----------
    verdict : Verdict
        After the last model: UNSAT if there is none, UNKNOWN (with `reason`) if there may be others.

    Notes
    -----
    Comparisons of symbolic text are left free at first: what is UNSAT then is UNSAT. A model in which all of
    them are false usually stands once its texts are made up, and costs no string reasoning at all.
    """

    def __init__(self, query: Query, formula: z3.BoolRef, limits: Limits, failures: bool) -> None:
        self.verdict, self.reason = Verdict.UNKNOWN, "a model was found, but it did not hold when replayed"
        self._texts = query.texts
        self.spelt = False
        self._solver = z3.SimpleSolver()
        self._solver.set("rlimit", limits.rlimit)
        self._solver.set("timeout", limits.timeout_ms)
        self._solver.add(formula, *query.facts())
        self._text_links = list(query.text_links())  # now: judging a candidate asks further queries
        unwanted = [o for s in query.slots for o in (s.error, *s.overflows)]
        self._calm = [*query.hopes, *map(z3.Not, unwanted)]
        if not failures:
            self._solver.add([z3.Not(s.error) for s in query.slots])

    def __iter__(self) -> Iterator[z3.ModelRef]:
        """Yield models; while `spelt` is False, what a model says of symbolic texts means nothing."""
        texts = self._texts
        if texts:
            model = self._model([*self._calm, *[z3.Not(name) for name, _ in texts]])
            if isinstance(model, z3.ModelRef):
                yield model
            if self._model([]) is None:
                self.verdict = Verdict.UNSAT
                return
            self.spelt = True
            self._solver.add([*(name == meaning for name, meaning in texts), *self._text_links])
        yield from self._precise()

    def _precise(self) -> Iterator[z3.ModelRef]:
        calm = self._model(self._calm)
        if isinstance(calm, z3.ModelRef):
            yield calm
        if isinstance(calm, str) or (calm is not None and not self._calm):
            return
        any_model = self._model([])
        if isinstance(any_model, z3.ModelRef):
            yield any_model
        elif any_model is None:
            self.verdict = Verdict.UNSAT

    def _model(self, assumptions: Sequence[z3.BoolRef]) -> z3.ModelRef | str | None:
        """Return a model, None for UNSAT, or the reason why Z3 gave up."""
        answer = self._solver.check(*assumptions)
        if answer == z3.sat:
            return self._solver.model()
        if answer == z3.unsat:
            return None
        self.reason = f"the solver gave up within its budget: {self._solver.reason_unknown()}"
        return self.reason
