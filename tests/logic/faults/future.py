"""Mistakes about the future: the query, its bound, its focus, its witnesses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import z3

from agentc.dsl import nodes as N
from agentc.logic import (
    bound,
    candidates,
    focus,
    fold,
    future,
    prefix,
    query,
    schema,
    slots,
    witness,
)
from agentc.trace.values import MISSING
from tests.logic.faults.seeding import FAULTS, Fault, fault, nothing, seed

# ---------------------------------------------------------------- the query about the future


def truth_of(kind: type, told: str) -> Callable[[Any], Any]:
    def register(wrong: Any) -> Any:
        FAULTS.append(Fault(told, ((query._TRUTH, kind, wrong),)))
        return wrong

    return register


@truth_of(N.Before, "a future event is its own earlier witness")
def _(self, atom):
    parts = []
    for i, slot in enumerate(self.slots):
        for branch, matched in self._reads(atom, "first", slot):
            found = [
                self._joint(atom, slot, branch, e.event, e.branch) for e in self._past(atom, slot, branch)
            ]
            found += self._among(atom, self.slots[: i + 1], slot, branch, "second")
            parts.append(z3.Implies(z3.And(matched, self._alone(atom, slot, branch)), z3.Or(found)))
    return z3.And(parts)


@truth_of(N.After, "a future event owes nothing")
def _(self, atom):
    return z3.And([z3.Or(self._discharges(atom, e)) for e in self._owed(atom)])


@truth_of(N.Seq, "a sequence can't begin in the past")
def _(self, atom):
    with mock.patch.object(query.Query, "_past", lambda *_: []):
        return query.Query._seq(self, atom)


seed("what is owed is left out of the query", query.Query, "_owed", lambda self, atom: [])
seed("the past can't help the future", query.Query, "_past", lambda self, atom, slot, branch: [])
seed("what is possible later isn't considered", query.Query, "possible", query.Query.truth)
seed("a doubt is false in the query", fold.AtomFold, "unknown", property(lambda self: None))

_reads = query.Query._reads


@fault(query.Query, "_reads")
def a_future_call_may_fail_and_count(self, atom, role, slot):
    with mock.patch.object(fold.AtomFold, "attempts", lambda *_: True):
        yield from list(_reads(self, atom, role, slot))


@fault(query.Query, "_reads")
def slots_are_taken_for_calls_that_happen(self, atom, role, slot):
    for index, read in _reads(self, atom, role, slot):
        yield index, z3.substitute(read, (slot.active, z3.BoolVal(True)))


seed("schemas don't bind the future", slots.Slot, "_schema", nothing)
seed("two readings of one projection may differ", slots.Slot, "_same_reading", nothing)
seed("texts are not tied to values", slots.Slot, "links", lambda self, kind: iter(()))
seed("equal texts may be different values", candidates.Query, "text_links", lambda self: iter(()))


@fault(slots.Slot, "_relate")
def parts_are_not_tied_to_their_wholes(self, leaf, const):
    if not leaf.path:
        _relate(self, leaf, const)


_relate = slots.Slot._relate
_fixed = slots.Slot.fixed


@fault(slots.Slot, "fixed")
def what_a_complete_call_lacks_may_still_come(self, leaf):
    value = _fixed(self, leaf)
    return slots.OPEN if value is MISSING else value


@fault(schema, "_values")
def enumerations_are_ignored(*_):
    return []


# ---------------------------------------------------------------- how far the future is searched

_bound = bound.future_bound


@fault(future, "future_bound")
def the_bound_is_one_too_small(*args):
    found = _bound(*args)
    return max(found - 1, 0) if found else found


@fault(bound, "coupled")
def one_witness_is_thought_to_serve_all(node):
    return False


@fault(future, "future_bound")
def obligations_are_not_counted(formula, settled, pending, tools, names):
    return _bound(formula, settled, {}, tools, names)


@fault(bound._Count, "_cost")
def what_witnesses_ask_for_is_not_counted(self, tools):
    return 1


@fault(future, "future_bound")
def every_class_is_certified(*args):
    found = _bound(*args)
    return 1 if found is None else found


@fault(prefix, "focus")
def constraints_that_a_witness_breaks_are_overlooked(formulas, alive, names, tools):
    return focus.Focus(tuple(alive), focus.focus(formulas, alive, names, tools).names)


@fault(focus, "_asked_for")
def what_a_witness_needs_is_overlooked(literal, formula):
    return []


_alone = focus.alone


@fault(prefix, "alone")
def everything_is_met_one_by_one(formula):
    return list(bound.literals(formula))


# ---------------------------------------------------------------- witnesses

seed("what a schema requires is not filled in", witness, "sample", lambda schema_: MISSING)
seed("made-up calls are not held against their schemas", future, "accepted", lambda *_: True)


@fault(query.Query, "facts")
def what_is_known_of_the_slots_is_not_asserted(self):
    return iter(())
