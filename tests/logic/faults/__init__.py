"""Seeded faults: small mistakes put into the engine one at a time; the battery has to notice each."""

from tests.logic.faults import future, past, values, verdicts
from tests.logic.faults.seeding import FAULTS, Fault

__all__ = ["FAULTS", "Fault", "future", "past", "values", "verdicts"]
