"""Functions of time: how the quantified engine sees a trace.

A trace is a tool and an error flag for every time, and one function from time to value for each argument,
output or state that a formula reads. Of the past they are known; of the future only what a `Slot` says of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import z3

from agentc.dsl import nodes as n
from agentc.logic.encode import OPEN, ListView, Open
from agentc.logic.leaves import Leaf, Undecided, read
from agentc.logic.slots import MAX_ELEMENTS, Slot, normal
from agentc.logic.values import VAL, Interner
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event
from agentc.trace.values import freeze

__all__ = ["TimeView", "Timeline"]

Kind = Literal["val", "text", "length"]
_SORTS = {"val": VAL, "text": z3.StringSort(), "length": z3.IntSort()}


class Timeline:
    """The functions that one query is about.

    `open` becomes True where the past isn't known (a reading nobody has) or can't be said exactly: a model
    may then be none, but UNSAT still means UNSAT.
    """

    def __init__(
        self, events: Sequence[Event], names: Sequence[str], tools: ToolSet, interner: Interner
    ) -> None:
        self.events, self.tools, self.interner = events, tools, interner
        self.names = list(dict.fromkeys([*(e.tool for e in events), *names]))
        self.tool = z3.Function("tool", z3.IntSort(), z3.IntSort())
        self.error = z3.Function("error", z3.IntSort(), z3.BoolSort())
        self.open = False
        self._functions: dict[tuple[Kind, Leaf], z3.FuncDeclRef] = {}
        self._readers: dict[Leaf, set[n.Pattern]] = {}
        self._widths: dict[Leaf, int] = {}

    # ------------------------------------------------------------ what formulas are made of

    def is_tool(self, time: z3.ArithRef, names: Sequence[str]) -> z3.BoolRef:
        return z3.Or([self.tool(time) == self.names.index(name) for name in names])

    def apply(self, kind: Kind, leaf: Leaf, time: z3.ArithRef) -> z3.ExprRef:
        leaf = normal(leaf)
        function = self._functions.get((kind, leaf))
        if function is None:
            name = f"{kind}{len(self._functions)}:{_spell(leaf)}"
            function = self._functions[kind, leaf] = z3.Function(name, z3.IntSort(), _SORTS[kind])
        return function(time)

    def reads(self, leaf: Leaf, pattern: n.Pattern) -> None:
        """Note that the leaf is read at events that match the pattern."""
        self._readers.setdefault(normal(leaf), set()).add(pattern)

    def width(self, leaf: Leaf) -> int:
        """Return up to which length lists are looked at element by element: the past's longest, at least."""
        leaf = normal(leaf)
        if leaf not in self._widths:
            values = [read(leaf, event) for event in self.events]
            longest = max((len(v) for v in values if isinstance(v, (list, tuple))), default=0)
            self._widths[leaf] = max(longest, MAX_ELEMENTS)
        return self._widths[leaf]

    def _is_read(self, leaf: Leaf, event: Event) -> bool:
        return any(p.branch(event.tool, self.tools) is not None for p in self._readers.get(leaf, ()))

    def within_trace(self, times: Iterable[z3.ArithRef]) -> z3.BoolRef:
        return z3.And([time < len(self.events) for time in times])

    # ------------------------------------------------------------ facts, to be asked for after every formula

    def past(self) -> Iterator[z3.BoolRef]:
        """Yield the trace: every function's value at every past time it is read at."""
        for t, event in enumerate(self.events):
            time = z3.IntVal(t)
            yield self.tool(time) == self.names.index(event.tool)
            yield self.error(time) == event.error
            for (kind, leaf), function in self._functions.items():
                if self._is_read(leaf, event):
                    yield from self._value(kind, leaf, event, function(time))

    def _value(self, kind: Kind, leaf: Leaf, event: Event, term: z3.ExprRef) -> Iterator[z3.BoolRef]:
        value = read(leaf, event)
        known = None if isinstance(value, Undecided) else _constant(kind, value, self.interner)
        if known is None:
            self.open = True
        else:
            yield term == known

    def future(self, slots: Sequence[Slot], last: z3.ArithRef) -> Iterator[z3.BoolRef]:
        """Yield that the functions follow the slots from the trace's end on, up to time `last`, exclusive."""
        for i, slot in enumerate(slots):
            t = len(self.events) + i
            time = z3.IntVal(t)
            yield slot.active == (last > t)
            yield self.error(time) == slot.error
            for name in slot.options:
                yield z3.Implies(slot.is_tool([name]), self.tool(time) == self.names.index(name))
            for (kind, leaf), function in list(self._functions.items()):
                yield function(time) == _of_slot(kind, leaf, slot)
            for leaf in self._widths:
                slot.elements(leaf)
                yield from self._rest(leaf, slot)

    def _rest(self, leaf: Leaf, slot: Slot) -> Iterator[z3.BoolRef]:
        """Yield which elements there are beyond those a slot looks at itself."""
        for i in range(MAX_ELEMENTS, self.width(leaf)):
            there = slot.val(replace(leaf, path=(*leaf.path, i))) != VAL.missing
            yield z3.Implies(VAL.is_list(slot.val(leaf)), there == (slot.made["length", leaf] > i))


def _constant(kind: Kind, value: object, interner: Interner) -> z3.ExprRef | None:
    if kind == "val":
        return interner.expr(freeze(value))
    if kind == "text":
        return interner.text(value) if isinstance(value, str) else z3.StringVal("")
    return z3.IntVal(len(value)) if isinstance(value, (str, list, tuple, Mapping)) else z3.IntVal(0)


def _of_slot(kind: Kind, leaf: Leaf, slot: Slot) -> z3.ExprRef:
    if kind == "val":
        return slot.val(leaf)
    if kind == "text":
        return slot.text(leaf)
    slot.length(leaf)
    return slot.made["length", leaf]


def _spell(leaf: Leaf) -> str:
    letter = {n.Arg: "x", n.Output: "y", n.State: "s"}[type(leaf)]
    return ".".join([letter, *([leaf.name] if not isinstance(leaf, n.Output) else []), *map(str, leaf.path)])


class TimeView:
    """The view of a formula over one or two times, at which the patterns of these roles matched.

    `past` says that all of them lie within the trace, so that no list is longer than the longest in it.
    `open` becomes True where something can't be said exactly.
    """

    def __init__(
        self,
        line: Timeline,
        times: Mapping[n.Role, z3.ArithRef],
        patterns: Mapping[n.Role, n.Pattern],
        past: bool,
    ) -> None:
        self.line, self.times, self.patterns, self.past = line, times, patterns, past
        self.interner = line.interner
        self.open = False

    def _apply(self, kind: Kind, leaf: Leaf) -> z3.ExprRef:
        self.line.reads(leaf, self.patterns[leaf.role])
        return self.line.apply(kind, leaf, self.times[leaf.role])

    def fixed(self, leaf: Leaf) -> Open:
        return OPEN

    def val(self, leaf: Leaf) -> z3.ExprRef:
        return self._apply("val", leaf)

    def text(self, leaf: Leaf) -> z3.SeqRef:
        return self._apply("text", leaf)

    def length(self, leaf: Leaf) -> z3.ExprRef:
        val, size = self._apply("val", leaf), self._apply("length", leaf)
        sized = z3.Or(VAL.is_str(val), VAL.is_list(val), VAL.is_dict(val))
        return z3.If(sized, VAL.num(z3.ToReal(size)), VAL.missing)

    def elements(self, leaf: Leaf) -> ListView:
        val, size = self._apply("val", leaf), self._apply("length", leaf)
        width = self.line.width(leaf)
        items = tuple((size > i, replace(leaf, path=(*leaf.path, i))) for i in range(width))
        too_long = None if self.past else z3.And(VAL.is_list(val), size > width)
        return ListView(VAL.is_list(val), items, too_long)

    def on_text(self, test: z3.BoolRef) -> z3.BoolRef:
        return test

    def free(self) -> z3.BoolRef:
        """A truth value of its own for each pair of times."""
        self.open = True
        sorts = [z3.IntSort()] * len(self.times)
        return z3.FreshFunction(*sorts, z3.BoolSort())(*self.times.values())
