"""Which measurements one run makes, and how long each may take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.workloads import DENSITIES, WORKLOADS

__all__ = ["FULL", "QUICK", "SHORT", "Cell", "Plan"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One thing that is measured: a subject on a workload after `past` events."""

    workload: str
    density: str
    past: int
    subject: str

    def __str__(self) -> str:
        return f"{self.workload} {self.density} n={self.past} {self.subject}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of a run.

    Parameters
    ----------
    pasts : tuple of int
        How many events lie before the ones that are judged.
    samples : Mapping-like tuple of (str, int)
        Subjects in the order they run, with how many judgements of each are timed in one round.
    rounds : int
        How often `repeated` subjects are measured, one round after another.
    budget_s : float
        Seconds for one cell of one round, past and warm-up not counted; then it is stopped.
    setup_s : float
        Seconds for past and warm-up.
    memory : int
        Events that are judged for the memory figure; 0: none.
    imports : int
        How often `import agentc` is timed.
    """

    pasts: tuple[int, ...]
    samples: tuple[tuple[str, int], ...]
    rounds: int
    budget_s: float
    setup_s: float
    memory: int
    imports: int
    densities: tuple[str, ...] = DENSITIES
    workloads: tuple[str, ...] = tuple(WORKLOADS)
    repeated: tuple[str, ...] = ("engine", "session", "check", "invariant")

    def cells(self, number: int) -> Iterator[tuple[Cell, int]]:
        """Yield a round's cells with their samples; the smaller past first, ours beside the peer's."""
        for workload in self.workloads:
            for density in self.densities:
                for past in self.pasts:
                    for subject, samples in self.samples:
                        if number == 0 or subject in self.repeated:
                            yield Cell(workload, density, past, subject), samples


FULL = Plan(
    pasts=(10, 100, 1_000, 10_000),
    samples=(
        ("engine", 400),
        ("session", 400),
        ("check", 200),
        ("invariant", 24),
        ("check refused", 40),
        ("partial, tool", 60),
        ("partial, one argument", 60),
        ("quantified", 8),
    ),
    rounds=3,
    budget_s=40,
    setup_s=120,
    memory=10_000,
    imports=11,
)

SHORT = Plan(
    pasts=(10, 100, 1_000, 10_000),
    samples=(("engine", 60), ("session", 40), ("check", 30), ("partial, tool", 12), ("invariant", 3)),
    rounds=1,
    budget_s=1,
    setup_s=5,
    memory=500,
    imports=3,
)

QUICK = Plan(
    pasts=(10, 1_000),
    samples=(("engine", 80), ("check", 40), ("partial, tool", 20), ("invariant", 4), ("quantified", 2)),
    rounds=1,
    budget_s=2,
    setup_s=60,
    memory=500,
    imports=3,
    densities=("dense",),
)
