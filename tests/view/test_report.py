"""Many traces in two tables."""

from __future__ import annotations

import pytest

from agentc.errors import AgentcError
from agentc.trace.event import Event, Failed, Trace, call, reading
from agentc.view import Report
from tests.view.traces import FILES, hostile, trace

pytest.importorskip("jinja2")


def runs() -> list[Trace]:
    unread = Event("delete", {"file": "a"}, state={reading("owner", "a"): Failed("down")})
    return [
        trace(),
        Trace((call("open", file="a"),), "left open"),
        Trace((call("open", file="a"), call("close", file="a")), "good"),
        Trace((unread,), "not read"),
    ]


def test_a_row_for_each_trace() -> None:
    assert Report(runs(), FILES).traces.to_dict("split")["data"] == [
        ["files, run 1", 8, "✗ UNSAT", "✗ UNSAT", "event 4: opened"],
        ["left open", 1, "✗ UNSAT", "○ pending", "at the end: closed"],
        ["good", 2, "✓ SAT", "✓ SAT", ""],
        ["not read", 1, "? UNKNOWN", "? UNKNOWN", ""],
    ]


def test_a_row_for_each_constraint() -> None:
    rows = Report(runs(), FILES).constraints.drop(columns="policy").to_dict("split")
    assert dict(zip(rows["index"], rows["data"], strict=True)) == {
        "opened": [2, 1, 0, 0], "closed": [3, 1, 1, 0], "once": [2, 0, 0, 0], "own": [2, 1, 0, 1],
    }  # fmt: skip
    assert rows["columns"] == ["events governed", "traces that violate it", "unmet at the end", "UNKNOWN"]


def test_in_a_cell_it_is_styled_and_hostile_text_is_escaped() -> None:
    spec, bad = hostile()
    report = Report([bad], spec)
    html = report._repr_html_()
    assert "<img" not in html and "<script" not in html and "&lt;img" in html and "\u202e" not in html
    assert repr(report) == "1 trace under a specification: 1 ✗ UNSAT"
    assert "#d55e00" in html and "✗ UNSAT" in html


def test_one_of_its_traces_can_be_stepped_through() -> None:
    report = Report(runs(), FILES)
    assert report.view("left open").verdicts["title"] == "left open"
    assert report.view(0).cursor == 4
    with pytest.raises(AgentcError, match="no such trace") as refused:
        report.view("left opn")
    assert refused.value.hint == "did you mean `left open`?"
    with pytest.raises(AgentcError, match="no such trace"):
        report.view(9)


def test_one_trace_is_no_report() -> None:
    with pytest.raises(AgentcError, match="several traces"):
        Report(trace(), FILES)
