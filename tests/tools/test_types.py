"""Kinds of a schema and paths into it, held against the jsonschema library."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agentc.tools.types import KINDS, follow, kind_of, kinds
from agentc.trace.values import MISSING, at_path


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (None, KINDS),
        (True, KINDS),
        ({}, KINDS),
        (False, set()),
        ({"type": "integer"}, {"int"}),
        ({"type": "number"}, {"int", "num"}),
        ({"type": ["string", "null"]}, {"str", "null"}),
        ({"enum": ["a", 1, None]}, {"str", "int", "null"}),
        ({"const": True}, {"bool"}),
        ({"type": "string", "enum": ["a", 3]}, {"str"}),
        ({"anyOf": [{"type": "array"}, {"type": "object"}]}, {"list", "dict"}),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, {"int"}),
    ],
)
def test_kinds(schema, expected):
    assert kinds(schema) == expected


ADDRESS = {
    "type": "object",
    "properties": {"zip": {"type": "string"}, "line": {"type": "string"}},
    "required": ["zip"],
}
ORDER = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "address": ADDRESS,
        "items": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
        "extra": {"type": "object"},
        "maybe": {"anyOf": [ADDRESS, {"type": "null"}]},
        "tags": {"type": "object", "additionalProperties": {"type": "boolean"}},
    },
    "required": ["id", "address", "items", "pair", "extra", "maybe", "tags"],
}


@pytest.mark.parametrize(
    ("path", "expected", "optional"),
    [
        ([], {"dict"}, False),
        (["id"], {"str"}, False),
        (["address", "zip"], {"str"}, False),
        (["address", "line"], {"str"}, True),
        (["items", 0], {"int"}, False),
        (["items", 1], {"int"}, True),
        (["pair", 0], {"str"}, True),
        (["extra", "what"], KINDS, True),
        (["maybe", "zip"], {"str"}, True),
        (["tags", "x"], {"bool"}, True),
    ],
)
def test_paths(path, expected, optional):
    reach = follow(ORDER, path)
    assert (reach.kinds, reach.optional) == (expected, optional)


@pytest.mark.parametrize(
    ("path", "step", "known"),
    [
        (["adress"], "adress", ("id", "address", "items", "pair", "extra", "maybe", "tags")),
        (["id", "x"], "x", ()),
        (["address", "zap"], "zap", ("zip", "line")),
        (["pair", 1], 1, ()),
        (["items", "x"], "x", ()),
        ([0], 0, ()),
    ],
)
def test_paths_that_lead_nowhere(path, step, known):
    reach = follow(ORDER, path)
    assert (reach.schemas, reach.step, reach.known) == ((), step, known)


def test_all_of_is_merged():
    schema = {"allOf": [ADDRESS, {"properties": {"city": {"type": "string"}}, "required": ["city"]}]}
    assert not follow(schema, ["city"]).optional and not follow(schema, ["zip"]).optional


values = st.recursive(
    st.sampled_from([None, True, 1, 2.0, 0.5, "a", "b"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)
schemas = st.recursive(
    st.sampled_from(
        [
            {},
            {"type": "integer"},
            {"type": "number"},
            {"type": ["string", "null"]},
            {"enum": ["a", 1]},
            {"const": None},
            {"type": "object"},
            {"type": "array"},
        ]
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={"minItems": st.just(1)}),
        st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "additionalProperties": st.booleans(),
                "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            },
            optional={"required": st.lists(st.sampled_from("ab"), max_size=2)},
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=400, deadline=None)
@given(schemas, values, st.lists(st.sampled_from(["a", "b", 0, 1]), max_size=2))
def test_never_too_few(schema, value, path):
    """What a schema accepts has one of its kinds, at the end of any path too."""
    if not Draft202012Validator(schema).is_valid(value):
        return
    assert kind_of(value) in kinds(schema)
    reach, found = follow(schema, path), at_path(value, tuple(path))
    assert (found is MISSING and reach.optional) or kind_of(found) in reach.kinds
