"""Mistakes about verdicts: what is done with what was found."""

from __future__ import annotations

from dataclasses import replace

import z3

from agentc.dsl import nodes as N
from agentc.logic import (
    candidates,
    engine,
    future,
    prefix,
    skeleton,
)
from agentc.logic.limits import Verdict
from tests.logic.faults.seeding import FAULTS, Fault, fault, seed

# ---------------------------------------------------------------- verdicts

_search = prefix.search


@fault(prefix, "search")
def unknown_is_read_as_sat(question):
    answer = _search(question)
    return replace(answer, verdict=Verdict.SAT) if answer.verdict is Verdict.UNKNOWN else answer


_some_output = engine.Engine._some_output


@fault(engine.Engine, "_some_output")
def an_undecided_call_is_let_through(self, bare):
    answer = _some_output(self, bare)
    return replace(answer, verdict=Verdict.SAT) if answer.verdict is Verdict.UNKNOWN else answer


@fault(engine.Engine, "_some_output")
def a_call_is_checked_as_if_it_gave_nothing(self, bare):
    self.push(bare)
    try:
        return self.prefix()
    finally:
        self.pop()


@fault(engine.Engine, "check")
def a_call_is_checked_with_the_output_it_claims(self, call, outputs="some"):
    self.push(call)
    try:
        return self.prefix()
    finally:
        self.pop()


seed("the output of a call never matters", engine.Engine, "_output_matters", lambda self, call: False)
FAULTS.append(
    Fault(
        "witnesses are not replayed",
        (
            (engine.Engine, "_replay", lambda *_: True),
            (prefix.Futures, "_meets", lambda *_: True),
            (candidates.Candidates, "_model", candidates.Candidates._model),
        ),
    )
)


@fault(prefix.Futures, "_doubt")
def a_doubt_is_forgotten_where_goals_are_met_one_by_one(self, whole):
    return None


_met = prefix.Futures._one_by_one


@fault(prefix.Futures, "_one_by_one")
def a_continuation_for_some_constraints_serves_for_others(self, asked, *rest):
    return _met(self, (), *rest)


_ask = skeleton.Skeleton._ask


@fault(skeleton.Skeleton, "_ask")
def an_answer_about_some_constraints_serves_for_all(self, values_, chosen):
    key = (values_, ())
    if key not in self._known:
        self._known[key] = _ask(self, values_, chosen)
    return self._known[key]


_connect = skeleton.connect


def connect_wrong(formula, truth):
    if isinstance(formula, N.Implies):
        return z3.Implies(_connect(formula.right, truth), _connect(formula.left, truth))
    return _connect(formula, truth)


FAULTS.append(
    Fault(
        "implication goes backwards",
        ((skeleton, "connect", connect_wrong), (future, "connect", connect_wrong)),
    )
)


def or_is_and(formula, truth):
    return _connect(replace_or(formula), truth)


def replace_or(formula):
    return N.And(formula.args) if isinstance(formula, N.Or) else formula


FAULTS.append(
    Fault(
        "a disjunction is a conjunction", ((skeleton, "connect", or_is_and), (future, "connect", or_is_and))
    )
)


@fault(engine.Engine, "_settled")
def what_is_settled_is_overlooked(self, constraints=None):
    return (None,) * len(self._atoms_of(constraints))


@fault(engine.Engine, "_settled")
def what_holds_now_is_taken_for_settled(self, constraints=None):
    return self._now(constraints)[0]
