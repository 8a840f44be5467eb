"""One question to Z3: given the fold of the past, can these symbolic events make the specification hold?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import z3

from agentc.dsl import nodes as n
from agentc.logic.encode import encode
from agentc.logic.fold import AtomFold
from agentc.logic.leaves import resolve
from agentc.logic.slots import PairView, Slot, tie_parts, tie_texts
from agentc.logic.store import Entry
from agentc.logic.values import Interner
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event

__all__ = ["Query"]


class Query:
    """Truth of temporal formulas over the past (their folds) followed by slots, as Z3 formulas.

    `open` becomes True if something had to be left open (a reading nobody has, a list too long): a model may
    then be none, but UNSAT still means UNSAT. With `recent`, only so many of each formula's latest stored
    events are looked at; `cut` then says whether some were left out, and nothing but a confirmed model means
    anything.
    """

    def __init__(
        self,
        slots: Sequence[Slot],
        tools: ToolSet,
        interner: Interner,
        only: dict[n.Temporal, Sequence[Entry]] | None = None,
        recent: int | None = None,
    ) -> None:
        self.slots, self.tools, self.interner = slots, tools, interner
        self.open, self.cut = False, False
        self._recent = recent
        self._texts: list[tuple[z3.BoolRef, z3.BoolRef]] = []
        interner.used.clear()
        self.hopes: list[z3.BoolRef] = []  # "nothing more happens after the slots", for `possible`
        self._only = only or {}

    def truth(self, fold: AtomFold) -> z3.BoolRef:
        """Return the closed truth of a temporal formula once the slots have happened."""
        if fold.settled is not None:
            return z3.BoolVal(fold.settled)
        if fold.unknown is not None:
            self.open = True
            return z3.FreshBool("unknown")
        return _TRUTH[type(fold.node)](self, fold)

    def possible(self, fold: AtomFold) -> z3.BoolRef:
        """Return a truth value that any continuation after the slots could still give the formula.

        What the slots settle stays settled: a broken Forall or Before, a found Exists or Seq. All else is
        free, so that UNSAT needs no bound on the future.
        """
        if fold.settled is not None:
            return z3.BoolVal(fold.settled)
        later = z3.FreshBool("later")
        if isinstance(fold.node, (n.Forall, n.Before)):
            self.hopes.append(later)
            return z3.And(self.truth(fold), later)
        self.hopes.append(z3.Not(later))
        if isinstance(fold.node, n.After):
            return z3.If(later, z3.FreshBool("any"), self.truth(fold))
        return z3.Or(self.truth(fold), later)

    @property
    def texts(self) -> list[tuple[z3.BoolRef, z3.BoolRef]]:
        """Names of the tests of text in what was asked so far and in the schemas, each with its meaning."""
        return [*self._texts, *(named for slot in self.slots for named in slot.texts)]

    def facts(self) -> Iterator[z3.BoolRef]:
        """Yield what holds of the slots themselves; to be called after every `truth`."""
        for earlier, later in zip(self.slots, self.slots[1:], strict=False):
            yield z3.Implies(later.active, earlier.active)
        links = [link for slot in self.slots for link in slot.links("length")]
        for slot in self.slots:
            yield from slot.facts
        yield from links
        yield from tie_parts(self.slots, self.interner)

    def text_links(self) -> Iterator[z3.BoolRef]:
        """Yield what ties symbolic texts to the values, needed once the tests of text are no longer free."""
        for slot in self.slots:
            yield from slot.links("text")
        yield from tie_texts(self.slots)

    # ------------------------------------------------------------ the five predicates

    def _forall(self, fold: AtomFold) -> z3.BoolRef:
        return z3.And(
            [
                z3.Implies(m, self._alone(fold, s, b))
                for s in self.slots
                for b, m in self._reads(fold, "first", s)
            ]
        )

    def _exists(self, fold: AtomFold) -> z3.BoolRef:
        return z3.Or(
            [z3.And(m, self._alone(fold, s, b)) for s in self.slots for b, m in self._reads(fold, "first", s)]
        )

    def _before(self, fold: AtomFold) -> z3.BoolRef:
        parts = []
        for i, slot in enumerate(self.slots):
            for branch, matched in self._reads(fold, "first", slot):
                witnesses = self._matching(fold, slot, branch, "first")
                witnesses += self._among(fold, self.slots[:i], slot, branch, "second")
                parts.append(z3.Implies(z3.And(matched, self._alone(fold, slot, branch)), z3.Or(witnesses)))
        return z3.And(parts)

    def _after(self, fold: AtomFold) -> z3.BoolRef:
        parts = [z3.Or(self._discharges(fold, e)) for e in self._owed(fold)]
        for i, slot in enumerate(self.slots):
            for branch, matched in self._reads(fold, "first", slot):
                witnesses = self._among(fold, self.slots[i + 1 :], slot, branch, "second")
                parts.append(z3.Implies(z3.And(matched, self._alone(fold, slot, branch)), z3.Or(witnesses)))
        return z3.And(parts)

    def _seq(self, fold: AtomFold) -> z3.BoolRef:
        parts = []
        for i, slot in enumerate(self.slots):
            for branch, matched in self._reads(fold, "second", slot):
                starts = self._matching(fold, slot, branch, "second")
                for earlier in self.slots[:i]:
                    starts += [
                        z3.And(m, self._alone(fold, earlier, b), self._joint(fold, earlier, b, slot, branch))
                        for b, m in self._reads(fold, "first", earlier)
                    ]
                parts.append(z3.And(matched, z3.Or(starts)))
        return z3.Or(parts)

    # ------------------------------------------------------------ pieces

    def _reads(self, fold: AtomFold, role: n.Role, slot: Slot) -> Iterator[tuple[int, z3.BoolRef]]:
        """Yield each branch a slot may be read through, with "it is, and it counts"."""
        pattern = fold.pattern(role)
        by_branch: dict[int, list[str]] = {}
        for tool in slot.options:
            branch = pattern.branch(tool, self.tools)
            if branch is not None:
                by_branch.setdefault(pattern.branches.index(branch), []).append(tool)
        for index, names in by_branch.items():
            counts = z3.BoolVal(True) if fold.attempts(role) else z3.Not(slot.error)
            yield index, z3.And(slot.active, slot.is_tool(names), counts)

    def _among(
        self, fold: AtomFold, witnesses: Sequence[Slot], trigger: Slot, branch: int, role: n.Role
    ) -> list[z3.BoolRef]:
        return [
            z3.And(m, self._joint(fold, trigger, branch, w, b))
            for w in witnesses
            for b, m in self._reads(fold, role, w)
        ]

    def _discharges(self, fold: AtomFold, entry: Entry) -> list[z3.BoolRef]:
        return [
            z3.And(m, self._stored(fold, entry, s, b, "second"))
            for s in self.slots
            for b, m in self._reads(fold, "second", s)
        ]

    def _owed(self, fold: AtomFold) -> Sequence[Entry]:
        assert fold.store is not None
        return self._only[fold.node] if fold.node in self._only else list(fold.store.entries.values())

    def _past(self, fold: AtomFold, slot: Slot, branch: int) -> Sequence[Entry]:
        """Stored events that the slot might match; by the index where the slot is a finished call."""
        assert fold.store is not None
        if slot.known is not None and slot.known.complete and isinstance(fold.node, n.Before):
            stored = fold.store.candidates(slot.known.event, branch)
        else:
            stored = reversed(fold.store.entries.values())
        latest = list(islice(stored, self._recent))
        self.cut = self.cut or (len(latest) == self._recent and len(fold.store.entries) > len(latest))
        return latest

    def _alone(self, fold: AtomFold, slot: Slot, branch: int) -> z3.BoolRef:
        first = fold.node.first.branches[branch]
        return self._encode(fold.when, first, None, slot, None)

    def _matching(self, fold: AtomFold, slot: Slot, branch: int, role: n.Role) -> list[z3.BoolRef]:
        """Return "this stored event matches the slot" for each; one that surely does is enough."""
        found = []
        for entry in self._past(fold, slot, branch):
            match = self._stored(fold, entry, slot, branch, role)
            if z3.is_true(match):
                return [match]
            if not z3.is_false(match):
                found.append(match)
        return found

    def _stored(self, fold: AtomFold, entry: Entry, slot: Slot, branch: int, role: n.Role) -> z3.BoolRef:
        """Encode `where` for a stored event and a slot in `role`; what reads only the stored event is known.
        """
        i, j = (branch, entry.branch) if role == "first" else (entry.branch, branch)
        test = fold.joint(i, j)
        if role not in test.roles:
            if (i, j) not in entry.truths:
                entry.truths[i, j] = test.holds(entry.event, entry.event)
            truth = entry.truths[i, j]
            if isinstance(truth, bool):
                return z3.BoolVal(truth)
        first, second = (slot, entry.event) if role == "first" else (entry.event, slot)
        return self._joint(fold, first, i, second, j)

    def _joint(self, fold: AtomFold, first: Event | Slot, i: int, second: Event | Slot, j: int) -> z3.BoolRef:
        node = fold.node
        assert isinstance(node, (n.Before, n.After, n.Seq))
        return self._encode(node.where, node.first.branches[i], node.second.branches[j], first, second)

    def _encode(
        self,
        formula: n.Formula,
        first: n.Branch,
        second: n.Branch | None,
        a: Event | Slot,
        b: Event | Slot | None,
    ) -> z3.BoolRef:
        view = PairView(a, b, self.interner)
        encoded = encode(resolve(formula, first, second), view)  # type: ignore[arg-type]
        self.open = self.open or view.open
        self._texts += view.texts
        return encoded


_TRUTH = {
    n.Forall: Query._forall,
    n.Exists: Query._exists,
    n.Before: Query._before,
    n.After: Query._after,
    n.Seq: Query._seq,
}
