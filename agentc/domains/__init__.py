"""Domains: their tools, database and state projections."""

from agentc.domains.domain import Domain, Environment, Needs, load, names, signatures

__all__ = ["Domain", "Environment", "Needs", "load", "names", "signatures"]
