"""Domains: their tools, database and state projections."""
