"""Mistakes put into the engine are noticed, each of them, and nothing is noticed where there are none."""

from __future__ import annotations

import pytest

from tests.logic.battery import RANDOM, Disagreement
from tests.logic.battery_scripts import SCRIPTS
from tests.logic.faults import FAULTS, Fault

PROBES = (*SCRIPTS, *RANDOM)


@pytest.mark.parametrize("probe", PROBES, ids=lambda p: p.__name__)
def test_the_engine_passes(probe):
    probe()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_the_fault_is_noticed(fault: Fault):
    with fault.seeded():
        assert noticed_by(), f"nothing notices that {fault.name}"


def noticed_by() -> str:
    """Return the name of the first probe that disagrees; whatever else it raises breaks the test."""
    for probe in PROBES:
        try:
            probe()
        except (Disagreement, AssertionError):
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
