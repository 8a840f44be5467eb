"""The widget's Python side: what is sent, set, refused, and seen by readers without a kernel."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentc.dsl.parse import parse_specification
from agentc.errors import AgentcError
from agentc.monitor import Session
from agentc.trace.event import Event, Failed, Trace, call, reading
from agentc.trace.values import MISSING
from agentc.view.modules import ORDER, script
from agentc.view.shown import call_line, events_json, printable, value_json
from agentc.view.subject import subject_of
from tests.view.traces import DELETE, FILES, HOSTILE, OPEN, READ_B, hostile, long_trace, trace

TraceView = pytest.importorskip("agentc.view.widget").TraceView
OTHER = parse_specification("constraint a: Exists(b, True)")
JS = Path(__file__).parents[2] / "agentc" / "view" / "js"


# ---------------------------------------------------------------- the widget


def test_it_starts_at_the_first_violation_and_explains_what_is_looked_at() -> None:
    view = TraceView(trace(), FILES)
    assert (view.cursor, view.selected.tool, view.live) == (READ_B, "read", True)
    assert list(view.why) == [str(READ_B)]
    earlier, argument = view.why[str(READ_B)]["repairs"]
    assert earlier["tools"] == ["open"] and earlier["example"] == ["open", 'file="b.txt"']
    assert argument == {"argument": "file", "values": ["a.txt"], "private": False}
    view.cursor = 1
    (owed,) = view.why["1"]["obligations"]
    assert (owed["tool"], owed["line"], owed["triggers"]) == ("close", 'file="a.txt"', [OPEN])


def test_a_later_violation_is_repaired_as_if_the_earlier_ones_were_none() -> None:
    view = TraceView(trace(), FILES)
    view.cursor = DELETE
    assert view.why[str(DELETE)] == {"at": DELETE, "blame": "", "repairs": []}


def test_only_what_is_there_can_be_looked_at() -> None:
    view = TraceView(trace(), FILES)
    view.cursor = 99
    assert view.cursor == 7
    view.cursor = -5
    assert view.cursor == 0
    view.constraint = "closed"
    view.constraint = "no such"
    assert view.constraint == ""


def test_a_sessions_run_is_followed() -> None:
    session = Session(FILES)
    session.push(call("open", file="a"))
    view = TraceView(session)
    session.push(call("close", file="a"))
    assert len(view.events) == 1
    view.refresh()
    assert (len(view.events), repr(view)) == (2, "files: 2 events, ✓ SAT")
    assert len(session.events) == 2, "the session itself is left alone"


def test_a_proposed_call() -> None:
    session = Session(FILES)
    session.push(call("open", file="a"))
    view = TraceView(session, proposed=session.check("read", {"file": "b"}))
    assert view.events[-1]["proposed"] and view.verdicts["prefix"] == "vox"
    assert view.why["1"]["repairs"][0]["tools"] == ["open"]
    legal = TraceView(session, proposed=session.check("read", {"file": "a"}))
    assert legal.verdicts["prefix"] == "voo"


def test_blame_of_the_environment() -> None:
    spec = parse_specification("constraint same: ~Seq(ask as a, True, ask as b, output(a) != output(b))")
    events = [Event("ask", {}, 1), Event("ask", {}, 2)]
    view = TraceView(events, spec)
    assert view.why["1"] == {"at": 1, "blame": "environment", "repairs": []}


def test_what_could_not_be_read_is_unknown_with_its_reason() -> None:
    event = Event("delete", {"file": "a"}, state={reading("owner", "a"): Failed("database down")})
    view = TraceView([event], FILES)
    assert view.verdicts["prefix"] == "v?"
    assert "database down" in view.verdicts["reasons"]["0"]
    assert view.events[0]["state"][0]["value"] == {"failed": "database down"}


def test_readers_without_a_kernel_get_a_table() -> None:
    spec, bad = hostile()
    data, _ = TraceView(bad, spec)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    table = data["text/html"]
    assert "<img" not in table and "&lt;img" in table and "<script" not in table
    assert "\u202e" not in table + data["text/plain"]
    assert data["text/plain"].endswith("4 events, ✗ UNSAT from event 2 (rule)")


def test_the_table_is_bounded() -> None:
    data, _ = TraceView(long_trace(400), FILES)._repr_mimebundle_()
    assert data["text/html"].count("<tr>") == 202 and "and 200 more" in data["text/html"]


def test_the_recorded_state_is_rebuilt_on_the_specifications_domain() -> None:
    pytest.importorskip("tau2")
    from agentc.domains import load_specification

    spec = load_specification("retail")
    steps = [call("find_user_id_by_email", email="noah.brown6181@example.com")]
    subject = subject_of([*steps, call("get_order_details", order_id="#W7678072")], spec)
    assert subject.domain is not None
    assert subject.events[1].output is not MISSING
    assert {name for name, _ in subject.events[1].state} == {"order_owner"}
    assert subject_of(steps, spec, "none").domain is None


@pytest.mark.parametrize(
    ("arguments", "what", "found"),
    [
        ((trace(), None), "a trace is shown with a specification", "nothing"),
        ((trace(), "retail"), "a trace is shown with a specification", "str"),
        ((["x"], FILES), "a trace consists of events", "str"),
        (("trace.jsonl", FILES), "this is no trace", "trace.jsonl"),
        (([trace()], FILES), "a trace consists of events", "Trace"),
        ((Session(FILES), OTHER), "a session has a specification of its own", "Specification"),
        ((trace(), FILES, "nowhere"), "there is no such domain", "nowhere"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused_in_so_many_words(
    arguments: tuple[Any, ...], what: str, found: str
) -> None:
    with pytest.raises(AgentcError, match=what) as refused:
        subject_of(*arguments)
    assert found in refused.value.found and refused.value.hint


def test_a_judgement_on_no_call_is_refused() -> None:
    session = Session(FILES)
    with pytest.raises(AgentcError, match="no judgement on a proposed call"):
        subject_of(session, proposed=session.push(call("open", file="a")))


# ---------------------------------------------------------------- what is sent


def test_everything_that_is_sent_is_json_without_hidden_characters() -> None:
    spec, bad = hostile()
    view = TraceView(bad, spec)
    text = json.dumps([view.events, view.verdicts, view.why], ensure_ascii=False, allow_nan=False)
    assert re.findall("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]", text) == []
    assert HOSTILE.replace('"', '\\"') in text, "markup is text like any other"


def test_values_are_exact_and_tagged() -> None:
    from decimal import Decimal
    from fractions import Fraction

    value = {"n": 10**30, "d": Decimal("1.50"), "f": Fraction(1, 3), "o": {}, "s": "", "t": True, "z": None}
    assert value_json(value) == {"o": [
        ["n", {"n": str(10**30)}], ["d", {"n": "1.50"}], ["f", {"n": "1/3"}], ["o", {"o": []}], ["s", ""],
        ["t", True], ["z", None],
    ]}  # fmt: skip


def test_long_values_are_cut_and_counted() -> None:
    assert value_json("x" * 100, 10) == {"s": "x" * 10, "more": 90}
    cut = value_json(list(range(1_000)))
    assert len(cut) == 501 and cut[-1] == {"more": 500}
    assert value_json({str(i): i for i in range(600)})["more"] == 100
    assert len(json.dumps(value_json(["y" * 1_000] * 400))) < 30_000


def test_a_long_trace_is_sent_in_bounded_size() -> None:
    events = [Event("read", {"file": "f"}, "z" * 100_000)] * 2_000
    assert len(json.dumps(events_json(events))) < 20_000_000


def test_readings_say_what_they_were() -> None:
    key = reading("owner", "a")
    first, second, third = (Event("d", {"file": "a"}, state={key: who}) for who in ("me", "me", "you"))
    shown = [e["state"][0] for e in events_json([first, second, third])]
    assert "was" not in shown[1] and (shown[2]["was"], shown[2]["since"]) == ("me", 1)
    assert shown[2]["label"] == 'owner("a")'


def test_lines_stay_lines() -> None:
    assert printable("a\r\nb\u2028c\x0b") == "a\nb\\u2028c\\u000b"
    assert call_line(call("f", text="a\nb" * 500)).count("\n") == 0
    assert len(call_line(call("f", **{f"a{i}": "x" * 99 for i in range(50)}))) <= 200


# ---------------------------------------------------------------- the modules


def test_every_module_is_joined_after_what_it_imports() -> None:
    assert {p.stem for p in JS.glob("*.js")} == set(ORDER)
    for name in ORDER:
        text = (JS / f"{name}.js").read_text(encoding="utf-8")
        imported = re.findall(r'from "\./(\w+)\.js"', text)
        assert all(ORDER.index(other) < ORDER.index(name) for other in imported), name
        exported = re.findall(r"^export \w+ (\w+)", text, re.M)
        assert exported and text.count("import ") == len(imported), name
    assert re.findall(r"^(?:import|export (?!default))", script(), re.M) == []


def test_no_module_makes_markup_or_asks_the_network() -> None:
    markup = r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\("
    network = r"fetch\(|XMLHttp|WebSocket|import\(|https?:"
    for path in JS.glob("*.js"):
        assert re.findall(f"{markup}|{network}", path.read_text(encoding="utf-8")) == [], path.name
    assert not re.search(r"url\(|@import|https?:", (JS / "trace.css").read_text(encoding="utf-8"))


def test_a_page_needs_no_notebook_library() -> None:
    heavy = {"anywidget", "ipywidgets", "IPython"}
    code = f"import agentc.view as v, sys; v.trace_to_html; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_them_the_widget_says_what_to_install() -> None:
    code = """
import sys
sys.modules["anywidget"] = None
import agentc
try:
    agentc.TraceView
except agentc.AgentcError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "hint: pip install 'agentc-workbench[notebook]'" in done.stdout


def test_the_title_is_the_traces_name_or_else_the_specifications() -> None:
    events = (call("open", file="a"),)
    titles = [TraceView(what, FILES).verdicts["title"] for what in (Trace(events, "run 9"), events)]
    assert titles == ["run 9", "files"]
