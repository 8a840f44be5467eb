"""Past events that may still matter to one temporal formula, found by hash on what its `where` says must be
equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from agentc.dsl import nodes as n
from agentc.logic.leaves import Leaf, Undecided, leaf_of, leaves, read, resolve
from agentc.trace.event import Event
from agentc.trace.values import Key, freeze

__all__ = ["Entry", "Store", "Trail"]

Trail = list[Callable[[], None]]
"""What to undo, last first, when an event is popped."""

_MISSING: Key = ("missing",)
_SCAN = ("scan",)
"""Bucket of entries whose key nobody could read: always looked at."""


@dataclass(slots=True)
class Entry:
    """Events that are alike in everything the formula reads of them; `event` is the first of them.

    `doubt` says why nobody can tell whether they matter.
    """

    event: Event
    branch: int
    identity: tuple[Key, ...]
    positions: list[int] = field(default_factory=list)
    truths: dict[tuple[int, int], object] = field(default_factory=dict)
    doubt: Undecided | None = None


@dataclass(frozen=True, slots=True)
class _Join:
    """The leaves whose equality `where` demands, on the stored side and on the asking side."""

    stored: tuple[Leaf, ...]
    asking: tuple[Leaf, ...]


def _pop(positions: list[int]) -> None:
    positions.pop()


class Store:
    """Entries of one role ("first" or "second") of a formula, asked from events of the other.

    Parameters
    ----------
    role : {"first", "second"}
        The role of the stored events.
    where : data formula
        Over both events.
    firsts, seconds : tuple of Branch
        The branches of both patterns.
    """

    def __init__(
        self, role: n.Role, where: n.Formula, firsts: tuple[n.Branch, ...], seconds: tuple[n.Branch, ...]
    ) -> None:
        self._role = role
        self.scanned = False  # True: every entry is a candidate, whatever the index says
        self.entries: dict[tuple[int, tuple[Key, ...]], Entry] = {}
        own, other = (firsts, seconds) if role == "first" else (seconds, firsts)
        pair = (lambda o, a: (o, a)) if role == "first" else (lambda o, a: (a, o))
        self._own, self._other = range(len(own)), range(len(other))
        self._joins = {
            (i, j): _join(resolve(where, *pair(own[i], other[j])), role)
            for i in self._own
            for j in self._other
        }
        self._leaves = [_relevant(where, role, branch) for branch in own]
        self._buckets: dict[tuple, dict[tuple[int, tuple[Key, ...]], Entry]] = {}

    def add(
        self, event: Event, branch: int, position: int, trail: Trail, doubt: Undecided | None = None
    ) -> None:
        """Store an event; one that can be told apart by nothing the formula reads only adds its position."""
        identity = tuple(_key(leaf, event) for leaf in self._leaves[branch])
        name = (branch, identity)
        entry = self.entries.get(name)
        if entry is None:
            entry = Entry(event, branch, identity, doubt=doubt)
            self._insert(name, entry)
            trail.append(lambda: self._delete(name, entry))
        entry.positions.append(position)
        trail.append(lambda: _pop(entry.positions))

    def remove(self, entry: Entry, trail: Trail) -> None:
        """Take an entry out (an obligation that was discharged)."""
        name = (entry.branch, entry.identity)
        self._delete(name, entry)
        trail.append(lambda: self._insert(name, entry))

    def candidates(self, event: Event, branch: int) -> Iterator[Entry]:
        """Yield every stored entry that could match the asking event, the latest first."""
        if self.scanned:
            yield from reversed(list(self.entries.values()))
            return
        for own in self._own:
            for bucket in self._matching(own, branch, event):
                yield from reversed(self._buckets.get(bucket, {}).values())

    def _matching(self, own: int, branch: int, event: Event) -> Iterator[tuple]:
        keys = tuple(_key(leaf, event) for leaf in self._joins[own, branch].asking)
        if _SCAN in keys:  # unreadable on this side: everything stored could match
            yield from [b for b in self._buckets if b[:2] == (own, branch)]
        elif _MISSING not in keys:  # what is absent equals nothing
            yield (own, branch, keys)
            yield (own, branch, _SCAN)

    def _bucket_names(self, entry: Entry) -> Iterator[tuple]:
        for other in self._other:
            keys = tuple(_key(leaf, entry.event) for leaf in self._joins[entry.branch, other].stored)
            if _MISSING not in keys:
                yield (entry.branch, other, _SCAN if _SCAN in keys else keys)

    def _insert(self, name: tuple[int, tuple[Key, ...]], entry: Entry) -> None:
        self.entries[name] = entry
        for bucket in self._bucket_names(entry):
            self._buckets.setdefault(bucket, {})[name] = entry

    def _delete(self, name: tuple[int, tuple[Key, ...]], entry: Entry) -> None:
        del self.entries[name]
        for bucket in self._bucket_names(entry):
            del self._buckets[bucket][name]
            if not self._buckets[bucket]:
                del self._buckets[bucket]


def _key(leaf: Leaf, event: Event) -> Key:
    value = read(leaf, event)
    return _SCAN if isinstance(value, Undecided) else freeze(value)


def _relevant(where: n.Formula, role: n.Role, branch: n.Branch) -> tuple[Leaf, ...]:
    return tuple(dict.fromkeys(leaves(resolve(where, branch, branch), role)))


def _join(where: object, role: n.Role) -> _Join:
    conjuncts = list(_conjuncts(where))
    pairs = [p for c in conjuncts if (p := _sides(c, role)) is not None]
    return _Join(tuple(p[0] for p in pairs), tuple(p[1] for p in pairs))


def _conjuncts(formula: object) -> Iterator[object]:
    if isinstance(formula, n.And):
        for arg in formula.args:
            yield from _conjuncts(arg)
    else:
        yield formula


def _sides(formula: object, role: n.Role) -> tuple[Leaf, Leaf] | None:
    """Return (stored leaf, asking leaf) of an equality between the two events."""
    if not (isinstance(formula, n.Compare) and formula.op == "=="):
        return None
    left, right = leaf_of(formula.left), leaf_of(formula.right)
    if left is None or right is None or left.role == right.role:
        return None
    return (left, right) if left.role == role else (right, left)
