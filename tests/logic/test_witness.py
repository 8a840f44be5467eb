"""Witnesses: concrete events that the tools accept in full and that do what they were found for."""

from __future__ import annotations

from itertools import product
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentc.dsl import nodes as N
from agentc.dsl.parse import parse_formula
from agentc.logic.engine import Engine, Partial
from agentc.logic.reference import conforms
from agentc.logic.sample import sample
from agentc.tools.signature import Tool, ToolSet
from agentc.trace.event import Event
from agentc.trace.values import MISSING, exact
from tests.run_cases import accepts

Draft = jsonschema.Draft202012Validator


def tool(name: str, output: Any = None, required: tuple[str, ...] = ("x",), **arguments: Any) -> Tool:
    schema = {
        "type": "object",
        "properties": arguments,
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool(name, schema, output=output)


def spec(formula: str | N.Formula, *tools: Tool) -> N.Specification:
    rule = parse_formula(formula) if isinstance(formula, str) else formula
    return N.Specification("made", (N.Constraint("rule", rule),), ToolSet(tools))


def assert_good(made: N.Specification, trace: list[Event], witness: tuple[Event, ...]) -> None:
    assert made.tools is not None
    assert all(accepts(made.tools, e) for e in witness), witness
    assert conforms(made, [*trace, *witness]), witness


# ---------------------------------------------------------------- keywords, each with what it leaves possible

KEYWORDS = [
    ({"type": "string", "pattern": "^x"}, "a", "UNSAT"),
    ({"type": "string", "pattern": "^x"}, "xa", "SAT"),
    ({"type": "string", "pattern": "b$"}, "ab", "SAT"),
    ({"type": "string", "pattern": "(?=a)"}, "b", "UNKNOWN"),  # look-around: only the whole schema can say
    ({"type": "string", "minLength": 2}, "a", "UNSAT"),
    ({"type": "string", "maxLength": 1}, "ab", "UNSAT"),
    ({"type": "string", "maxLength": 2}, "ab", "SAT"),
    ({"type": "integer", "multipleOf": 2}, 3, "UNKNOWN"),
    ({"type": "integer", "multipleOf": 3}, 3, "SAT"),
    ({"type": "integer", "exclusiveMaximum": 3}, 3, "UNSAT"),
    ({"enum": ["b", "c"]}, "a", "UNSAT"),
    ({"const": 1}, True, "UNSAT"),
    ({"type": "array", "minItems": 2}, [1], "UNSAT"),
    ({"type": "array", "maxItems": 1}, [1, 2], "UNSAT"),
    ({"type": "array", "uniqueItems": True}, [1, 1.0], "UNKNOWN"),
    ({"type": "array", "items": {"type": "string"}}, [1], "UNKNOWN"),
    ({"type": "object", "required": ["k"]}, {}, "UNKNOWN"),
    ({"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]}, None, "SAT"),
    ({"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]}, "ab", "UNSAT"),
    ({"not": {"const": "a"}}, "a", "UNKNOWN"),
    (True, "a", "SAT"),
    ({"anyOf": [True]}, "a", "SAT"),
    ({"anyOf": [False, {"type": "string"}]}, "a", "SAT"),
    ({"anyOf": [False, {"type": "string"}]}, 1, "UNSAT"),
    ({"allOf": [True, {"type": "string"}]}, 1, "UNSAT"),
]


@pytest.mark.parametrize(("schema", "value", "verdict"), KEYWORDS, ids=str)
def test_what_is_owed_must_be_a_call_the_tool_accepts(schema, value, verdict):
    made = spec("After(open as o, True, close as c, o.x == c.x)", tool("open", x={}), tool("close", x=schema))
    engine = Engine(made)
    opened = Event("open", {"x": value})
    engine.push(opened)
    answer = engine.prefix()
    assert str(answer.verdict) == verdict
    if verdict == "SAT":
        assert_good(made, [opened], answer.witness)


UNREAD = [
    {"type": "string", "minLength": 5, "maxLength": 7},
    {"type": "string", "pattern": "^#W[0-9]{7}$"},
    {"type": "string", "maxLength": 0},
    {"type": "string", "pattern": "a|b"},
    {"type": "integer", "minimum": 10},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    {"type": "integer", "maximum": -4},
    {"type": "integer", "multipleOf": 7, "minimum": 1},
    {"type": ["null", "string"]},
    {"type": "array", "minItems": 3, "items": {"type": "boolean"}},
    {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]},
    {"anyOf": [{"type": "null"}, {"type": "string"}]},
    {"const": [1, {"a": None}]},
    {},
    {"format": "date", "type": "string"},
]


@pytest.mark.parametrize("schema", UNREAD, ids=str)
def test_arguments_and_outputs_that_nothing_reads_are_filled_in(schema):
    assert Draft(schema).is_valid(sample(schema))
    made = spec("Exists(a, True)", tool("a", output=schema, x=schema))
    answer = Engine(made).prefix()
    assert answer, answer.reason
    assert_good(made, [], answer.witness)


FRESH = [
    ('x.x != "value-0" & ~starts_with(x.x, "v")', {"type": "string", "minLength": 12}),
    ('x.x != "#W0000000"', {"type": "string", "pattern": "^#W[0-9]{7}$"}),
    ("len(x.x) == 3", {"type": "string", "pattern": "^[a-c]+$"}),
    ('x.x > "m"', {"type": "string", "maxLength": 1}),
    ("x.x * 3 == 1", {"type": "number"}),
    ("x.x > 2", {"type": "integer", "exclusiveMaximum": 4}),
    ('len(x.x) == 2 & any(i in x.x: i == "u")', {"type": "array"}),
    ("distinct(x.x) & len(x.x) == 2", {"type": "array", "minItems": 1}),
    ('x.x.deep.key == "u"', {"type": "object"}),
    ("is_null(x.x)", {"type": ["null", "string"]}),
    ("~absent(x.x)", True),
    ('x.x.k1 == "u"', {"patternProperties": {"^k": {"type": "string"}}, "additionalProperties": False}),
    ("x.x[0] == 1", {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "string"}}),
    ("x.x != 1", {"type": "object", "additionalProperties": False}),
    (
        "x.x != 1",
        {"type": "object", "properties": {"k": True}, "required": ["k"], "additionalProperties": False},
    ),
    ("absent(x.x.zip)", {"type": "object", "properties": {"zip": {}}, "additionalProperties": False}),
    ('contains(x.x, "\\\\u{41}") & ~contains(x.x, "A")', {"type": "string"}),
    ('ends_with(x.x, "\U0001f600")', {"type": "string"}),
]


@pytest.mark.parametrize(("where", "schema"), FRESH, ids=str)
def test_values_that_no_one_wrote_yet(where, schema):
    made = spec(f"Exists(a as x, {where})", tool("a", x=schema))
    answer = Engine(made).prefix()
    assert answer, answer.reason
    assert_good(made, [], answer.witness)


def test_a_value_nobody_can_make_up_is_unknown():
    made = spec("Exists(a, True)", tool("a", x={"type": "string", "pattern": "^(?=b)"}))
    assert str(Engine(made).prefix().verdict) == "UNKNOWN"


def test_what_no_value_can_be_is_unsat():
    made = spec("Exists(a as x, len(x.x) == 3)", tool("a", x={"type": "string", "maxLength": 2}))
    assert str(Engine(made).prefix().verdict) == "UNSAT"
    made = spec('Exists(a as x, starts_with(x.x, "#V"))', tool("a", x={"pattern": "^#W", "type": "string"}))
    assert str(Engine(made).prefix().verdict) == "UNSAT"


# ---------------------------------------------------------------- schemas and conditions at random

WORDS = ["", "a", "b", "ab", "ba", "aab", "x" * 9]
POOL: list[Any] = [
    *WORDS,
    0,
    1,
    2,
    3,
    -1,
    1.5,
    None,
    True,
    False,
    [],
    ["a"],
    ["a", "b"],
    [1, 1],
    {},
    {"k": 1},
]
strings = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 3),
        "pattern": st.sampled_from(["^a", "b$", "^[ab]*$", "a.", "^a|b$", "^$"]),
    },
)
numbers = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={
        "minimum": st.integers(-2, 2),
        "exclusiveMaximum": st.integers(-1, 3),
        "multipleOf": st.sampled_from([1, 2, 0.5]),
    },
)
arrays = st.fixed_dictionaries(
    {"type": st.just("array")},
    optional={"minItems": st.integers(0, 2), "maxItems": st.integers(0, 2), "uniqueItems": st.booleans()},
)
listed = st.lists(st.sampled_from(POOL), min_size=1, max_size=3).map(lambda options: {"enum": options})
simple = st.one_of(
    strings, numbers, arrays, listed, st.sampled_from([{}, {"type": "object"}, {"type": "null"}])
)
schemas = st.one_of(
    simple,
    st.lists(simple, min_size=1, max_size=2).map(lambda options: {"anyOf": options}),
    st.lists(strings, min_size=2, max_size=2).map(lambda parts: {"allOf": parts}),
    st.lists(st.one_of(simple, st.booleans()), min_size=1, max_size=2).map(lambda some: {"anyOf": some}),
    st.just(True),
)
X = N.Arg("first", "x")
CONDITIONS = [
    N.Truth(True),
    N.Compare("!=", X, N.Const("a")),
    N.Compare("<", X, N.Const("b")),
    N.Compare(">", X, N.Const(0)),
    N.Compare("==", N.Len(X), N.Const(2)),
    N.Text("starts_with", X, N.Const("a")),
    N.Not(N.Text("matches", X, N.Const("a+b?"))),
    N.Contains(X, N.Const("b")),
    N.Is(X, "list"),
    N.Not(N.Is(X, "str")),
    N.Distinct(X),
]


@settings(max_examples=150, deadline=None)
@given(schemas, st.lists(st.sampled_from(CONDITIONS), min_size=1, max_size=2))
def test_sat_is_a_value_the_schema_accepts_and_unsat_is_none(schema, conditions):
    where = N.And(tuple(conditions))
    made = spec(N.Exists(N.Pattern((N.Branch("a"),)), where), tool("a", x=schema))
    engine = Engine(made)
    answer = engine.prefix()
    if answer:
        assert_good(made, [], answer.witness)
    good = [v for v in POOL if Draft(schema).is_valid(plain(v)) and conforms(made, [Event("a", {"x": v})])]
    assert str(answer.verdict) != "UNSAT" or good == []
    for value in good:
        assert str(engine.check_partial(Partial("a", {"x": value})).verdict) != "UNSAT"


def plain(value: Any) -> Any:
    return exact(value) if isinstance(value, float) else value


# ---------------------------------------------------------------- outputs


@pytest.mark.parametrize(
    "output", [None, {"type": "object", "properties": {"id": {"enum": ["u", "v"]}}}, {"not": {}}]
)
def test_a_future_output_is_one_the_tool_may_give(output):
    made = spec('Exists(a as x, output(x).id == "v")', tool("a", output=output, required=()))
    answer = Engine(made).prefix()
    assert str(answer.verdict) == ("UNSAT" if output == {"not": {}} else "SAT")
    if answer:
        assert_good(made, [], answer.witness)
        assert answer.witness[0].output["id"] == "v"


def test_a_complete_call_keeps_its_arguments_whatever_the_schema_says():
    made = spec("After(a as x, True, b as y, x.x == y.x)", tool("a", x={"type": "string"}), tool("b", x={}))
    answer = Engine(made).check(Event("a", {"x": 7}))
    assert answer and answer.witness[0].args == {"x": 7} and answer.witness[1].args == {"x": 7}


def test_every_part_that_was_read_is_in_the_witness():
    where = 'x.o.name == "ann" & x.o.items[1].id == 2 & output(x).list[0] == true & len(x.o.items) == 2'
    made = N.Specification("made", (N.Constraint("r", parse_formula(f"Exists(a as x, {where})")),))
    answer = Engine(made).prefix()
    (event,) = answer.witness
    assert event.args["o"]["name"] == "ann" and event.args["o"]["items"][1]["id"] == 2
    assert event.output["list"][0] is True
    assert conforms(made, [event])


def test_two_strings_that_must_differ_do():
    rule = " & ".join(f"x.a{i} != x.a{j}" for i, j in product(range(4), repeat=2) if i < j)
    kinds = " & ".join(f'x.a{i} >= ""' for i in range(4))
    made = N.Specification("made", (N.Constraint("r", parse_formula(f"Exists(a as x, {rule} & {kinds})")),))
    (event,) = Engine(made).prefix().witness
    assert len({event.args[f"a{i}"] for i in range(4)}) == 4
    assert event.output is MISSING or event.output is not None
