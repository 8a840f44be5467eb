"""The subset of regular expressions: read, refused, and matched as Python's own `re` matches it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentc.dsl.regex import (
    MAX_CODE,
    Alternatives,
    Characters,
    Concat,
    Literal,
    Repeat,
    parse_regex,
    size,
    to_python,
)
from agentc.errors import SpecificationError


def fullmatch(pattern: str, text: str) -> bool:
    return re.fullmatch(to_python(parse_regex(pattern)), text) is not None


def python_fullmatch(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text, re.ASCII | re.DOTALL) is not None


TABLE = [
    ("", "", True),
    ("", "a", False),
    ("a.c", "a\nc", True),
    ("a|bc", "bc", True),
    ("a|", "", True),
    ("(a|b)*c", "ababc", True),
    (r"#W\d{7}", "#W1234567", True),
    (r"#W\d{7}", "#W123456", False),
    (r"\d", "٣", False),
    (r"\w+", "é", False),
    (r"\W", "é", True),
    (r"[^a-c]", "d", True),
    (r"[^a-c]", "b", False),
    (r"[\d_-]+", "1_-", True),
    (r"a{2,3}", "aaaa", False),
    (r"a{,2}", "", True),
    (r"\u0041\x42\U00000043", "ABC", True),
    (r"\.", ".", True),
    (r"\.", "x", False),
    ("A", "a", False),
    ("(?:ab)+", "abab", True),
    ("a\n", "a\n", True),
    (r"[a\-z]", "-", True),
    ("x{0}", "", True),
    ("x{0}", "x", False),
    ("𝒳", "𝒳", True),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), TABLE)
def test_matches(pattern, text, expected):
    assert fullmatch(pattern, text) is expected


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("a(", "a `(` isn't closed"),
        ("a)", "a `)` closes nothing"),
        ("[a", "a `[` isn't closed"),
        ("[]a]", "a `[]` is empty"),
        ("^a", "leave `^` out"),
        ("a$", "leave `$` out"),
        ("(?=a)", "look-around, flags and named groups aren't supported"),
        ("(?i)a", "look-around, flags"),
        ("(?P<n>a)", "named groups"),
        (r"(a)\1", r"`\1` isn't supported"),
        (r"\bword", r"`\b` isn't supported"),
        ("a*?", "lazy or possessive"),
        ("a*+", "lazy or possessive"),
        ("a**", "a repeat of a repeat"),
        ("a{3,2}", "swap the two"),
        ("a{", "begins no repeat count"),
        ("a{,}", "begins no repeat count"),
        ("a{x}", "begins no repeat count"),
        ("a{99999}", "too large"),
        ("*a", "`*` stands where"),
        ("[z-a]", "runs backwards"),
        (r"[\d-z]", "isn't between characters"),
        ("[[a]]", "can't stand in `[...]`"),
        (r"\u00", "needs 4 hexadecimal digits"),
        (r"\UFFFFFFFF", "needs 8 hexadecimal digits"),
        ("\\", "isn't supported"),
        ("(" * 40 + ")" * 40, "nest deeper"),
        ("(a{1000}){1000}", "once its repeats are written out"),
        ("a" * 1001, "within 1000 characters"),
    ],
)
def test_refused(pattern, part):
    with pytest.raises(SpecificationError) as caught:
        parse_regex(pattern)
    assert part in str(caught.value)
    assert "hint:" in str(caught.value)


def test_column_is_told():
    with pytest.raises(SpecificationError, match="column 3 of the expression"):
        parse_regex("ab(?=c)")


def test_shapes():
    assert parse_regex("ab|[a-cx]?") == Alternatives(
        (Literal("ab"), Repeat(Characters(((97, 99), (120, 120))), 0, 1))
    )
    assert parse_regex("") == Concat(())
    assert parse_regex(r"\D") == Characters(((0, 47), (58, MAX_CODE)))
    assert parse_regex("[^\\U00000000-\\U0010FFFF]") == Characters(())
    assert size(parse_regex("(ab){3}")) == 9


def test_an_empty_class_matches_nothing():
    pattern = "[^\\U00000000-\\U0010FFFF]"
    assert not fullmatch(pattern, "a") and not fullmatch(pattern, "")


pieces = st.recursive(
    st.sampled_from(
        ["a", "b", "-", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\S", r"\.", r"\n", "1", "é", "[b-é]"]
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=0, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda xs: "(" + "|".join(xs) + ")"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,}", "{,2}"])).map(
            lambda p: f"(?:{p[0]}){p[1]}"
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(pieces, st.text(st.sampled_from("ab-.1é \n"), max_size=7))
def test_agrees_with_python(pattern, text):
    expected = python_fullmatch(pattern, text)
    assert fullmatch(pattern, text) == expected
