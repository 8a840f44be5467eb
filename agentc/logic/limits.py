"""Verdicts, and the budgets they are reached within."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

__all__ = ["Limits", "Verdict"]


class Verdict(StrEnum):
    """SAT, UNSAT or UNKNOWN; only SAT lets a call run."""

    SAT = "SAT"
    UNSAT = "UNSAT"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets of one judgement.

    Parameters
    ----------
    rlimit : int
        Z3's resource units for one query (reproducible, unlike seconds).
    timeout_ms : int
        Wall-clock watchdog for one query; milliseconds.
    partial_rlimit, partial_ms : int
        The same for a call that is still being written, where UNKNOWN costs nothing but time.
    uncertified : int
        How many future events to try where no bound is known.
    longest : int
        The longest certified bound that is searched.
    replayed : int
        Longest trace, in events, on which the reference evaluator replays a witness; beyond it the fold does.
    """

    rlimit: int = 5_000_000
    timeout_ms: int = 5_000
    partial_rlimit: int = 500_000
    partial_ms: int = 250
    uncertified: int = 5
    longest: int = 32
    replayed: int = 256

    def for_partial(self) -> Limits:
        """Return the limits of a call that is still being written."""
        return replace(self, rlimit=self.partial_rlimit, timeout_ms=self.partial_ms)
