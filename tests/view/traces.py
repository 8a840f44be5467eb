"""The traces that the view's tests look at."""

from __future__ import annotations

from agentc.dsl.parse import parse_specification
from agentc.trace.event import Event, Trace, message, reading

FILES = parse_specification("""
specification files "Open before you read, close what you opened, close it once"
tool open(file: string)
tool read(file: string)
tool close(file: string)
tool delete(file: string)
projection owner(file: string) -> string

constraint opened: "Open a file before you read it."
  Before(read as r, True, open as o, o.file == r.file)
constraint closed: "Close what you opened."
  After(open as o, True, close as c, c.file == o.file)
constraint once: "Close a file once."
  ~Seq(close as one, True, close as again, one.file == again.file)
constraint own: "Delete only what is yours."
  Forall(delete as d, d.state.owner(d.file) == "me")
""")

OPEN, READ, READ_B, CLOSE, DELETE = 1, 2, 4, 5, 6


def step(tool: str, file: str, output: object = "ok", owner: str = "") -> Event:
    state = {reading("owner", file): owner} if owner else {}
    return Event(tool, {"file": file}, output, state=state)


def trace() -> Trace:
    """A file is read unopened at event 4, and one is deleted that isn't ours at event 6."""
    events = (
        message("user", "Please read a.txt.\nThen delete it."),
        step("open", "a.txt", {"handle": 3, "mode": "r", "parts": [1, 2.5, None, True]}),
        step("read", "a.txt", "first line\nsecond line"),
        message("assistant", "Done. Now b.txt."),
        step("read", "b.txt", {"text": "b"}),
        step("close", "a.txt"),
        step("delete", "a.txt", owner="you"),
        message("user", "Thanks."),
    )
    return Trace(events, "files, run 1")


def long_trace(events: int = 2_000) -> Trace:
    """Files opened, read and closed, one after the other; one violation in each tenth."""
    made: list[Event] = []
    for i in range(events // 4):
        name = f"f{i}.txt"
        unread = f"other{i}.txt" if i % (events // 40) == 1 else name
        made += [step("open", name), step("read", unread, {"text": f"contents of {name} " * 10})]
        made.append(step("close", name))
        made.append(message("assistant", f"{name} is done."))
    return Trace(tuple(made), "many files")


HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>'
REORDERED = "abc\u202edcba\u2066x\u2069\u0007\u001b[31m\u200b\ufeff"


def hostile() -> tuple[object, Trace]:
    """Markup, script, bidirectional and control characters wherever a trace or a specification has text."""
    spec = parse_specification('constraint rule: "s" Forall(rm as r, r.path != "y")')
    name = f"rm{HOSTILE}"
    events = (
        message("user", HOSTILE + REORDERED),
        Event(name, {HOSTILE: HOSTILE, REORDERED: [REORDERED, {HOSTILE: REORDERED}]}, HOSTILE, id=HOSTILE),
        Event("rm", {"path": "y", "more": f"{HOSTILE}\n{REORDERED}"}, {"a": REORDERED}, error=True),
        Event("rm", {"path": HOSTILE}, state={reading(REORDERED, HOSTILE): HOSTILE}),
    )
    return spec, Trace(events, HOSTILE + REORDERED)
