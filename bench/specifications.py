"""The two specifications, as text that is parsed and checked like anybody's."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agentc.domains.domain import signatures
from agentc.domains.specifications import load_specification
from agentc.dsl.check import check
from agentc.dsl.nodes import Specification
from agentc.dsl.parse import parse_specification
from agentc.dsl.show_text import to_text

__all__ = ["FIRST_THIRTEEN", "join", "retail30", "retail30_text"]

_HERE = Path(__file__).parent

FIRST_THIRTEEN = (
    "authenticated",
    "own_orders",
    "own_profile",
    "one_user",
    "status_checked",
    "pending_only",
    "delivered_only",
    "once_per_order",
    "cancel_reason",
    "refund_target",
    "gift_card_covers",
    "same_product",
    "confirmed",
)
"""By name, so that the benchmark stays the same while the shipped specification grows."""


def join() -> Specification:
    """Return the single joined rule."""
    return load_specification(_HERE / "specs" / "join.agentc")


@cache
def retail30_text() -> str:
    """Return the text of retail's first thirteen constraints with the seventeen of ``variants.agentc``."""
    retail = load_specification(_HERE.parent / "specs" / "retail.agentc")
    variants = load_specification(_HERE / "specs" / "variants.agentc")
    constraints = (*(retail[name] for name in FIRST_THIRTEEN), *variants.constraints)
    return to_text(Specification("retail30", constraints, domain="retail"))


def retail30() -> Specification:
    """Return the thirty constraints."""
    spec = parse_specification(retail30_text(), "retail30", signatures)
    check(spec)
    return spec
