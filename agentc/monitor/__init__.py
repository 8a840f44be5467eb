"""The incremental session that judges a run call by call."""

from agentc.logic.future import Limits, Verdict
from agentc.monitor.judgement import ConstraintState, Judgement, Obligation, Repair, Violation, Witness
from agentc.monitor.session import Session

__all__ = [
    "ConstraintState",
    "Judgement",
    "Limits",
    "Obligation",
    "Repair",
    "Session",
    "Verdict",
    "Violation",
    "Witness",
]
