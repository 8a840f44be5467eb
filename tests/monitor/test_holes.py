"""Ways in which a call that must not run might have run: each was open once, or could be."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from agentc.dsl.parse import parse_specification
from agentc.errors import SpecificationError, TraceError
from agentc.monitor import Session
from agentc.trace.event import Event

ONCE = parse_specification("""
tool pay(id: string) -> any @write
constraint once: "Pay once." ~Seq(pay as p, True, pay as q, p.id == q.id)
""")


def test_every_output_minds_what_is_still_owed():
    spec = parse_specification("""
    tool open()
    tool look() -> {"type": "object", "properties": {"locked": {"type": "boolean"}}, "required": ["locked"]}
    tool close()
    constraint a: "Close what you opened." After(open, True, close, True)
    constraint b: "Never close what is locked." ~Seq(look as l, output(l).locked == true, close, True)
    """)
    session = Session(spec)
    session.push(Event("open"))
    assert session.check("look", {})
    assert not session.check("look", {}, outputs="all")
    assert not session.push(Event("look", {}, {"locked": True}))


def test_a_check_for_no_kind_of_outputs_is_refused():
    with pytest.raises(SpecificationError, match="for `some` output or for `all`"):
        Session(ONCE).check("pay", {"id": "a"}, outputs="al")


def test_what_runs_is_what_was_judged():
    spec = parse_specification("""
    tool pay(id: string)
    projection owner(id: string) -> string
    constraint own: "Only pay your own." Forall(pay as p, p.id == "ok" & p.state.owner(p.id) == "me")
    """)
    args, ran = {"id": "ok"}, []

    def read(name, values):
        args["id"] = "EVIL"
        return "me"

    def execute(tool, given):
        ran.append(dict(given))
        given["id"] = "changed"
        return None, False

    session = Session(spec, read=read)
    assert session.run("pay", args, execute)
    assert ran == [{"id": "ok"}]
    assert session.events[0].args == {"id": "ok"}


@pytest.mark.parametrize("told", [None, "ok", {"ok": 1}, ["out", False], ("out", 0), ("a", "b", "c")])
def test_a_call_that_ran_is_in_the_trace_whatever_came_back(told):
    session = Session(ONCE)
    with pytest.raises(TraceError, match="output and whether it is an error"):
        session.run("pay", {"id": "a"}, lambda tool, args: told)
    assert [e.error for e in session.events] == [False]
    assert not session.check("pay", {"id": "a"})


def test_a_call_that_was_interrupted_is_in_the_trace():
    def stop(tool, args):
        raise KeyboardInterrupt

    session = Session(ONCE)
    with pytest.raises(KeyboardInterrupt):
        session.run("pay", {"id": "a"}, stop)
    assert not session.check("pay", {"id": "a"})


def test_nobody_can_change_the_past():
    session, args = Session(ONCE), {"id": "a"}
    session.push(Event("pay", args))
    args["id"] = "b"
    assert not session.check("pay", {"id": "a"})


@pytest.mark.parametrize("noise", [0, 260])
def test_an_unread_state_stays_unknown_on_long_traces(noise):
    spec = parse_specification("""
    tool open()
    tool noise()
    tool approve(tag: "new")
    tool close()
    projection x() -> integer
    constraint a: "a" After(open, True, close, True)
    constraint b: "b" Before(close, True, approve as q, q.tag == "old" & q.state.x() == 1)
    """)
    session = Session(spec)
    session.engine.push(Event("approve", {"tag": "old"}))
    for _ in range(noise):
        session.engine.push(Event("noise"))
    assert str(session.check("open", {}).verdict) == "UNKNOWN"


def test_sessions_of_several_threads_take_turns():
    def once(number):
        session = Session(ONCE)
        session.push(Event("pay", {"id": f"n{number}"}))
        return bool(session.check("pay", {"id": f"n{number}"})), bool(session.check("pay", {"id": "other"}))

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(once, range(60))) == {(False, True)}


def test_a_session_needs_a_specification():
    with pytest.raises(SpecificationError, match="a session needs a specification"):
        Session("retail")  # type: ignore[arg-type]
    with pytest.raises(SpecificationError, match="no such constraint"):
        ONCE["onec"]
