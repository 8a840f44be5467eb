"""Mistakes about values: equality, order, lists, text, ground instances, patterns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import z3

from agentc.dsl import nodes as N
from agentc.logic import (
    encode,
    engine,
    instances,
    leaves,
    store,
    values,
)
from agentc.tools.signature import ToolSet
from agentc.trace.event import MESSAGES
from tests.logic.faults.seeding import FAULTS, Fault, fault, seed

# ---------------------------------------------------------------- values and their comparison


@fault(encode._Encoder, "_equal")
def absent_equals_absent(self, left, right):
    return self._val(left) == self._val(right)


@fault(encode._Encoder, "_equal")
def absent_is_unequal_and_undecided(self, left, right):
    a, b = self._val(left), self._val(right)
    return z3.And(a == b, a != values.VAL.missing, a != values.VAL.null)


_make = values.Interner._make


@fault(values.Interner, "_make")
def true_is_one(self, key):
    return values.VAL.num(z3.RealVal(int(key[1]))) if key[0] == "bool" else _make(self, key)


@fault(values.Interner, "_make")
def a_string_of_digits_is_a_number(self, key):
    digits = key[0] == "str" and key[1].isdigit()
    return values.VAL.num(z3.RealVal(key[1])) if digits else _make(self, key)


seed("numbers are rounded to floats", values, "number", lambda value: z3.RealVal(repr(float(value))))
seed("numbers are cut to integers", values, "number", lambda value: z3.RealVal(int(value)))
seed("objects differ by the order of their keys", store, "freeze", lambda value: ("x", repr(value)))


@fault(encode._Encoder, "_less")
def less_may_be_equal(self, left, right, strict):
    return _less(self, left, right, False)


_less = encode._Encoder._less


@fault(encode._Encoder, "_less")
def numbers_come_before_strings(self, left, right, strict):
    a, b = self._val(left), self._val(right)
    return z3.Or(_less(self, left, right, strict), z3.And(values.VAL.is_num(a), values.VAL.is_str(b)))


@fault(encode._Encoder, "_contains")
def a_substring_is_no_containment(self, whole, part):
    return self._some(self._elements(whole), lambda e: self._equal(e, part))


@fault(encode._Encoder, "_each")
def all_is_true_of_what_is_no_list(self, op, over, where):
    if op == "any":
        return self._some(over, where)
    return z3.And([z3.Implies(guard, where(item)) for guard, item in over.items])


@fault(encode._Encoder, "_distinct")
def distinct_looks_at_neighbours_only(self, over):
    pairs = zip(over.items, over.items[1:], strict=False)
    return z3.And(over.is_list, z3.Not(z3.Or([z3.And(g, h, self._equal(a, b)) for (g, a), (h, b) in pairs])))


def unescaped(text: str) -> z3.SeqRef:
    return z3.StringVal(text)


FAULTS.append(
    Fault(
        "escapes in text are read", ((values, "text_literal", unescaped), (encode, "text_literal", unescaped))
    )
)

# ---------------------------------------------------------------- ground instances


_resolve = leaves.resolve


def _without_last(formula: Any) -> Any:
    return replace(formula, args=formula.args[:-1]) if isinstance(formula, N.And) else formula


@fault(instances, "resolve")
def a_conjunct_is_dropped(node, first, second):
    return _without_last(_resolve(node, first, second))


@fault(instances, "resolve")
def variables_are_read_through_the_first_events_branch(node, first, second):
    return _resolve(node, first, second and first)


_evaluate = instances.Test._evaluate


@fault(instances.Test, "_evaluate")
def what_nobody_read_is_false(self, template, events):
    return _evaluate(self, template, events) is True


@fault(instances.Test, "_evaluate")
def what_nobody_read_is_true(self, template, events):
    return _evaluate(self, template, events) is not False


@fault(instances.Test, "_evaluate")
def state_is_read_at_the_first_event(self, template, events):
    second = events["second"]
    if second is not None:
        events = {**events, "second": replace(second, state={**second.state, **events["first"].state})}
    return _evaluate(self, template, events)


@fault(instances.Test, "_evaluate")
def the_output_is_the_first_events(self, template, events):
    if events["second"] is not None:
        events = {**events, "second": replace(events["second"], output=events["first"].output)}
    return _evaluate(self, template, events)


seed("a template is used for lists of another length", instances, "_fits", lambda template, events: True)

# ---------------------------------------------------------------- patterns

_belongs = ToolSet.belongs


@fault(ToolSet, "belongs")
def a_class_matches_messages(self, name, cls):
    return True if name in MESSAGES and cls == "@any" else _belongs(self, name, cls)


@fault(ToolSet, "belongs")
def what_nobody_described_is_harmless(self, name, cls):
    return _belongs(self, name, cls) and (name in self or cls == "@any")


@fault(N.Pattern, "branch")
def a_union_is_its_first_branch(self, tool, tools):
    return self.branches[0] if self.branches[0].matches(tool, tools) else None


@fault(engine.Engine, "_plan")
def failed_and_finished_calls_share_a_plan(self, event):
    if event.tool not in self._plans:
        self._plans[event.tool] = tuple(self._matches(event))
    return self._plans[event.tool]
