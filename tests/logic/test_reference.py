"""The reference evaluator, held against the defining table by hand-made rows."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agentc.dsl import nodes as N
from agentc.errors import BudgetError, SpecificationError, TraceError
from agentc.logic.reference import Undecided, closed, closed_spec, conforms, evaluate
from agentc.tools.signature import Tool, ToolSet
from agentc.trace.event import Event, Failed, call, message, reading
from agentc.trace.values import MISSING
from tests.examples import EXAMPLES

T, F = N.Truth(True), N.Truth(False)
A, B = N.Arg("first", "a"), N.Arg("first", "b")


def c(value):
    return N.Const(value)


def pat(*names, attempted=False):
    return N.Pattern(tuple(N.Branch(n) for n in names), "", attempted)


def holds(formula, **args):
    return evaluate(formula, Event("t", args))


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (0.1, Decimal("0.1"), True),
        (9007199254740993, 9007199254740992.0, False),
        (1e21, 10**21, True),
        (-0.0, 0, True),
        (None, None, True),
        (None, False, False),
        ("1", 1, False),
        ("", None, False),
        ("zoë", "zoe\u0308", False),
        ([1, [True]], (1.0, (True,)), True),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ([], {}, False),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": None}, {"b": None}, False),
        ([0], [False], False),
    ],
)
def test_equality_is_of_json_values(left, right, equal):
    assert holds(N.Compare("==", A, B), a=left, b=right) is equal
    assert holds(N.Compare("!=", A, B), a=left, b=right) is not equal


@pytest.mark.parametrize(
    ("left", "op", "right", "true"),
    [
        (1, "<", 2.5, True),
        (2, "<=", 2.0, True),
        ("B", "<", "a", True),  # code points, not letters
        ("\uffff", "<", "\U00010000", True),  # not UTF-16 units
        ("a", ">=", "a", True),
        ("10", "<", 9, False),
        (9, "<", "10", False),
        (True, "<=", True, False),
        (False, "<", 1, False),
        (None, "<=", None, False),
        ([1], "<=", [1], False),
        ({}, ">=", {}, False),
    ],
)
def test_order_is_within_numbers_or_within_strings(left, op, right, true):
    assert holds(N.Compare(op, A, B), a=left, b=right) is true


@pytest.mark.parametrize("op", ["==", "<", "<=", ">", ">="])
def test_the_absent_compares_false_with_everything(op):
    for formula in (N.Compare(op, A, B), N.Compare(op, B, A), N.Compare(op, B, B)):
        assert not holds(formula, a=1)
        assert holds(N.Not(formula), a=1)
    assert holds(N.Compare("!=", B, B))


def test_only_its_kind_is_true_of_the_absent():
    kinds = ("missing", "null", "bool", "num", "int", "str", "list", "dict")
    values = [(None, {"null"}), (True, {"bool"}), (1, {"num", "int"}), (2.0, {"num", "int"}), (1.5, {"num"})]
    values += [("", {"str"}), ([], {"list"}), ({}, {"dict"})]
    assert {k for k in kinds if holds(N.Is(A, k))} == {"missing"}
    for value, expected in values:
        assert {k for k in kinds if holds(N.Is(A, k), a=value)} == expected


def test_paths_lead_into_objects_and_lists_and_else_nowhere():
    def at(*path):
        return N.Arg("first", "a", path)

    value = {"x": [10, {"y": None}], "0": "zero"}
    assert holds(N.Compare("==", at("x", 0), c(10)), a=value)
    assert holds(N.Is(at("x", 1, "y"), "null"), a=value)
    for nowhere in (("z",), ("x", 2), ("x", -1), ("x", "0"), (0,), ("0", 0), ("x", 1, "y", "z")):
        assert holds(N.Is(at(*nowhere), "missing"), a=value)


def test_arithmetic_is_exact_and_only_of_numbers():
    total = N.Arith("+", A, B)
    assert holds(N.Compare("==", total, c(Decimal("0.3"))), a=0.1, b=0.2)
    assert holds(N.Compare("==", N.Arith("-", A, B), c(-1)), a=1, b=2)
    assert holds(N.Compare("==", N.Arith("*", A, B), c(3)), a=1.5, b=2)
    for args in ({"a": 1}, {"a": 1, "b": True}, {"a": 1, "b": "2"}, {"a": None, "b": 2}):
        assert holds(N.Is(total, "missing"), **args)


def test_len_counts_code_points_elements_and_members():
    for value, length in (("\U0001f600e\u0308", 3), ([1, 1], 2), ({"k": 0}, 1), ("", 0)):
        assert holds(N.Compare("==", N.Len(A), c(length)), a=value)
    for value in (12, None, True):
        assert holds(N.Is(N.Len(A), "missing"), a=value)
    assert holds(N.Is(N.Len(A), "missing"))


@pytest.mark.parametrize(
    ("whole", "part", "true"),
    [
        ("abc", "bc", True),
        ("abc", "", True),
        ("abc", "B", False),
        ("a1", 1, False),
        ([1, None], 1.0, True),
        ([1, None], None, True),
        ([1], True, False),
        ([[1]], [1], True),
        ({"k": 1}, "k", False),
        (None, None, False),
        (12, 1, False),
    ],
)
def test_contains(whole, part, true):
    assert holds(N.Contains(A, B), a=whole, b=part) is true
    assert not holds(N.Contains(A, N.Arg("first", "nothing")), a=whole, b=part)


def test_in_needs_a_list_and_something_to_find():
    assert holds(N.In(A, c((1, "x"))), a=1.0)
    assert not holds(N.In(A, c((1, "x"))), a=True)
    assert not holds(N.In(A, c((None,))))
    assert not holds(N.In(A, B), a="x", b="xyz")
    assert holds(N.In(A, B), a=None, b=[None])


def test_beginnings_and_ends_of_strings():
    rows = (("starts_with", "ab", True), ("ends_with", "bc", True), ("ends_with", "b", False))
    for op, other, true in rows:
        assert holds(N.Text(op, A, c(other)), a="abc") is true
    assert not holds(N.Text("starts_with", A, c("")), a=12)
    assert not holds(N.Text("ends_with", A, B), a="abc", b=None)
    assert not holds(N.Text("ends_with", A, c("")))


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("#W[0-9]+", ["#W1", "#W12"], ["#W", "x#W12", "#W12x", "#W12\n", "", 12, None]),
        ("a|bc", ["a", "bc"], ["abc", "ac", "b"]),
        ("(ab){2,3}", ["abab", "ababab"], ["ab", "abababab", "aba"]),
        ("a{0,2}b*", ["", "a", "aab", "bbb"], ["aaa", "ba"]),
        (".*", ["", "x\ny", "\U0001f600"], [["x"]]),
        ("[^0-9]?", ["", "x"], ["1", "xy"]),
    ],
)
def test_a_regular_expression_matches_the_whole_string(pattern, yes, no):
    formula = N.Text("matches", A, c(pattern))
    assert [v for v in yes if not holds(formula, a=v)] == []
    assert [v for v in no if holds(formula, a=v)] == []


def test_no_text_makes_a_regular_expression_hang():
    assert not holds(N.Text("matches", A, c("(a|a)*(a+)+b")), a="a" * 200)


def test_quantifiers_over_lists():
    item, positive = N.Item("i"), N.Compare(">", N.Item("i"), c(0))
    every, some = (N.Each(op, "i", A, positive) for op in ("all", "any"))
    table = [([1, 2], (True, True)), ([0, 1], (False, True)), ([0], (False, False)), ([], (True, False))]
    for value, verdicts in table:
        assert (holds(every, a=value), holds(some, a=value)) == verdicts
    for value in ("abc", {"a": 1}, None, 3):
        assert (holds(every, a=value), holds(some, a=value)) == (False, False)
    assert not holds(every) and not holds(some)
    count = N.Count("i", A, positive)
    assert holds(N.Compare("==", count, c(2)), a=[0, 1, 2])
    assert holds(N.Is(count, "missing"), a="no list")
    inner = N.Each("any", "i", N.Item("i", ("sub",)), N.Compare("==", item, c(7)))
    nested = N.Each("all", "i", A, N.And((inner, N.Is(N.Item("i", ("sub",)), "list"))))
    assert holds(nested, a=[{"sub": [7]}, {"sub": [1, 7]}]) and not holds(nested, a=[{"sub": [1]}])


def test_distinct():
    rows = (([1, 2, True, "1", None], True), ([1, 1.0], False), ([], True), ("ab", False), (None, False))
    for value, true in rows:
        assert holds(N.Distinct(A), a=value) is true
    assert not holds(N.Distinct(A))


def test_depth_is_no_limit_for_values():
    deep, other = [], [1]
    for _ in range(50_000):
        deep, other = [deep], [other]
    assert holds(N.Compare("==", A, B), a=deep, b=deep)
    assert not holds(N.Compare("==", A, B), a=deep, b=other)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), object(), b"x", {1, 2}])
def test_what_is_no_json_is_refused(bad):
    with pytest.raises(TraceError):
        holds(N.Compare("==", A, A), a=bad)


def test_limits_are_told():
    with pytest.raises(BudgetError, match="exponent"):
        holds(N.Compare("==", A, c(1)), a=Decimal("1e999999999"))
    formula = T
    for _ in range(5000):
        formula = N.Not(formula)
    with pytest.raises(BudgetError, match="too deeply"):
        holds(formula)


# ---------------------------------------------------------------- time

X, Y = N.Arg("first", "id"), N.Arg("second", "id")
SAME = N.Compare("==", Y, X)
P, Q = call("p", id=1), call("q", id=1)


@pytest.mark.parametrize(
    ("formula", "events", "true"),
    [
        (N.Before(pat("p"), T, pat("q"), SAME), [Q, P], True),
        (N.Before(pat("p"), T, pat("q"), SAME), [P, Q], False),
        (N.Before(pat("p"), T, pat("q"), SAME), [call("q", id=2), P], False),
        (N.Before(pat("p"), T, pat("p"), SAME), [P], False),
        (N.Before(pat("p"), F, pat("q"), F), [P], True),
        (N.Before(pat("p"), T, pat("q"), T), [Q], True),
        (N.After(pat("p"), T, pat("q"), SAME), [P, Q], True),
        (N.After(pat("p"), T, pat("q"), SAME), [Q, P], False),
        (N.After(pat("p"), T, pat("p"), SAME), [P, P], False),
        (N.After(pat("p"), T, pat("q"), SAME), [P, P, Q], True),
        (N.After(pat("p"), T, pat("q"), SAME), [P, Q, P], False),
        (N.Seq(pat("p"), T, pat("q"), SAME), [P, Q], True),
        (N.Seq(pat("p"), T, pat("q"), SAME), [Q, P], False),
        (N.Seq(pat("p"), T, pat("p"), SAME), [P], False),
        (N.Seq(pat("p"), T, pat("p"), SAME), [P, P], True),
        (N.Forall(pat("p"), N.Compare("<", X, c(2))), [P, Q], True),
        (N.Forall(pat("p"), N.Compare("<", X, c(2))), [P, call("p", id=2)], False),
        (N.Exists(pat("p"), N.Compare("==", X, c(1))), [Q, P], True),
        (N.Exists(pat("p"), N.Compare("==", X, c(1))), [Q], False),
    ],
)
def test_the_five_predicates(formula, events, true):
    assert closed(formula, events) is true
    assert closed(N.Not(formula), events) is not true


def test_connectives():
    yes, no = N.Exists(pat("p"), T), N.Exists(pat("r"), T)
    table = [
        (N.And((yes, no)), False), (N.And((yes, yes)), True), (N.And(()), True),
        (N.Or((yes, no)), True), (N.Or((no, no)), False), (N.Or(()), False),
        (N.Implies(yes, no), False), (N.Implies(no, no), True),
        (N.Implies(yes, yes), True), (N.Implies(no, yes), True),
        (N.Not(N.Not(yes)), True), (T, True), (F, False),
    ]  # fmt: skip
    assert [closed(f, [P]) for f, _ in table] == [true for _, true in table]


FAILED = Event("p", {"id": 1}, error=True)
GONE = Event("q", {"id": 1}, error=True)


@pytest.mark.parametrize(
    ("make", "events", "plain", "attempted"),
    [
        (lambda a: N.Before(pat("p", attempted=a), T, pat("q"), T), [FAILED], False, False),
        (lambda a: N.Before(pat("p"), T, pat("q", attempted=a), T), [GONE, P], False, True),
        (lambda a: N.After(pat("p", attempted=a), T, pat("q"), T), [FAILED], True, False),
        (lambda a: N.After(pat("p"), T, pat("q", attempted=a), T), [P, GONE], False, True),
        (lambda a: N.Seq(pat("p", attempted=a), T, pat("q"), T), [FAILED, Q], False, True),
        (lambda a: N.Seq(pat("p"), T, pat("q", attempted=a), T), [P, GONE], False, True),
        (lambda a: N.Forall(pat("p", attempted=a), F), [FAILED], False, False),
        (lambda a: N.Exists(pat("p", attempted=a), T), [FAILED], False, True),
    ],
)
def test_which_patterns_match_failed_calls(make, events, plain, attempted):
    assert (closed(make(False), events), closed(make(True), events)) == (plain, attempted)


def test_unions_are_read_through_the_first_branch_that_matches():
    by_mail = N.Branch("by_mail", (("email", "who"),))
    by_name = N.Branch("by_name", (("last", "who"), ("zip", "z")))
    union = N.Pattern((by_mail, by_name))
    who, unbound = N.Var("second", "who"), N.Var("second", "z")
    rule = N.Before(pat("pay"), T, union, N.Compare("==", who, N.Arg("first", "user")))
    assert closed(rule, [call("by_mail", email="ann"), call("pay", user="ann")])
    assert closed(rule, [call("by_name", last="ann", zip="1"), call("pay", user="ann")])
    assert not closed(rule, [call("by_name", first="ann"), call("pay", user="ann")])
    absent = N.Before(pat("pay"), T, union, N.Is(unbound, "missing"))
    assert closed(absent, [call("by_mail", email="ann", z=1), call("pay")])
    assert not closed(absent, [call("by_name", zip="1"), call("pay")])


def test_classes_and_messages():
    kinds = {"get": "read", "set": "write", "think": "other", "odd": None}
    tools = ToolSet(Tool(name, kind=kind) for name, kind in kinds.items())
    seen = {cls: [t for t in (*tools, "nobody") if closed(N.Exists(pat(cls), T), [call(t)], tools)]
            for cls in ("@read", "@write", "@any")}  # fmt: skip
    assert seen == {
        "@read": ["get", "odd", "nobody"],
        "@write": ["set", "odd", "nobody"],
        "@any": ["get", "set", "think", "odd", "nobody"],
    }
    said = [message("user", "yes")]
    assert not any(closed(N.Exists(pat(cls), T), said, t) for cls in seen for t in (tools, None))
    text = N.Compare("==", N.Arg("first", "text"), c("yes"))
    assert closed(N.Exists(pat("user_message"), text), said)
    assert not closed(N.Exists(pat("assistant_message"), T), said)
    assert closed(N.Exists(pat("@write"), T), [call("get")])


def test_outputs():
    owner = N.Compare("==", N.Output("second", ("owner",)), N.Arg("first", "user"))
    rule = N.Before(pat("pay"), T, pat("look"), owner)
    assert closed(rule, [Event("look", {}, {"owner": "ann"}), call("pay", user="ann")])
    assert not closed(rule, [Event("look", {}, "ann"), call("pay", user="ann")])
    assert not closed(rule, [call("look"), call("pay")])


# ---------------------------------------------------------------- state and what nobody knows

OWNER = N.State("first", "owner", (N.Arg("first", "id"),), ("name",))
OWNED = N.Forall(pat("p"), N.Compare("==", OWNER, c("ann")))


def owned(value, **more):
    return Event("p", {"id": 1}, state={reading("owner", 1): value}, **more)


def test_state_is_read_under_its_arguments():
    assert closed(OWNED, [owned({"name": "ann"})])
    assert not closed(OWNED, [owned({"name": "bob"})])
    assert not closed(OWNED, [owned(MISSING)])
    assert closed(OWNED, [Event("p", {"id": 1.0}, state={reading("owner", 1): {"name": "ann"}})])


def test_a_needed_reading_that_is_not_there_is_undecided():
    with pytest.raises(Undecided, match=r"owner\(1\) was not read at p"):
        closed(OWNED, [P])
    with pytest.raises(Undecided, match=r"owner\(1\) failed: no database"):
        closed(OWNED, [owned(Failed("no database"))])
    with pytest.raises(Undecided, match="where: mine"):
        closed_spec(N.Specification("s", (N.Constraint("fine", T), N.Constraint("mine", OWNED))), [P])


U = N.Compare("==", OWNER, c(1))
KLEENE = {
    "false & u": (N.And((U, F)), False),
    "true | u": (N.Or((U, T)), True),
    "false => u": (N.Implies(F, U), True),
    "u => true": (N.Implies(U, T), True),
    "u == absent": (N.Compare("==", OWNER, B), False),
    "u != absent": (N.Compare("!=", OWNER, B), True),
    "u < true": (N.Compare("<", OWNER, c(True)), False),
    "u in nothing": (N.In(OWNER, c(())), False),
    "absent in u": (N.In(B, OWNER), False),
    "u in no list": (N.In(OWNER, c("abc")), False),
    "number starts with u": (N.Text("starts_with", c(1), OWNER), False),
    "u + text": (N.Is(N.Arith("+", OWNER, c("a")), "missing"), True),
    "some element passes": (N.Each("any", "i", c((1, 2)), N.Or((U, N.In(N.Item("i"), c((2,)))))), True),
    "u": (U, None),
    "~u": (N.Not(U), None),
    "u & true": (N.And((U, T)), None),
    "u < 1": (N.Compare("<", OWNER, c(1)), None),
    "u < u": (N.Compare("<", OWNER, OWNER), None),
    "u in list": (N.In(OWNER, c((1,))), None),
    "u is str": (N.Is(OWNER, "str"), None),
    "u contains absent": (N.Contains(OWNER, B), False),
    "u contains 1": (N.Contains(OWNER, c(1)), None),
    "1 contains u": (N.Contains(c(1), OWNER), False),
    "text contains u": (N.Contains(c("a"), OWNER), None),
    "len": (N.Compare("==", N.Len(OWNER), c(1)), None),
    "count": (N.Compare("==", N.Count("i", c((1,)), U), c(1)), None),
    "count over u": (N.Compare("==", N.Count("i", OWNER, T), c(1)), None),
    "all over u": (N.Each("all", "i", OWNER, T), None),
    "distinct": (N.Distinct(OWNER), None),
    "arith": (N.Compare("==", N.Arith("+", OWNER, c(1)), c(1)), None),
    "matches": (N.Text("starts_with", OWNER, c("a")), None),
}


@pytest.mark.parametrize("name", KLEENE)
def test_undecided_only_if_the_verdict_hangs_on_it(name):
    formula, expected = KLEENE[name]
    if expected is None:
        with pytest.raises(Undecided):
            evaluate(formula, P)
    else:
        assert evaluate(formula, P) is expected


def test_undecided_over_time():
    needs = N.Before(pat("p"), U, pat("q"), T)
    assert closed(needs, [Q, P])
    assert closed(N.Or((needs, N.Exists(pat("p"), T))), [P])
    with pytest.raises(Undecided):
        closed(needs, [P])
    never = N.Constraint("never", N.Forall(pat("p"), F))
    spec = N.Specification("s", (N.Constraint("unknown", needs), never))
    assert conforms(spec, [P]) is False
    assert conforms(spec, []) is True
    with pytest.raises(Undecided):
        closed_spec(spec, [P])


def test_closed_spec_names_the_constraints():
    one, two = N.Exists(pat("p"), T), N.Forall(pat("p"), F)
    spec = N.Specification("s", (N.Constraint("one", one), N.Constraint("two", two)))
    assert closed_spec(spec, [P]) == {"one": True, "two": False}
    assert conforms(spec, [P]) is False


@pytest.mark.parametrize(
    "formula",
    [
        N.Compare("==", A, c(1)),
        N.Forall(pat("p"), N.Exists(pat("p"), T)),
        N.Forall(pat("p"), N.Compare("==", N.Arg("second", "a"), c(1))),
        N.Forall(pat("p"), N.Compare("==", N.Item("i"), c(1))),
    ],
)
def test_what_no_specification_can_say_is_an_error(formula):
    with pytest.raises(SpecificationError):
        closed(formula, [P])


# ---------------------------------------------------------------- the table


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_closed_verdicts_of_the_table(example):
    letters = ""
    for n in range(len(example.events) + 1):
        try:
            letters += "T" if conforms(example.spec, example.events[:n]) else "F"
        except Undecided:
            letters += "?"
    assert letters == example.closed, example.why
    assert len(example.prefix) == len(example.closed)
