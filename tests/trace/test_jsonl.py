"""The project's own trace files: what is written reads back, what isn't right is refused."""

import os
import stat
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentc.errors import TraceError
from agentc.trace import MISSING, Event, Failed, Trace, call, load_traces, message, reading, write_traces
from agentc.trace.jsonl import read_traces
from agentc.trace.values import freeze

from .test_json_text import texts, values

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


@settings(deadline=None)
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


@settings(deadline=None)
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
