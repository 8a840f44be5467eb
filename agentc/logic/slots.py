"""Symbolic events: a call that is still being written, or one that may yet come.

A slot's leaves are Z3 constants made when a formula first reads them. What the tools' schemas say of them,
and how a value hangs together with its parts, is asserted beside them. Whatever can't be said exactly is left
out, so that a slot allows too much rather than too little: UNSAT stays true, and SAT is confirmed on a
concrete witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import z3

from agentc.dsl import nodes as n
from agentc.logic.encode import OPEN, ListView, Open
from agentc.logic.leaves import Leaf, Undecided, read, reading_of, thaw
from agentc.logic.schema import allowed
from agentc.logic.values import VAL, Interner
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event
from agentc.trace.values import JSON, MISSING, Key, Missing, at_path, freeze

__all__ = ["MAX_ELEMENTS", "PairView", "Partial", "Slot", "normal", "tie_parts", "tie_texts"]

MAX_ELEMENTS = 2
"""Symbolic lists are looked at element by element up to this length; longer ones leave their formula open."""


@dataclass(frozen=True, slots=True)
class Partial:
    """A call that isn't finished.

    Parameters
    ----------
    tool : str
    args : Mapping[str, JSON]
        Arguments that are finished.
    complete : bool
        True if no further argument will come (absent means absent); only the output is unknown then.
    state : Mapping
        State readings whose arguments are known, as in `Event`.
    """

    tool: str
    args: Mapping[str, JSON] = field(default_factory=dict)
    complete: bool = False
    state: Mapping = field(default_factory=dict)

    @property
    def event(self) -> Event:
        return Event(self.tool, self.args, state=self.state)


class Slot:
    """One symbolic event.

    Parameters
    ----------
    name : str
        Unique within the query.
    options : sequence of str
        The tools it may be a call of.
    tools : ToolSet or None
        Schemas its calls have to satisfy; None: any argument may have any value.
    known : Partial or None
        What is known of it already.
    """

    def __init__(
        self,
        name: str,
        options: Sequence[str],
        tools: ToolSet | None,
        interner: Interner,
        known: Partial | None = None,
    ) -> None:
        self.name, self.options, self.tools, self.known = name, tuple(options), tools, known
        self.interner = interner
        self.active = z3.BoolVal(True) if known else z3.Bool(f"{name}.active")
        self.error = z3.BoolVal(False) if known else z3.Bool(f"{name}.error")
        self._tool = z3.Int(f"{name}.tool")
        self.made: dict[tuple[str, Leaf], z3.ExprRef] = {}
        self.texts: list[tuple[z3.BoolRef, z3.BoolRef]] = []
        self.overflows: list[z3.BoolRef] = []
        self.facts: list[z3.BoolRef] = [z3.Or([self._tool == i for i in range(len(options))])]

    def is_tool(self, names: Sequence[str]) -> z3.BoolRef:
        """Return "this is a call of one of `names`" (each one of the options)."""
        if len(names) == len(self.options):
            return z3.BoolVal(True)
        return z3.Or([self._tool == self.options.index(t) for t in names])

    def tool_in(self, model: z3.ModelRef) -> str:
        return self.options[model.eval(self._tool, model_completion=True).as_long()]

    # ------------------------------------------------------------ leaves

    def fixed(self, leaf: Leaf) -> JSON | Missing | Undecided | Open:
        """Return a leaf's value if it is known already, else OPEN."""
        if self.known is None:
            return OPEN
        if isinstance(leaf, n.Arg):
            if leaf.name in self.known.args:
                return at_path(self.known.args[leaf.name], leaf.path)
            return MISSING if self.known.complete else OPEN
        if isinstance(leaf, n.State) and self._args_known(leaf):
            return read(leaf, self.known.event)
        return OPEN

    def _args_known(self, leaf: n.State) -> bool:
        assert self.known is not None
        if self.known.complete:
            return True
        named = [t for t in leaf.args if isinstance(t, n.Arg)]
        return (
            all(t.name in self.known.args for t in named)
            and reading_of(leaf, self.known.event) in self.known.state
        )

    def val(self, leaf: Leaf) -> z3.ExprRef:
        value = self.fixed(leaf)
        if not isinstance(value, (Open, Undecided)):
            return self.interner.expr(freeze(value))
        leaf = normal(leaf)
        const = self.made.get(("val", leaf))
        if const is None:
            const = self.made["val", leaf] = z3.Const(f"{self.name}.{_spell(leaf)}", VAL)
            self._relate(leaf, const)
        return const

    def _relate(self, leaf: Leaf, const: z3.ExprRef) -> None:
        """Assert how a new leaf hangs together with its parent, its schema and its twin readings."""
        if leaf.path:
            parent, step = self.val(replace(leaf, path=leaf.path[:-1])), leaf.path[-1]
            inside = VAL.is_dict(parent) if isinstance(step, str) else VAL.is_list(parent)
            self.facts.append(z3.Implies(const != VAL.missing, inside))
        elif isinstance(leaf, n.State):
            self._same_reading(leaf, const)
        self._schema(leaf, const)

    def _same_reading(self, leaf: n.State, const: z3.ExprRef) -> None:
        for (kind, other), twin in list(self.made.items()):
            if (
                kind == "val"
                and isinstance(other, n.State)
                and other != leaf
                and not other.path
                and other.name == leaf.name
            ):
                same = z3.And(
                    [
                        self._argument(a) == self._argument(b)
                        for a, b in zip(other.args, leaf.args, strict=False)
                    ]
                )
                self.facts.append(z3.Implies(same, twin == const))

    def _argument(self, term: n.Term) -> z3.ExprRef:
        if isinstance(term, n.Const):
            return self.interner.expr(freeze(term.value))
        return self.val(term)  # type: ignore[arg-type]

    def _schema(self, leaf: Leaf, const: z3.ExprRef) -> None:
        if self.tools is None or isinstance(leaf, n.State):
            return
        for tool in self.options:
            if tool not in self.tools:
                continue
            fact = allowed(self.tools[tool], leaf, const, self)
            if fact is not None:
                demanded = fact if isinstance(leaf, n.Arg) else z3.Or(self.error, fact)
                self.facts.append(z3.Implies(self.is_tool([tool]), demanded))

    def text(self, leaf: Leaf) -> z3.SeqRef:
        leaf = normal(leaf)
        const = self.made.get(("text", leaf))
        if const is None:
            const = self.made["text", leaf] = z3.Const(f"{self.name}.{_spell(leaf)}.text", z3.StringSort())
        return const

    def on_text(self, test: z3.BoolRef) -> z3.BoolRef:
        """Name a test of text that the schema asks for."""
        return _named(test, self.texts)

    def length(self, leaf: Leaf) -> z3.ExprRef:
        leaf, val = normal(leaf), self.val(leaf)
        const = self.made.get(("length", leaf))
        if const is None:
            const = self.made["length", leaf] = z3.Int(f"{self.name}.{_spell(leaf)}.length")
            self.facts.append(const >= 0)
        sized = z3.Or(VAL.is_str(val), VAL.is_list(val), VAL.is_dict(val))
        return z3.If(sized, VAL.num(z3.ToReal(const)), VAL.missing)

    def elements(self, leaf: Leaf) -> ListView:
        val = self.val(leaf)
        self.length(leaf)
        size = self.made["length", normal(leaf)]
        items = []
        for i in range(MAX_ELEMENTS):
            part = replace(leaf, path=(*leaf.path, i))
            self.facts.append(z3.Implies(VAL.is_list(val), (self.val(part) != VAL.missing) == (size > i)))
            items.append((size > i, part))
        overflow = z3.FreshBool("long")
        self.overflows.append(overflow)
        self.facts.append(overflow == z3.And(VAL.is_list(val), size > MAX_ELEMENTS))
        return ListView(VAL.is_list(val), tuple(items), overflow)

    # ------------------------------------------------------------ what holds of the texts and lengths read

    def links(self, kind: str) -> Iterator[z3.BoolRef]:
        """Yield what ties the texts or lengths to the values the query uses: to be asserted once every leaf
        is made."""
        for (what, leaf), const in list(self.made.items()):
            if what == kind:
                val = self.val(leaf)
                for key in self.interner.used:
                    yield from _link(kind, const, val, key, self.interner)
                if kind == "text" and ("length", leaf) in self.made:
                    yield z3.Implies(VAL.is_str(val), self.made["length", leaf] == z3.Length(const))


def _link(
    kind: str, const: z3.ExprRef, val: z3.ExprRef, key: Key, interner: Interner
) -> Iterator[z3.BoolRef]:
    this = interner.value(key)
    if kind == "length" and key[0] in ("str", "list", "dict"):
        yield z3.Implies(val == this, const == len(key[1]))
    elif kind == "text" and key[0] == "str" and (literal := interner.text(key[1])) is not None:
        yield z3.Implies(VAL.is_str(val), (val == this) == (const == literal))


def tie_parts(slots: Sequence[Slot], interner: Interner) -> Iterator[z3.BoolRef]:
    """Yield that equal lists and objects have equal parts, as far as parts are read."""
    read: dict[str | int, list[tuple[z3.ExprRef, z3.ExprRef]]] = {}
    for slot in slots:
        for (kind, leaf), part in list(slot.made.items()):
            if kind == "val" and leaf.path:
                whole = slot.val(replace(leaf, path=leaf.path[:-1]))
                read.setdefault(leaf.path[-1], []).append((whole, part))
    known = [key for key in interner.used if key[0] in ("list", "dict")]
    for step, pairs in read.items():
        for (a, x), (b, y) in combinations(pairs, 2):
            yield z3.Implies(z3.And(a == b, z3.Or(VAL.is_list(a), VAL.is_dict(a))), x == y)
        for key in known:
            inside = freeze(at_path(thaw(key), (step,)))
            yield from (z3.Implies(a == interner.value(key), x == interner.value(inside)) for a, x in pairs)


def tie_texts(slots: Sequence[Slot]) -> Iterator[z3.BoolRef]:
    """Yield that two strings read as texts are the same value exactly if they are the same text."""
    read = [
        (slot.val(leaf), const)
        for slot in slots
        for (kind, leaf), const in slot.made.items()
        if kind == "text"
    ]
    for (a, s), (b, t) in combinations(read, 2):
        yield z3.Implies(z3.And(VAL.is_str(a), VAL.is_str(b)), (a == b) == (s == t))


class PairView:
    """The view of a formula over two events, each of them a finished `Event` or a `Slot`."""

    def __init__(self, first: Event | Slot, second: Event | Slot | None, interner: Interner) -> None:
        self.interner = interner
        self._sources = {"first": first, "second": second}
        self.open = False
        self.texts: list[tuple[z3.BoolRef, z3.BoolRef]] = []

    def fixed(self, leaf: Leaf) -> JSON | Missing | Open:
        """Return the leaf's value where its event has it; a reading nobody has leaves the query open."""
        source = self._sources[leaf.role]
        assert source is not None
        value = source.fixed(leaf) if isinstance(source, Slot) else read(leaf, source)
        if isinstance(value, Undecided):
            self.open = True
            return OPEN
        return value

    def _slot(self, leaf: Leaf) -> Slot | None:
        source = self._sources[leaf.role]
        return source if isinstance(source, Slot) else None

    def val(self, leaf: Leaf) -> z3.ExprRef:
        slot = self._slot(leaf)
        return slot.val(leaf) if slot else z3.FreshConst(VAL, "undecided")

    def text(self, leaf: Leaf) -> z3.SeqRef:
        slot = self._slot(leaf)
        return slot.text(leaf) if slot else z3.FreshConst(z3.StringSort(), "undecided")

    def length(self, leaf: Leaf) -> z3.ExprRef:
        slot = self._slot(leaf)
        return slot.length(leaf) if slot else z3.FreshConst(VAL, "undecided")

    def elements(self, leaf: Leaf) -> ListView:
        slot = self._slot(leaf)
        return slot.elements(leaf) if slot else ListView(z3.FreshBool("undecided"), (), z3.BoolVal(True))

    def free(self) -> z3.BoolRef:
        self.open = True
        return z3.FreshBool("open")

    def on_text(self, test: z3.BoolRef) -> z3.BoolRef:
        """Name a test of text that a formula makes."""
        return _named(test, self.texts)


def _named(test: z3.BoolRef, texts: list[tuple[z3.BoolRef, z3.BoolRef]]) -> z3.BoolRef:
    """Name a test of text, so that a query can leave it free at first; `texts` says what the names mean."""
    test = z3.simplify(test)
    if z3.is_true(test) or z3.is_false(test):
        return test
    name = z3.FreshBool("text")
    texts.append((name, test))
    return name


def normal(leaf: Leaf) -> Leaf:
    """One name for a slot's leaf, whichever role it is read in."""
    if isinstance(leaf, n.State):
        return replace(
            leaf, role="first", args=tuple(normal(a) if isinstance(a, n.Arg) else a for a in leaf.args)
        )
    return replace(leaf, role="first")


def _spell(leaf: Leaf) -> str:
    name = {n.Arg: "x", n.Output: "y", n.State: "s"}[type(leaf)]
    own = getattr(leaf, "name", "")
    args = ",".join(repr(a) for a in leaf.args) if isinstance(leaf, n.State) else ""
    return f"{name}.{own}({args}){list(leaf.path)}" if args else f"{name}.{own}{list(leaf.path)}"
