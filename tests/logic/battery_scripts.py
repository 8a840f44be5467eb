"""Scripts of the battery, for what chance seldom meets."""

from __future__ import annotations

from typing import Any

from agentc.dsl import nodes as N
from agentc.dsl.parse import parse_formula, parse_specification
from agentc.tools.signature import Tool, ToolSet
from agentc.trace.event import Event, Failed, reading
from tests.examples import at, do
from tests.logic.battery import LETTERS, agree, fresh, good_witness, said

RULES = """
constraint closed: After(open(file=f1), True, close(file=f2), f1 == f2)
constraint status: Forall(cancel(order=o) as c, c.state.status(o) == "pending")
"""
ASKED = """
constraint answered: After(ask(file=f1), True, read(file=f2), f1 == f2)
constraint opened: Before(read(file=f1), True, open(file=f2), f1 == f2)
"""


def unread_state() -> None:
    lost = [{}, {reading("status", 1): Failed("gone")}]
    for state, owed in [(s, o) for s in lost for o in (False, True)]:
        judge = fresh(parse_specification(RULES), [Event("open", {"file": "a"})] * owed)
        agree(said(judge.prefix()) == "SAT", "before")
        call = Event("cancel", {"order": 1}, state=state)
        agree(said(judge.check(call)) == "UNKNOWN", "check")
        judge.push(call)
        agree(said(judge.prefix()) == "UNKNOWN", "prefix")
        agree(said(judge.check(Event("list"))) == "UNKNOWN", "next call")


def continuations_of_another_past() -> None:
    spec = parse_specification(ASKED)
    judge, ask = fresh(spec), Event("ask", {"file": "a"})
    for past in ([Event("open", {"file": "a"}), ask], [ask]):
        for event in past:
            judge.push(event)
        answer = judge.prefix()
        agree(said(answer) == "SAT", answer)
        good_witness(spec, past, answer)
        for _ in past:
            judge.pop()


def constraints_apart_and_together() -> None:
    spec = parse_specification(
        "constraint closed: After(open, True, close, True)\nconstraint never: ~Exists(close, True)"
    )
    judge = fresh(spec, [Event("open")])
    verdicts = [said(judge.prefix(chosen)) for chosen in (None, (0,), (1,), (0, 1), None)]
    agree(verdicts == ["UNSAT", "SAT", "SAT", "UNSAT", "UNSAT"], verdicts)
    closed = [said(judge.closed(chosen)) for chosen in (None, (0,), (1,), (0, 1), None)]
    agree(closed == ["UNSAT", "UNSAT", "SAT", "UNSAT", "UNSAT"], closed)


GONE = Failed("gone")
SEEN = """After(open(file=f1) as o, o.state.kind(f1) == "big",
  close(file=f2) as c, f1 == f2 & c.state.ok() == 1)"""


def opened(kind: Any = GONE) -> Event:
    return at({("kind", "a"): kind}, do("open", file="a"))


def shut(ok: Any = GONE) -> Event:
    return at({("ok",): ok}, do("close", file="a"))


ROWS = [  # a formula, events, and the closed verdict after each
    (SEEN, [opened("big"), shut(), shut(1)], "F?T"),
    (SEEN, [opened(), shut(0), shut(1)], "??T"),
    (SEEN, [opened("big"), shut(), opened("big")], "F?F"),
    (SEEN.replace("After", "Seq"), [opened(), shut(0), shut(1)], "FF?"),
    (SEEN.replace("After", "Seq"), [opened("big"), shut(), shut(1)], "F?T"),
    ("After(a(n=n1), True, b(n=n2), n1 <= n2)", [do("a", n=1), do("a", n=2), do("b", n=2)], "FFT"),
    ("After(a(n=n1), True, b(n=n2), n1 <= n2)", [do("a", n=1), do("a", n=2), do("b", n=1)], "FFF"),
    ("Before(a(n=n1), True, b(n=n2), n1 <= n2)", [do("b", n=1), do("b", n=0), do("a", n=1)], "TTT"),
    ("Seq(a(n=n1), True, b(n=n2), n1 == n2)", [do("a", n=1), do("a", n=2), do("b", n=1)], "FFT"),
    (
        "Before(a(n=n1), True, b(n=n2) as b, n1 == n2 | b.all == true)",
        [do("b", n=1, all=True), do("a", n=2)],
        "TT",
    ),
    ("Before(a(n=n1), True, b(n=n2) as b, n1 != n2)", [do("b", n=1), do("a", n=2), do("a", n=1)], "TTF"),
    (
        "Before(a as a, True, b as b, b.n == a.n & b.m == a.m)",
        [do("b", n=1, m=1), do("b", n=1, m=2), do("a", n=1, m=2), do("a", n=2, m=2)],
        "TTTF",
    ),
    (
        "Before({a(n=k) | c(m=k)}, True, {b(n=v) | c(m=v)}, k == v)",
        [do("b", n=1), do("c", m=1), do("a", n=1), do("c", m=1, n=2), do("a", n=2)],
        "TTTTF",
    ),
    (
        "Before({a(n=k) | c(m=k)}, True, b(n=v), k == v)",
        [do("b", n=1), do("b", n=2), do("c", m=1), do("c", m=2, n=9), do("a", n=3)],
        "TTTTF",
    ),
    (
        "Before(a(n=n1), True, b as b, b.state.q() == n1)",
        [at({("q",): GONE}, do("b")), do("a", n=1), at({("q",): 2}, do("b")), do("a", n=2)],
        "T???",
    ),
    (
        "Before(a as a, True, b as b, b.state.q() == 1 & a.state.q() == 2)",
        [at({("q",): 1}, do("b")), at({("q",): 2}, do("a"))],
        "TT",
    ),
    ("Forall(a as a, distinct(a.l))", [do("a", l=[1, 2, 3]), do("a", l=[1, 2, 1])], "TF"),
    ('Forall(a as a, ~contains(a.s, "A"))', [do("a", s="\\u{41}"), do("a", s="xA")], "TF"),
    ('Forall(a as a, starts_with(a.s, "\\\\u0041"))', [do("a", s="\\u0041"), do("a", s="A")], "TF"),
    ('Forall(a as a, a.s < "\U0001f600")', [do("a", s="\uffff"), do("a", s="\U0001f601")], "TF"),
    ("Forall(a as a, a.n == 7)", [do("a", n=7), do("a", n="7")], "TF"),
]
CHECKS = [  # a formula, what happened, a call, and the verdict on it
    ('~Exists(a as a, output(a) != "ok")', [], do("a"), "SAT"),
    ('~Exists(a as a, output(a) == "ok") & Exists(a as a, output(a) == "ok")', [], do("a"), "UNSAT"),
    ('~Exists(a as a, absent(a.n)) & Exists(a as a, output(a) == "ok")', [], do("a"), "UNSAT"),
    ('~Exists(a as a, absent(a.n)) & Exists(a as a, output(a) == "ok")', [], do("a", n=1), "SAT"),
    ('Exists(a as a, output(a) == "ok") & ~Seq(a, True, a, True)', [do("a", "no")], do("a", "ok"), "UNSAT"),
    ('Seq(a as a, output(a) == "ok", b, True) & ~Seq(a, True, a, True)', [], do("a", "no"), "SAT"),
    ("Before(b as b, True, a as a, output(a) == b.n)", [do("a", 1)], do("b", n=1), "SAT"),
    ("Before(b as b, True, a as a, output(a) == b.n)", [do("a", 1)], do("b", n=2), "UNSAT"),
]


def scripts() -> None:
    for text, events, closed in ROWS:
        judge, found = fresh(parse_specification(f"constraint r: {text}")), ""
        for event in events:
            judge.push(event)
            found += LETTERS[said(judge.closed())]
        agree(found == closed, text, found)
    for text, events, call, verdict in CHECKS:
        answer = fresh(parse_specification(f"constraint r: {text}"), events).check(call)
        agree(said(answer) == verdict, text, call, answer)


def calls_that_tools_refuse() -> None:
    """What is owed can't be met by a call that only the whole schema refuses."""
    rule = parse_formula("After(open as o, True, close as c, o.n == c.n)")
    for schema, owed in (({"multipleOf": 2}, 3), ({"uniqueItems": True}, [1, 1]), ({"not": {"const": 3}}, 3)):
        close = {
            "type": "object",
            "properties": {"n": schema, "m": {"type": "integer"}},
            "required": ["n", "m"],
        }
        tools = ToolSet([Tool("open", {"type": "object", "properties": {"n": {}}}), Tool("close", close)])
        spec = N.Specification("owed", (N.Constraint("r", rule),), tools)
        for n, verdicts in ((owed, {"UNSAT", "UNKNOWN"}), (4, {"SAT"})):
            past = [Event("open", {"n": n})]
            answer = fresh(spec, past).prefix()
            agree(said(answer) in verdicts, schema, n, answer)
            if said(answer) == "SAT":
                good_witness(spec, past, answer)


NUMBERS = parse_specification("constraint r: Forall(pay as p, p.a + p.b == p.c)")


def exact_numbers() -> None:
    rows = [
        (0.1, 0.2, 0.3, "SAT"),
        (10**20, 1, 10**20, "UNSAT"),
        (1e20, 1, 10**20 + 1, "SAT"),
        (1, 1, True, "UNSAT"),
    ]
    for a, b, c, verdict in rows:
        agree(said(fresh(NUMBERS).check(Event("pay", {"a": a, "b": b, "c": c}))) == verdict, a, b, c)


FUTURES = [
    ('Exists(a as x, x.state.q("k") == 1 & x.state.q("k") != 2)', "SAT"),
    ('Exists(a as x, x.state.q(x.n) == 1 & x.n == "k" & x.state.q("k") == 2)', "UNSAT"),
    ("Exists(a as x, x.o.n == 1 & is_null(x.o))", "UNSAT"),
    ('Exists(a as x, starts_with(x.s, "u") & x.s == x.t & ~starts_with(x.t, "u"))', "UNSAT"),
    ('Exists(a as x, starts_with(x.s, "u") & ends_with(x.s, "v") & x.s != "uv")', "SAT"),
    ('Exists(a as x, contains(x.s, "\\\\u{41}") & ~contains(x.s, "A"))', "SAT"),
    ('Exists(a as x, any(i in x.l: i == "u") & len(x.l) == 1 & x.l[0] != "u")', "UNSAT"),
    ("Exists(a as x, distinct(x.l) & len(x.l) == 2 & x.l[0] == x.l[1])", "UNSAT"),
    ("Exists(a as x, x.n * 2 == 1) & Forall(a as x, absent(x.n) | x.n > 0)", "SAT"),
    ("Seq(a as x, x.n == 0, a as y, y.n == x.n + 1) & Forall(a as x, x.n <= 1)", "SAT"),
    ("Seq(a, True, b, True) & ~Exists(a, True)", "UNSAT"),
    ("Seq(a, True, a, True) & ~Seq(a, True, a, True)", "UNSAT"),
    ("Exists(a, True) & Before(a, True, b, True) & Before(b, True, c, True)", "SAT"),
    ("Exists(a, True) & Before(a, True, b, True) & Before(b, True, c, True) & ~Exists(c, True)", "UNSAT"),
    ("~Before(a, True, attempted(a), True) & ~Exists(a, True)", "SAT"),
    ("~Forall(a as x, x.n == 1) & ~Exists(a, True)", "SAT"),
    ("Exists(@any as x, x.n == 1) & ~Exists(a, True)", "SAT"),
    ("Exists({a(n=k) | b(m=k)}, k == 1) & ~Exists(b as y, y.m == 1)", "SAT"),
]


def futures_of_nothing() -> None:
    for text, verdict in FUTURES:
        spec = parse_specification(f"constraint r: {text}")
        answer = fresh(spec).prefix()
        agree(said(answer) == verdict, text, answer)
        if verdict == "SAT":
            good_witness(spec, [], answer)


SCRIPTS = (
    constraints_apart_and_together,
    unread_state,
    continuations_of_another_past,
    exact_numbers,
    scripts,
    calls_that_tools_refuse,
    futures_of_nothing,
)
