"""The checker: what it accepts, what it refuses, and in which words."""

from dataclasses import replace
from fractions import Fraction

import pytest

from agentc.dsl import nodes as N
from agentc.dsl.check import check, check_formula, problems
from agentc.dsl.parse import parse_specification
from agentc.errors import SpecificationError

WORLD = """
tool refund(order_id: string, amount: number(0..), way: "card" | "cash", note?: string,
  lines?: array[object]) @write
tool approve(order_id: string, by?: string | null) -> {"type": "object",
  "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]} @write
tool find_email(email: string) -> string @read
tool find_name(first: string, zip: integer) -> string @read
tool ship(to: {"type": "object", "properties": {"zip": {"type": "string"}, "line": {"type": "string"}},
  "required": ["zip"]}, items: array[string], gift?: {"anyOf": [{"type": "object",
  "properties": {"text": {"type": "string"}}, "required": ["text"]}, {"type": "null"}]}) @write
tool odd(zip: string, ...)
projection owner(order_id: string) -> string
projection status(order_id: string) -> "pending" | "delivered"
projection total() -> number
projection address(order_id: string) -> {"type": "object", "properties": {"zip": {"type": "string"}}}
"""


def told(formula, world=WORLD):
    """The problems of one formula, each as its whole text."""
    return [str(p) for p in problems(parse_specification(f"{world}\nconstraint rule: {formula}"))]


SAME = "o.order_id == r.order_id"

ACCEPTED = [
    "True",
    f"Before(refund as r, r.amount > 100, approve as o, {SAME} & output(o).ok == true)",
    "Before(refund as r, True, {find_email | find_name} as o, output(o) == r.state.owner(r.order_id))",
    "After(refund as r, absent(output(r).id), approve as o, True)",
    'Forall({find_email(email=m) | find_name(first=m)}, m != "")',
    "Forall({find_email | find_name(zip=z)}, absent(z) | z > 3)",
    "Forall(@write as w, True) & ~Exists(@read, True)",
    'Forall(refund as r, state(status(r.order_id)) == "pending" & r.way in ["card", "cash"])',
    "Forall(refund as r, r.amount + 1 <= r.state.total() * 2 - len(r.order_id))",
    'Forall(refund as r, matches(r.order_id, "#W[0-9]+") & starts_with(r.order_id, "#"))',
    'Forall(ship as s, s.to.zip == "1" & all(i in s.items: len(i) > 2) & count(i in s.items: i == "a") < 2)',
    'Forall(ship as s, contains(s.items, "a") & distinct(s.items) & contains(s.to.zip, "1"))',
    'Forall(ship as s, s.items[0] == "a" | absent(s.items[0]))',
    'Forall(odd as x, x.zip == "1" & (absent(x.anything) | x.anything == 1))',
    'Forall(user_message as m, contains(m.text, "yes"))',
    'Forall(refund as r, r.state.address(r.order_id).zip == "1")',
    "Before(refund as r, True, approve as o, o.state.owner(o.order_id) == r.order_id)",
    'Forall(approve as a, is_null(a.by) | is_string(a.by) & a.by != "me")',
]


@pytest.mark.parametrize("formula", ACCEPTED)
def test_accepted(formula):
    assert told(formula) == []


REFUSED = [
    # names
    ("Exists(refnd, True)", "there is no tool `refnd`", "did you mean `refund`?"),
    ("Exists(@wrte, True)", "there is no class `@wrte`", "did you mean `@write`?"),
    ('Exists(refund(ordr=o), o == "a")', "`refund` has no argument `ordr`", "did you mean `order_id`?"),
    ("Forall(refund as r, r.ammount > 1)", "`refund` has no argument `ammount`", "did you mean `amount`?"),
    (
        'Forall(refund as r, r.state.owned(r.order_id) == "a")',
        "there is no projection `owned`",
        "did you mean `owner`?",
    ),
    (
        'Forall({refund | ship} as r, r.zip == "a")',
        "no alternative of the pattern has an argument `zip`",
        "known names: ",
    ),
    (
        'Forall({find_email | find_name} as f, f.email == "a")',
        "not every alternative has an argument `email`: `find_name` hasn't",
        "`{find_email(email=v) | find_name(...=v)}`",
    ),
    ('Forall(@read as f, f.email == "a")', "not every alternative has an argument `email`", "speak of `v`"),
    (
        'Forall({odd | find_name} as f, f.zip == "1")',
        "`zip` is a string in one alternative and an integer in another",
        "a branch with a variable of its own",
    ),
    # paths
    ('Forall(ship as s, s.to.zap == "1")', "`s.to` has no part `zap`", "did you mean `zip`?"),
    ('Forall(refund as r, r.order_id.x == "1")', "`r.order_id` has no part `x`", "it is a string"),
    (
        "Before(refund, True, approve as o, output(o).okk == true)",
        "`output(o)` has no part `okk`",
        "did you mean `ok`?",
    ),
    (
        'Forall(refund as r, r.state.address(r.order_id).city == "1")',
        "has no part `city`",
        "known names: zip",
    ),
    (
        "Before(refund, True, user_message as m, output(m) == 1)",
        "a message has no output",
        "its text is `m.text`",
    ),
    # kinds
    (
        "Forall(refund as r, r.order_id == 7)",
        "this is never true: a string never equals an integer",
        "compare values of one kind",
    ),
    (
        'Forall(refund as r, r.amount != "100")',
        "this is always true: a number never equals a string",
        "write 100 without quotes",
    ),
    (
        "Forall(refund as r, r.amount < r.order_id)",
        "`<` orders numbers or strings, not a number and a string",
        "two numbers",
    ),
    (
        "Forall(refund as r, true < false)",
        "`<` orders numbers or strings, not a boolean and a boolean",
        "two numbers",
    ),
    (
        'Forall(refund as r, r.order_id + "a" == "b")',
        "`+` needs numbers, and this is a string",
        "`+` doesn't join strings",
    ),
    (
        "Forall(refund as r, len(r.amount) > 3)",
        "only a string, list or object has a length, and this is a number",
        "compare it",
    ),
    (
        "Forall(refund as r, all(i in r.order_id: i == 1))",
        "all needs a list, and this is a string",
        "give it a list",
    ),
    (
        "Forall(refund as r, distinct(r.amount))",
        "distinct needs a list, and this is a number",
        "give it a list",
    ),
    (
        'Forall(refund as r, starts_with(r.amount, "1"))',
        "starts_with needs strings, and this is a number",
        "two strings",
    ),
    (
        "Forall(refund as r, contains(r.amount, 1))",
        "only a string or a list contains something",
        "the whole comes first",
    ),
    (
        "Forall(refund as r, contains(r.order_id, 1))",
        "a string contains strings, not an integer",
        "write the part as a string",
    ),
    (
        'Forall(refund as r, r.order_id in "abc")',
        "`in` needs a list, and this is a string",
        "`contains(string, part)`",
    ),
    ("Forall(refund as r, r.amount == null)", "a number never equals null", "compare values of one kind"),
    (
        "Forall(ship as s, contains(s.items, 3))",
        "a string never equals an integer",
        "compare values of one kind",
    ),
    (
        'Forall(refund as r, r.state.owner(r.amount) == "a")',
        "`owner` can't take this as `order_id`: a number never equals a string",
        "compare values",
    ),
    (
        'Forall(refund as r, r.state.owner() == "a")',
        "`owner` takes 1 argument, here are 0",
        "write `owner(order_id)`",
    ),
    (
        "Forall(refund as r, r.state.total(1) == 1)",
        "`total` takes 0 arguments, here are 1",
        "write `total()`",
    ),
    # values
    (
        'Forall(refund as r, r.state.status(r.order_id) == "pendng")',
        'this is never true: it is never "pendng"',
        "did you mean `pending`?",
    ),
    (
        'Forall(refund as r, r.way in ["card", "csh"])',
        'an element can never be equal: it is never "csh"',
        "did you mean `cash`?",
    ),
    (
        "Forall(refund as r, r.amount == 0 - 1 | r.amount == -1)",
        "it is never -1",
        "-1 is less than the minimum of 0",
    ),
    ("Forall(refund as r, r.way in [])", "this is never true: the list is empty", "list the values"),
    ("Forall(refund as r, len(r.order_id) == -1)", "it is never -1", "-1 is less than the minimum of 0"),
    (
        "Forall(refund as r, r.state.status(r.order_id) != r.way)",
        "this is always true: the two have no value in common",
        'one is in ["pending", "delivered"], the other in ["card", "cash"]',
    ),
    # regular expressions
    (
        'Forall(refund as r, matches(r.order_id, "^#W"))',
        "`^` isn't needed (column 1 of the expression)",
        "leave `^` out",
    ),
    ("Forall(refund as r, matches(r.order_id, r.way))", "matches needs a constant expression", "as a string"),
    # guards
    (
        'Forall(refund as r, r.note == "a")',
        "`r.note` may be absent and is compared without a guard",
        "write `absent(r.note) | (...)` if it may be left out, or `~absent(r.note) & (...)` if it may not",
    ),
    (
        "Forall({find_email | find_name(zip=z)}, z > 3)",
        "`z` may be absent and is compared without a guard",
        "absent(z)",
    ),
    ('Forall(ship as s, s.to.line == "a")', "`s.to.line` may be absent", "absent(s.to.line)"),
    ('Forall(ship as s, s.items[1] == "a")', "`s.items[1]` may be absent", "absent(s.items[1])"),
    # patterns
    (
        "Exists({refund | refund}, True)",
        "the alternative `refund` is never used",
        "remove it, or put it first",
    ),
    ("Exists({@write | refund}, True)", "the alternative `refund` is never used", "remove it"),
    ("Exists({@any | @write}, True)", "the alternative `@write` is never used", "remove it"),
    (
        "Exists({find_email | find_name | odd | @read}, True)",
        "the alternative `@read` is never used",
        "remove it",
    ),
]


@pytest.mark.parametrize(("formula", "what", "hint"), REFUSED)
def test_refused(formula, what, hint):
    (text,) = told(formula)
    assert (
        what in text
        and f"hint: {text.partition('hint: ')[2]}" in text
        and hint in text.partition("hint: ")[2]
    )
    assert "where: constraint `rule`, text, line " in text


def test_a_class_nobody_is_in():
    (text,) = told("Exists(@read, True)", "tool rm(path: string) @write")
    assert "`@read` matches nothing: no declared tool is in it" in text


@pytest.mark.parametrize(
    "guarded",
    [
        'absent(r.note) | r.note == "a"',
        '~absent(r.note) & r.note == "a"',
        'r.note == "a" & ~absent(r.note)',
        'is_string(r.note) & r.note == "a"',
        'Implies(~absent(r.note), r.note == "a")',
        '~(absent(r.note) | r.note == "a")',
        '(is_string(r.note) | is_null(r.note)) & (r.way == "card" | r.note == "a")',
        'absent(r.note) | r.way == "card" | r.note == "a"',
        '~Implies(~absent(r.note), r.note != "a")',
        '~absent(r.note) & (r.amount > 1 & (len(r.note) > 1 | contains(r.note, "a") | r.note in ["a"]))',
        "absent(r.lines) | all(l in r.lines: absent(l.price) | l.price > 3)",
        "absent(r.note)",
        "is_string(r.note)",
    ],
)
def test_guards(guarded):
    assert told(f"Forall(refund as r, {guarded})") == []
    second = guarded.replace("r.", "s.")
    assert told(f"Before(approve, True, refund as s, {second})") == []


@pytest.mark.parametrize(
    "unguarded",
    [
        'absent(r.note) & r.note == "a"',
        '~absent(r.note) | r.note == "a"',
        '~absent(r.lines) & r.note == "a"',
        'Implies(absent(r.note), r.note == "a")',
        '(~absent(r.note) | r.amount > 1) & r.note == "a"',
        'r.note != "a"',
        'r.note == "a" & r.note != "b"',
        "len(r.note) > 1",
        'starts_with(r.note, "a")',
        'r.note in ["a"]',
        "contains(r.order_id, r.note)",
        'r.state.owner(r.note) == "a"',
        "~absent(r.lines) & all(l in r.lines: l.price > 3)",
        "any(l in r.lines: True)",
        '~(~absent(r.note) & r.amount > 1) & r.note == "a"',
    ],
)
def test_missing_guards(unguarded):
    found = told(f"Forall(refund as r, {unguarded})")
    assert len(found) == 1 and "may be absent and is compared without a guard" in found[0]


def test_when_guards_where():
    assert told("Before(refund as r, ~absent(r.note), approve as o, o.order_id == r.note)") == []
    assert len(told("Before(refund as r, absent(r.note), approve as o, o.order_id == r.note)")) == 1
    assert len(told("Before(refund as r, ~absent(r.note), refund as o, o.note == r.note)")) == 1


def test_a_guard_of_a_part_and_of_the_whole():
    assert told('Forall(ship as s, is_object(s.gift) & s.gift.text == "a")') == []
    assert told('Forall(ship as s, ~absent(s.gift.text) & s.gift.text == "a" & s.gift != null)') == []
    (text,) = told('Forall(ship as s, ~absent(s.gift) & s.gift.text == "a")')  # it may be null
    assert "`s.gift.text` may be absent" in text


def first(name):
    return N.Arg("first", name)


TRUE = N.Truth(True)
RM = N.Pattern((N.Branch("rm"),), "r")
OK = N.Compare("==", first("path"), N.Const("a"))

BUILT = [
    (OK, "a temporal formula is expected here", "Forall(tool, condition)"),
    (
        N.Forall(RM, N.Exists(RM, TRUE)),
        "Exists speaks of time and can't stand in a condition",
        "outside of them",
    ),
    (
        N.Forall(RM, N.Compare("==", N.Output("first"), N.Const(1))),
        "the output of `r` isn't known yet where Forall asks for it",
        "before it runs",
    ),
    (
        N.Before(RM, N.Compare("==", N.Output("first"), N.Const(1)), N.Pattern((N.Branch("rm"),), "s"), TRUE),
        "the output of `r` isn't known yet where Before asks for it",
        "arguments or the state",
    ),
    (
        N.Forall(RM, N.Compare("==", N.Arg("second", "path"), N.Const(1))),
        "the condition of Forall can't speak of a second event",
        "use Before, After or Seq",
    ),
    (
        N.After(
            RM, N.Compare("==", N.Arg("second", "path"), N.Const(1)), N.Pattern((N.Branch("rm"),), "s"), TRUE
        ),
        "the first condition of After can't speak of a second event",
        "move this into the second condition of After",
    ),
    (
        N.Forall(RM, N.Compare("==", N.Var("first", "p"), N.Const(1))),
        "the pattern binds no variable `p`",
        "bind it",
    ),
    (
        N.Forall(RM, N.Compare("==", N.Item("i"), N.Const(1))),
        "nothing here is named `i`",
        "bind it with all, any or count",
    ),
    (
        N.Exists(RM, N.Compare("==", N.State("first", "q", (N.Output("first"),)), N.Const(1))),
        "a projection's arguments are its own event's arguments, and constants",
        "read it at the event",
    ),
    (
        N.Forall(
            RM,
            N.Each(
                "all", "i", first("xs"), N.Compare("==", N.State("first", "q", (N.Item("i"),)), N.Const(1))
            ),
        ),
        "a projection's arguments are its own event's arguments, and constants",
        "give the whole list to the projection",
    ),
    (N.Forall(RM, N.Each("all", "r", first("xs"), TRUE)), "`r` can't name an element", "a name of its own"),
    (N.Forall(N.Pattern(()), TRUE), "a pattern without alternatives matches nothing", "@any"),
    (N.Forall(N.Pattern((N.Branch(""),)), TRUE), "a pattern's alternative has no name", "@any"),
    (
        N.Forall(N.Pattern((N.Branch("rm"), N.Branch("rm"))), TRUE),
        "the alternative `rm` is never used",
        "remove it",
    ),
    (
        N.Forall(N.Pattern((N.Branch("@read"), N.Branch("rm"))), TRUE),
        "the alternative `rm` is never used",
        "remove it",
    ),
    (
        N.Forall(N.Pattern((N.Branch("rm", (("a", "x"), ("a", "y"))),)), TRUE),
        "the argument `a` is bound twice",
        "remove one",
    ),
    (
        N.Forall(N.Pattern((N.Branch("rm", (("a", "x"), ("b", "x"))),)), TRUE),
        "`x` is bound twice in one pattern",
        "rename one",
    ),
    (
        N.Forall(N.Pattern((N.Branch("rm", (("a", "x"),)),), "x"), TRUE),
        "`x` names two things in one predicate",
        "`x1`, `x2`",
    ),
    (N.Seq(RM, TRUE, RM, TRUE), "`r` names two things in one predicate", "`r1`, `r2`"),
    (N.Forall(N.Pattern((N.Branch("rm"),), "in"), TRUE), "`in` can't name an event or a variable", "letters"),
    (N.Forall(RM, first("ok")), "a formula is expected here, this is a value", "`... == true`"),
]


@pytest.mark.parametrize(("formula", "what", "hint"), BUILT)
def test_trees_that_mean_nothing(formula, what, hint):
    """These are refused without any declaration too."""
    with pytest.raises(SpecificationError) as caught:
        check_formula(formula, where="cell 3, line 2")
    text = str(caught.value)
    assert what in text and hint in text and "where: cell 3, line 2" in text and "also:" not in text


def test_nothing_declared_means_no_names_are_checked():
    assert told("Before(a as x, x.y > x.state.q(1), {b | c} as z, output(z).w == x.y)", "") == []
    assert told("Forall({@read | @write} as x, x.a < x.b)", "") == []


def test_names_of_constraints():
    spec = N.Specification("s", tuple(N.Constraint(name, TRUE) for name in ("a", "b", "a", "", "a")))
    assert [p.what for p in problems(spec)] == ["two constraints have one name", "a constraint has no name"]


def test_all_problems_are_listed():
    spec = parse_specification(
        WORLD
        + "constraint one: Forall(refund as r, r.a == 1 & r.b == 2)\nconstraint two: Exists(refnd, True)"
    )
    with pytest.raises(SpecificationError) as caught:
        check(spec)
    text = str(caught.value)
    assert text.startswith("`refund` has no argument `a`\n  where: constraint `one`, text, line ")
    assert "also:\n  * `refund` has no argument `b` (constraint `one`" in text
    assert "* there is no tool `refnd` (constraint `two`" in text
    many = replace(spec, constraints=tuple(replace(spec.constraints[1], name=f"c{i}") for i in range(50)))
    with pytest.raises(SpecificationError, match="and 29 more"):
        check(many)


def test_the_same_problem_is_told_once():
    assert len(told('Forall(refund as r, r.note == "a" | r.note == "b" | r.note == "c")')) == 1


def deep(levels):
    formula = N.Forall(RM, TRUE)
    for _ in range(levels):
        formula = N.Not(formula)
    return formula


def test_depth_is_limited_without_recursion():
    with pytest.raises(SpecificationError, match="at most 100 levels"):
        check_formula(deep(50_000))
    check_formula(deep(90))
    wide = N.Forall(RM, N.And((OK,) * 50_000))
    check_formula(wide)


@pytest.mark.slow
def test_ten_thousand_constraints_take_seconds():
    import time

    parsed = parse_specification(f"{WORLD}\nconstraint rule: {ACCEPTED[2]} & {ACCEPTED[7]} & {ACCEPTED[11]}")
    spec = replace(
        parsed, constraints=tuple(replace(parsed.constraints[0], name=f"c{i}") for i in range(10_000))
    )
    start = time.perf_counter()
    check(spec)
    assert time.perf_counter() - start < 30
    with pytest.raises(SpecificationError, match="at most 20,000 constraints"):
        check(replace(spec, constraints=spec.constraints * 3))


def test_constants_that_have_no_text():
    formula = N.Forall(
        N.Pattern((N.Branch("refund"),)), N.In(first("way"), N.Const(("\ud800", Fraction(1, 3))))
    )
    spec = replace(parse_specification(WORLD), constraints=(N.Constraint("rule", formula),))
    assert [
        "is never '\\ud800'" in str(p) or "a string never equals a number" in str(p) for p in problems(spec)
    ] == [True] * 2


def test_hostile_names_are_cut():
    spec = parse_specification(WORLD + f'constraint "{"x" * 5000}": Exists("{"y" * 5000}", True)')
    (problem,) = problems(spec)
    assert len(str(problem)) < 1000
