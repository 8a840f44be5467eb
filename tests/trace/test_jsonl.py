"""The project's own trace files: what is written reads back, what isn't right is refused."""

import os
import stat
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentc.errors import TraceError
from agentc.trace import MISSING, Event, Failed, Trace, call, load_traces, message, reading, write_traces
from agentc.trace.jsonl import MAX_LINE, read_traces
from agentc.trace.values import freeze

from .test_json_text import texts, values

HEADER = '{"format": "agentc-trace", "version": 1, "name": "t"}\n'
CALL = '{"tool": "open", "args": {"file": "a"}}\n'

args = st.dictionaries(texts, values, max_size=3)
maybe = st.one_of(values, st.just(MISSING))
readings = st.builds(lambda name, args: reading(name, *args), texts, st.lists(maybe, max_size=2))
states = st.dictionaries(readings, st.one_of(maybe, st.builds(Failed, texts)), max_size=3)
names = st.text("abc", min_size=1, max_size=3)
times = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
calls = st.builds(Event, names, args, maybe, st.booleans(), states, time=times)
messages = st.builds(message, st.sampled_from(["user", "assistant"]), texts)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    events = draw(st.lists(st.one_of(calls, messages), max_size=4))
    ids = draw(st.lists(names, min_size=len(events), max_size=len(events), unique=True))
    kept = [
        Event(e.tool, e.args, e.output, e.error, e.state, i, e.time) for e, i in zip(events, ids, strict=True)
    ]
    return Trace(tuple(kept if draw(st.booleans()) else events), draw(texts), draw(args))


def frozen(trace: Trace) -> tuple[Any, ...]:
    """Everything a trace says, with values as the language compares them."""

    def value(v: Any) -> Any:
        return v if isinstance(v, Failed) else freeze(v)

    def event(e: Event) -> tuple[Any, ...]:
        state = {key: value(v) for key, v in e.state.items()}
        return (e.tool, freeze(e.args), freeze(e.output), e.error, state, e.id, e.time)

    return (trace.name, freeze(trace.meta), [event(e) for e in trace])


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jsonl") / "traces.jsonl"


@given(written=st.lists(traces(), min_size=1, max_size=3))
def test_what_is_written_reads_back_equal(scratch: Path, written: list[Trace]) -> None:
    write_traces(scratch, written)
    assert [frozen(t) for t in read_traces(scratch)] == [frozen(t) for t in written]
    assert [frozen(t) for t in load_traces(scratch)] == [frozen(t) for t in written]


def test_a_file_as_a_person_would_write_it(tmp_path: Path) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(
        b'{"format": "agentc-trace", "version": 1, "name": "refund", "meta": {"model": "m"}, "events": 3}\r\n'
        b'{"tool": "user_message", "args": {"text": "refund me"}}\r\n'
        b"\r\n"
        b'{"tool": "refund", "args": {"order": "#1",'
        b' "amount": 0.10000000000000000001}, "id": "r",\t"time": 12,'
        b'"state": [{"projection": "owner", "args": ["#1"], "value": null},'
        b' {"projection": "total", "args": []},'
        b' {"projection": "owner", "args": [null], "absent": [0], "failed": "no such order"}]}\r\n'
        b'{"tool": "refund", "args": {}, "output": null, "error": true}\r\n'
        b'{"version": 1, "format": "agentc-trace"}'
    )
    first, second = read_traces(path)
    assert (first.name, first.meta, second) == ("refund", {"model": "m"}, Trace())
    assert first[0] == message("user", "refund me")
    assert first[1] == Event(
        "refund",
        {"order": "#1", "amount": Decimal("0.10000000000000000001")},
        state={
            reading("owner", "#1"): None,
            reading("total"): MISSING,
            reading("owner", MISSING): Failed("no such order"),
        },
        id="r",
        time=12.0,
    )
    assert first[2] == Event("refund", {}, output=None, error=True)


def test_the_written_form(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    event = Event(
        "pay",
        {"n": Fraction(1, 4)},
        MISSING,
        True,
        {reading("owner", MISSING, 1.5): Failed("gone")},
        "p",
        1.5,
    )
    write_traces(path, Trace((event, call("look")), "é", {"k": (1, None)}))
    assert path.read_text(encoding="utf-8").splitlines() == [
        '{"format": "agentc-trace", "version": 1, "name": "é", "meta": {"k": [1, null]}, "events": 2}',
        '{"tool": "pay", "args": {"n": 0.25}, "error": true, "state": [{"projection": "owner", '
        '"args": [null, 1.5], "absent": [0], "failed": "gone"}], "id": "p", "time": 1.5}',
        '{"tool": "look", "args": {}}',
    ]


# ---------------------------------------------------------------- refused when read


def refusal(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "f.jsonl"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(TraceError) as caught:
        list(read_traces(path))
    return str(caught.value).replace(f"{tmp_path}{os.sep}", "")


BAD_HEADERS = [
    (
        CALL,
        "a trace must begin with a header line\n  where: f.jsonl, line 1\n  found: a line with tool, args\n"
        '  hint: add {"format": "agentc-trace", "version": 1, "name": "..."}',
    ),
    (
        '{"format": "agentc-traces", "version": 1}',
        "an unknown trace format\n  where: f.jsonl, line 1, field format\n  found: agentc-traces\n"
        '  hint: write "agentc-trace"',
    ),
    (
        '{"format": "agentc-trace", "version": 2, "new": 1}',
        "an unknown version of the format\n  where: f.jsonl, line 1, field version\n  found: 2\n"
        "  hint: this release reads version 1; update the package",
    ),
    (
        '{"format": "agentc-trace"}',
        "the field `version` is missing\n  where: f.jsonl, line 1\n  found: format\n"
        "  hint: add it; it must be a whole number",
    ),
    (
        '{"format": "agentc-trace", "version": true}',
        "`version` must be a whole number\n  where: f.jsonl, line 1, field version\n  found: true",
    ),
    (
        '{"format": "agentc-trace", "version": 1, "nmae": "x"}',
        "`nmae` is not a field of it\n  where: f.jsonl, line 1\n  hint: did you mean `name`?",
    ),
    (
        '{"format": "agentc-trace", "version": 1, "name": 7}',
        "`name` must be a string\n  where: f.jsonl, line 1, field name\n  found: 7",
    ),
    (
        '{"format": "agentc-trace", "version": 1, "meta": []}',
        "`meta` must be an object\n  where: f.jsonl, line 1, field meta\n  found: []",
    ),
    (
        HEADER[:-2] + ', "events": 3}\n' + CALL * 2,
        "the header promises 3 events, the trace has 2\n  where: f.jsonl, line 1, field events\n"
        "  hint: the file was cut short or edited: write it again, or take `events` out of the header",
    ),
    (
        HEADER[:-2] + ', "events": 0}\n' + CALL + HEADER,
        "the header promises 0 events, the trace has 1\n  where: f.jsonl, line 1, field events\n"
        "  hint: the file was cut short or edited: write it again, or take `events` out of the header",
    ),
    (
        " \n\n",
        "the file holds no trace\n  where: f.jsonl\n"
        '  hint: begin with {"format": "agentc-trace", "version": 1, "name": "..."}',
    ),
]

STATE = '{"tool": "open", "args": {}, "state": [%s]}'
BAD_EVENTS = [
    ("[1]", "this must be an object\n  where: f.jsonl, line 2\n  found: [1]"),
    (
        '{"args": {}}',
        "the field `tool` is missing\n  where: f.jsonl, line 2\n  found: args\n"
        "  hint: add it; it must be a string",
    ),
    (
        '{"tool": "open"}',
        "the field `args` is missing\n  where: f.jsonl, line 2\n  found: tool\n"
        "  hint: add it; it must be an object",
    ),
    (
        "{}",
        "the field `tool` is missing\n  where: f.jsonl, line 2\n  found: no fields\n"
        "  hint: add it; it must be a string",
    ),
    (
        '{"tool": "", "args": {}}',
        "a tool must have a name\n  where: f.jsonl, line 2, field tool\n"
        "  hint: name the tool that was called",
    ),
    (
        '{"tool": "open", "args": "{}"}',
        '`args` must be an object\n  where: f.jsonl, line 2, field args\n  found: "{}"',
    ),
    (
        '{"tool": "open", "args": {}, "ouput": 1}',
        "`ouput` is not a field of it\n  where: f.jsonl, line 2\n  hint: did you mean `output`?",
    ),
    (
        '{"tool": "open", "args": {}, "error": "no"}',
        '`error` must be true or false\n  where: f.jsonl, line 2, field error\n  found: "no"',
    ),
    (
        '{"tool": "open", "args": {}, "error": null}',
        "`error` must be true or false\n  where: f.jsonl, line 2, field error\n  found: null",
    ),
    (
        '{"tool": "open", "args": {}, "id": 3}',
        "`id` must be a string\n  where: f.jsonl, line 2, field id\n  found: 3",
    ),
    (
        '{"tool": "open", "args": {}, "time": "now"}',
        '`time` must be a number\n  where: f.jsonl, line 2, field time\n  found: "now"',
    ),
    (
        '{"tool": "open", "args": {}, "time": 1' + "0" * 400 + "}",
        "the time is too large\n  where: f.jsonl, line 2, field time\n  found: 1" + "0" * 78 + "…\n"
        "  hint: write seconds since the epoch",
    ),
    (
        '{"tool": "user_message", "args": {"txt": "yes"}}',
        "the field `text` is missing\n  where: f.jsonl, line 2, args\n  found: txt\n"
        "  hint: add it; it must be a string",
    ),
    (
        '{"tool": "assistant_message", "args": {"text": 1}}',
        "`text` must be a string\n  where: f.jsonl, line 2, args, field text\n  found: 1",
    ),
    (
        '{"tool": "assistant_message", "args": {"text": "", "to": "all"}}',
        "`to` is not a field of it\n  where: f.jsonl, line 2, args\n  hint: known names: text",
    ),
    (
        '{"tool": "open", "args": {}, "state": {}}',
        "`state` must be a list\n  where: f.jsonl, line 2, field state\n  found: {}",
    ),
    (STATE % "1", "this must be an object\n  where: f.jsonl, line 2, state[0]\n  found: 1"),
    (
        STATE % '{"projection": "q"}',
        "the field `args` is missing\n  where: f.jsonl, line 2, state[0]\n  found: projection\n"
        "  hint: add it; it must be a list",
    ),
    (
        STATE % '{"projection": "q", "args": [], "valeu": 1}',
        "`valeu` is not a field of it\n  where: f.jsonl, line 2, state[0]\n  hint: did you mean `value`?",
    ),
    (
        STATE % '{"projection": "q", "args": [1]}, {"projection": "q", "args": [1.0], "value": 2}',
        "a state reading stands twice\n  where: f.jsonl, line 2, state[1]\n  found: q\n"
        "  hint: keep the one read before the call",
    ),
    (
        STATE % '{"projection": "q", "args": [], "value": 1, "failed": "x"}',
        "a state reading has `value` or `failed`, not both\n  where: f.jsonl, line 2, state[0]\n"
        "  hint: remove one",
    ),
    (
        STATE % '{"projection": "q", "args": [1], "absent": [0]}',
        "no such absent argument\n  where: f.jsonl, line 2, state[0], field absent\n  found: 0\n"
        "  hint: list the 0-based positions of the nulls in `args` that stand for absent arguments",
    ),
    (
        STATE % '{"projection": "q", "args": [null], "absent": [1]}',
        "no such absent argument\n  where: f.jsonl, line 2, state[0], field absent\n  found: 1\n"
        "  hint: list the 0-based positions of the nulls in `args` that stand for absent arguments",
    ),
    (
        '{"tool": "open", "args": {"n": NaN}}',
        "a number must be finite\n  where: f.jsonl, line 2, column 32\n  found: NaN\n"
        "  hint: JSON has no NaN or Infinity; leave it out or use null",
    ),
    (
        '{"tool": "open", "args": {"n": 1, "n": 2}}',
        "an object must not repeat a key\n  where: f.jsonl, line 2, column 35\n  found: n\n"
        "  hint: remove one of the two, or rename it",
    ),
    (
        '{"tool": "open", "args": {"file": "a',
        'the JSON text is cut short\n  where: f.jsonl, line 2, column 35\n  found: "a\n'
        "  hint: the file ends inside this line; write it again",
    ),
    (
        '{"tool": "open", "args": tru',
        "this is not JSON: expecting value\n  where: f.jsonl, line 2, column 26\n  found: tru\n"
        "  hint: the file ends inside this line; write it again",
    ),
]


@pytest.mark.parametrize(("text", "told"), BAD_HEADERS, ids=range(len(BAD_HEADERS)))
def test_a_bad_header_is_refused(tmp_path: Path, text: str, told: str) -> None:
    assert refusal(tmp_path, text) == told


@pytest.mark.parametrize(("line", "told"), BAD_EVENTS, ids=range(len(BAD_EVENTS)))
def test_a_bad_event_is_refused(tmp_path: Path, line: str, told: str) -> None:
    assert refusal(tmp_path, HEADER + line) == told


@pytest.mark.parametrize(
    ("lines", "first", "second", "name"),
    [
        ('{"tool": "a", "args": {}, "id": "x"}\n{"tool": "b", "args": {}, "id": "x"}', 0, 1, "x"),
        ('{"tool": "a", "args": {}, "id": "1"}\n{"tool": "b", "args": {}}', 0, 1, "1"),
        (
            '{"tool": "a", "args": {}}\n{"tool": "b", "args": {}}\n{"tool": "b", "args": {}, "id": "0"}',
            0,
            2,
            "0",
        ),
    ],
)
def test_two_events_of_a_trace_never_go_by_one_name(
    tmp_path: Path, lines: str, first: int, second: int, name: str
) -> None:
    assert refusal(tmp_path, HEADER + lines) == (
        f"events {first} and {second} of the trace have the same id\n"
        f"  where: f.jsonl, line 1\n  found: {name}\n"
        "  hint: give each its own, or none"
    )


def test_an_endless_line_is_refused_before_it_is_read(tmp_path: Path) -> None:
    assert refusal(tmp_path, HEADER + " " * (MAX_LINE + 1)) == (
        "a line may have at most 16 MiB\n  where: f.jsonl, line 2\n"
        "  hint: write one event a line; keep large outputs in files of their own"
    )


def test_bytes_that_are_not_utf_8_are_refused_with_their_line(tmp_path: Path) -> None:
    told = refusal(tmp_path, HEADER.encode() + b'\n{"tool": "\xff", "args": {}}\n')
    assert told.startswith("the text is not UTF-8\n  where: f.jsonl, line 3, byte 10\n  found: FF")


@given(data=st.data())
def test_a_file_cut_anywhere_is_refused_or_keeps_its_first_traces(scratch: Path, data: st.DataObject) -> None:
    written = [Trace((call("open", file="a"), message("user", "é")), "one"), Trace((call("close"),), "two")]
    write_traces(scratch, written)
    whole = scratch.read_bytes()
    scratch.write_bytes(whole[: data.draw(st.integers(1, len(whole) - 1))])
    try:
        read = list(read_traces(scratch))
    except TraceError:
        return
    assert read in (written[:1], written)


# ---------------------------------------------------------------- refused when written


@pytest.mark.parametrize(
    ("trace", "told"),
    [
        (
            Trace((call("a"), call("b", n=float("nan")))),
            "a number must be finite\n  where: out.jsonl, trace 1, event 1\n",
        ),
        (Trace((call("a", n=MISSING),)), "a value must be JSON\n  where: out.jsonl, trace 1, event 0\n"),
        (Trace(meta={"n": 1j}), "a value must be JSON\n  where: out.jsonl, trace 1, header\n"),
        (Trace((call(""),)), "a tool must have a name\n  where: out.jsonl, trace 1, line 2, field tool\n"),
        (
            Trace((Event("a", id="x"), Event("b", id="x"))),
            "events 0 and 1 of the trace have the same id\n  where: out.jsonl, trace 1, line 1\n",
        ),
        (
            Trace((Event("user_message", {"n": 1}),)),
            "the field `text` is missing\n  where: out.jsonl, trace 1, line 2, args\n",
        ),
        (
            Trace((call("a", **{str(i): "x" * (1 << 20) for i in range(17)}),)),
            "a line may have at most 16 MiB\n  where: out.jsonl, trace 1, line 2\n",
        ),
    ],
    ids=range(7),
)
def test_what_would_not_read_back_is_not_written(tmp_path: Path, trace: Trace, told: str) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    with pytest.raises(TraceError) as caught:
        write_traces(path, [Trace((call("a"),)), trace])
    assert str(caught.value).replace(f"{tmp_path}{os.sep}", "").startswith(told)
    assert path.read_text() == "before" and os.listdir(tmp_path) == ["out.jsonl"]


def test_nothing_is_half_written_when_the_source_of_traces_fails(tmp_path: Path) -> None:
    def source() -> Iterator[Trace]:
        yield Trace((call("a"),))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_traces(tmp_path / "out.jsonl", source())
    assert os.listdir(tmp_path) == []


def test_a_reader_of_the_old_file_is_not_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write_traces(path, Trace((call("a"),), "old"))
    with path.open() as old:
        write_traces(path, Trace((call("b"),), "new"))
        assert '"old"' in old.read()
    assert [trace.name for trace in read_traces(path)] == ["new"]


def test_no_trace_at_all_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(
        TraceError, match=r"there is no trace to write\n  where: .*out\.jsonl\n  hint: give at"
    ):
        write_traces(tmp_path / "out.jsonl", [])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("path", ["missing/out.jsonl", ".", "a\0b"])
def test_a_path_that_can_not_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TraceError) as caught:
        write_traces(path, Trace())
    assert str(caught.value).startswith(f"the file can't be written\n  where: {path}\n  found: ")
    assert str(caught.value).endswith("hint: check that the folder exists and may be written to")
    assert os.listdir(tmp_path) == []


def test_a_written_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_traces(tmp_path / "out.jsonl", Trace())
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1
