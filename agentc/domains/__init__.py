"""Domains: their tools, database and state projections."""

from agentc.domains.domain import Domain, Environment, Needs, load, names, signatures
from agentc.domains.needs import needed_by
from agentc.domains.replay import Divergence, Replayed, replay
from agentc.domains.specifications import groups_of, load_specification
from agentc.domains.truth import Fault, faults, ground_truth

__all__ = [
    "Divergence",
    "Domain",
    "Environment",
    "Fault",
    "Needs",
    "Replayed",
    "faults",
    "ground_truth",
    "groups_of",
    "load",
    "load_specification",
    "names",
    "needed_by",
    "replay",
    "signatures",
]
