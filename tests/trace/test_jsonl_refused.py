"""Lines that are not as docs/traces.md says are refused, with file, line and field."""

import os
from pathlib import Path

import pytest

from agentc.errors import TraceError
from agentc.trace.jsonl import MAX_LINE, read_traces

HEADER = '{"format": "agentc-trace", "version": 1, "name": "t"}\n'
CALL = '{"tool": "open", "args": {"file": "a"}}\n'


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
