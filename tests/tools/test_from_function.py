"""Tools from Python functions."""

import dataclasses
import enum
import functools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, NotRequired, TypedDict

import pytest

from agentc.errors import ToolError
from agentc.tools import accepts, from_functions, tool_from_function
from agentc.tools.annotations import schema_of


class Way(enum.Enum):
    CARD = "card"
    CASH = "cash"


class Line(TypedDict):
    id: str
    count: NotRequired[int]


@dataclasses.dataclass
class Address:
    zip: str
    lines: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Tree:
    children: "list[Tree]"


UserId = NewType("UserId", str)
STRING, INTEGER = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, STRING),
        (int, INTEGER),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (list, {"type": "array"}),
        (dict, {"type": "object"}),
        (UserId, STRING),
        (list[int], {"type": "array", "items": INTEGER}),
        (Sequence[int], {"type": "array", "items": INTEGER}),
        (dict[str, int], {"type": "object", "additionalProperties": INTEGER}),
        (Mapping[str, int], {"type": "object", "additionalProperties": INTEGER}),
        (tuple[int, ...], {"type": "array", "items": INTEGER}),
        (tuple[int, str], {"type": "array", "prefixItems": [INTEGER, STRING], "items": False, "minItems": 2}),
        (Literal["a", 1, None], {"enum": ["a", 1, None]}),
        (Way, {"enum": ["card", "cash"]}),
        (int | None, {"anyOf": [INTEGER, {"type": "null"}]}),
        (int | str, {"anyOf": [INTEGER, STRING]}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (
            Line,
            {
                "type": "object",
                "properties": {"id": STRING, "count": INTEGER},
                "required": ["id"],
                "additionalProperties": False,
            },
        ),
        (
            Address,
            {
                "type": "object",
                "properties": {"zip": STRING, "lines": {"type": "array", "items": STRING}},
                "required": ["zip"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_annotations(annotation, expected):
    assert schema_of(annotation, "x") == expected


@pytest.mark.parametrize(
    ("annotation", "part"),
    [
        (set[int], "no JSON schema"),
        (complex, "found: complex"),
        (dict[int, str], "no JSON schema"),
        (Tree, "an annotation is recursive"),
        (Literal[b"a"], "isn't JSON"),
        ("str", "no JSON schema"),
        (list[complex], "found: complex"),
    ],
)
def test_annotations_refused(annotation, part):
    with pytest.raises(ToolError) as caught:
        schema_of(annotation, "function `f`, argument `x`")
    assert part in str(caught.value) and "where: function `f`, argument `x`" in str(caught.value)


def test_pydantic():
    pydantic = pytest.importorskip("pydantic")

    class Inner(pydantic.BaseModel):
        n: int

    class Outer(pydantic.BaseModel):
        inner: Inner
        name: str | None = None

    def act(outer: Outer, count: Annotated[int, pydantic.Field(ge=1, description="how many")]) -> Inner: ...

    act.__annotations__ = {
        "outer": Outer,
        "count": Annotated[int, pydantic.Field(ge=1, description="how many")],
        "return": Inner,
    }
    tool = tool_from_function(act)
    assert tool.arguments["count"] == {"type": "integer", "minimum": 1, "description": "how many"}
    assert accepts(tool, {"outer": {"inner": {"n": 1}}, "count": 1}) is None
    assert "is not of type 'integer'" in accepts(tool, {"outer": {"inner": {"n": "1"}}, "count": 1})
    assert tool.output["properties"]["n"]["type"] == "integer"


def test_a_function():
    def refund(order_id: str, amount: float = 0.0, *, way: Way = Way.CARD, note=None) -> set[int]:
        """Pay it back.

        Args:
            order_id: the order.
        """

    tool = tool_from_function(refund, kind="write")
    assert tool.name == "refund" and tool.kind == "write" and tool.required == {"order_id"} and not tool.open
    assert tool.arguments["amount"] == {"type": "number", "default": 0.0}
    assert tool.arguments["way"] == {"enum": ["card", "cash"]}  # its default isn't JSON
    assert tool.arguments["note"] == {"default": None}
    assert (
        tool.output is None
        and tool.description.startswith("Pay it back.")
        and "order_id: the order." in tool.description
    )


def test_open_and_async_and_callable():
    async def log(**more: str) -> None: ...

    class Act:
        def __call__(self, x: int) -> str: ...

    assert (
        tool_from_function(log).open and tool_from_function(log).parameters["additionalProperties"] == STRING
    )
    assert tool_from_function(log).output == {"type": "null"}
    assert dict(tool_from_function(Act(), name="act").arguments) == {"x": INTEGER}
    assert dict(tool_from_function(Act().__call__, name="act").arguments) == {"x": INTEGER}


def test_refused():
    def splat(*args: int): ...
    def positional(x: int, /): ...
    def method(self, x: int): ...
    def dangling(x: "Nowhere"): ...  # noqa: F821
    def odd(x: complex): ...

    for function, part in [
        (splat, "can't be given by name"),
        (positional, "can't be given by name"),
        (method, "pass `thing.method`"),
        (dangling, "'Nowhere' is not defined"),
        (odd, "where: function `odd`, argument `x`"),
        (functools.partial(odd), "no name"),
        (3, "signature can't be read"),
    ]:
        with pytest.raises(ToolError) as caught:
            tool_from_function(function)
        assert part in str(caught.value), str(caught.value)


def test_classes():
    def a(): ...
    def b(): ...
    def c(): ...

    tools = from_functions(a, read=[b], write=[c])
    assert [tools[n].kind for n in "abc"] == [None, "read", "write"]
    with pytest.raises(ToolError, match="declared twice"):
        from_functions(a, read=[a])
