"""The certified bound: if any future satisfies a specification, one of that length does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from agentc.dsl import nodes as N
from agentc.dsl.parse import parse_formula
from agentc.logic import future
from agentc.logic.bound import coupled, disjuncts, future_bound, literals
from agentc.logic.engine import Engine, Limits
from agentc.logic.future import Question, callable_tools
from agentc.logic.reference import Undecided, conforms
from agentc.tools.signature import Tool, ToolSet
from agentc.trace.event import Event
from tests.logic.worlds import CALLS, FAILED, random_spec, random_trace, truth
from tests.strategies import runs

# ---------------------------------------------------------------- numbers a person can check

KNOWN = [
    ("Exists(a, True)", 1),
    ("Seq(a, True, b, True)", 2),
    ("~Forall(a, False)", 1),
    ("~Before(a, True, b, True)", 1),
    ("~After(a, True, b, True)", 1),
    ("~Exists(a, True) & Forall(b, True) & ~Seq(a, True, b, True)", 0),
    ("Exists(a, True) & Exists(b, True)", 2),
    ("Exists(a, True) | Seq(b, True, c, True)", 2),
    ("Exists(a, True) & Before(a, True, b, True)", 2),
    ("Exists(a, True) & Before(a as x, True, b as y, x.n == y.n)", 2),
    ("Seq(a, True, c, True) & Before(a as x, True, b as y, x.n == y.n)", 3),
    (
        "Exists(a, True) & After(a as x, True, b as y, x.n == y.n) & After(b as x, True, c as y, x.n == y.n)",
        3,
    ),
    (
        "Exists(a, True) & After(a as x, True, b as y, x.n == y.n) & After(a as x, True, c as y, x.n == y.n)",
        3,
    ),
    ("Exists(a, True) & After(a as x, True, a as y, x.n == y.n + 1)", None),
    (
        "Exists(a, True) & After(a as x, True, b as y, x.n == y.n) & After(b as x, True, a as y, x.n == y.n)",
        None,
    ),
    ("Exists(a, True) & After(a, True, b, True) & After(b, True, a, True)", 3),
    ("Exists(a, True) & Before(a as x, False, a as y, x.n == y.n)", 1),
    ("Exists(a, True) & Before(b as x, True, b as y, x.n == y.n)", 1),
    ("Implies(Exists(a, True), Exists(b, True))", 1),
]


@pytest.mark.parametrize(("text", "bound"), KNOWN, ids=lambda v: str(v)[:60])
def test_bounds_from_the_empty_trace(text, bound):
    formula = parse_formula(text)
    assert future_bound(formula, {}, {}, None, callable_tools(formula, None)) == bound


def test_what_the_past_settled_costs_nothing():
    formula = parse_formula("Exists(a, True) & Seq(b, True, c, True)")
    exists, seq = formula.args
    names = ["a", "b", "c"]
    assert future_bound(formula, {exists: True}, {}, None, names) == 2
    assert future_bound(formula, {exists: True, seq: True}, {}, None, names) == 0
    assert future_bound(formula, {exists: False}, {}, None, names) == 0  # lost: no future helps


def test_each_thing_owed_is_counted():
    formula = parse_formula("After(a as x, True, b as y, x.n == y.n)")
    assert [future_bound(formula, {}, {formula: owed}, None, ["a", "b"]) for owed in (0, 1, 5)] == [0, 1, 5]
    shared = parse_formula("After(a, True, b, True)")
    assert [future_bound(shared, {}, {shared: owed}, None, ["a", "b"]) for owed in (0, 1, 5)] == [1, 1, 1]


def test_a_cycle_ends_where_schemas_leave_few_triggers():
    some = {"type": "object", "properties": {"n": {"enum": [0, 1, 2]}}, "required": ["n"]}
    formula = parse_formula("Exists(a, True) & After(a as x, True, a as y, x.n == y.n + 1)")
    bound = future_bound(formula, {}, {}, ToolSet([Tool("a", some)]), ["a"])
    assert bound is not None and bound >= 3  # 2 owes 1 owes 0, which owes what nothing meets


def test_coupled_is_comparing_with_the_trigger():
    def after(text: str) -> Any:
        return parse_formula(f"After(a as x, x.n > 0, b as y, {text})")

    assert [coupled(after(t)) for t in ("x.n == y.n", "y.n == 1", "output(x).k == 1", "True")] == [1, 0, 1, 0]
    assert coupled(parse_formula("Before(a as x, True, b as y, x.state.q() == 1)"))


# ---------------------------------------------------------------- normal forms

ATOMS = [N.Exists(N.Pattern((N.Branch(name),)), N.Truth(True)) for name in "abc"]
formulas = st.recursive(
    st.one_of(st.sampled_from(ATOMS), st.booleans().map(N.Truth)),
    lambda inner: st.one_of(
        st.builds(N.Not, inner),
        st.builds(N.Implies, inner, inner),
        st.lists(inner, max_size=3).map(lambda parts: N.And(tuple(parts))),
        st.lists(inner, max_size=3).map(lambda parts: N.Or(tuple(parts))),
    ),
    max_leaves=8,
)


def holds(formula: N.Formula, true: dict[Any, bool]) -> bool:
    match formula:
        case N.Truth(value):
            return value
        case N.Not(arg):
            return not holds(arg, true)
        case N.Implies(left, right):
            return not holds(left, true) or holds(right, true)
        case N.And(args):
            return all(holds(a, true) for a in args)
        case N.Or(args):
            return any(holds(a, true) for a in args)
    return true[formula]


@settings(max_examples=200, deadline=None)
@given(formulas)
def test_the_disjuncts_say_the_same(formula):
    found = disjuncts(formula)
    assume(found is not None)
    for values in product([False, True], repeat=3):
        true = dict(zip(ATOMS, values, strict=True))
        assert holds(formula, true) == any(all(true[a] == sign for a, sign in d) for d in found)
    assert {lit for d in found for lit in d} <= set(literals(formula))


@pytest.mark.parametrize("size", [3, 7, 12])
def test_a_formula_with_many_disjuncts_keeps_its_futures(size):
    parts = [f"(Forall(a as a, a.n != {i}) | Exists(b as b, b.n == {i}))" for i in range(size)]
    engine = Engine(N.Specification("many", (N.Constraint("r", parse_formula(" & ".join(parts))),)))
    engine.push(Event("a", {"n": 1}))
    answer = engine.prefix()
    assert answer and [e.args for e in answer.witness] == [{"n": 1}]


# ---------------------------------------------------------------- against every future of a few events


def bound_of(engine: Engine) -> int | None:
    formula = N.And(tuple(c.formula for c in engine.spec.constraints))
    return future._bound(question(engine, formula), callable_tools(formula, engine.spec.tools))


def question(engine: Engine, formula: N.Formula) -> Question:
    names = callable_tools(formula, engine.spec.tools)
    limits = Limits(rlimit=300_000, timeout_ms=1_500)
    return Question(formula, engine.folds, engine.spec.tools, engine.interner, limits, lambda _: True, names)


def reachable(spec: N.Specification, past: Sequence[Event], calls: Sequence[Event], depth: int) -> int | None:
    """Return the least number of these calls that satisfies the specification, up to `depth`."""
    for size in range(depth + 1):
        for more in product(calls, repeat=size):
            if conforms(spec, [*past, *more]):
                return size
    return None


@pytest.mark.parametrize("part", range(4))
def test_no_shorter_future_is_overlooked(part):
    """Leaving events out keeps a future within any set of calls, so the bound holds for each such set."""
    tried = 0
    for seed in range(part * 150, part * 150 + 150):
        rng = Random(f"bound {seed}")
        spec, past = random_spec(rng, 2), [e for e in random_trace(rng) if e.state]
        engine = Engine(spec)
        for event in past:
            engine.push(event)
        bound = bound_of(engine)
        calls = rng.sample((*CALLS, *FAILED), 5)
        if bound is None or bound > 3 or truth(spec, past) == "UNKNOWN":
            continue
        needed = reachable(spec, past, calls, 4)
        assert needed is None or needed <= bound, (seed, needed, bound)
        tried += needed is not None and needed > 0
    assert tried >= 10


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs(failing=False, max_size=3))
def test_unsat_at_the_bound_is_unsat_beyond_it(run):
    spec, trace = run
    engine = Engine(spec)
    for event in trace:
        engine.push(event)
    bound = bound_of(engine)
    assume(bound is not None and 0 < bound <= 4)
    try:
        conforms(spec, trace)
    except Undecided:
        assume(False)
    formula = N.And(tuple(c.formula for c in spec.constraints))
    asked = question(engine, formula)
    verdicts = [str(future._ask(asked, asked.names, size).verdict) for size in (bound, bound + 2)]
    assert verdicts != ["UNSAT", "SAT"]


def test_the_world_has_certified_specifications():
    bounds = [bound_of(Engine(random_spec(Random(f"bound {seed}"), 2))) for seed in range(100)]
    assert sum(b is not None and b > 0 for b in bounds) > 30 and None in bounds
