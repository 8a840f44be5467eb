# ruff: noqa: SIM300, UP031, C416, PLW0108, PLW0177
"""The builder's misuses: each caught where it is written, in words, with an edit."""

import pytest

from agentc.dsl.build import (
    Before,
    Exists,
    Forall,
    Implies,
    Tools,
    absent,
    all_of,
    attempted,
    constraint,
    length,
    output,
    specification,
    value,
)
from agentc.dsl.parse import parse_specification
from agentc.errors import SpecificationError
from tests.dsl.test_build import approved, free, t

MISUSED = [
    # Python's operators
    (
        lambda: Forall(t.refund, lambda r: r.amount > 1 and r.amount < 3),
        "no truth value yet",
        "write `a & b`, `a | b`, `~a`",
    ),
    (lambda: Forall(t.refund, lambda r: r.amount > 1 or r.amount < 3), "`and`, `or`, `not`, `in`", "`a | b`"),
    (lambda: Forall(t.refund, lambda r: not r.amount > 1), "a condition has no truth value", "`~a`"),
    (
        lambda: Forall(t.refund, lambda r: 1 < r.amount < 3),
        "`a < b < c`",
        "`(0 < x) & (x < 9)` for `0 < x < 9`",
    ),
    (lambda: Forall(t.refund, lambda r: (1 < r.amount) < 3), "formulas can't be compared", "Implies"),
    (
        lambda: Forall(t.refund, lambda r: r.order_id in ["a"]),
        "a condition has no truth value",
        "`x.is_in([...])`",
    ),
    (lambda: Forall(t.ship, lambda s: "a" in s.items), "`in` can't be used", "`xs.contains(x)`"),
    (
        lambda: Forall(t.refund, lambda r: r.order_id == "a" if r.amount else True),
        "a value has no truth value",
        "`a & b`",
    ),
    (
        lambda: Forall(t.refund, lambda r: r.order_id == f"#{r.note}"),
        "a value has no text yet",
        "repr() shows it",
    ),
    (lambda: Forall(t.refund, lambda r: r.order_id == str(r.note)), "a value has no text yet", "starts_with"),
    (lambda: Forall(t.refund, lambda r: "%s" % r == "a"), "an event has no text yet", "starts_with"),
    (
        lambda: Forall(t.refund, lambda r: r.amount == 1 & r.amount == 2),
        "bind tighter than `==`",
        "`(a.x == 1) & (b.y == 2)`",
    ),
    (
        lambda: Forall(t.refund, lambda r: r.order_id == r.order_id | r.amount == 2),
        "bind tighter than `==`",
        "with parentheses",
    ),
    (lambda: Forall(t.refund, lambda r: ~r.amount == 2), "bind tighter than `==`", "with parentheses"),
    (
        lambda: Forall(t.refund, lambda r: r.amount == 1 & (r.order_id == "a")),
        "only formulas can be joined by `&`",
        "bind tighter",
    ),
    (
        lambda: Forall(t.refund, lambda r: (r.amount == 1) & r.order_id),
        "only formulas can be joined",
        "bind tighter",
    ),
    (lambda: Forall(t.refund, lambda r: (r.amount == 1) & 1), "only formulas can be joined", "bind tighter"),
    (
        lambda: Forall(t.refund, lambda r: r.amount == (r.amount == 1)),
        "a value is expected here, this is a formula",
        "parentheses",
    ),
    (
        lambda: Forall(t.refund, lambda r: {r.amount} == 1),
        "a value can't be in a set or be a key",
        "keep it in a list",
    ),
    (
        lambda: Forall(t.refund, lambda r: {r.amount == 1: 2}),
        "a condition can't be in a set",
        "keep it in a list",
    ),
    (
        lambda: Forall(t.ship, lambda s: [i for i in s.items]),
        "a value has no elements yet",
        "`all_of(xs, lambda i: ...)`",
    ),
    (lambda: Forall(t.ship, lambda s: len(s.items) == 1), "a value has no length yet", "write `length(x)`"),
    (
        lambda: Forall(t.refund, lambda r: r.amount / 2 == 1),
        "there are `+`, `-` and `*`",
        "multiply the other side",
    ),
    (
        lambda: Forall(t.refund, lambda r: r.order_id + "a" == "b"),
        "`+` needs numbers",
        "no string concatenation",
    ),
    (lambda: Forall(t.refund, lambda r: r.amount is None), "came out as plain False", "is_null"),
    (
        lambda: Forall(t.refund, lambda r: isinstance(r.order_id, str)),
        "where of Forall came out as plain False",
        "is_string(x)",
    ),
    (
        lambda: Forall(t.ship, lambda s: all_of(s.items, lambda i: i is None)),
        "condition of all_of came out as plain False",
        "is_null",
    ),
    # names
    (lambda: t.refnd, "there is no tool `refnd`", "did you mean `refund`?"),
    (
        lambda: Forall(t.refund, lambda r: r.ammount > 1),
        "`refund` has no argument `ammount`",
        "did you mean `amount`?",
    ),
    (lambda: Forall(t.ship, lambda s: s.to.zap == "1"), "`s.to` has no part `zap`", "did you mean `zip`?"),
    (
        lambda: Forall(t.refund, lambda r: r.state.ownr(r.order_id) == "a"),
        "there is no projection `ownr`",
        "did you mean `owner`?",
    ),
    (
        lambda: Forall(t.refund, lambda r: r.state.owner() == "a"),
        "`owner` takes 1 argument, here are 0",
        "write `owner(order_id)`",
    ),
    (
        lambda: Forall(t.refund, lambda r: r.state.owner(order_id=r.order_id) == "a"),
        "have no names here",
        "in order",
    ),
    (lambda: t.find_email.bind(who="emial"), "`find_email` has no argument `emial`", "did you mean `email`?"),
    (
        lambda: Forall(t.find_email | t.find_name, lambda f: f.email == "a"),
        "not every alternative has an argument `email`",
        "branch",
    ),
    (lambda: t.refund | t.ship | t.refund, "the alternative `refund` is never used", "remove it"),
    # functions
    (
        lambda: Before(t.refund, t.approve, where=lambda r: r.amount == 1),
        "where of Before takes 2 parameters",
        "a function of the two events: `lambda first, second: ...`",
    ),
    (
        lambda: Before(t.refund, t.approve, when=lambda r, a: r.amount == 1),
        "when of Before takes 1 parameter",
        "the event",
    ),
    (lambda: Forall(t.refund, lambda: True), "where of Forall takes 1 parameter", "`lambda call: ...`"),
    (lambda: Forall(t.refund, lambda *r: True), "where of Forall takes 1 parameter", "`lambda call: ...`"),
    (lambda: Forall(t.refund, 3), "where of Forall is a function", "`lambda call: ...`"),
    (lambda: Forall(t.refund, lambda r: None), "where of Forall returned nothing", "return the formula"),
    (
        lambda: Forall(t.refund, lambda r: r.amount),
        "where of Forall is a value, not a formula",
        "`... == True`",
    ),
    (lambda: Forall(t.refund, lambda r: 3), "where of Forall isn't a formula", "compare"),
    (
        lambda: Forall(t.refund, lambda true: true.amount == 1),
        "an event can't have this name",
        "rename the parameter",
    ),
    (lambda: Before(t.refund, lambda r: True), "Before takes two patterns first", "when= and where="),
    (lambda: Exists("refund"), "Exists takes a pattern first", "`Exists(t.tool, ...)`"),
    # events, states, outputs
    (
        lambda: Before(t.refund, t.approve, where=lambda r, a: r == a),
        "an event can't be compared",
        "`r.argument`, or its output, `output(r)`",
    ),
    (
        lambda: Before(t.refund, t.approve, where=lambda r, a: a.order_id == r),
        "a value is expected here, this is an event",
        "event.argument",
    ),
    (
        lambda: Before(t.refund, t.approve, when=lambda r: output(r) == 1),
        "the output of `r` isn't known yet where Before",
        "before it runs",
    ),
    (
        lambda: Before(t.refund, t.approve, where=lambda r, a: output(r) == 1),
        "the output of `r` isn't known yet",
        "before it runs",
    ),
    (
        lambda: Forall(t.refund, lambda r: output(r) == 1),
        "isn't known yet where Forall asks",
        "arguments or the state",
    ),
    (
        lambda: Forall(t.refund, lambda r: output(r.amount) == 1),
        "output takes an event",
        "`output(event).part`",
    ),
    (lambda: Forall(t.refund, lambda r: r.state == "a"), "the state itself is no value", '`r["state"]`'),
    (
        lambda: Forall(t.refund, lambda r: r.state.owner == "a"),
        "a projection is read by calling it",
        "`r.state.owner(...)`",
    ),
    (
        lambda: Forall(t.refund, lambda r: r.order_id.startswith("a")),
        "`r.order_id` has no part `startswith`",
        "it is a string",
    ),
    (
        lambda: Forall(free.refund, lambda r: r.order_id.startswith("a")),
        "a value can't be called",
        "did you mean `starts_with`?",
    ),
    (lambda: Forall(free.refund, lambda r: r.amount() == 1), "a value can't be called", "methods of a value"),
    (lambda: Forall(free.refund, lambda r: r.xs[-1] == 1), "a name or a position from 0", "`x[0]`"),
    (lambda: Forall(free.refund, lambda r: r[0] == 1), "an event's arguments have names", "`r.argument`"),
    (
        lambda: Forall(free.refund, lambda r: length(r.x).y == 1),
        "this value has no parts",
        "a path starts at",
    ),
    (lambda: Forall(free.refund, lambda r: absent(r)), "absent takes a value", "`absent(event.argument)`"),
    # constants
    (lambda: Forall(t.refund, lambda r: r.amount == {1, 2}), "a constant must be JSON", "convert it first"),
    (
        lambda: Forall(t.refund, lambda r: r.amount == float("nan")),
        "a constant must be JSON: a number must be finite",
        "NaN",
    ),
    (
        lambda: Forall(t.refund, lambda r: r.order_id.is_in([r.note, "a"])),
        "is_in takes constants",
        "`(x == a) | (x == b)`",
    ),
    (lambda: Forall(t.refund, lambda r: r.order_id == Exists), "a constant must be JSON", "convert it first"),
    # types, checked where the predicate stands
    (lambda: Forall(t.refund, lambda r: r.order_id == 7), "a string never equals an integer", "one kind"),
    (
        lambda: Forall(t.refund, lambda r: r.note == "a"),
        "`r.note` may be absent and is compared without a guard",
        "absent(r.note) |",
    ),
    (lambda: Forall(t.refund, lambda r: r.order_id.matches("^a")), "`^` isn't needed", "leave `^` out"),
    (
        lambda: Forall(t.refund, lambda r: r.state.status(r.order_id) == "pendng"),
        'it is never "pendng"',
        "did you mean `pending`?",
    ),
    # time and data
    (
        lambda: Forall(t.refund, lambda r: Exists(t.approve)),
        "where of Forall speaks of time",
        "outside of them",
    ),
    (
        lambda: Forall(t.refund, lambda r: (r.amount == 1) & Exists(t.approve)),
        "a condition on data and a formula about time",
        "when= and where=",
    ),
    (lambda: Implies(Exists(t.refund), t.approve), "only formulas can be joined", "`&`"),
    (lambda: Implies(t.refund, t.approve), "Implies takes two formulas", "`&`"),
    (lambda: Exists(t.refund) == Exists(t.approve), "formulas can't be compared", "Implies"),
    (lambda: Exists(t.refund) and Exists(t.approve), "a formula has no truth value", "`a & b`"),
    # patterns
    (lambda: t.refund or t.approve, "a pattern has no truth value", "`a | b`"),
    (lambda: t.refund & t.approve, "patterns are joined by `|` only", "Before(...) & ~Exists(...)"),
    (lambda: ~t.refund, "patterns are joined by `|` only", "~Exists"),
    (lambda: t.refund | "approve", "`|` joins patterns", "`t.one | t.other`"),
    (lambda: t.refund(amount=3), "a pattern is neither called nor compared", "when= and where="),
    (
        lambda: t.refund.amount > 3,
        "arguments are spoken of in a condition",
        "`where=lambda event: event.amount == ...`",
    ),
    (lambda: t.refund == t.refund, "a pattern is neither called nor compared", "when="),
    (
        lambda: (t.refund | t.ship).bind(o="order_id"),
        "bind takes one alternative at a time",
        "`t.one.bind(...) | t.other.bind(...)`",
    ),
    (lambda: t.refund.bind(o=3), "bind takes an argument's name", 'bind(variable="argument")'),
    (lambda: attempted(t.refund) | t.ship, "attempted stands outside a union", "attempted(t.one | t.other)"),
    (lambda: attempted("refund"), "attempted takes a pattern", "attempted(t.name)"),
    (lambda: Before(t.refund, free.approve), "two sets of tools in one formula", "one `Tools(...)`"),
    (lambda: Tools("retail"), "Tools takes a ToolSet or a domain", "from_schemas"),
    (lambda: t("refund"), "tools are attributes", "`t.name`"),
]


@pytest.mark.parametrize(("wrong", "what", "hint"), MISUSED)
def test_misused(wrong, what, hint):
    with pytest.raises(SpecificationError) as caught:
        wrong()
    error = caught.value
    assert what in error.what and hint in error.hint
    source, _, line = error.where.rpartition(", line ")
    assert source.endswith("test_build_misuse.py") and line.isdecimal(), error.where
    assert wrong.__code__.co_firstlineno <= int(line) <= wrong.__code__.co_firstlineno + 2


def test_a_solver_term_is_no_constant():
    import z3

    with pytest.raises(SpecificationError, match="a constant must be JSON") as caught:
        Forall(t.refund, lambda r: r.amount == z3.Int("x"))
    assert caught.value.hint == "write constants as Python values; formulas become solver terms later"


def test_numpy_numbers_keep_out_of_the_way():
    numpy = pytest.importorskip("numpy")
    made = Forall(t.refund, lambda r: numpy.float64(2.5) < r.amount)
    assert str(made) == "Forall(refund as r, r.amount > 2.5)"


def test_a_constraint_misused():
    def takes(x): ...
    def nothing(): ...
    def data():
        return value(1) == 1

    def number():
        return 3

    for function, part in [
        (takes, "takes no parameters"),
        (nothing, "nothing returned None"),
        (data, "put the condition into Forall"),
        (number, "number returned 3"),
        (approved, "stands before a function"),
        (3, "stands before a function"),
    ]:
        with pytest.raises(SpecificationError) as caught:
            constraint(function)
        assert part in str(caught.value)


def test_a_specification_misused():
    for given, part in [
        ([Exists(t.ship)], "made of named constraints"),
        (approved, "made of named constraints"),
        ([approved, approved], "two constraints have one name"),
        (3, "made of named constraints"),
    ]:
        with pytest.raises(SpecificationError) as caught:
            specification("shop", given)
        assert part in str(caught.value)
    with pytest.raises(SpecificationError, match="there is no tool `approve`") as caught:
        specification("shop", [approved], tools=parse_specification("tool refund(order_id: string)").tools)
    assert "where: constraint `approved`, " in str(caught.value) and "test_build.py, line " in str(
        caught.value
    )


def test_nesting_is_limited_without_recursion():
    formula = Exists(t.ship)
    for _ in range(20_000):
        formula = ~formula

    @constraint
    def deep():
        return formula

    with pytest.raises(SpecificationError, match="at most 100 levels"):
        specification("shop", [deep])
    with pytest.raises(SpecificationError, match="at most 100 levels"):
        Forall(t.refund, lambda r: r.amount == sum([r.amount] * 5_000))
