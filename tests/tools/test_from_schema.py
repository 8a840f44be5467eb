"""Tools from JSON schemas: every common shape, references written out, invalid ones refused clearly."""

import pytest

from agentc.errors import ToolError
from agentc.tools import from_schemas, tool_from_schema

ARGUMENTS = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "function", "function": {"name": "get", "description": "Get it.", "parameters": ARGUMENTS}},
        {"name": "get", "description": "Get it.", "parameters": ARGUMENTS},
        {"name": "get", "description": "Get it.", "input_schema": ARGUMENTS},
        {
            "name": "get",
            "description": "Get it.",
            "inputSchema": ARGUMENTS,
            "outputSchema": {"type": "string"},
        },
        {"title": "get", **ARGUMENTS},
    ],
)
def test_shapes(schema):
    tool = tool_from_schema(schema)
    assert (tool.name, dict(tool.arguments), tool.required) == ("get", {"id": {"type": "string"}}, {"id"})
    assert tool.description in ("Get it.", "") and tool.kind is None and not tool.open
    assert tool.output == schema.get("outputSchema")


def test_no_parameters():
    tool = tool_from_schema({"name": "now"})
    assert (
        dict(tool.arguments) == {} and tool_from_schema({"name": "now", "parameters": None}).arguments == {}
    )


def test_references_are_written_out():
    schema = {
        "name": "get",
        "parameters": {
            "type": "object",
            "properties": {
                "a": {"$ref": "#/$defs/A", "description": "an A"},
                "$ref": {"enum": [{"$ref": "#/no"}]},
            },
            "$defs": {
                "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/x~1y"}}},
                "x/y": {"enum": ["u"]},
            },
        },
    }
    tool = tool_from_schema(schema)
    assert dict(tool.arguments) == {
        "a": {"type": "object", "properties": {"b": {"enum": ["u"]}}, "description": "an A"},
        "$ref": {"enum": [{"$ref": "#/no"}]},
    }
    assert "$defs" not in tool.parameters


def nested(depth):
    schema = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def parameters(**more):
    return {"name": "get", "parameters": {"type": "object", **more}}


WIDE = {
    "x": {"anyOf": [{"$ref": "#/$defs/y"}] * 40},
    "y": {"anyOf": [{"$ref": "#/$defs/z"}] * 40},
    "z": {"anyOf": [{"type": "string"}] * 40},
}


@pytest.mark.parametrize(
    ("schema", "parts"),
    [
        ("get", ["a tool's schema must be an object", "found: 'get'"]),
        ({"parameters": ARGUMENTS}, ["a tool has no name"]),
        ({"name": 3, "parameters": ARGUMENTS}, ["a tool has no name", "found: 3"]),
        ({"name": "@read"}, ["can't have this name"]),
        ({"name": "user_message"}, ["can't have this name"]),
        ({"name": "a\nb"}, ["can't have this name", r"a\u000ab"]),
        (
            parameters(properties={"a": {"type": "strin"}}),
            ["JSON schema isn't valid", "where: tool `get`, at properties/a/type", "'strin'"],
        ),
        (parameters(properties=["a"]), ["JSON schema isn't valid", "at properties"]),
        ({"name": "get", "parameters": {"type": "array"}}, ["arguments must be an object"]),
        ({"name": "get", "parameters": 3}, ["isn't valid", "tool `get`"]),
        (
            parameters(required=["idd"], properties={"id": {}}),
            ["isn't among the tool's properties", "did you mean `id`?"],
        ),
        (
            parameters(properties={"a": {"$ref": "#/$defs/b"}}),
            ["refers to a definition that isn't there", "#/$defs/b"],
        ),
        (parameters(properties={"a": {"$ref": "http://x/y"}}), ["refers outside itself", "http://x/y"]),
        (parameters(properties={"a": {"$ref": "#"}}), ["refers to itself"]),
        (
            parameters(
                properties={"a": {"$ref": "#/$defs/b"}}, **{"$defs": {"b": {"items": {"$ref": "#/$defs/b"}}}}
            ),
            ["refers to itself", "#/$defs/b -> #/$defs/b"],
        ),
        (
            parameters(properties={"a": {"$ref": "#/$defs/x"}}, **{"$defs": WIDE}),
            ["over 20000 parts or 48 levels"],
        ),
        (parameters(properties={"a": nested(50)}), ["over 20000 parts or 48 levels"]),
        (parameters(properties={"a": nested(5000)}), ["isn't JSON", "must not nest deeper"]),
        (parameters(properties={"a": {"pattern": "("}}), ["pattern isn't a regular expression"]),
        (parameters(properties={"a": {"enum": {1, 2}}}), ["isn't JSON", "set: {1, 2}"]),
        (parameters(properties={"a": {"minimum": float("nan")}}), ["isn't JSON", "must be finite"]),
        (parameters(properties={"a": {"$dynamicRef": "#x"}}), ["$dynamicRef"]),
    ],
)
def test_refused(schema, parts):
    with pytest.raises(ToolError) as caught:
        tool_from_schema(schema)
    for part in [*parts, "hint: "]:
        assert part in str(caught.value)


def test_classes():
    tools = from_schemas(({"name": n} for n in "abcd"), read=["a"], write=["b"], other=["c"])
    assert [tools[n].kind for n in "abcd"] == ["read", "write", "other", None]


@pytest.mark.parametrize(
    ("classes", "part"),
    [
        ({"read": ["gett"]}, "did you mean `get`?"),
        ({"read": ["get"], "write": ["get"]}, "put into two classes"),
        ({"read": ["user_message"]}, "names an unknown tool"),
    ],
)
def test_wrong_classes(classes, part):
    with pytest.raises(ToolError, match=r"^a (tool|class) ") as caught:
        from_schemas([{"name": "get"}], **classes)
    assert part in str(caught.value)


def test_the_same_name_twice():
    with pytest.raises(ToolError, match="declared twice"):
        from_schemas([{"name": "get"}, {"name": "get"}])
