"""The checker on random input: it never breaks, never refuses what can hold, and its guards are guards."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agentc.dsl import nodes as N
from agentc.dsl.check import problems
from agentc.dsl.clash import clash
from agentc.dsl.types import Type
from agentc.errors import SpecificationError
from agentc.logic.reference import evaluate
from agentc.tools.signature import Tool, ToolSet
from agentc.trace.event import call
from tests import strategies
from tests.dsl import trees
from tests.tools.test_types import schemas, values

relaxed = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))

# ---------------------------------------------------------------- it never breaks


@relaxed
@given(trees.specifications())
def test_any_tree_is_checked_without_breaking(spec):
    for tools in (None, strategies.TOOLS):
        named = N.Specification(spec.name, spec.constraints, tools, strategies.PROJECTIONS)
        for problem in problems(named):
            assert isinstance(problem, SpecificationError) and problem.what and len(str(problem)) < 2_000


@relaxed
@given(strategies.specifications())
def test_any_specification_is_checked_without_breaking(spec):
    assert all(isinstance(p, SpecificationError) for p in problems(spec))


# ---------------------------------------------------------------- it never refuses what can hold


@settings(deadline=None, max_examples=120, suppress_health_check=list(HealthCheck))
@given(schemas, schemas, values)
def test_two_terms_that_can_be_equal_do_not_clash(left, right, value):
    assume(all(Draft202012Validator(s).is_valid(value) for s in (left, right)))
    assert clash(Type((left,)), Type((right,))) is None


SCHEMAS: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "integer"},
    {"type": ["number", "null"]},
    {"enum": ["a", 1]},
    {"type": "array"},
    {"type": "array", "items": {"type": "string"}},
    {"const": "b"},
    {},
]
VALUES = ["a", "b", 1, 2.5, None, True, ["a"], [], [1], {"a": 1}]
ACCEPTED = [[v for v in VALUES if Draft202012Validator(s).is_valid(v)] for s in SCHEMAS]
X, Y = N.Arg("first", "x"), N.Arg("first", "y")
ATOMS: list[N.Formula] = [
    *(N.Compare(op, X, Y) for op in ("==", "<", ">=")),
    *(N.Compare("==", X, N.Const(v)) for v in ("a", "c", 1, 2.5, None)),
    N.In(X, Y),
    N.In(X, N.Const(("a",))),
    N.Contains(X, Y),
    N.Contains(X, N.Const("a")),
    N.Text("starts_with", X, Y),
    N.Text("matches", X, N.Const("a.?")),
    N.Distinct(X),
    N.Each("any", "i", X, N.Compare("==", N.Item("i"), Y)),
    N.Compare("<", N.Arith("+", X, Y), N.Const(9)),
    N.Compare(">", N.Len(X), Y),
    N.Compare("==", N.Count("i", X, N.Compare("==", N.Item("i"), Y)), N.Const(1)),
]


def test_what_can_hold_of_an_accepted_call_is_not_refused():
    """Every comparison over every two schemas; those that are refused hold of no call the schemas accept."""
    refused = 0
    for (left, xs), (right, ys), atom in product(
        zip(SCHEMAS, ACCEPTED, strict=True), zip(SCHEMAS, ACCEPTED, strict=True), ATOMS
    ):
        parameters = {"type": "object", "properties": {"x": left, "y": right}, "required": ["x", "y"]}
        rule = N.Constraint("rule", N.Forall(N.Pattern((N.Branch("t"),), "e"), atom))
        if problems(N.Specification("s", (rule,), ToolSet([Tool("t", parameters)]))):
            refused += 1
            assert not any(evaluate(atom, call("t", x=x, y=y)) for x, y in product(xs, ys)), (
                left,
                right,
                atom,
            )
    assert 200 < refused < 1000, refused


# ---------------------------------------------------------------- guards are guards

NOTE, PLACE = N.Arg("first", "note"), N.Arg("first", "place", ("zip",))
OPTIONAL = [N.Compare("!=", NOTE, N.Const("a")), N.Compare("==", PLACE, N.Const("1"))]
CONDITIONS = st.recursive(
    st.sampled_from([
        *OPTIONAL, *OPTIONAL, N.Is(NOTE, "missing"), N.Is(NOTE, "str"),
        N.Is(PLACE, "missing"), N.Is(PLACE, "str"),
        N.Is(N.Arg("first", "place"), "missing"), N.Is(N.Arg("first", "place"), "dict"),
        N.Compare(">", N.Arg("first", "amount"), N.Const(1)), N.Truth(True),
    ]),
    lambda inner: st.one_of(
        st.builds(N.Not, inner), st.builds(N.Implies, inner, inner),
        st.lists(inner, min_size=2, max_size=3).map(lambda args: N.And(tuple(args))),
        st.lists(inner, min_size=2, max_size=3).map(lambda args: N.Or(tuple(args)))),
    max_leaves=7)  # fmt: skip
PARAMETERS = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "note": {"type": "string"},
        "place": {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]},
    },
    "required": ["amount"],
}
TOOL = ToolSet([Tool("t", PARAMETERS)])


def replaced(formula: Any, answers: dict[N.Formula, bool]) -> Any:
    """The formula with comparisons of absent arguments answered at will."""
    if formula in answers:
        return N.Truth(answers[formula])
    match formula:
        case N.Not(arg):
            return N.Not(replaced(arg, answers))
        case N.Implies(left, right):
            return N.Implies(replaced(left, answers), replaced(right, answers))
        case N.And(args) | N.Or(args):
            return type(formula)(tuple(replaced(a, answers) for a in args))
    return formula


@settings(deadline=None, max_examples=500, suppress_health_check=list(HealthCheck))
@given(CONDITIONS, st.booleans(), st.booleans(), st.booleans())
def test_a_guarded_comparison_never_decides_where_its_argument_is_absent(formula, note, place, large):
    rule = N.Constraint("rule", N.Forall(N.Pattern((N.Branch("t"),), "e"), formula))
    assume(problems(N.Specification("s", (rule,), TOOL)) == [])
    args: dict[str, Any] = {"amount": 2 if large else 0}
    args |= {"note": "a"} if note else {}
    args |= {"place": {"zip": "1"}} if place else {}
    missing = [f for f, there in zip(OPTIONAL, (note, place), strict=True) if not there]
    truths = {
        evaluate(replaced(formula, dict.fromkeys(missing, v)), call("t", **args)) for v in (True, False)
    }
    spoken = any(f in missing for f in N.walk(formula) if isinstance(f, N.Compare))
    event(f"speaks of an absent argument: {spoken}")
    assert len(truths) == 1
