"""Which reader gets a file, and what is said of a file that none reads."""

import os
import re
from pathlib import Path

import pytest

from agentc.errors import TraceError
from agentc.trace import FORMATS, files, load_traces, reading
from agentc.trace.files import MAX_FILE
from agentc.trace.json_text import MAX_DIGITS, MAX_STRING
from agentc.trace.jsonl import MAX_LINE
from agentc.trace.values import MAX_DEPTH, MAX_EXPONENT

DOCUMENT = Path(__file__).parents[2] / "docs" / "traces.md"
LIBRARY = Path(__file__).parents[1] / "data" / "tau-bench-library.json"
JSONL = 'agentc JSONL ({"format": "agentc-trace", ...)'
TAU_BENCH = 'tau-bench runs ([{"task_id": ..., "traj": [...], ...)'
ACCEPTED = f"  hint: accepted: {JSONL}; {TAU_BENCH}"


def refusal(path: Path | str) -> str:
    with pytest.raises(TraceError) as caught:
        load_traces(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"<html>", "<html>"),
        (b"hello\n\x1b[2J", "hello\\u000a\\u001b[2J"),
        (b'[{"role": "user", "content": "hi"}]', '[{"role": "user", "content": "hi"}]'),
        (b"\xff\xfe[\x00]\x00", "��[\\u0000]\\u0000"),
        (b"[]", "[]"),
        (b'{"runs": 1}', '{"runs": 1}'),
        (b" " * 100_000 + b"[1]", " " * 60),
    ],
    ids=range(7),
)
def test_an_unknown_format_is_told_with_those_accepted(tmp_path: Path, data: bytes, found: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(data)
    assert (
        refusal(path) == f"not a trace file of a known format\n  where: {path}\n  found: {found}\n{ACCEPTED}"
    )


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"tool": "open", "args": {}}\n', "a trace must begin with a header line"),
        (b'{"format": "agentc-trace", "vers', "the JSON text is cut short"),
        (b'\n\n {"format": "agentc", "version": 1}\n', "an unknown trace format"),
        (
            b'\xef\xbb\xbf{"format": "agentc-trace", "version": 1}',
            "JSON text must not begin with a byte order mark",
        ),
        (b'[{"task_id": 0, "traj": [', "the JSON text is cut short"),
        (b'[{"traj": [], "task_id": NaN}]', "a number must be finite"),
        (b'[{"task_id": 0, "task_id": 1}]', "an object must not repeat a key"),
        (b'[{"task_id": ' + b"[" * 100_000, "a value must not nest deeper than 64 levels"),
        (b'[{"task_id": "' + b"x" * 10_000_000 + b'"}]', "a string may have at most 1,048,576 characters"),
    ],
    ids=range(9),
)
def test_a_file_that_claims_a_format_is_judged_by_it(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(data)
    assert refusal(path).startswith(f"{told}\n  where: {path}, ")


def test_every_cut_of_a_tau_bench_file_is_refused(tmp_path: Path) -> None:
    path, whole = tmp_path / "cut.json", LIBRARY.read_bytes().rstrip()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert str(path) in refusal(path)


def test_a_file_that_there_is_not(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.jsonl") == (
        f"there is no such file\n  where: {tmp_path / 'none.jsonl'}\n"
        "  hint: check the path; a relative one starts at the current directory"
    )


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    assert (
        refusal(tmp_path) == f"a folder is not a trace file\n  where: {tmp_path}\n  hint: name a file in it"
    )


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert refusal(path) == f"the file is empty\n  where: {path}\n  hint: write the traces again"


def test_a_device_is_not_read() -> None:
    assert refusal("/dev/zero").startswith("a trace file must be a regular file\n  where: /dev/zero\n")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe").startswith("a trace file must be a regular file")


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_a_path_that_no_system_takes(path: str) -> None:
    assert refusal(path).startswith("the file can't be opened\n  where: ")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "secret.jsonl"
    path.write_text("{}")
    path.chmod(0)
    assert refusal(path).startswith(f"the file can't be opened\n  where: {path}\n  found: Permission denied")


def test_a_file_too_large_to_read_in_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FILE", 1 << 20)
    path = tmp_path / "large.json"
    path.write_bytes(b'[{"task_id": 0}]' + b" " * (3 << 19))
    assert refusal(path) == (
        f"a file read in one piece may have at most 1 MiB\n  where: {path}\n  found: 1.5 MiB\n"
        "  hint: split it, or use agentc JSONL, which is read line by line"
    )


def test_each_format_is_documented() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for known in FORMATS:
        assert f"\n## {known.name}\n" in text


def test_the_documented_example_is_a_trace_file(tmp_path: Path) -> None:
    [example] = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "example.jsonl").write_text(example)
    [trace] = load_traces(tmp_path / "example.jsonl")
    assert [event.tool for event in trace] == ["user_message", "refund"]
    assert trace[1].state == {reading("owner", "#1"): "ines"}


@pytest.mark.parametrize(
    "limit", [MAX_DEPTH, MAX_STRING, MAX_DIGITS, MAX_EXPONENT, MAX_LINE >> 20, MAX_FILE >> 20]
)
def test_each_limit_is_documented(limit: int) -> None:
    assert re.search(rf"^\| .*\b{limit:,}\b", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
