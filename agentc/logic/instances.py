"""Ground instances: a data formula on finished events, evaluated by Z3.

A formula is encoded once as a template over constants, one per leaf; an instance substitutes the events'
interned values and lets Z3's rewriter reduce it to true or false. What doesn't reduce is undecided, never
guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import z3
from z3 import z3core

from agentc.dsl import nodes as n
from agentc.logic.encode import OPEN, Abstracted, ListView, Open, encode
from agentc.logic.leaves import Leaf, Undecided, leaves, read, resolve
from agentc.logic.values import MAX_CHAR, VAL, Interner, number
from agentc.trace.event import Event
from agentc.trace.values import JSON, Missing, freeze

__all__ = ["Test", "simplified", "value_expr"]

_MAX_TEMPLATES = 64
_GROUND_RLIMIT = 1_000_000
_NO_TEXT = z3.StringVal("")


@dataclass(slots=True)
class _Template:
    """A formula over `consts`; it fits events whose lists, at `shape`'s leaves, have `shape`'s lengths."""

    formula: z3.BoolRef
    slots: list[tuple[str, Leaf, z3.ExprRef]]
    shape: list[tuple[Leaf, int]]


class Test:
    """A data formula for one pair of branches, ready to be evaluated on events.

    Parameters
    ----------
    formula : data formula
    first, second : Branch
        The branches the events are read through; `second` is None for a formula about one event.
    """

    __test__ = False  # the name is the field's; pytest must not collect it

    def __init__(
        self, formula: n.Formula, first: n.Branch, second: n.Branch | None, interner: Interner
    ) -> None:
        self.formula: n.Formula = resolve(formula, first, second)  # type: ignore[assignment]
        self._interner = interner
        self._templates: list[_Template] = []
        self.roles = frozenset(leaf.role for leaf in leaves(self.formula))
        self.constant = self.formula.value if isinstance(self.formula, n.Truth) else None

    def holds(self, first: Event, second: Event | None = None) -> bool | Undecided:
        """Return the formula's truth on the events, or why it can't be told."""
        if self.constant is not None:
            return self.constant
        events = {"first": first, "second": second}
        template = next((t for t in self._templates if _fits(t, events)), None) or self._build(events)
        return self._evaluate(template, events)

    def _build(self, events: Mapping[str, Event | None]) -> _Template:
        view = _GroundView(self._interner, events)
        template = _Template(z3.simplify(encode(self.formula, view)), view.slots, view.shape)
        if len(self._templates) < _MAX_TEMPLATES:
            self._templates.append(template)
        return template

    def _evaluate(self, template: _Template, events: Mapping[str, Event | None]) -> bool | Undecided:
        reason = ""
        consts, values = [], []
        for kind, leaf, const in template.slots:
            value = read(leaf, events[leaf.role])  # type: ignore[arg-type]
            if isinstance(value, Undecided):
                reason = value.reason
                continue
            expr = value_expr(kind, value, self._interner)
            if expr is None:
                what = getattr(leaf, "name", "the output")
                reason = f"{what} holds characters above U+{MAX_CHAR:X}, which Z3's strings don't have"
                continue
            consts.append(const)
            values.append(expr)
        truth = simplified(template.formula, consts, values)
        if truth is None and not reason:  # the rewriter alone leaves ``"" < "v"`` open, for one
            truth = _solved(template, values)
        return truth if truth is not None else Undecided(reason or "Z3 left the formula open")


def _solved(template: _Template, values: list[z3.ExprRef]) -> bool | None:
    """Ask the solver where the rewriter left a ground formula open."""
    ground = z3.substitute(
        template.formula, *zip([const for _, _, const in template.slots], values, strict=True)
    )
    for truth, claim in ((True, z3.Not(ground)), (False, ground)):
        solver = z3.SimpleSolver()
        solver.set("rlimit", _GROUND_RLIMIT)
        if solver.check(claim) == z3.unsat:
            return truth
    return None


def simplified(formula: z3.BoolRef, consts: list[z3.ExprRef], values: list[z3.ExprRef]) -> bool | None:
    """Substitute and reduce through Z3's C interface (a third of the wrapper's cost); None if it stays open.
    """
    ctx, size = formula.ctx_ref(), len(consts)
    array = z3core.Ast * size
    sources, targets = array(*[c.ast for c in consts]), array(*[v.ast for v in values])
    term = z3core.Z3_substitute(ctx, formula.ast, size, sources, targets)
    z3core.Z3_inc_ref(ctx, term)
    reduced = z3core.Z3_simplify(ctx, term)
    z3core.Z3_inc_ref(ctx, reduced)
    truth = z3core.Z3_get_bool_value(ctx, reduced)
    z3core.Z3_dec_ref(ctx, reduced)
    z3core.Z3_dec_ref(ctx, term)
    return None if truth == 0 else truth == 1


def value_expr(kind: str, value: JSON | Missing, interner: Interner) -> z3.ExprRef | None:
    """Return Z3's constant for a leaf's value, its length, or its text; None for text Z3 can't hold."""
    if kind == "val":
        return interner.value(freeze(value))
    if kind == "length":
        sized = isinstance(value, (str, list, tuple, Mapping))
        return VAL.num(number(len(value))) if sized else VAL.missing  # type: ignore[arg-type]
    return interner.text(value) if isinstance(value, str) else _NO_TEXT


def _fits(template: _Template, events: Mapping[str, Event | None]) -> bool:
    return all(_list_size(leaf, events) == size for leaf, size in template.shape)


def _list_size(leaf: Leaf, events: Mapping[str, Event | None]) -> int:
    """Length of the list at a leaf; -1 for what is no list."""
    value = read(leaf, events[leaf.role])  # type: ignore[arg-type]
    return len(value) if isinstance(value, (list, tuple)) else -2 if isinstance(value, Undecided) else -1


class _GroundView:
    """Gives each leaf constants to be substituted, and unrolls lists to the events' own lengths."""

    def __init__(self, interner: Interner, events: Mapping[str, Event | None]) -> None:
        self.interner = interner
        self.slots: list[tuple[str, Leaf, z3.ExprRef]] = []
        self.shape: list[tuple[Leaf, int]] = []
        self._events = events
        self._made: dict[tuple[str, Leaf], z3.ExprRef] = {}

    def fixed(self, leaf: Leaf) -> Open:
        return OPEN

    def val(self, leaf: Leaf) -> z3.ExprRef:
        return self._slot("val", leaf, VAL)

    def length(self, leaf: Leaf) -> z3.ExprRef:
        return self._slot("length", leaf, VAL)

    def text(self, leaf: Leaf) -> z3.SeqRef:
        return self._slot("text", leaf, z3.StringSort())

    def _slot(self, kind: str, leaf: Leaf, sort: z3.SortRef) -> z3.ExprRef:
        const = self._made.get((kind, leaf))
        if const is None:
            const = self._made[kind, leaf] = z3.Const(f"{kind}!{len(self.slots)}", sort)
            self.slots.append((kind, leaf, const))
        return const

    def elements(self, leaf: Leaf) -> ListView:
        size = _list_size(leaf, self._events)
        self.shape.append((leaf, size))
        if size == -2:
            raise Abstracted
        items = tuple((z3.BoolVal(True), _at(leaf, i)) for i in range(max(size, 0)))
        return ListView(z3.BoolVal(size >= 0), items)

    def free(self) -> z3.BoolRef:
        return z3.FreshBool("open")

    def on_text(self, test: z3.BoolRef) -> z3.BoolRef:
        return test


def _at(leaf: Leaf, index: int) -> Leaf:
    return replace(leaf, path=(*leaf.path, index))
