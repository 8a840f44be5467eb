"""Which calls a tool's schema accepts, and what is said of the others."""

from decimal import Decimal
from fractions import Fraction

import pytest

from agentc.tools import Tool, accepts
from agentc.tools.accepts import complaint

TOOL = Tool(
    "refund",
    {
        "type": "object",
        "properties": {
            "order": {"type": "string", "pattern": "^#W"},
            "amount": {"type": "number", "minimum": 0.1, "multipleOf": 0.1},
            "count": {"type": "integer"},
            "way": {"enum": ["card", "cash", 1]},
            "lines": {"type": "array", "items": {"type": "object", "required": ["id"]}},
        },
        "required": ["order"],
    },
)


@pytest.mark.parametrize(
    "args",
    [
        {"order": "#W1"},
        {"order": "#W1", "amount": 0.1},
        {"order": "#W1", "amount": 0.3},
        {"order": "#W1", "amount": Fraction(3, 10)},
        {"order": "#W1", "amount": Decimal("0.1")},
        {"order": "#W1", "count": 2.0},
        {"order": "#W1", "count": Decimal("2.0")},
        {"order": "#W1", "count": 2**70},
        {"order": "#W1", "lines": ({"id": 1},)},
        {"order": "#W1", "way": 1.0},
    ],
)
def test_accepted(args):
    assert accepts(TOOL, args) is None


@pytest.mark.parametrize(
    ("args", "part"),
    [
        ({}, "'order' is a required property"),
        ({"order": 1}, "argument `order`: 1 is not of type 'string'"),
        ({"order": "W1"}, "does not match"),
        ({"order": "#W1", "amount": 0.09}, "less than the minimum"),
        ({"order": "#W1", "amount": 0.25}, "1/4 is not a multiple of 1/10"),
        ({"order": "#W1", "count": True}, "True is not of type"),
        ({"order": "#W1", "count": 2.5}, "is not of type 'integer'"),
        ({"order": "#W1", "way": True}, "True is not one of"),
        ({"order": "#W1", "lines": [{}]}, "argument `lines.0`: 'id' is a required property"),
        ({"order": "#W1", "ordr": 1}, "`refund` has no argument `ordr`; did you mean `order`?"),
        ({"order": "#W1", "amount": float("nan")}, "a number must be finite"),
        ({"order": {1}}, "a value must be JSON"),
        ([], "must be an object"),
    ],
)
def test_not_accepted(args, part):
    assert part in accepts(TOOL, args)


def test_an_open_tool_accepts_more():
    open_tool = Tool("log", {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}})
    assert accepts(open_tool, {"x": "a"}) is None
    assert "is not of type 'string'" in accepts(open_tool, {"x": 1})


def test_messages_take_one_text():
    from agentc.tools import ToolSet

    assert accepts(ToolSet()["user_message"], {"text": "hi"}) is None
    assert "required" in accepts(ToolSet()["user_message"], {})


def test_complaint_of_a_value():
    assert complaint({"enum": ["a"]}, "b") == "'b' is not one of ['a']"
    assert complaint(None, "b") is None and complaint(False, "b") is not None
