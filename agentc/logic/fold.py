"""The fold: per temporal formula, the little of the past that still matters, kept up to date event by event.

A fold chooses which past events a new one has to be judged with; whether they match is always Z3's word
(`Test`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentc.dsl import nodes as n
from agentc.logic.instances import Test
from agentc.logic.leaves import Undecided
from agentc.logic.program import Program
from agentc.logic.store import Entry, Store, Trail
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event

__all__ = ["AtomFold", "Match", "fold"]


@dataclass(frozen=True, slots=True)
class Match:
    """How an event is read by a pattern: which branch; `counts` is False for a failed call that asserts
    nothing."""

    branch: int
    counts: bool


def _drop(table: dict[int, Any], key: int) -> None:
    table.pop(key, None)


@dataclass(slots=True)
class AtomFold:
    """State of one temporal formula over the events so far.

    `settled` is the truth value that no future changes, if there is one; `now` is the closed truth value.
    `evidence` lists the positions that made it so: violating positions, or the (t, t') that satisfied it.
    `witness` says which event answered a trigger; `answered`, for After, which triggers an event answered.
    `store` keeps the past events that may matter yet; `doubtful`, for After and Seq, those of which nobody
    can tell whether they are triggers at all, or are answered already.
    """

    node: n.Temporal
    index: int
    program: Program
    settled: bool | None = None
    doubt: Undecided | None = None
    evidence: list[tuple[int, ...]] = field(default_factory=list)
    witness: dict[int, int] = field(default_factory=dict)
    answered: dict[int, list[int]] = field(default_factory=dict)
    store: Store | None = None
    doubtful: Store | None = None

    @property
    def unknown(self) -> Undecided | None:
        """Return why the truth can't be told, if it can't."""
        return self.doubt

    @property
    def now(self) -> bool | Undecided:
        if self.settled is not None:
            return self.settled
        if self.unknown is not None:
            return self.unknown
        return self._default()

    @property
    def state(self) -> tuple[object, ...]:
        """What of the past matters, comparable between folds of the same trace however they found it."""
        now = self.now
        told = now if isinstance(now, bool) else "unknown"
        kept = [frozenset(s.entries) for s in (self.store, self.doubtful) if s is not None]
        return (self.settled, told, *kept)

    def scan(self) -> None:
        """Do without the index: try every stored event."""
        for store in (self.store, self.doubtful):
            if store is not None:
                store.scanned = True

    # ------------------------------------------------------------ patterns and tests

    def match(self, role: n.Role, event: Event, tools: ToolSet) -> Match | None:
        """Return how the pattern of `role` reads the event, or None."""
        pattern = self.pattern(role)
        for index, branch in enumerate(pattern.branches):
            if branch.matches(event.tool, tools):
                return Match(index, self.attempts(role) or not event.error)
        return None

    def pattern(self, role: n.Role) -> n.Pattern:
        return self.node.first if role == "first" else self.node.second  # type: ignore[union-attr]

    def attempts(self, role: n.Role) -> bool:
        """Return whether failed calls match too: triggers of Before and Forall, and what is marked
        `attempted`."""
        triggers = isinstance(self.node, (n.Before, n.Forall)) and role == "first"
        return triggers or self.pattern(role).attempted

    @property
    def when(self) -> n.Formula:
        """The formula about the first event alone."""
        return self.node.where if isinstance(self.node, (n.Forall, n.Exists)) else self.node.when

    def alone(self, branch: int) -> Test:
        """Return the formula about the first event alone, as read through a branch."""
        return self.program.test(
            self.index,
            "alone",
            branch,
            0,
            lambda: Test(self.when, self.node.first.branches[branch], None, self.program.interner),
        )

    def joint(self, first: int, second: int) -> Test:
        """Return the formula about both events, as read through a pair of branches."""
        node = self.node
        assert isinstance(node, (n.Before, n.After, n.Seq))
        return self.program.test(
            self.index,
            "joint",
            first,
            second,
            lambda: Test(
                node.where, node.first.branches[first], node.second.branches[second], self.program.interner
            ),
        )

    # ------------------------------------------------------------ changes, each with its undoing

    def _settle(self, value: bool, evidence: tuple[int, ...], trail: Trail) -> None:
        before = self.settled
        self.settled = value
        self.evidence.append(evidence)

        def undo() -> None:
            self.settled = before
            self.evidence.pop()

        trail.append(undo)

    def _unsure(self, why: Undecided, trail: Trail) -> None:
        if self.doubt is None:
            self.doubt = why
            trail.append(lambda: setattr(self, "doubt", None))

    def _witnessed(self, position: int, by: int, trail: Trail) -> None:
        self.witness[position] = by
        trail.append(lambda: _drop(self.witness, position))

    def _answers(self, position: int, triggers: list[int], trail: Trail) -> None:
        self.answered.setdefault(position, []).extend(triggers)
        trail.append(lambda: _drop(self.answered, position))

    # ------------------------------------------------------------ what each formula does with an event

    def _default(self) -> bool:
        raise NotImplementedError

    def step(
        self, event: Event, position: int, first: Match | None, second: Match | None, trail: Trail
    ) -> None:
        raise NotImplementedError


class _Forall(AtomFold):
    def _default(self) -> bool:
        return True

    def step(
        self, event: Event, position: int, first: Match | None, second: Match | None, trail: Trail
    ) -> None:
        if first is None:
            return
        truth = self.alone(first.branch).holds(event)
        if truth is False:
            self._settle(False, (position,), trail)
        elif isinstance(truth, Undecided):
            self._unsure(truth, trail)


class _Exists(AtomFold):
    def _default(self) -> bool:
        return False

    def step(
        self, event: Event, position: int, first: Match | None, second: Match | None, trail: Trail
    ) -> None:
        if first is None or not first.counts or self.settled:
            return
        truth = self.alone(first.branch).holds(event)
        if truth is True:
            self._settle(True, (position,), trail)
        elif isinstance(truth, Undecided):
            self._unsure(truth, trail)


class _Paired(AtomFold):
    """Before, After and Seq: a store of one role's past events, asked by events of the other."""

    def _find(
        self, store: Store | None, event: Event, match: Match, role: n.Role
    ) -> tuple[Entry | None, Undecided | None]:
        """Return an entry whose `where` holds with the event, else the first reason why one can't be told."""
        assert store is not None
        why = None
        for entry in store.candidates(event, match.branch):
            truth = self._both(entry, event, match, role)
            if truth is True:
                return entry, None
            if isinstance(truth, Undecided):
                why = why or truth
        return None, why

    def _both(self, entry: Entry, event: Event, match: Match, role: n.Role) -> bool | Undecided:
        """Evaluate `where` on an entry of the store and an event of the other role (`role`)."""
        if role == "first":
            return self.joint(match.branch, entry.branch).holds(event, entry.event)
        return self.joint(entry.branch, match.branch).holds(entry.event, event)

    def _keep(self, event: Event, position: int, match: Match, trail: Trail) -> None:
        assert self.store is not None
        self.store.add(event, match.branch, position, trail)


class _Before(_Paired):
    def _default(self) -> bool:
        return True

    def step(
        self, event: Event, position: int, first: Match | None, second: Match | None, trail: Trail
    ) -> None:
        if first is not None:
            self._trigger(event, position, first, trail)
        if second is not None and second.counts:
            self._keep(event, position, second, trail)

    def _trigger(self, event: Event, position: int, first: Match, trail: Trail) -> None:
        triggered = self.alone(first.branch).holds(event)
        if triggered is False:
            return
        entry, why = self._find(self.store, event, first, "first")
        if entry is not None:
            self._witnessed(position, entry.positions[0], trail)
        elif isinstance(triggered, Undecided) or why is not None:
            doubt = triggered if isinstance(triggered, Undecided) else why
            assert doubt is not None
            self._unsure(doubt, trail)
        else:
            self._settle(False, (position,), trail)


class _Waiting(_Paired):
    """After and Seq, whose triggers wait for a later event."""

    def _wait(self, event: Event, position: int, first: Match, trail: Trail) -> None:
        truth = self.alone(first.branch).holds(event)
        if truth is True:
            self._keep(event, position, first, trail)
        elif isinstance(truth, Undecided):
            assert self.doubtful is not None
            self.doubtful.add(event, first.branch, position, trail, truth)


class _After(_Waiting):
    @property
    def unknown(self) -> Undecided | None:
        assert self.doubtful is not None
        return next((e.doubt for e in self.doubtful.entries.values()), None)

    @property
    def now(self) -> bool | Undecided:
        assert self.store is not None
        if self.store.entries:
            return False  # whatever the others turn out to be
        unknown = self.unknown
        return True if unknown is None else unknown

    def step(
        self, event: Event, position: int, first: Match | None, second: Match | None, trail: Trail
    ) -> None:
        if second is not None and second.counts:
            self._discharge(event, position, second, trail)
        if first is not None and first.counts:
            self._wait(event, position, first, trail)

    def _discharge(self, event: Event, position: int, second: Match, trail: Trail) -> None:
        assert self.store is not None and self.doubtful is not None
        for store in (self.doubtful, self.store):  # in this order, since entries may move to `doubtful`
            for entry in list(store.candidates(event, second.branch)):
                truth = self._both(entry, event, second, "second")
                if truth is True:
                    for owed in entry.positions:
                        self._witnessed(owed, position, trail)
                    self._answers(position, entry.positions, trail)
                    store.remove(entry, trail)
                elif isinstance(truth, Undecided) and store is self.store:
                    self._put_in_doubt(entry, truth, trail)

    def _put_in_doubt(self, entry: Entry, why: Undecided, trail: Trail) -> None:
        assert self.store is not None and self.doubtful is not None
        self.store.remove(entry, trail)
        for position in entry.positions:
            self.doubtful.add(entry.event, entry.branch, position, trail, why)


class _Seq(_Waiting):
    def _default(self) -> bool:
        return False

    def step(
        self, event: Event, position: int, first: Match | None, second: Match | None, trail: Trail
    ) -> None:
        if self.settled:
            return
        if second is not None and second.counts:
            self._complete(event, position, second, trail)
        if not self.settled and first is not None and first.counts:
            self._wait(event, position, first, trail)

    def _complete(self, event: Event, position: int, second: Match, trail: Trail) -> None:
        entry, why = self._find(self.store, event, second, "second")
        if entry is not None:
            self._settle(True, (entry.positions[0], position), trail)
            return
        maybe, maybe_why = self._find(self.doubtful, event, second, "second")
        doubt = why or (maybe.doubt if maybe is not None else maybe_why)
        if doubt is not None:
            self._unsure(doubt, trail)


_KINDS: dict[type, tuple[type[AtomFold], n.Role | None]] = {
    n.Forall: (_Forall, None),
    n.Exists: (_Exists, None),
    n.Before: (_Before, "second"),
    n.After: (_After, "first"),
    n.Seq: (_Seq, "first"),
}


def fold(program: Program, index: int) -> AtomFold:
    """Return an empty fold for a program's temporal formula."""
    node = program.atoms[index]
    kind, stored = _KINDS[type(node)]
    made = kind(node, index, program)
    if stored is not None:
        assert isinstance(node, (n.Before, n.After, n.Seq))
        made.store = Store(stored, node.where, node.first.branches, node.second.branches)
        if stored == "first":
            made.doubtful = Store(stored, node.where, node.first.branches, node.second.branches)
    return made
