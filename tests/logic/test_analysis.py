"""Analysis: classes, what blocking can't make happen, what can't come true, what can never fire."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from agentc.dsl import nodes as N
from agentc.dsl.parse import parse_formula, parse_specification
from agentc.logic.analysis import Analysis, analyse, kind_of, needed_events
from agentc.logic.engine import Engine, Verdict
from agentc.logic.focus import alone
from tests.strategies import specifications

TOOLS = """
tool open(file: string)
tool read(file: string)
tool close(file: string)
tool pay(amount: integer, kind: string)
tool set(level: integer)
tool look() -> string
"""


def analysed(*constraints: str, tools: str = TOOLS) -> Analysis:
    """Analyse constraints called a, b, ..., each with a sentence."""
    named = [f'constraint {chr(97 + i)}: "Sentence." {text}' for i, text in enumerate(constraints)]
    return analyse(parse_specification(tools + "\n".join(named)))


def told(*constraints: str) -> list[tuple[str, str]]:
    """Return the findings as (level, text)."""
    return [(f.level, f"{f.constraint}: {f.what}") for f in analysed(*constraints).findings]


# ---------------------------------------------------------------- classes


@pytest.mark.parametrize(
    ("formula", "kind"),
    [
        ("Before(read(f), True, open(g), f == g)", "safety"),
        ("Forall(read, True) & ~Exists(pay, True) & ~Seq(pay, True, pay, True)", "safety"),
        ("~(Exists(pay, True) | Seq(pay, True, pay, True))", "safety"),
        ("Implies(Exists(pay, True), Forall(read, False))", "safety"),
        ("After(open(f), True, close(g), f == g)", "modular"),
        ("Exists(pay, True)", "modular"),
        ("Seq(pay, True, open, True) & Before(pay, True, open, True)", "modular"),
        ("~Forall(pay as p, p.amount > 3)", "modular"),
        ("~After(open(f), True, close(g), f == g)", "bounded"),
        ("~Before(open(f), True, close(g), f == g)", "bounded"),
        ("Exists(pay, True) | Exists(open, True)", "bounded"),
        ("Exists(pay, True) & ~Seq(pay, True, pay, True)", "bounded"),
        ("After(open(f), True, open(g), f != g) & ~Seq(open(f), True, open(g), f == g)", "uncertified"),
    ],
)
def test_the_class(formula: str, kind: str) -> None:
    found = analysed(formula)
    assert found.constraints[0].kind == kind == found.kind
    assert kind_of(parse_specification(f"{TOOLS} constraint a: {formula}")["a"].formula) == kind


def test_a_specification_is_of_the_class_of_its_conjunction() -> None:
    found = analysed("After(open(f), True, close(g), f == g)", "~Seq(close, True, close, True)")
    assert [c.kind for c in found.constraints] == ["modular", "safety"] and found.kind == "bounded"


def test_the_bound_counts_further_events() -> None:
    found = analysed("Exists(pay, True)", "Seq(open, True, close, True)", "Forall(read, True)")
    assert [c.bound for c in found.constraints] == [1, 2, 0] and found.bound == 3


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(specifications())
def test_safety_means_that_no_future_is_needed(spec: N.Specification) -> None:
    for constraint in spec.constraints:
        kind = kind_of(constraint.formula, spec.tools)
        if kind == "safety":
            assert not needed_events(constraint.formula)
            assert Engine(N.Specification("", (constraint,), spec.tools)).closed().verdict is Verdict.SAT
        else:
            assert needed_events(constraint.formula)
            assert kind != "modular" or alone(constraint.formula) is not None


# ---------------------------------------------------------------- what blocking can't make happen


@pytest.mark.parametrize(
    ("formula", "needed"),
    [
        ("Before(read(f), True, open(g), f == g)", ()),
        ("Forall(read, True) & ~Exists(pay, True) & ~Seq(pay, True, pay, True)", ()),
        (
            "After(open(f), True, close(g), f == g)",
            ("once `open` was called, a call of `close` that fits it",),
        ),
        ("After(open, True, close, True)", ("once `open` was called, a call of `close`",)),
        ("Exists(pay, True)", ("a call of `pay` that fits",)),
        ("Seq(open, True, close, True)", ("a call of `open`, then of `close` that fits it",)),
        ("~Forall(pay, True)", ("a call of `pay` that breaks the condition",)),
        ("~Before(read, True, open, True)", ("a call of `read` without an earlier `open`",)),
        ("~After(open, True, close, True)", ("a call of `open` that no `close` follows",)),
        (
            "Implies(Exists(pay, True), Exists({open | close}, True))",
            ("a call of `open` or `close` that fits",),
        ),
    ],
)
def test_what_must_happen_by_itself(formula: str, needed: tuple[str, ...]) -> None:
    assert needed_events(parse_formula(formula, parse_specification(TOOLS).tools)) == needed


def test_a_long_union_is_cut() -> None:
    (need,) = needed_events(parse_formula("Exists({a | b | c | d | e}, True)"))
    assert need == "a call of `a` (or 4 others) that fits"


# ---------------------------------------------------------------- what can't come true


def test_what_no_run_satisfies() -> None:
    assert told('Exists(open as o, o.file == "a" & o.file == "b")')[0] == (
        "error",
        "a: no run at all satisfies it",
    )
    assert told("Exists(pay, True) & Forall(pay, False)") == [("error", "a: no run at all satisfies it")]
    assert told("False") == [("error", "a: no run at all satisfies it")]


def test_what_no_run_satisfies_together() -> None:
    found = told("Exists(pay, True)", "Forall(pay as p, p.amount > 9)", "Forall(pay as p, p.amount < 5)")
    assert found == [("error", "a, b, c: no run at all satisfies them together")]


def test_the_tools_schemas_count() -> None:
    grade = 'tool grade(mark: "a" | "b")'
    spec = parse_specification(
        f'{grade} constraint c: "S." Exists(grade as g, g.mark != "a" & g.mark != "b")'
    )
    assert [f.level for f in analyse(spec).findings] == ["error", "warning"]


def test_an_error_of_one_alone_is_not_told_again_of_all() -> None:
    assert [level for level, _ in told("False", "Exists(pay, True)")] == ["error"]


def test_what_is_not_decided_is_said_to_be_undecided() -> None:
    (finding,) = told("After(set(n), True, set(m), m > n) & Exists(set, True)")
    assert finding[0] == "warning" and "whether any run satisfies it wasn't decided" in finding[1]


# ---------------------------------------------------------------- what can never fire


@pytest.mark.parametrize(
    ("formula", "what"),
    [
        ("Before(pay as p, p.amount > 3 & p.amount < 4, open, True)",
         "it can never fire: no call of `pay` that the tools accept meets its condition"),
        ("After(pay as p, p.kind == \"a\" & p.kind == \"b\", open, True)",
         "it can never fire: no call of `pay` that the tools accept meets its condition"),
        ("~Seq(pay as p, True, pay as q, p.amount > q.amount & q.amount > p.amount)",
         "it can never fire: no call of `pay` can come after `pay` as it says"),
        ("Forall(pay as p, p.amount > 3 | p.amount <= 3)",
         "it can never be broken: every call of `pay` that the tools accept satisfies it"),
        ("~Exists(pay as p, p.amount > 3 & p.amount <= 3)",
         "no call of `pay` that the tools accept satisfies its condition"),
        ("Before(pay as p, True, set as s, s.level > p.amount & s.level < p.amount)",
         "nothing can satisfy it: no call of `set` before `pay` would do"),
        ("After(pay as p, True, set as s, s.level > p.amount & s.level < p.amount)",
         "nothing can satisfy it: no call of `set` after `pay` would do"),
    ],
)  # fmt: skip
def test_what_can_never_fire(formula: str, what: str) -> None:
    assert told(formula) == [("warning", f"a: {what}")]


@pytest.mark.parametrize(
    "formula",
    [
        "Before(pay as p, p.amount > 3, open, True)",
        "Before(pay as p, p.amount > 3 & p.amount < 5, set as s, s.level == p.amount)",
        "~Seq(pay as p, True, pay as q, p.amount == q.amount)",
        "Forall(pay as p, p.amount > 3)",
        "Forall(pay, False)",
        "After(open(f), True, close(g), f == g)",
        '~Exists(look as l, output(l) == "x")',
        'Before(read as r, starts_with(r.file, "/tmp/"), open as o, o.file == r.file)',
    ],
)
def test_what_can_fire_is_not_accused(formula: str) -> None:
    assert told(formula) == []


def test_state_may_be_anything() -> None:
    tools = "tool pay(order: string)\nprojection owner(order: string) -> string\n"
    assert analysed('Forall(pay as p, p.state.owner(p.order) == "ann")', tools=tools).findings == ()


def test_a_pattern_that_no_declared_tool_matches() -> None:
    spec = parse_specification('tool get(x: string) @read\nconstraint a: "S." Forall(@write, False)')
    assert [f.what for f in analyse(spec).findings] == [
        "it can never fire: no call that the tools accept matches `@write`"
    ]


def test_without_declared_tools_any_call_may_come() -> None:
    assert (
        analysed("Before(pay as p, p.amount > 3, open, True)", "Forall(@write, False)", tools="").findings
        == ()
    )


def test_a_constraint_without_a_sentence_is_told() -> None:
    (finding,) = analyse(parse_specification("constraint a: Exists(b, True)")).findings
    assert (finding.level, finding.constraint) == ("warning", "a") and "no policy sentence" in finding.what


def test_progress_is_told_for_each_constraint() -> None:
    seen: list[int] = []
    spec = parse_specification(
        TOOLS + "".join(f'constraint c{i}: "S." Exists(pay, True)\n' for i in range(5))
    )
    analyse(spec, done=lambda: seen.append(1))
    assert len(seen) == 5
