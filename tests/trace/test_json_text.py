"""Strict JSON: every value exact, every refusal told with its place."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentc.errors import TraceError
from agentc.trace import MISSING
from agentc.trace.json_text import MAX_DIGITS, MAX_STRING, dump_json, parse_json
from agentc.trace.values import MAX_DEPTH, freeze

characters = st.characters(exclude_categories=("Cs",))
texts = st.text(characters, max_size=8)
decimals = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=30)
dyadics = st.builds(lambda n, k: Fraction(n, 2**k), st.integers(-(10**12), 10**12), st.integers(0, 60))
numbers = st.one_of(
    st.integers(),
    st.integers(-(10**500), 10**500),
    st.floats(allow_nan=False, allow_infinity=False),
    decimals,
    dyadics,
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


def refusal(text: str | bytes, where: str = "f.json") -> str:
    with pytest.raises(TraceError) as caught:
        parse_json(text, where)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None, (
        "a library's error shows through"
    )
    return str(caught.value)


@settings(deadline=None)
@given(values)
def test_what_is_written_reads_back_equal(value: Any) -> None:
    assert freeze(parse_json(dump_json(value))) == freeze(value)


@settings(deadline=None)
@given(values)
def test_what_is_written_is_json(value: Any) -> None:
    json.loads(dump_json(value), parse_constant=pytest.fail)


@settings(deadline=None)
@given(st.text(max_size=30) | st.text('[]{}",:\\u0dDeE+-.19ntf \n', max_size=30) | st.binary(max_size=20))
def test_any_text_is_read_as_python_reads_it_or_refused(text: str | bytes) -> None:
    try:
        value = parse_json(text, "f.json")
    except TraceError as error:
        assert error.what and error.where.startswith("f.json, ")
    else:
        assert freeze(value) == freeze(json.loads(text, parse_float=Decimal))


@settings(deadline=None)
@given(values, st.data())
def test_no_proper_beginning_of_an_object_is_read(value: Any, data: st.DataObject) -> None:
    whole = dump_json({"a": value})
    refusal(whole[: data.draw(st.integers(0, len(whole) - 1))])


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18446744073709551617", 2**64 + 1),
        ("0.1", 0.1),
        ("1.50", 1.5),
        ("1E2", 100.0),
        ("0.1000000000000000055511151231257827", Decimal("0.1000000000000000055511151231257827")),
        ("9007199254740993.0", Decimal("9007199254740993.0")),
        ("1e400", Decimal("1e400")),
        ("1e-400", Decimal("1e-400")),
        ("-0.0", 0.0),
    ],
)
def test_numbers_are_exact(text: str, value: object) -> None:
    read = parse_json(text)
    assert (read, type(read)) == (value, type(value))


def test_the_longest_number_is_read_and_written() -> None:
    longest = "9" * MAX_DIGITS
    assert dump_json(parse_json(longest)) == longest


@pytest.mark.parametrize("number", ["1e401", "1e-401", "0e401", "1e99999999999999999999", "-1E+500"])
def test_a_giant_exponent_is_refused(number: str) -> None:
    assert refusal(f'{{"n": "{number}",\n "m": {number}}}') == (
        "a number's exponent must stay within ±400\n"
        "  where: f.json, line 2, column 7\n"
        f"  found: {number}\n"
        "  hint: scale it"
    )


@pytest.mark.parametrize("number", ["1" * 601, "1" * 5000, "0." + "1" * 5000, "1" * 1_000_000], ids=len)
def test_an_endless_number_is_refused(number: str) -> None:
    told = refusal(f"[{number}]")
    assert told.startswith("a number may have at most 600 digits\n  where: f.json, column 2\n  found: ")
    assert told.endswith("…\n  hint: round it, or write it as a string") and len(told) < 250


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_are_finite(number: str) -> None:
    assert refusal(f'["NaN", {number}]') == (
        "a number must be finite\n"
        "  where: f.json, column 9\n"
        f"  found: {number}\n"
        "  hint: JSON has no NaN or Infinity; leave it out or use null"
    )


# ---------------------------------------------------------------- strings


def test_spellings_of_other_languages_stay_as_they_are() -> None:
    assert parse_json(r'"\\u{41}"') == r"\u{41}"
    assert parse_json(r'"\\ud800 \\\\ud800"') == r"\ud800 \\ud800"
    assert parse_json(r'"\u0041\u0000\ud83d\ude00"') == "A\x00😀"
    assert "this is not JSON: invalid \\uXXXX escape" in refusal(r'"\u{41}"')


@pytest.mark.parametrize(
    ("text", "column", "found"),
    [
        (r'["a\ud800"]', 4, r"\ud800"),
        (r'["\\\ud800"]', 5, r"\ud800"),
        (r'["\udc00\ud800"]', 3, r"\udc00"),
        (r'["\ud83d\ud83d\ude00"]', 3, r"\ud83d"),
        (r'["\ud800\n"]', 3, r"\ud800"),
        (r'{"\uDFFF": 1}', 3, r"\uDFFF"),
        ('["a\ud800"]', 4, r"\ud800"),
    ],
)
def test_a_lone_surrogate_is_refused(text: str, column: int, found: str) -> None:
    assert refusal(text) == (
        "a lone surrogate is not a character\n"
        f"  where: f.json, column {column}\n"
        f"  found: {found}\n"
        "  hint: write the character itself, or its pair of \\u escapes"
    )


@pytest.mark.parametrize("letter", ["a", "é", r"\n", r"\u0041", "😀"])
def test_a_string_may_be_just_so_long(letter: str) -> None:
    many = letter * (MAX_STRING // len(letter))
    assert dump_json(parse_json(f'"{many}"'), "value")
    told = refusal(f'[1,\n"{many}{letter}"]')
    where = "f.json, line 2, column 1"
    assert told.startswith(f"a string may have at most 1,048,576 characters\n  where: {where}\n")
    assert told.endswith("hint: shorten it, or keep it in a file of its own") and len(told) < 250


@pytest.mark.parametrize("letter", ["a", r"\"", r"\\", r"\u0041"])
def test_ten_megabytes_in_one_string_are_refused_and_not_read(letter: str) -> None:
    assert "a string may have at most" in refusal('"' + letter * (10_000_000 // len(letter)) + '"')
    assert "a string may have at most" in refusal('"' + letter * (10_000_000 // len(letter)))


def test_a_control_character_must_be_escaped() -> None:
    told = refusal('["a\x00b"]')
    assert told.startswith("this is not JSON: invalid control character\n  where: f.json, column 4")


# ---------------------------------------------------------------- shape


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_ends_at_the_limit(opening: str, closing: str) -> None:
    deepest = opening * MAX_DEPTH + "1" + closing * MAX_DEPTH
    assert parse_json(dump_json(parse_json(deepest))) == parse_json(deepest)
    for levels in (MAX_DEPTH + 1, 100_000):
        text = opening * levels + "1" + closing * levels
        assert refusal(text) == (
            "a value must not nest deeper than 64 levels\n"
            f"  where: f.json, column {len(opening) * MAX_DEPTH + 1}\n"
            f"  found: {text[len(opening) * MAX_DEPTH :][:60]}\n"
            "  hint: flatten it"
        )
    assert "64 levels" in refusal(opening * 10_000_000)


def test_neighbours_do_not_nest() -> None:
    assert parse_json("[" + ", ".join(["[{}]"] * 1000) + "]") == [[{}]] * 1000


def test_brackets_in_strings_do_not_nest() -> None:
    assert parse_json('["' + "[" * 1000 + r"\"{" * 1000 + '"]')


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ('{"a": 1, "a": 2}', "column 10", "a"),
        ('{"a": {"b": 1}, "c": [{"a": 1}],\n "d": "a", "a": 3}', "line 2, column 12", "a"),
        (r'{"a": 1, "\u0061" : 2}', "column 10", "a"),
        ('{"x": {"a": 1}, "y": {"é": 1, "a": 2, "é": 1}}', "column 39", "é"),
        ('{"": 1, "": 1}', "column 9", ""),
    ],
)
def test_a_repeated_key_is_refused(text: str, place: str, found: str) -> None:
    told = refusal(text).splitlines()
    assert told[:2] == ["an object must not repeat a key", f"  where: f.json, {place}"]
    assert told[2:] == [f"  found: {found}"] * bool(found) + ["  hint: remove one of the two, or rename it"]


@pytest.mark.parametrize(
    ("text", "what", "place"),
    [
        ("", "there is no JSON value, the text is empty", "column 1"),
        (" \n", "there is no JSON value, the text is empty", "line 1, column 1"),
        ('{"a": [1, 2', "the JSON text is cut short", "column 12"),
        ('{"a": "bc', "the JSON text is cut short", "column 7"),
        ('{"a"', "the JSON text is cut short", "column 5"),
        ('{"a": 1,\n', "the JSON text is cut short", "line 2, column 1"),
        ("{} {}", "there is more text after the end of the JSON value", "column 4"),
        ("[1]\n]", "there is more text after the end of the JSON value", "line 2, column 1"),
        ("[01]", "this is not JSON: expecting ',' delimiter", "column 3"),
        ("[1.]", "this is not JSON: expecting ',' delimiter", "column 3"),
        ("['a']", "this is not JSON: expecting value", "column 2"),
        ("[\u00a01]", "this is not JSON: expecting value", "column 2"),
        (r'["\x41"]', r"this is not JSON: invalid \escape: ", "column 3"),
    ],
)
def test_what_is_not_json_is_refused(text: str, what: str, place: str) -> None:
    assert refusal(text).splitlines()[:2] == [what.rstrip(": "), f"  where: f.json, {place}"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'["a\xff"]', "the text is not UTF-8\n  where: f.json, byte 3\n  found: FF\n"),
        (b'["\xed\xa0\x80"]', "the text is not UTF-8\n  where: f.json, byte 2\n  found: ED"),
        (b'["\xc3', "the text is not UTF-8\n  where: f.json, byte 2\n  found: C3\n  hint: save it as UTF-8"),
        ('["é"]'.encode("utf-16"), "the text is not UTF-8\n  where: f.json, byte 0\n  found: FF"),
        (
            b"\xef\xbb\xbf[]",
            "JSON text must not begin with a byte order mark\n  where: f.json, byte 0\n  found: EF BB BF\n"
            "  hint: save it as UTF-8 without it",
        ),
    ],
)
def test_bytes_must_be_plain_utf_8(data: bytes, told: str) -> None:
    assert refusal(data).startswith(told)


def test_a_byte_order_mark_in_text_is_refused() -> None:
    told = refusal("\ufeff[]")
    assert told.startswith("JSON text must not begin with a byte order mark\n  where: f.json, column 1\n")


def test_what_was_found_is_shown_on_one_short_line() -> None:
    found = refusal("[\x1b[31m\n\u202e" + "x" * 500).splitlines()[2]
    assert found.startswith("  found: \\u001b[31m\\u000a\\u202exxx") and len(found) < 80


def test_a_place_without_a_name() -> None:
    assert "where: column 2\n" in refusal("[", where="")


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (float("nan"), "a number must be finite"),
        (Decimal("sNaN"), "a number must be finite"),
        (Decimal("-Infinity"), "a number must be finite"),
        (Decimal("1e401"), "a number's exponent must stay within ±400"),
        (Fraction(1, 3), "a fraction without a finite decimal can't be written"),
        (Fraction(1, 10**500), "a number's exponent must stay within ±400"),
        (Fraction(10**599 + 1, 2**1990), "a fraction without a finite decimal can't be written"),
        (10**601, "a number may have at most 600 digits"),
        (-(10**600), "a number may have at most 600 digits"),
        (1 << 10_000_000, "a number may have at most 600 digits"),
        (Fraction(1, 10**5000), "a number may have at most 600 digits"),
        ("a\udfff", "a lone surrogate is not a character"),
        ("a" * (MAX_STRING + 1), "a string may have at most 1,048,576 characters"),
        ({1: 2}, "an object's keys must be strings"),
        ({"a": MISSING}, "a value must be JSON"),
        (b"a", "a value must be JSON"),
        ({1, 2}, "a value must be JSON"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 80 else type(value).__name__,
)
def test_what_could_not_be_read_back_is_not_written(value: Any, told: str) -> None:
    with pytest.raises(TraceError) as caught:
        dump_json(["ok", value], "event 3")
    assert str(caught.value).startswith(f"{told}\n  where: event 3\n  found: ")
    assert caught.value.hint and len(str(caught.value)) < 1200


def test_a_list_that_holds_itself_is_not_written() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(TraceError, match="deeper than 64 levels"):
        dump_json(endless)


def test_numbers_are_written_by_their_value_and_not_by_their_class() -> None:
    class Odd(float):
        def __repr__(self) -> str:
            return "odd"

    values = [Odd(0.5), (1, True), Fraction(4, 2), Fraction(-3, 8), {}, []]
    assert dump_json(values) == "[0.5, [1, true], 2, -0.375, {}, []]"
