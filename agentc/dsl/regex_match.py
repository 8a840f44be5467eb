"""Whole-string matching in time linear in the text, which is hostile: nothing may backtrack."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agentc.dsl.regex import Alternatives, Characters, Concat, Literal, Ranges, Regex, Repeat, parse_regex

__all__ = ["Automaton", "fullmatch"]

_MAX_CACHE: Final = 20_000
_ACCEPT: Final = 0


def fullmatch(pattern: str, text: str) -> bool:
    """Return whether the whole of `text` matches `pattern` (of the subset that `parse_regex` reads).

    Raises
    ------
    SpecificationError
        If `pattern` isn't in the subset.

    Notes
    -----
    Thompson's simulation with remembered steps: at most (size of the expression) x (length of the text),
    never the exponential time of backtracking.

    Examples
    --------
    >>> fullmatch("(a|aa)*b", "a" * 50 + "c")
    False
    """
    return _automaton(pattern).accepts(text)


@dataclass(frozen=True, slots=True)
class _Read:
    """A state that reads one character of `ranges` and goes on at `then`."""

    ranges: Ranges
    then: int


@dataclass(frozen=True, slots=True)
class _Split:
    """A state that goes on at each of `targets` without reading."""

    targets: tuple[int, ...]


class Automaton:
    """A nondeterministic automaton; state 0 accepts."""

    def __init__(self, regex: Regex) -> None:
        self._states: list[_Read | _Split] = [_Split(())]
        self._start = self._closure([self._add(regex, _ACCEPT)])
        self._seen: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def accepts(self, text: str) -> bool:
        states = self._start
        for char in text:
            states = self._step(states, char)
            if not states:
                return False
        return _ACCEPT in states

    def _step(self, states: frozenset[int], char: str) -> frozenset[int]:
        found = self._seen.get((states, char))
        if found is None:
            if len(self._seen) >= _MAX_CACHE:
                self._seen.clear()
            found = self._closure([then for s in states for then in self._follow(s, ord(char))])
            self._seen[states, char] = found
        return found

    def _follow(self, state: int, code: int) -> tuple[int, ...]:
        step = self._states[state]
        if isinstance(step, _Split):
            return ()
        at = bisect_right(step.ranges, code, key=lambda r: r[0]) - 1
        return (step.then,) if at >= 0 and step.ranges[at][1] >= code else ()

    def _closure(self, states: list[int]) -> frozenset[int]:
        """Return the reading and accepting states that are reached without reading."""
        seen: set[int] = set()
        stack = list(states)
        while stack:
            state = stack.pop()
            if state not in seen:
                seen.add(state)
                step = self._states[state]
                stack.extend(step.targets if isinstance(step, _Split) else ())
        return frozenset(s for s in seen if s == _ACCEPT or isinstance(self._states[s], _Read))

    def _new(self, step: _Read | _Split) -> int:
        self._states.append(step)
        return len(self._states) - 1

    def _add(self, regex: Regex, then: int) -> int:
        """Add states that read `regex` and go on at `then`; return the one to start at."""
        match regex:
            case Literal(text):
                for char in reversed(text):
                    then = self._new(_Read(((ord(char), ord(char)),), then))
                return then
            case Characters(ranges):
                return self._new(_Read(ranges, then))
            case Concat(parts):
                for part in reversed(parts):
                    then = self._add(part, then)
                return then
            case Alternatives(options):
                return self._new(_Split(tuple(self._add(o, then) for o in options)))
            case Repeat(part, low, high):
                return self._repeat(part, low, high, then)

    def _repeat(self, part: Regex, low: int, high: int | None, then: int) -> int:
        if high is None:
            loop = self._new(_Split(()))
            self._states[loop] = _Split((self._add(part, loop), then))
            then = loop
        else:
            end = then
            for _ in range(high - low):
                then = self._new(_Split((self._add(part, then), end)))
        for _ in range(low):
            then = self._add(part, then)
        return then


@lru_cache(maxsize=256)
def _automaton(pattern: str) -> Automaton:
    return Automaton(parse_regex(pattern))
