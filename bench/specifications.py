"""The two specifications, read and checked like anybody's."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agentc.domains.specifications import load_specification
from agentc.dsl.nodes import Specification

__all__ = ["specification"]

_FOLDER = Path(__file__).parent / "specs"


@cache
def specification(name: str) -> Specification:
    """Return ``join``, the single joined rule, or ``retail30``, the thirty constraints."""
    return load_specification(_FOLDER / f"{name}.agentc")
