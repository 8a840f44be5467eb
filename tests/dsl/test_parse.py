"""The parser: what text means, where names come from, files and limits."""

import inspect
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from agentc.dsl import nodes as N
from agentc.dsl.constants import MAX_CONSTRAINTS, MAX_NESTING, Record
from agentc.dsl.parse import parse_formula, parse_specification, read_specification
from agentc.dsl.show_text import to_text
from agentc.errors import AgentcError, BudgetError, DomainError, SpecificationError
from agentc.tools.signature import Projection, Tool, ToolSet

OPEN = Tool("open", {"type": "object", "properties": {"file": {}, "mode": {}}, "required": ["file"]})
FIND = Tool("find", {"type": "object", "properties": {"first": {}, "last": {}, "zip": {}}})
TOOLS = ToolSet([OPEN, FIND])


def pattern(text: str, tools: ToolSet | None = TOOLS) -> N.Pattern:
    return parse_formula(f"Exists({text}, True)", tools).first


def where(text: str) -> N.Formula:
    """A data formula over `r` (a second event with variables v and w) and `q` (the first)."""
    return parse_formula(f"Seq(q as q, True, t(v=v, w=w) as r, {text})").where


def term(text: str) -> N.Term:
    return where(f"{text} == 0").left


# ---------------------------------------------------------------- patterns


def test_arguments_are_bound_by_position_or_by_name() -> None:
    assert pattern("open(f, m)") == pattern("open(file=f, mode=m)") == pattern("open(f, mode=m)")
    assert pattern("open(f)").branches == (N.Branch("open", (("file", "f"),)),)
    assert pattern("user_message(t) as m", None) == N.Pattern(
        (N.Branch("user_message", (("text", "t"),)),), "m"
    )


def test_unions_classes_labels_and_attempts() -> None:
    assert pattern("{open(f) | find(first, l) | @write} as p") == N.Pattern(
        (
            N.Branch("open", (("file", "f"),)),
            N.Branch("find", (("first", "first"), ("last", "l"))),
            N.Branch("@write"),
        ),
        "p",
    )
    assert pattern("attempted({open | find}) as p").attempted
    assert pattern("{open}") == pattern("open")
    assert pattern('"get-order"("order id"=o)') == N.Pattern((N.Branch("get-order", (("order id", "o"),)),))


def test_one_variable_may_stand_for_another_argument_in_each_branch() -> None:
    union = pattern("{open(f) | find(last=f)} as p")
    assert [b.bindings for b in union.branches] == [(("file", "f"),), (("last", "f"),)]


def test_words_of_the_language_can_name_tools_variables_and_labels() -> None:
    rule = parse_formula('Forall("len"(count=count) as all, all.any == count & all.state == 1)')
    assert rule.first == N.Pattern((N.Branch("len", (("count", "count"),)),), "all")
    assert rule.where.args[0] == N.Compare("==", N.Arg("first", "any"), N.Var("first", "count"))


# ---------------------------------------------------------------- terms


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("v", N.Var("second", "v")),
        ("v.a[0]", N.Var("second", "v", ("a", 0))),
        ("r.a", N.Arg("second", "a")),
        ('q["odd name"].in', N.Arg("first", "odd name", ("in",))),
        ("output(r)", N.Output("second")),
        ('output(q).a["b"]', N.Output("first", ("a", "b"))),
        (
            "r.state.owner(r.id, 1).name",
            N.State("second", "owner", (N.Arg("second", "id"), N.Const(1)), ("name",)),
        ),
        ("state(owner(q.id))", N.State("first", "owner", (N.Arg("first", "id"),))),
        ("state(total())[0]", N.State("first", "total", (), (0,))),
        ("q.state", N.Arg("first", "state")),
        ('q["state"].zip', N.Arg("first", "state", ("zip",))),
        ("v.state.zip", N.Var("second", "v", ("state", "zip"))),
        (
            "len(v) - 1 * w",
            N.Arith("-", N.Len(N.Var("second", "v")), N.Arith("*", N.Const(1), N.Var("second", "w"))),
        ),
        ("v - w - 1", N.Arith("-", N.Arith("-", N.Var("second", "v"), N.Var("second", "w")), N.Const(1))),
        ("v -1", N.Arith("-", N.Var("second", "v"), N.Const(1))),
        (
            "count(i in v: i.a > 0)",
            N.Count("i", N.Var("second", "v"), N.Compare(">", N.Item("i", ("a",)), N.Const(0))),
        ),
    ],
)
def test_terms(text: str, node: N.Term) -> None:
    assert term(text) == node


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.10000000000000000001", Fraction(10**19 + 1, 10**20)),
        ("18446744073709551617", 2**64 + 1),
        ("-1.50", Fraction(-3, 2)),
        ("- 1e2", -100),
        ('"\\u0041\\n\\\\u{41}"', "A\n\\u{41}"),
        ("[1, [true, null], {}]", (1, (True, None), Record({}))),
        ('{"b": 1.0, "a": [0.5]}', Record({"a": (Fraction(1, 2),), "b": 1})),
    ],
)
def test_constants_are_exact(text: str, value: object) -> None:
    found = term(text)
    assert found == N.Const(value)
    assert type(found.value) is type(value)


def test_true_is_not_one() -> None:
    assert term("true") != term("1")
    assert term('{"a": true}') != term('{"a": 1}')
    assert term("1.0") == term("1")


# ---------------------------------------------------------------- formulas


def test_precedence_is_what_a_person_expects() -> None:
    a, b, c = (N.Compare("==", N.Arg("second", n), N.Const(1)) for n in "abc")
    assert where("~r.a == 1 & r.b == 1 | r.c == 1") == N.Or((N.And((N.Not(a), b)), c))
    assert where("r.a == 1 | r.b == 1 & r.c == 1") == N.Or((a, N.And((b, c))))
    assert where("~(r.a == 1 & r.b == 1)") == N.Not(N.And((a, b)))
    assert where("r.a == 1 & r.b == 1 & r.c == 1") == N.And((a, b, c))
    assert where("Implies(r.a == 1, r.b == 1)") == N.Implies(a, b)
    assert where("r.a + 1 in [2]") == N.In(N.Arith("+", N.Arg("second", "a"), N.Const(1)), N.Const((2,)))


@pytest.mark.parametrize(
    ("name", "sort"),
    [
        ("absent", "missing"),
        ("is_null", "null"),
        ("is_bool", "bool"),
        ("is_number", "num"),
        ("is_integer", "int"),
        ("is_string", "str"),
        ("is_list", "list"),
        ("is_object", "dict"),
    ],
)
def test_kinds(name: str, sort: N.Sort) -> None:
    assert where(f"{name}(v)") == N.Is(N.Var("second", "v"), sort)


def test_functions() -> None:
    v, w = N.Var("second", "v"), N.Var("second", "w")
    assert where("contains(v, w)") == N.Contains(v, w)
    assert where('matches(v, "a.*")') == N.Text("matches", v, N.Const("a.*"))
    assert where("starts_with(v, w) & ends_with(v, w)") == N.And(
        (N.Text("starts_with", v, w), N.Text("ends_with", v, w))
    )
    assert where("distinct(v)") == N.Distinct(v)
    assert where("v in w") == N.In(v, w)
    assert where("any(i in v: all(j in i.xs: i.a < j))") == N.Each(
        "any",
        "i",
        v,
        N.Each("all", "j", N.Item("i", ("xs",)), N.Compare("<", N.Item("i", ("a",)), N.Item("j"))),
    )


def test_the_five_predicates_and_their_connectives() -> None:
    rule = parse_formula(
        "~Before(a, True, b, True)"
        "& Implies(Forall(c, False), After(a, True, b, True) | Seq(a, True, b, True)) | False"
    )
    kinds = [type(n).__name__ for n in N.walk(rule) if isinstance(n, N.Temporal)]
    assert kinds == ["Before", "Forall", "After", "Seq"]
    assert isinstance(rule, N.Or)
    assert rule.args[1] == N.Truth(False)


def test_outputs_are_known_where_the_language_says() -> None:
    for allowed in (
        "Before(a as x, True, b as y, output(y) == x.v)",
        "After(a as x, output(x) == 1, b as y, output(y) == output(x))",
        "Seq(a as x, output(x) == 1, b as y, output(y) == output(x))",
        "Exists(a as x, output(x) == 1)",
    ):
        parse_formula(allowed)


# ---------------------------------------------------------------- specifications

RETAIL = """
# a comment
specification retail "Orders"   # and another
domain retail
constraint first: "One " "sentence." Exists(a, True)
constraint "second one": Exists(tool as tool, tool.domain == "# not a comment")
   constraint third:
  Exists(a, True)
"""


def test_a_specification_has_named_constraints_with_sentence_and_place() -> None:
    spec = parse_specification(RETAIL, "specs/retail.agentc")
    assert (spec.name, spec.title, spec.domain, spec.tools, spec.projections) == (
        "retail",
        "Orders",
        "retail",
        None,
        {},
    )
    assert [c.name for c in spec.constraints] == ["first", "second one", "third"]
    assert spec["first"].sentence == "One sentence."
    assert [(c.place.line, c.place.column) for c in spec.constraints] == [(5, 1), (6, 1), (7, 4)]
    assert str(spec["first"].place) == "specs/retail.agentc, line 5"


def test_windows_line_ends_and_a_byte_order_mark_are_no_matter() -> None:
    assert parse_specification("\ufeff" + RETAIL.replace("\n", "\r\n")) == parse_specification(RETAIL)


def test_a_domain_gives_tools_and_projections() -> None:
    owner = Projection("owner", (("id", {}),))
    text = 'domain shop\nconstraint c: Forall(open(f), f != "x")'
    spec = parse_specification(
        text, resolve=lambda name: (TOOLS, {"owner": owner}) if name == "shop" else (ToolSet(), {})
    )
    assert spec.tools is TOOLS
    assert spec.projections == {"owner": owner}
    assert spec["c"].formula.first.branches[0].bindings == (("file", "f"),)


def test_an_unknown_domain_is_told_where_it_stands() -> None:
    def resolve(name: str) -> tuple[ToolSet, dict[str, Projection]]:
        raise DomainError(f"there is no domain `{name}`", hint="did you mean `retail`?")

    with pytest.raises(DomainError) as error:
        parse_specification("specification s\ndomain retial", "a.agentc", resolve)
    assert error.value.where == "a.agentc, line 2, column 1"
    assert "retail" in error.value.hint


def test_tools_may_be_declared_after_they_are_used() -> None:
    spec = parse_specification(
        'constraint c: Forall(cut(x), x > 1)\ntool cut(depth?: integer(0..10)) -> any @write "x"'
    )
    assert spec.tools is not None
    assert spec.tools["cut"] == Tool(
        "cut",
        {"type": "object", "properties": {"depth": {"type": "integer", "minimum": 0, "maximum": 10}}},
        "write",
        {},
        "x",
    )


def test_nothing_declared_is_no_tools() -> None:
    assert parse_specification("") == N.Specification("", ())
    assert parse_specification("").tools is None


def test_text_is_never_evaluated() -> None:
    with pytest.raises(SpecificationError):
        parse_formula("__import__('os').system('true')")
    with pytest.raises(SpecificationError, match="no predicate `__import__`"):
        parse_formula('__import__("os")')


# ---------------------------------------------------------------- files


def test_a_file_is_read_with_its_name_in_places(tmp_path: Path) -> None:
    path = tmp_path / "a.agentc"
    path.write_text("constraint c:\n  Exists(a, True)\n", "utf-8")
    assert read_specification(path)["c"].place.source == str(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "can't be opened"),
        (b"constraint c: Exists(a, \xff", "UTF-8"),
        (b"constraint c:\n  Exists(a, Tr", "`(` is never closed"),
        (b"constraint c:\n  Exists(a, True", "`(` is never closed"),
    ],
)
def test_a_file_that_is_missing_or_cut_short_is_an_error(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "a.agentc"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SpecificationError) as error:
        read_specification(path)
    assert message in str(error.value)
    assert str(path)[:40] in error.value.where


def test_a_folder_is_no_specification(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="can't be opened"):
        read_specification(tmp_path)


# ---------------------------------------------------------------- limits


X = N.Arg("first", "n")
ONE = N.Compare("==", X, X)
TERMS = {
    "len": N.Len,
    "left": lambda t: N.Arith("-", t, X),
    "right": lambda t: N.Arith("-", X, t),
    "state": lambda t: N.State("first", "q", (t,)),
    "over": lambda t: N.Count("i", t, N.Truth(True)),
}
FORMULAS = {
    "not": N.Not,
    "and": lambda f: N.And((N.Or((f, ONE)), ONE)),
    "implies": lambda f: N.Implies(N.Not(f), ONE),
    "not and": lambda f: N.Not(N.And((f, ONE))),
}


def depth(node: object) -> int:
    return 1 + max((depth(c) for c in N.children(node)), default=0) if not isinstance(node, N.Const) else 1


@pytest.mark.parametrize("shape", [*TERMS, *FORMULAS, "any"])
def test_a_tree_as_deep_as_the_limit_can_be_written_and_read(shape: str) -> None:
    def grown(levels: int) -> N.Formula:
        node: object = X if shape in TERMS else ONE
        for i in range(levels):
            node = N.Each("any", f"i{i}", X, node) if shape == "any" else (TERMS | FORMULAS)[shape](node)
        where = N.Compare("==", node, X) if shape in TERMS else node
        return N.Forall(N.Pattern((N.Branch("a"),), "x"), where)

    deepest = max(n for n in range(MAX_NESTING) if depth(grown(n)) <= MAX_NESTING)
    assert depth(grown(deepest)) >= MAX_NESTING - 2
    assert parse_formula(to_text(grown(deepest))) == grown(deepest)
    with pytest.raises(BudgetError, match="levels of nesting"):
        parse_formula(to_text(grown(deepest + 5)))


@pytest.mark.parametrize(
    "text",
    [
        "~" * (MAX_NESTING + 1) + "True",
        "(" * (3 * MAX_NESTING + 1),
        "Implies(True, " * 200 + "True" + ")" * 200,
        "Forall(a as x, x.n == " + "1 + " * 200 + "1)",
        "Forall(a as x, x" + ".a" * 200 + " == 1)",
    ],
    ids=["signs", "brackets", "functions", "arithmetic", "path"],
)
def test_no_deeper(text: str) -> None:
    with pytest.raises(BudgetError, match="at most"):
        parse_formula(text)


def test_parentheses_alone_are_not_nesting() -> None:
    wrapped = "(" * 2 * MAX_NESTING + "Exists(a, ((True)))" + ")" * 2 * MAX_NESTING
    assert parse_formula(wrapped) == parse_formula("Exists(a, True)")


def test_a_nearly_full_stack_is_an_error_of_ours() -> None:
    def sink(levels: int) -> None:
        if levels:
            return sink(levels - 1)
        with pytest.raises(BudgetError, match="depth of calls"):
            parse_formula("~" * 90 + "Exists(a, True)")

    sink(sys.getrecursionlimit() - len(inspect.stack()) - 150)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10**6,
        "~" * 10**6,
        "[{" * 10**6,
        ")" * 10**6,
        '"' * 10**6,
        "\0" * 10**6,
        "a" * 10**6,
        "." * 10**6,
        "9" * 10**6,
        '"' + "\\" * 10**6,
        "#" * 10**6,
        "\n" * 10**6,
        "@" * 10**6,
        "\ud800",
        "Forall(a as x, x.n == [" + "[" * 70 + "]" * 70 + "])",
        "Forall(a as x, x.n == 1e99999999999999999999)",
        'Forall(a as x, x.n == "' + "a" * (11 * 10**6) + '")',
        "True\x1b[31m",
        "Forall(a as x, x." + "n" * 10**6 + " == 1)",
        "Forall(a(" + "n" * 10**6 + "), True)",
    ],
    ids=range(20),
)
def test_hostile_text_is_refused_with_a_short_printable_message(text: str) -> None:
    for read, whole in ((parse_formula, text), (parse_specification, f"constraint c: {text}")):
        with pytest.raises(AgentcError) as error:
            read(whole)
        message = str(error.value)
        assert len(message) < 800
        assert all(c.isprintable() or c == "\n" for c in message)


def test_many_constraints_are_read_and_too_many_refused() -> None:
    many = [f"constraint c{i}: Exists(a, True)" for i in range(2_000)]
    assert len(parse_specification("\n".join(many)).constraints) == 2_000
    with pytest.raises(BudgetError, match="20,000 constraints"):
        parse_specification("constraint c: True\n" * (MAX_CONSTRAINTS + 1))
