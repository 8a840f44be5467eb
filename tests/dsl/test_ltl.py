"""The translation into first-order LTL says what the language's table says, on random traces."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, given, settings

from agentc.dsl import ltl as L
from agentc.dsl import nodes as N
from agentc.dsl.parse import parse_formula
from agentc.errors import SpecificationError
from agentc.logic.reference import closed, evaluate
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event, call, reading
from agentc.trace.values import MISSING, freeze
from tests.examples import EXAMPLES, Example
from tests.strategies import runs

Data = Mapping[str, Event]


@dataclass(frozen=True)
class Judge:
    """Evaluates LTL by its textbook definition; quantifiers range over the data of the trace's events."""

    events: tuple[Event, ...]
    tools: ToolSet

    def at(self, t: int, formula: L.LTL, data: Data) -> bool:
        match formula:
            case L.Constant(value):
                return value
            case L.Negation(arg):
                return not self.at(t, arg, data)
            case L.Conjunction(args):
                return all(self.at(t, a, data) for a in args)
            case L.Disjunction(args):
                return any(self.at(t, a, data) for a in args)
            case L.Implication(left, right):
                return not self.at(t, left, data) or self.at(t, right, data)
            case L.Every(role, body):
                return all(self.at(t, body, {**data, role: e}) for e in self.events)
            case L.Some(role, body):
                return any(self.at(t, body, {**data, role: e}) for e in self.events)
        return (
            self.atom(t, formula, data)
            if isinstance(formula, (L.Now, L.Holds))
            else self.over_time(t, formula, data)
        )

    def atom(self, t: int, formula: L.LTL, data: Data) -> bool:
        if isinstance(formula, L.Now):
            event = self.events[t]
            matches = formula.pattern.branch(event.tool, self.tools) is not None
            return matches and (formula.attempts or not event.error) and same_data(event, data[formula.role])
        assert isinstance(formula, L.Holds)
        events = [data[role] for role in ("first", "second")[: len(formula.patterns)]]
        read = [p.branch(e.tool, self.tools) for p, e in zip(formula.patterns, events, strict=True)]
        if None in read:  # data that no event of the pattern has: the formula's truth doesn't hang on it
            return False
        return evaluate(formula.formula, *events, branches=tuple(b for b in read if b))

    def over_time(self, t: int, formula: L.LTL, data: Data) -> bool:
        times = range(t, len(self.events))
        sees: Callable[[int, L.LTL], bool] = lambda i, f: self.at(i, f, data)  # noqa: E731
        match formula:
            case L.Globally(body):
                return all(sees(i, body) for i in times)
            case L.Finally(body, strict):
                return any(sees(i, body) for i in times[strict:])
            case L.WeakUntil(left, right):
                until = any(sees(i, right) and all(sees(j, left) for j in range(t, i)) for i in times)
                return until or all(sees(i, left) for i in times)
        raise AssertionError(formula)


def same_data(one: Event, other: Event) -> bool:
    """Events are told apart only by what a formula can see of them."""

    def seen(e: Event) -> object:
        return e.tool, freeze(e.args), freeze(e.output), e.error, {k: freeze(v) for k, v in e.state.items()}

    return one is other or seen(one) == seen(other)


def holds(formula: N.Formula, events: tuple[Event, ...], tools: ToolSet | None = None) -> bool:
    return Judge(events, tools or ToolSet()).at(0, L.to_ltl(formula), {})


def with_state(event: Event) -> Event:
    """Messages have no state of their own; give them one, so that every verdict is decided."""
    missing = {
        reading("owner", event.args.get("id", MISSING)): "u",
        reading("owner", "u"): "u",
        reading("total"): 0,
    }
    return replace(event, state={**missing, **event.state})


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(runs(failing=False))
def test_both_readings_agree(run: tuple[N.Specification, tuple[Event, ...]]) -> None:
    spec, events = run[0], tuple(map(with_state, run[1]))
    for constraint in spec.constraints:
        assert holds(constraint.formula, events, spec.tools) == closed(constraint.formula, events, spec.tools)


@pytest.mark.parametrize("example", [e for e in EXAMPLES if "?" not in e.closed], ids=lambda e: e.name)
def test_both_readings_agree_on_the_examples(example: Example) -> None:
    for n, verdict in enumerate(example.closed):
        rules = N.And(tuple(c.formula for c in example.spec.constraints))
        assert holds(rules, example.events[:n], example.spec.tools) == (verdict == "T")


@pytest.mark.parametrize(
    ("text", "trace", "verdict"),
    [
        ("Before(a as x, True, a as y, x.n == y.n)", "a", False),  # no event is its own witness
        ("Before(a as x, x.n == 2, a as y, y.n == 1)", "a", True),
        ("After(a, True, a, True)", "a", False),
        ("Seq(a, True, a, True)", "a", False),
        ("Seq(a, True, a, True)", "aa", True),
        ("Seq(a, True, b, True)", "ba", False),
        ("Before(a, True, b, True)", "ba", True),
        ("Before(a, True, b, True)", "ab", False),
        ("Before(a, True, b, True)", "", True),
        ("Exists(a, True)", "", False),
    ],
)
def test_strictness(text: str, trace: str, verdict: bool) -> None:
    events = tuple(call(tool, n=1) for tool in trace)
    rule = parse_formula(text)
    assert holds(rule, events) is closed(rule, events) is verdict


def test_strict_operators_only_where_one_event_could_be_both() -> None:
    def strict(text: str) -> bool:
        found = L.to_ltl(parse_formula(text))
        return "strict=True" in repr(found)

    assert strict("After(a, True, {b | a}, True)")
    assert strict("Seq(a, True, @write, True)")
    assert not strict("After(a, True, b, True)")
    before = L.to_ltl(parse_formula("Before(a, True, b, True)"))
    assert before == L.Every(
        "first",
        L.WeakUntil(
            L.Negation(L.Now("first", N.Pattern((N.Branch("a"),)), True)),
            L.Some("second", L.Now("second", N.Pattern((N.Branch("b"),)), False)),
        ),
    )


def test_a_data_formula_alone_is_refused() -> None:
    with pytest.raises(SpecificationError, match="outside any predicate"):
        L.to_ltl(N.Is(N.Const(1), "num"))
