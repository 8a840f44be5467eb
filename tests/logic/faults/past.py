"""Mistakes about the past: what the fold keeps, what is taken back, what the index finds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentc.dsl import nodes as N
from agentc.logic import (
    engine,
    fold,
    leaves,
    prefix,
    store,
)
from tests.logic.faults.seeding import FAULTS, Fault, fault, nothing, seed

# ---------------------------------------------------------------- the fold: which past events matter

Before, After, Seq = fold._Before, fold._After, fold._Seq
seed("the witness of a Before is not stored", Before, "_keep", nothing)
seed("an obligation is never discharged", After, "_discharge", nothing)
seed("where is dropped", fold._Paired, "_both", lambda self, *_: True)
seed("where never holds", fold._Paired, "_both", lambda self, *_: False)
seed("a doubt is forgotten", fold.AtomFold, "_unsure", nothing)
seed(
    "a doubtful answer counts",
    After,
    "_put_in_doubt",
    lambda self, entry, why, trail: self.store.remove(entry, trail),
)
seed("a doubtful answer is dropped", After, "_put_in_doubt", nothing)


@fault(fold.AtomFold, "when", name="when is dropped")
def _(self: Any) -> N.Formula:
    return N.Truth(True) if fold._Paired in type(self).__mro__ else self.node.where


FAULTS[-1] = Fault("when is dropped", ((fold.AtomFold, "when", property(FAULTS[-1].patches[0][2])),))


@fault(Before, "step")
def an_event_is_its_own_earlier_witness(self, event, position, first, second, trail):
    if second is not None and second.counts:
        self._keep(event, position, second, trail)
    if first is not None:
        self._trigger(event, position, first, trail)


@fault(After, "step")
def an_event_is_its_own_later_witness(self, event, position, first, second, trail):
    if first is not None and first.counts:
        self._wait(event, position, first, trail)
    if second is not None and second.counts:
        self._discharge(event, position, second, trail)


@fault(Seq, "step")
def one_event_is_a_sequence_of_two(self, event, position, first, second, trail):
    if not self.settled and first is not None and first.counts:
        self._wait(event, position, first, trail)
    if not self.settled and second is not None and second.counts:
        self._complete(event, position, second, trail)


@fault(fold.AtomFold, "attempts")
def failed_triggers_are_not_governed(self, role):
    return self.pattern(role).attempted


@fault(fold.AtomFold, "attempts")
def attempted_is_ignored(self, role):
    return isinstance(self.node, (N.Before, N.Forall)) and role == "first"


@fault(fold.AtomFold, "attempts")
def a_failed_call_is_as_good_as_any(self, role):
    return True


@fault(After, "_discharge")
def an_answer_discharges_one_obligation_only(self, event, position, second, trail):
    entry, _ = self._find(self.store, event, second, "second")
    if entry is not None:
        self._answers(position, entry.positions, trail)
        self.store.remove(entry, trail)


@fault(Seq, "_complete")
def a_sequence_is_forgotten(self, event, position, second, trail):
    entry, _ = self._find(self.store, event, second, "second")
    if entry is not None:
        self.evidence.append((entry.positions[0], position))


# ---------------------------------------------------------------- undoing


@fault(fold.AtomFold, "_settle")
def what_was_settled_is_not_taken_back(self, value, evidence, trail):
    self.settled = value
    self.evidence.append(evidence)


@fault(fold.AtomFold, "_witnessed")
def who_was_the_witness_is_not_taken_back(self, position, by, trail):
    self.witness[position] = by


@fault(store.Store, "remove")
def an_obligation_does_not_come_back(self, entry, trail):
    self._delete((entry.branch, entry.identity), entry)


_add = store.Store.add


@fault(store.Store, "add")
def what_was_stored_stays_stored(self, event, branch, position, trail, doubt=None):
    _add(self, event, branch, position, [], doubt)


@fault(engine.Engine, "_undo")
def changes_are_undone_first_to_last(self):
    for undo in self._trails.pop():
        undo()
    return self.events.pop()


seed("continuations of events that were popped are kept", prefix.Futures, "forget", nothing)


@fault(engine.Engine, "_supposing")
def a_supposed_event_stays(self, event, constraints):
    self.push(event)
    answer = self.prefix(constraints)
    return replace(answer, witness=(event, *answer.witness))


@fault(engine.Engine, "_suppose")
def a_supposed_continuation_stays(self, events, question):
    for event in events:
        self.push(self._with_readings(event))
    return question()


# ---------------------------------------------------------------- the index


@fault(store, "_sides")
def the_index_goes_by_what_must_differ(formula, role):
    if not isinstance(formula, N.Compare) or formula.op not in ("==", "!="):
        return None
    left, right = leaves.leaf_of(formula.left), leaves.leaf_of(formula.right)
    if left is None or right is None or left.role == right.role:
        return None
    return (left, right) if left.role == role else (right, left)


_sides = store._sides


@fault(store, "_sides")
def the_index_mistakes_who_asks(formula, role):
    found = _sides(formula, role)
    return found and (found[1], found[0])


@fault(store, "_sides")
def the_index_reads_an_argument_by_the_other_name(formula, role):
    found = _sides(formula, role)
    return found and (found[0], replace(found[0], role=found[1].role))


@fault(store, "_sides")
def the_index_stops_at_the_first_step_of_a_path(formula, role):
    found = _sides(formula, role)
    return found and (replace(found[0], path=()), found[1])


@fault(store, "_conjuncts")
def the_index_takes_any_disjunct_for_demanded(formula):
    if isinstance(formula, (N.And, N.Or)):
        for arg in formula.args:
            yield from store._conjuncts(arg)
    else:
        yield formula


_bucket_names = store.Store._bucket_names


@fault(store.Store, "_bucket_names")
def the_index_knows_one_branch_of_a_union(self, entry):
    yield from list(_bucket_names(self, entry))[:1]


@fault(store.Store, "_matching")
def the_index_misses_what_nobody_could_read(self, own, branch, event):
    yield own, branch, tuple(store._key(leaf, event) for leaf in self._joins[own, branch].asking)


_candidates = store.Store.candidates


@fault(store.Store, "candidates")
def the_index_gives_the_latest_only(self, event, branch):
    yield from list(_candidates(self, event, branch))[:1]


@fault(store.Store, "candidates")
def the_index_looks_through_one_branch_only(self, event, branch):
    for bucket in self._matching(0, branch, event):
        yield from list(self._buckets.get(bucket, {}).values())


_relevant = store._relevant


@fault(store, "_relevant")
def events_that_differ_are_taken_for_one(where, role, branch):
    return _relevant(where, role, branch)[:1]


@fault(store, "_relevant")
def events_are_told_apart_by_the_first_branch_only(where, role, branch):
    return tuple(leaf for leaf in _relevant(where, role, branch) if not isinstance(leaf, N.Output))
