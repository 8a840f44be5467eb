"""The index misses nothing: whatever matches is among the candidates, whoever asks."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentc.dsl import nodes as N
from agentc.dsl.parse import parse_formula
from agentc.logic.fold import fold
from agentc.logic.program import Program
from agentc.logic.reference import Undecided, evaluate
from agentc.logic.store import Store, Trail
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event
from tests.examples import do
from tests.strategies import TOOLS, events, predicates

PAIRED = (N.Before, N.After, N.Seq)
paired = predicates().filter(lambda p: isinstance(p, PAIRED))


def store(node: Any, role: N.Role) -> Store:
    return Store(role, node.where, node.first.branches, node.second.branches)


def matches(pattern: N.Pattern, event: Event, tools: ToolSet) -> int | None:
    branch = pattern.branch(event.tool, tools)
    return None if branch is None else pattern.branches.index(branch)


def together(node: Any, role: N.Role, kept: Event, i: int, asking: Event, j: int) -> bool:
    """Does `where` hold of a stored event and an asking one, or can't that be told?"""
    pairs = (kept, i, asking, j) if role == "first" else (asking, j, kept, i)
    first, a, second, b = pairs
    try:
        return evaluate(node.where, first, second, (node.first.branches[a], node.second.branches[b]))
    except Undecided:
        return True


@settings(max_examples=400, deadline=None)
@given(paired, st.sampled_from(["first", "second"]), st.lists(events(), max_size=6), events())
def test_every_match_is_a_candidate(node, role, kept, asking):
    own, other = (node.first, node.second) if role == "first" else (node.second, node.first)
    index, trail, stored = store(node, role), [], []
    for position, event in enumerate(kept):
        branch = matches(own, event, TOOLS)
        if branch is not None:
            index.add(event, branch, position, trail)
            stored.append((position, event, branch))
    asked = matches(other, asking, TOOLS)
    if asked is None:
        return
    found = {p for entry in index.candidates(asking, asked) for p in entry.positions}
    needed = {p for p, e, b in stored if together(node, role, e, b, asking, asked)}
    assert needed <= found


@settings(max_examples=200, deadline=None)
@given(paired, st.lists(events(), max_size=8), st.randoms(use_true_random=False))
def test_taking_back_is_exact(node, kept, rng):
    index: Store = store(node, "first")
    trails: list[Trail] = []
    stages: list[Any] = [contents(index)]
    for position, event in enumerate(kept):
        branch, trail = matches(node.first, event, TOOLS), []
        if branch is not None:
            index.add(event, branch, position, trail)
        if index.entries and rng.random() < 0.4:
            index.remove(rng.choice(list(index.entries.values())), trail)
        trails.append(trail)
        stages.append(contents(index))
    for trail, stage in zip(reversed(trails), reversed(stages[:-1]), strict=True):
        for undo in reversed(trail):
            undo()
        assert contents(index) == stage
    assert not index.entries and not index._buckets


def contents(index: Store) -> Any:
    entries = {name: tuple(entry.positions) for name, entry in index.entries.items()}
    return entries, {bucket: set(found) for bucket, found in index._buckets.items()}


# ---------------------------------------------------------------- what the index is worth


def before(text: str) -> Any:
    return parse_formula(f"Before(pay as p, True, approve as a, {text})")


@pytest.mark.parametrize(
    ("where", "looked_at"),
    [
        ("a.order == p.order", 1),
        ("p.order == a.order & a.by != p.by", 1),
        ("a.by != p.by & (True & a.order == p.order)", 1),
        ("output(a).id == p.order", 1),
        ("a.order == p.order | a.by == p.by", 50),
        ("~(a.order != p.order)", 50),
        ("a.order < p.order", 50),
    ],
)
def test_equalities_that_are_demanded_find_by_hash(where, looked_at):
    node = before(where)
    index = store(node, "second")
    for i in range(50):
        index.add(do("approve", {"id": i}, order=i, by=i), 0, i, [])
    assert len(list(index.candidates(do("pay", order=7, by=3), 0))) == looked_at


def test_alike_events_are_one_entry():
    index = store(before("a.order == p.order"), "second")
    for i in range(20):
        index.add(do("approve", order=i % 2, note=i), 0, i, [])
    assert sorted(e.positions[0] for e in index.entries.values()) == [0, 1]
    assert sum(len(e.positions) for e in index.entries.values()) == 20


def test_absent_finds_nothing_and_equal_numbers_find_each_other():
    index = store(before("a.order == p.order"), "second")
    for i, order in enumerate([1, 1.0, True, "1", None, [1], {"a": 1}]):
        index.add(do("approve", order=order), 0, i, [])
    index.add(do("approve"), 0, 7, [])

    def found(**args: Any) -> set[int]:
        return {p for e in index.candidates(do("pay", **args), 0) for p in e.positions}

    assert found() == set()
    assert found(order=1) == found(order=1.0) == {0, 1}
    assert found(order=True) == {2} and found(order="1") == {3} and found(order=None) == {4}
    assert found(order=[1.0]) == {5} and found(order={"a": 1.0}) == {6}


def test_a_fold_only_looks_where_the_index_points():
    """The cost of a trigger doesn't grow with the events that can't match."""
    spec = N.Specification("s", (N.Constraint("r", before("a.order == p.order & a.n > p.n")),))
    atom, rng = fold(Program(spec), 0), Random(1)
    looked = []
    both = type(atom)._both
    atom._both = lambda *args: looked.append(args) or both(atom, *args)  # type: ignore[attr-defined]
    for i in range(300):
        event = do(rng.choice(["pay", "approve"]), order=rng.randrange(100), n=i)
        match = {role: atom.match(role, event, ToolSet()) for role in ("first", "second")}
        atom.step(event, i, match["first"], match["second"], [])
    assert 0 < len(looked) < 600
