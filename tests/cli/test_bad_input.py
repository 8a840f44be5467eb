"""Input that can't be used: each command says what, where, what was found and what to do; no traceback."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import FILES, OWNED, Ran, agentc, event, printable, spec_file, trace_file

HEADER = '{"format": "agentc-trace", "version": 1, "name": "run"}\n'


def refused(ran: Ran, *told: str) -> None:
    """Assert that a command refused its input, and what it said."""
    assert ran.status == 2 and ran.out == ""
    assert ran.err.startswith("error: ") and "Traceback" not in ran.err and printable(ran.err)
    for part in told:
        assert part in ran.err, ran.err


def audit_and_check(folder: Path, traces: Path, spec: str = FILES) -> list[Ran]:
    policy = spec_file(folder, spec)
    return [agentc("audit", "--spec", policy, "--traces", traces), agentc("check", policy, traces)]


# ---------------------------------------------------------------- trace files


def call(args: str) -> str:
    return HEADER + f'{{"tool": "read", "args": {args}}}\n'


BAD_TRACES = {
    "empty": ("", "the file is empty"),
    "of no known format": ("hello", "not a trace file of a known format"),
    "a list of no runs": ('[{"task_id": 1}]', "the field"),
    "cut short in a line": (HEADER + '{"tool": "read", "ar', "the JSON text is cut short"),
    "cut short between lines": (HEADER.replace("}", ', "events": 3}'), "the header promises 3 events"),
    "cut short in a list": ('[{"task_id": 1, "traj": [', "the JSON text is cut short"),
    "with NaN": (call('{"file": NaN}'), "a number must be finite"),
    "with Infinity": (call('{"file": -Infinity}'), "a number must be finite"),
    "with a repeated key": (call('{"file": "a", "file": "b"}'), "an object must not repeat a key"),
    "with a key spelt anew": (call('{"file": 1, "f\\u0069le": 2}'), "an object must not repeat a key"),
    "with a string of 10 MB": (call(f'{{"file": "{"x" * 10_000_000}"}}'), "a string may have at most"),
    "with a line of 17 MB": (HEADER + " " * 17_000_000, "a line may have at most"),
    "with a lone surrogate": (call('{"file": "\\ud800"}'), "a lone surrogate"),
    "nested too deeply": (call('{"file": ' + "[" * 100_000 + "]" * 100_000 + "}"), "nest deeper"),
    "with a number of 10,000 digits": (call('{"file": ' + "9" * 10_000 + "}"), "a number may have at most"),
    "without arguments": (HEADER + '{"tool": "read"}\n', "the field `args` is missing"),
    "with a misspelt field": (HEADER + '{"tool": "a", "args": {}, "eror": true}\n', "did you mean `error`?"),
    "with arguments that are no object": (call("[1]"), "args"),
    "with a forged message": (HEADER + '{"tool": "user_message", "args": {"text": 1}}\n', "text"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_TRACES)
def test_a_trace_file(kind: str, tmp_path: Path) -> None:
    text, told = BAD_TRACES[kind]
    path = tmp_path / "runs.jsonl"
    path.write_text(text, encoding="utf-8")
    for ran in audit_and_check(tmp_path, path):
        refused(ran, told, "runs.jsonl")
        assert len(ran.err) < 2_000


def test_a_trace_file_with_a_raw_surrogate(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(call('{"file": "X"}').encode().replace(b"X", b"\xed\xa0\x80"))
    for ran in audit_and_check(tmp_path, path):
        refused(ran, "not UTF-8")


def test_a_trace_file_that_is_none(tmp_path: Path) -> None:
    for ran in audit_and_check(tmp_path, tmp_path / "missing.jsonl"):
        refused(ran, "there is no such file", "missing.jsonl")
    for ran in audit_and_check(tmp_path, tmp_path):
        refused(ran, "a folder is not a trace file")
    os.mkfifo(tmp_path / "pipe")
    for ran in audit_and_check(tmp_path, tmp_path / "pipe"):
        refused(ran, "a trace file must be a regular file")


def test_one_bad_file_among_good_ones_stops_before_anything_is_judged(tmp_path: Path) -> None:
    good = trace_file(tmp_path, ("fine", [event("read", file="a")]))
    bad = tmp_path / "bad.jsonl"
    bad.write_text("hello", encoding="utf-8")
    ran = agentc(
        "audit", "--spec", spec_file(tmp_path, FILES), "--traces", good, bad, "--json", tmp_path / "o.json"
    )
    refused(ran, "bad.jsonl")
    assert not (tmp_path / "o.json").exists()


# ---------------------------------------------------------------- what is odd and still a trace


def test_integers_past_64_bits_and_texts_that_look_like_escapes_are_judged(tmp_path: Path) -> None:
    spec = "constraint same: Before(read as r, True, open as o, o.file == r.file)"
    big, escape = 2**64 + 1, "\\u{41}"
    runs = [
        ("big", [event("open", file=big), event("read", file=big)]),
        ("one off", [event("open", file=big), event("read", file=big + 1)]),
        ("spelt", [event("open", file="A"), event("read", file=escape)]),
        ("kinds", [event("open", file=1), event("read", file=True)]),
    ]
    path = tmp_path / "audit.json"
    files = "--spec", spec_file(tmp_path, spec), "--traces", trace_file(tmp_path, *runs)
    assert agentc("audit", *files, "--json", path).status == 0
    traces = json.loads(path.read_text(encoding="utf-8"))["traces"]
    assert [t["closed"] for t in traces] == ["SAT", "UNSAT", "UNSAT", "UNSAT"]


def test_a_missing_output_is_no_witness(tmp_path: Path) -> None:
    spec = "constraint known: Before(read as r, True, open as o, output(o) == r.file)"
    path = trace_file(tmp_path, ("bare", [event("open"), event("read", file="a"), event("read")]))
    ran = agentc("audit", "--spec", spec_file(tmp_path, spec), "--traces", path)
    assert ran.status == 0 and "✗ violate a constraint: 1 of 1 trace" in ran.out


def test_state_that_nobody_read_is_undecided_and_never_legal(tmp_path: Path) -> None:
    path = trace_file(tmp_path, ("bare", [event("refund", order="1", user="ann")]))
    ran = agentc("check", spec_file(tmp_path, OWNED), path)
    assert ran.status == 0 and "? UNKNOWN" in ran.out and "✓ SAT" not in ran.out


def test_an_empty_trace_and_one_without_calls(tmp_path: Path) -> None:
    path = trace_file(tmp_path, ("empty", []), ("talk", [event("user_message", text="")]))
    ran = agentc("audit", "--spec", spec_file(tmp_path, FILES), "--traces", path)
    assert ran.status == 0 and "✓ conform, by the reference evaluator: 2 of 2 traces" in ran.out


# ---------------------------------------------------------------- specifications


BAD_SPECS = {
    "a syntax error": ("constraint a: Forall(read as r r.file == 1)", "line 1"),
    "an unclosed bracket": ("constraint a: Forall(read, True", "line 1"),
    "an empty pattern": ("constraint a: Forall({}, True)", "line 1"),
    "Python": ("__import__('os').system('true')", "line 1"),
    "an unknown domain": ("domain nowhere\nconstraint a: Forall(read, True)", "there is no such domain"),
    "nesting beyond the limit": ("constraint a: " + "~(" * 5_000 + "Exists(a, True)" + ")" * 5_000, "error"),
    "a constraint twice": ("constraint a: Exists(a, True) constraint a: True", "stands here twice"),
    "an output before it is known": ("constraint a: Forall(a as x, output(x) == 3)", "isn't known yet"),
    "a name of 100,000 characters": ("constraint " + "a" * 100_000 + ": Exists(a, True)", "error"),
    "a wrong regular expression": ('constraint a: Forall(a as x, matches(x.b, "(((("))', "line 1"),
    "a byte order mark in the middle": ("constraint a\ufeff: Exists(a, True)", "line 1"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_SPECS)
def test_a_specification_that_cannot_be_read(kind: str, tmp_path: Path) -> None:
    text, told = BAD_SPECS[kind]
    path, traces = spec_file(tmp_path, text), trace_file(tmp_path, ("one", [event("read", file="a")]))
    for ran in (agentc("audit", "--spec", path, "--traces", traces), agentc("check", path, traces)):
        refused(ran, told)
        assert len(ran.err) < 3_000
    lint = agentc("lint", path)
    assert lint.status in (1, 2) and "Traceback" not in lint.err


WRONG_SPECS = {
    "an unknown tool": ("constraint a: Forall(raed, True)", "did you mean `read`?"),
    "an unknown argument": ("constraint a: Forall(read as r, r.flie == 1)", "did you mean `file`?"),
    "an unknown projection": ("constraint a: Forall(read as r, r.state.owner(r.file) == 1)", "owner"),
    "an impossible comparison": ('constraint a: Forall(read as r, r.file == 3)', "r.file == 3"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG_SPECS)
def test_a_specification_that_says_what_its_tools_cannot_mean(kind: str, tmp_path: Path) -> None:
    text, told = WRONG_SPECS[kind]
    path = spec_file(tmp_path, f"tool read(file: string)\n{text}")
    traces = trace_file(tmp_path, ("one", [event("read", file="a")]))
    for ran in (agentc("audit", "--spec", path, "--traces", traces), agentc("check", path, traces)):
        refused(ran, told, "constraint `a`")
    lint = agentc("lint", path)
    assert lint.status == 1 and told in lint.out and "1 error" in lint.out


@pytest.mark.parametrize("command", ["audit", "check", "lint"])
@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: None, "the specification can't be opened"),
        (lambda path: path.mkdir(), "the specification can't be opened"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "a specification is UTF-8 text"),
    ],
)
def test_a_specification_that_is_no_text_file(
    command: str, make: Callable[[Path], object], told: str, tmp_path: Path
) -> None:
    path, traces = tmp_path / "policy.agentc", trace_file(tmp_path, ("one", []))
    make(path)
    argv = {"audit": ("--spec", path, "--traces", traces), "check": (path, traces), "lint": (path,)}[command]
    refused(agentc(command, *argv), told)


def test_a_specification_of_a_name_there_is_not() -> None:
    refused(agentc("lint", "retial"), "there is no specification of this name", "did you mean `retail`?")


def test_ten_thousand_constraints_are_judged(tmp_path: Path) -> None:
    text = "tool open(file: string)\ntool read(file: string)\n" + "\n".join(
        f'constraint c{i}: "Sentence {i}." Before(read as r, r.file == "f{i}", open as o, o.file == r.file)'
        for i in range(10_000)
    )
    events = [event("open", file="f6"), event("read", file="f6"), event("read", file="f7")]
    ran = agentc("check", spec_file(tmp_path, text), trace_file(tmp_path, ("run", events)))
    assert ran.status == 0 and "policy      Sentence 7." in ran.out and ran.out.count("constraint  ") == 1


def test_more_constraints_than_the_limit_are_refused(tmp_path: Path) -> None:
    text = "\n".join(f"constraint c{i}: Exists(a, True)" for i in range(20_001))
    refused(agentc("lint", spec_file(tmp_path, text)), "at most 20,000 constraints")
