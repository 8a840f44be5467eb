"""Mistakes put into the engine are noticed, each of them, and nothing is noticed where there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentc.dsl.parse import parse_specification
from agentc.errors import InternalError
from tests.examples import EXAMPLES
from tests.logic import battery
from tests.logic.battery import RANDOM, Disagreement, fresh
from tests.logic.battery_scripts import ROWS, SCRIPTS
from tests.logic.faults import FAULTS, Fault

PROBES = (*SCRIPTS, *RANDOM)


@pytest.mark.parametrize("probe", PROBES, ids=lambda p: p.__name__)
def test_the_engine_passes(probe):
    probe()


@pytest.mark.parametrize("probe", PROBES, ids=lambda p: p.__name__)
def test_the_engine_passes_where_the_fold_confirms_witnesses(probe, monkeypatch):
    """As it does on traces too long for the reference evaluator."""
    monkeypatch.setattr(battery, "LIMITS", replace(battery.LIMITS, replayed=-1))
    probe()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_the_fault_is_noticed(fault: Fault):
    with fault.seeded():
        assert noticed_by(), f"nothing notices that {fault.name}"


def noticed_by() -> str:
    """Return the name of the first probe that disagrees, or in which the engine disagrees with itself."""
    for probe in PROBES:
        try:
            probe()
        except (Disagreement, InternalError):
            return probe.__name__
    return ""


def test_there_is_a_fault_of_every_kind():
    assert len({f.name for f in FAULTS}) == len(FAULTS) >= 90
    places = {
        getattr(where, "__module__", getattr(where, "__name__", ""))
        for f in FAULTS
        for where, *_ in f.patches
    }
    wanted = (
        "fold",
        "store",
        "instances",
        "encode",
        "values",
        "query",
        "slots",
        "schema",
        "bound",
        "focus",
        "prefix",
    )
    assert {f"agentc.logic.{name}" for name in wanted} <= places
    assert {f"agentc.logic.{name}" for name in ("skeleton", "engine", "future", "witness")} <= places


# ---------------------------------------------------------------- what an engine notices itself

ONE = "the index looks through one branch only"  # without the index the same code goes on
UNDONE = ("settled is not taken back", "does not come back", "stays stored")
TO_ITSELF = [
    f for f in FAULTS if (f.name.startswith("the index") or f.name.endswith(UNDONE)) and ONE not in f.name
]


@pytest.mark.parametrize("fault", TO_ITSELF, ids=lambda f: f.name)
def test_a_paranoid_engine_notices_itself(fault):
    with fault.seeded(), pytest.raises(InternalError, match="disagree"):
        paranoid()


def test_a_paranoid_engine_is_content():
    paranoid()


def paranoid() -> None:
    """Ask paranoid engines for closed verdicts, and look at none of them."""
    rows = [(parse_specification(f"constraint r: {text}"), events) for text, events, _ in ROWS]
    for spec, events in [*rows, *((e.spec, e.events) for e in EXAMPLES)]:
        judge = fresh(spec, paranoid=True)
        for event in events:
            judge.push(event)
            judge.closed()
            judge.pop()
            judge.closed()
            judge.push(event)
        for _ in events:
            judge.pop()
            judge.closed()
