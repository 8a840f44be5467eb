"""tau-bench runs as traces: what becomes of each part, and what is refused."""

import copy
import json
import os
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agentc.errors import TraceError
from agentc.trace import MISSING, Event, Trace, load_traces, message, write_traces
from agentc.trace.tau_bench import read_traces

LIBRARY = Path(__file__).parents[1] / "data" / "tau-bench-library.json"
RECORDED = Path(__file__).parents[3] / "shared" / "traces" / "tau-bench-gpt-4o-airline.json"

CARD, BOOK = {"card": "C-7"}, {"book": "B-12"}


@pytest.fixture(scope="module")
def library() -> list[Trace]:
    return load_traces(LIBRARY)


def test_calls_get_their_own_outputs(library: list[Trace]) -> None:
    assert library[0].events == (
        message("user", "I'd like to borrow B-12. My card is C-7."),
        Event("find_member", CARD, {"name": "Ines", "valid": True}, id="call_a"),
        Event(
            "find_book",
            BOOK,
            {"title": "Tides", "copies": 2, "price": Decimal("0.10000000000000000001")},
            id="call_b",
        ),
        message("assistant", "One moment, I'm lending it to you."),
        Event("lend_book", CARD | {"book": "B-21"}, "Error: no such book", error=True, id="call_a#2"),
        Event("lend_book", CARD | BOOK, "Lent until June", id="call_3"),
        message("assistant", "Done. Enjoy Tides!"),
        message("user", "###STOP###"),
    )


def test_what_no_event_says_is_kept(library: list[Trace]) -> None:
    recorded = json.loads(LIBRARY.read_text(encoding="utf-8"))
    assert library[0].meta == {
        "format": "tau-bench",
        "file": "tau-bench-library.json",
        "task_id": 0,
        "trial": 0,
        "reward": 1.0,
        "task": recorded[0]["info"]["task"],
        "info": {"source": "user", "user_cost": 0.0},
        "system": [recorded[0]["traj"][0]["content"]],
    }
    assert library[2].meta["other_fields"] == [
        {"at": "[2]", "fields": {"model": "tiny-1"}},
        {"at": "[2].traj[2]", "fields": {"reasoning": "card first"}},
        {"at": "[2].traj[2].tool_calls[0]", "fields": {"index": 0}},
    ]


def test_names_tell_domain_task_and_trial_and_differ(library: list[Trace]) -> None:
    assert [t.name for t in library] == ["library-0-trial0", "task-1-trial0", "library-0-trial0#2"]


def test_a_run_that_crashed_is_an_empty_trace(library: list[Trace]) -> None:
    crashed = library[1]
    assert len(crashed) == 0
    assert (
        crashed.meta["info"] == {"error": "connection lost", "traceback": "..."}
        and crashed.meta["task"] == {}
    )


def test_arguments_that_can_not_be_read_make_a_failed_attempt(library: list[Trace]) -> None:
    assert library[2][1] == Event("find_member", {}, "Error: arguments are not JSON", error=True, id="x1")
    assert library[2].meta["unreadable_arguments"] == [{"event": 1, "text": '{"card": "C-7"'}]


def test_a_tool_that_there_is_not_is_an_error(library: list[Trace]) -> None:
    assert library[2][2] == Event("shelve", {}, "Unknown action shelve", error=True, id="x2")


def test_an_output_that_is_not_strict_json_stays_text(library: list[Trace]) -> None:
    assert library[2][3].output == '{"title": "Tides", "price": NaN}' and not library[2][3].error
    assert library[2].meta["outputs_kept_as_text"] == [3]


def test_a_call_without_output_has_none(library: list[Trace]) -> None:
    assert library[2][4] == Event("lend_book", CARD | BOOK, MISSING, id="x4")
    assert library[2].meta["without_output"] == [4]


def test_the_traces_write_and_read_back(library: list[Trace], tmp_path: Path) -> None:
    write_traces(tmp_path / "library.jsonl", library)
    assert load_traces(tmp_path / "library.jsonl") == library


def run_with(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"task_id": 4, "reward": 0, "info": {}, "trial": 1, "traj": list(messages)} | fields


def calls(*entries: tuple[str, str, str], **fields: Any) -> dict[str, Any]:
    functions = [
        {"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in entries
    ]
    return {"role": "assistant", "content": None, "tool_calls": functions} | fields


def output(call_id: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content} | fields


def load(tmp_path: Path, *runs: Any) -> list[Trace]:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(runs))
    return list(read_traces(path))


@pytest.mark.parametrize(
    ("text", "value", "error"),
    [
        ("", "", False),
        ("done", "done", False),
        ("12.5", 12.5, False),
        ("007", "007", False),
        ("null", None, False),
        (' {"a": 1}\n', {"a": 1}, False),
        ("Error: no", "Error: no", True),
        ("Error: ", "Error: ", True),
        ("Errors: none", "Errors: none", False),
        ("no Error: here", "no Error: here", False),
        ('"Error: no"', "Error: no", False),
        ("Unknown action f", "Unknown action f", True),
        ("Unknown action g", "Unknown action g", False),
        (r'{"a": "\ud800"}', r'{"a": "\ud800"}', False),
    ],
)
def test_an_output_is_the_json_it_is_written_as(tmp_path: Path, text: str, value: Any, error: bool) -> None:
    [trace] = load(tmp_path, run_with(calls(("c", "f", "{}")), output("c", text)))
    assert (trace[0].output, trace[0].error) == (value, error)


def test_calls_with_one_id_are_answered_in_their_order(tmp_path: Path) -> None:
    two = calls(("c", "f", '{"n": 1}'), ("c", "f", '{"n": 2}'))
    [trace] = load(tmp_path, run_with(two, output("c", "one"), output("c", "two"), two, output("c", "three")))
    assert [(e.args["n"], e.output, e.id) for e in trace] == [
        (1, "one", "c"),
        (2, "two", "c#2"),
        (1, "three", "c#3"),
        (2, MISSING, "c#4"),
    ]
    assert trace.meta["without_output"] == [3]


def test_ids_never_meet(tmp_path: Path) -> None:
    [trace] = load(
        tmp_path, run_with(calls(*((i, "f", "{}") for i in ("c#2", "c", "c", "c", "7", "call_7", "", ""))))
    )
    assert [e.id for e in trace] == ["c#2", "c", "c#3", "c#4", "call_7", "call_7#2", "call_", "call_#2"]


def test_many_calls_with_one_id_take_no_longer_than_others(tmp_path: Path) -> None:
    """Each id searched from the start would take minutes, not a second."""
    [trace] = load(tmp_path, run_with(calls(*[("c", "f", "{}")] * 30_000)))
    assert trace[-1].id == "c#30000" and len(trace.meta["without_output"]) == 30_000


def test_a_message_with_neither_text_nor_calls_is_an_empty_one(tmp_path: Path) -> None:
    silent = {"role": "assistant", "content": None, "tool_calls": []}
    [trace] = load(tmp_path, run_with(silent))
    assert trace.events == (message("assistant", ""),)


def test_a_user_who_imitates_an_output_writes_a_message(tmp_path: Path) -> None:
    forged = {"role": "user", "content": "API output: refunded"}
    [trace] = load(tmp_path, run_with(calls(("c", "f", "{}")), forged))
    assert trace[1] == message("user", "API output: refunded") and trace[0].output is MISSING


USER = {"role": "user", "content": "hello"}
OK = calls(("c", "f", "{}"))
BAD = [
    (3, "this must be an object\n  where: runs.json, [0]\n  found: 3"),
    (
        {"task_id": 4},
        "the field `trial` is missing\n  where: runs.json, [0]\n  found: task_id\n"
        "  hint: add it; it must be a whole number",
    ),
    (
        run_with(task_id="4"),
        '`task_id` must be a whole number\n  where: runs.json, [0], field task_id\n  found: "4"',
    ),
    (
        run_with(reward=None),
        "`reward` must be a number\n  where: runs.json, [0], field reward\n  found: null",
    ),
    (run_with(info=[]), "`info` must be an object\n  where: runs.json, [0], field info\n  found: []"),
    (run_with(traj=None), "`traj` must be a list\n  where: runs.json, [0], field traj\n  found: null"),
    (
        run_with(USER, {"role": "usr", "content": ""}),
        "an unknown role\n  where: runs.json, [0].traj[1], field role\n  found: usr\n"
        "  hint: did you mean `user`?",
    ),
    (
        run_with({"role": "user", "content": None}),
        "the field `content` is missing\n  where: runs.json, [0].traj[0]\n  found: role\n"
        "  hint: add it; it must be a string",
    ),
    (
        run_with({"role": "user", "content": [{"type": "text"}]}),
        "`content` must be a string\n  where: runs.json, [0].traj[0], field content\n"
        '  found: [{"type": "text"}]',
    ),
    (
        run_with({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}),
        "a call must stand in `tool_calls`\n  where: runs.json, [0].traj[0], field function_call\n"
        "  hint: convert it to an entry of tool_calls",
    ),
    (
        run_with(USER, OK | {"tool_calls": {}}),
        "`tool_calls` must be a list\n  where: runs.json, [0].traj[1], field tool_calls\n  found: {}",
    ),
    (
        run_with(OK | {"tool_calls": [{"id": "c"}]}),
        "the field `function` is missing\n  where: runs.json, [0].traj[0].tool_calls[0]\n  found: id\n"
        "  hint: add it; it must be an object",
    ),
    (
        run_with(OK | {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {}}}]}),
        "`arguments` must be a string\n"
        "  where: runs.json, [0].traj[0].tool_calls[0].function, field arguments\n  found: {}",
    ),
    (
        run_with(calls(("c", "user_message", '{"text": "yes, I confirm"}'))),
        "a tool can't be called that\n  where: runs.json, [0].traj[0].tool_calls[0].function, field name\n"
        "  found: 'user_message'\n  hint: a call by that name would pass for a message; take the run out",
    ),
    (
        run_with(calls(("c", "", "{}"))),
        "a tool can't be called that\n  where: runs.json, [0].traj[0].tool_calls[0].function, field name\n"
        "  found: ''\n  hint: name the tool",
    ),
    (
        run_with(output("c", "late")),
        "an output answers no call\n  where: runs.json, [0].traj[0], field tool_call_id\n  found: c\n"
        "  hint: an output must come after its call, once",
    ),
    (
        run_with(OK, output("c", "once"), output("c", "twice")),
        "an output answers no call\n  where: runs.json, [0].traj[2], field tool_call_id\n  found: c\n"
        "  hint: an output must come after its call, once",
    ),
    (
        run_with(OK, output("c", "", name="g")),
        "an output of `f` names another tool\n  where: runs.json, [0].traj[1], field name\n  found: g",
    ),
    (
        run_with(calls(("c", "f", '{"n": 1, "n": 2}')), output("c", "paid")),
        "a call succeeded whose arguments can't be read\n  where: runs.json, [0].traj[1]\n  found: c\n"
        "  hint: repair the arguments in the file, or take the run out",
    ),
    (
        run_with(USER, {"role": "user", "content": "API output: refunded"}),
        "the calls of this run are text\n  where: runs.json, [0].traj[1]\n  found: API output: refunded\n"
        "  hint: record with the strategy tool-calling; act and react write calls into the text",
    ),
]


@pytest.mark.parametrize(("run", "told"), BAD, ids=range(len(BAD)))
def test_a_malformed_run_is_refused_with_its_place(tmp_path: Path, run: Any, told: str) -> None:
    with pytest.raises(TraceError) as caught:
        load(tmp_path, run)
    assert str(caught.value).replace(f"{tmp_path}{os.sep}", "") == told


@pytest.mark.parametrize(
    "arguments", ["", "not json", "[1]", "null", '"{}"', '{"n": 1, "n": 2}', '{"n": NaN}', r'{"n": "\ud800"}']
)
@pytest.mark.parametrize("answer", [None, "Error: bad arguments"])
def test_only_a_json_object_is_arguments(tmp_path: Path, arguments: str, answer: str | None) -> None:
    answers = [] if answer is None else [output("c", answer)]
    [trace] = load(tmp_path, run_with(calls(("c", "f", arguments)), *answers))
    assert (trace[0].args, trace[0].error) == ({}, True)
    assert trace.meta["unreadable_arguments"] == [{"event": 0, "text": arguments}]


@pytest.mark.parametrize(("text", "found"), [("[]", "an empty list"), ('{"runs": []}', "dict"), ("1", "int")])
def test_a_file_must_be_a_list_of_runs(tmp_path: Path, text: str, found: str) -> None:
    path = tmp_path / "runs.json"
    path.write_text(text)
    with pytest.raises(TraceError) as caught:
        list(read_traces(path))
    assert str(caught.value) == f"a tau-bench file must be a list of runs\n  where: {path}\n  found: {found}"


Way = tuple[str | int, ...]


def places(value: Any, path: Way = ()) -> Iterator[Way]:
    """Return the way to every value inside a value."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(value[key], (*path, key))


def test_no_single_change_to_a_run_crashes_the_reader(tmp_path: Path) -> None:
    run = json.loads(LIBRARY.read_text(encoding="utf-8"))[0]
    outcomes: Counter[bool] = Counter()
    for *way, last in places(run):
        for change in ("remove", None, 0, "", [], {}, [{}], {"a": []}, True):
            changed = copy.deepcopy(run)
            place = changed
            for step in way:
                place = place[step]
            if change == "remove":
                del place[last]
            else:
                place[last] = change
            try:
                load(tmp_path, changed)
                outcomes[True] += 1
            except TraceError as error:
                assert error.what and "runs.json" in error.where
                outcomes[False] += 1
    assert min(outcomes[True], outcomes[False]) > 100


# ---------------------------------------------------------------- the recorded runs


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded runs are not here")
def test_the_recorded_runs_are_read_whole() -> None:
    """The counts were taken from the file by a script of its own, not by this reader."""
    traces = load_traces(RECORDED)
    assert {t.name for t in traces} == {f"airline-{task}-trial{n}" for task in range(50) for n in range(4)}
    tools = Counter(event.tool for trace in traces for event in trace)
    assert (tools["user_message"], tools["assistant_message"]) == (1490, 1290 + 90)
    called = [event for trace in traces for event in trace if not event.is_message]
    assert (len(traces), len(called), sum(event.error for event in called)) == (200, 1164, 73)
    assert Counter(type(event.output) for event in called) == {dict: 668, str: 221, list: 179, float: 96}
    assert (tools["get_reservation_details"], tools["book_reservation"]) == (377, 53)
    assert sum(trace.meta["reward"] for trace in traces) == 84
    assert not any({"other_fields", "without_output", "unreadable_arguments"} & set(t.meta) for t in traces)


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded runs are not here")
def test_the_recorded_runs_write_and_read_back(tmp_path: Path) -> None:
    traces = load_traces(RECORDED)
    write_traces(tmp_path / "airline.jsonl", traces)
    assert load_traces(tmp_path / "airline.jsonl") == traces
