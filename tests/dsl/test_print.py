"""The printer: canonical text, and the identities between text and tree."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings

from agentc.dsl import nodes as N
from agentc.dsl.constants import Record
from agentc.dsl.declare import type_text
from agentc.dsl.html import to_html
from agentc.dsl.latex import to_latex
from agentc.dsl.parse import parse_formula, parse_specification
from agentc.dsl.show_text import to_text
from agentc.dsl.show_tree import to_tree
from agentc.errors import BudgetError, SpecificationError
from agentc.tools.signature import Projection, Tool, ToolSet
from tests.dsl import trees
from tests.examples import EXAMPLES, Example

slow_draws = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

PAPER = """\
specification retail "Orders are shown to their owner"
domain retail

constraint owner_only:
  "You must authenticate the user before showing an order."
  Before(get_order_details as order, True,
         {find_user_id_by_email | find_user_id_by_name_zip} as auth,
         output(auth) == order.state.order_owner(order.order_id))

constraint paper_style:
  "Open a file before reading it."
  Before(read(file=f1), True, open(file=f2), f1 == f2)
"""


def only(text: str) -> N.Formula:
    return parse_formula(f"Forall(t as r, {text})").where


# ---------------------------------------------------------------- identities


@slow_draws
@given(trees.formulas())
def test_a_tree_comes_back_from_its_text(tree: N.Formula) -> None:
    assert parse_formula(to_text(tree)) == tree


@slow_draws
@given(trees.formulas())
def test_breaking_lines_changes_nothing(tree: N.Formula) -> None:
    narrow, wide = to_text(tree, width=20), to_text(tree, width=None)
    assert parse_formula(narrow) == parse_formula(wide) == tree
    assert "\n" not in wide


@slow_draws
@given(trees.specifications())
def test_a_specification_comes_back_and_its_text_is_reproduced(spec: N.Specification) -> None:
    text = to_text(spec)
    again = parse_specification(text)
    assert again == spec
    assert to_text(again) == text
    text.encode("utf-8")


@slow_draws
@given(trees.specifications())
def test_text_hides_nothing(spec: N.Specification) -> None:
    assert all(c.isprintable() or c == "\n" for c in to_text(spec))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_examples_come_back(example: Example) -> None:
    spec = parse_specification(example.source)
    text = to_text(spec)
    assert parse_specification(text) == spec
    assert to_text(parse_specification(text)) == text


def test_canonical_text_is_reproduced_exactly() -> None:
    assert to_text(parse_specification(PAPER)) == PAPER


# ---------------------------------------------------------------- how things are written


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("(((r.a==1)))", "r.a == 1"),
        ("~(r.a == 1)", "~(r.a == 1)"),
        ("~ r.a == 1", "~(r.a == 1)"),
        ("~r.a in [1]", "~(r.a in [1])"),
        ("~absent(r.a)", "~absent(r.a)"),
        ("~(~(True))", "~~True"),
        ("r.a == 1 & r.b == 2 | r.c == 3", "(r.a == 1 & r.b == 2) | r.c == 3"),
        ("(r.a == 1 & r.b == 2) & r.c == 3", "(r.a == 1 & r.b == 2) & r.c == 3"),
        ("r.a + 1 - 2 * 3 == r.b - (1 - r.c)", "r.a + 1 - 2 * 3 == r.b - (1 - r.c)"),
        ("(r.a + 1) * -2 == - 3", "(r.a + 1) * -2 == -3"),
        ('r["a"]["b c"][0].d == 1', 'r.a["b c"][0].d == 1'),
        ("r.state == 1", "r.state == 1"),
        ('r["state"].x == 1', 'r["state"].x == 1'),
        ("state(q(r.a)).b == 1", "r.state.q(r.a).b == 1"),
        ('r.state["odd one"]() == null', 'r.state["odd one"]() == null'),
        (
            'r.a in [1.50, 1e2, "x", true, {"b": [], "a": -0}]',
            'r.a in [1.5, 100, "x", true, {"a": 0, "b": []}]',
        ),
        ('r.a == "\\u00e9\\u202e\\/"', 'r.a == "é\\u202e/"'),
        ("all(i in r.xs: any(j in i.ys: j > i.z))", "all(i in r.xs: any(j in i.ys: j > i.z))"),
        ("count(i in r.xs: i == 1) <= len(r.xs)", "count(i in r.xs: i == 1) <= len(r.xs)"),
    ],
)
def test_canonical_spelling(written: str, canonical: str) -> None:
    assert to_text(only(written), within=parse_formula("Forall(t as r, True)")) == canonical  # type: ignore[arg-type]


def test_a_long_formula_is_broken_as_in_the_paper() -> None:
    rule = parse_formula(
        "~Before(a as x, x.n > 100, b as y, (y.id == x.id & y.n == x.n) | absent(x.long_argument))"
        " & Exists(c, True)"
    )
    assert to_text(rule, width=60) == (
        "~Before(a as x, x.n > 100,\n"
        "        b as y,\n"
        "        (y.id == x.id & y.n == x.n)\n"
        "        | absent(x.long_argument))\n"
        "& Exists(c, True)"
    )


def test_labels_are_given_only_where_they_are_needed() -> None:
    plain = N.Pattern((N.Branch("a", (("n", "first"),)),))
    other = N.Pattern((N.Branch("b"),))
    same = N.Compare("==", N.Arg("second", "x"), N.Arg("first", "x"))
    assert to_text(N.Forall(plain, N.Truth(True))) == "Forall(a(n=first), True)"
    assert to_text(N.Seq(plain, N.Truth(True), other, same)) == (
        "Seq(a(n=first) as first1, True, b as second, second.x == first1.x)"
    )


def test_parts_are_named_by_the_predicate_they_stand_in() -> None:
    rule = parse_formula("Before(a as x, True, b as y, y.id == x.id)")
    assert isinstance(rule, N.Before)
    assert to_text(rule.where, within=rule) == "y.id == x.id"
    assert to_text(rule.where) == "second.id == first.id"
    assert to_text(rule.first) == "a as x"


@pytest.mark.parametrize(
    ("value", "found"),
    [(Fraction(1, 3), "1/3"), (10**700, "999"), ("\ud800", "\\ud800"), (Record({"\udfff": 1}), "\\udfff")],
)
def test_what_cannot_be_written_is_refused(value: object, found: str) -> None:
    with pytest.raises(SpecificationError) as error:
        to_text(
            N.Forall(
                N.Pattern((N.Branch("a", (("n", "v"),)),)),
                N.Compare("==", N.Var("first", "v"), N.Const(value)),
            )
        )
    assert error.value.hint


def test_only_nodes_have_text() -> None:
    with pytest.raises(SpecificationError, match="only the language's nodes"):
        to_text(object())


# ---------------------------------------------------------------- declarations

SCHEMAS = [
    ('{"type": "integer", "minimum": true}', {"type": "integer", "minimum": True}),
    ("any", {}),
    ("string", {"type": "string"}),
    ("array[integer(0..10)]", {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 10}}),
    ("number(-1.5..)", {"type": "number", "minimum": -1.5}),
    ('"r" | "w"', {"type": "string", "enum": ["r", "w"]}),
    ("string | null", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ('"r" | "w" | null', {"anyOf": [{"type": "string", "enum": ["r", "w"]}, {"type": "null"}]}),
    ('{"type": "string", "pattern": "^#W[0-9]+$"}', {"type": "string", "pattern": "^#W[0-9]+$"}),
    ('{"enum": [1, "a", null]}', {"enum": [1, "a", None]}),
    ('array[{"type": ["string", "null"]}]', {"type": "array", "items": {"type": ["string", "null"]}}),
]


@pytest.mark.parametrize(("text", "schema"), SCHEMAS, ids=[t for t, _ in SCHEMAS])
def test_a_type_is_a_schema_both_ways(text: str, schema: dict[str, object]) -> None:
    spec = parse_specification(f"tool t(x: {text})")
    assert spec.tools is not None
    assert spec.tools["t"].arguments["x"] == schema
    assert type_text(schema) == text


def test_tools_and_projections_come_back() -> None:
    nested = {
        "type": "object",
        "properties": {"a": {"type": "string", "description": "an A"}},
        "required": ["a"],
    }
    tools = ToolSet(
        [
            Tool(
                "open",
                {"type": "object", "properties": {"x": nested, "y z": {}}, "required": ["x"]},
                "read",
                {"type": "null"},
                'say "hi"',
            ),
            Tool("get-order", {"type": "object", "properties": {}}, "other"),
            Tool("free", {"type": "object", "properties": {}, "additionalProperties": True}),
            Tool(
                "strange",
                {"$defs": {"a": {}}, "type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}},
                "write",
            ),
        ]
    )
    projections = {
        "owner": Projection("owner", (("id", {"type": "string"}),), {"type": "string"}, "who"),
        "n": Projection("n"),
    }
    text = to_text(N.Specification("s", (), tools, projections))
    again = parse_specification(text)
    assert again.tools is not None
    assert dict(again.tools) == dict(tools)
    assert again.projections == projections
    assert to_text(again) == text


def test_a_tree_beyond_pythons_stack_is_an_error_of_ours() -> None:
    tree: N.Formula = N.Truth(True)
    for _ in range(10_000):
        tree = N.Not(tree)
    for write in (to_text, to_tree, to_latex):
        with pytest.raises(BudgetError, match="nests too deeply"):
            write(tree)
    assert "nests too deeply" in to_html(tree)
