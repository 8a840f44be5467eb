"""One table of specifications, traces and verdicts that a person can check; everything is tested over it.

A row: name, specification, trace, verdicts, why. The verdicts have one letter per length of the trace, the
empty one first. Prefix: S for SAT, U for UNSAT, ? for UNKNOWN, x where no continuation satisfies the
specification but nobody can be asked to prove it (UNSAT or UNKNOWN). Closed: T true, F false, ? undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from agentc.dsl.nodes import Specification
from agentc.trace.event import Event, Failed, message, reading
from agentc.trace.values import MISSING

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True)
class Example:
    """One row; `text` is a formula, or whole statements of the text form."""

    name: str
    text: str
    events: tuple[Event, ...]
    prefix: str
    closed: str
    why: str

    @property
    def source(self) -> str:
        """The specification's whole text."""
        body = self.text if "constraint " in self.text else f"constraint rule: {self.text}"
        return f"specification {self.name}\n{body}\n"

    @property
    def spec(self) -> Specification:
        return _parse(self.source)


@cache
def _parse(source: str) -> Specification:
    from agentc.dsl.parse import parse_specification

    return parse_specification(source)


def do(tool: str, /, out: Any = MISSING, **args: Any) -> Event:
    """A call that succeeded, its arguments by name."""
    return Event(tool, args, out)


def fail(tool: str, /, **args: Any) -> Event:
    return Event(tool, args, {"error": "refused"}, error=True)


def at(state: dict[tuple[Any, ...], Any], event: Event) -> Event:
    """The event with its state: {(projection, argument...): value}."""
    readings = {reading(*key): value for key, value in state.items()}
    return Event(event.tool, event.args, event.output, event.error, readings)


def row(name: str, text: str, events: list[Event], verdicts: str, why: str) -> Example:
    return Example(name, text, tuple(events), *verdicts.split(), why)


OPEN_CLOSE = "After(open(file=f1), True, close(file=f2), f1 == f2)"
SAME_FILE = "Before(read(file=f1), True, open(file=f2), f1 == f2)"
ONCE = "~Seq(modify(order=o1), True, modify(order=o2), o1 == o2)"
APPROVED = "Before(pay(order=o1), True, approve(order=o2), o1 == o2)"

# ---------------------------------------------------------------- the five predicates, asserted and denied

PREDICATES = [
    row("before", SAME_FILE,
        [do("open", file="a"), do("read", file="a"), do("read", file="b")], "SSSU TTTF",
        "b was never opened, and the past can't be repaired"),
    row("before_never_triggered", SAME_FILE,
        [do("open", file="a"), do("list")], "SSS TTT",
        "nothing is read"),
    row("before_order_counts", SAME_FILE,
        [do("read", file="a"), do("open", file="a")], "SUU TFF",
        "opening after reading comes too late"),
    row("before_no_event_vouches_for_itself", "Before(pay(order=o1), True, pay(order=o2), o1 == o2)",
        [do("pay", order=1)], "SU TF",
        "t' < t is strict, also where both patterns are the same"),
    row("before_first_is_exempt", "Before(step(n=n1), n1 > 0, step(n=n2), n2 == n1 - 1)",
        [do("step", n=0), do("step", n=1), do("step", n=3)], "SSSU TTTF",
        "0 needs nothing, 1 has 0, 3 lacks 2"),
    row("after", OPEN_CLOSE,
        [do("open", file="a"), do("open", file="b"), do("close", file="a"), do("close", file="b")],
        "SSSSS TFFFT",
        "open files are owed a close; until then pending"),
    row("after_one_witness_for_all", OPEN_CLOSE,
        [do("open", file="a"), do("open", file="a"), do("close", file="a")], "SSSS TFFT",
        "one later close answers both"),
    row("after_witness_before_does_not_count", OPEN_CLOSE,
        [do("close", file="a"), do("open", file="a")], "SSS TTF",
        "the close came too early"),
    row("seq", 'Seq(use(r=r1), r1 == "123", dispose(r=r2), r1 == r2)',
        [do("use", r="123"), do("dispose", r="9"), do("dispose", r="123")], "SSSS FFFT",
        "the paper's example: pending until both have happened, then for good"),
    row("seq_two_events", "Seq(ping, True, ping, True)",
        [do("ping"), do("ping")], "SSS FFT",
        "one event is not two"),
    row("forall", 'Forall(rm(path=p), p != "/root")',
        [do("rm", path="/tmp"), do("rm", path="/root")], "SSU TTF",
        "the paper's example"),
    row("exists", 'Exists(create(r=r1), r1 == "456")',
        [do("create", r="1"), do("create", r="456"), do("create", r="2")], "SSSS FFTT",
        "pending, then settled"),
    row("not_before", f"~{APPROVED}",
        [do("approve", order=1), do("pay", order=1), do("pay", order=2)], "SSSS FFFT",
        "some payment must lack its approval"),
    row("not_after", f"~{OPEN_CLOSE}",
        [do("open", file="a"), do("close", file="a"), do("open", file="b")], "SSSS FTFT",
        "some file must stay open: true, repaired, true again"),
    row("once", ONCE,
        [do("modify", order=1), do("modify", order=2), do("modify", order=1)], "SSSU TTTF",
        "each order is modified at most once"),
    row("not_forall", 'Exists(rm, True) & ~Forall(rm(path=p), p != "/root")',
        [do("rm", path="/tmp"), do("rm", path="/root")], "SSS FFT",
        "denied Forall asks for a violation"),
    row("not_exists", "~Exists(rm, True)",
        [do("open", file="a"), do("rm", path="a")], "SSU TTF",
        "never"),
    row("truth", "Forall(a, True) & Before(b, False, c, False)",
        [do("a"), do("b"), do("odd")], "SSSS TTTT",
        "a guard that is never true asks for nothing"),
]

# ---------------------------------------------------------------- connectives

CONNECTIVES = [
    row("implies", "Implies(Exists(pay, True), Exists(bill, True))",
        [do("pay"), do("bill")], "SSS TFT",
        "who pays must be billed, in any order"),
    row("or_one_dead", f"{APPROVED} | Exists(audit, True)",
        [do("pay", order=1), do("audit")], "SSS TFT",
        "the first part is lost, the second can still come"),
    row("double_denial", f"~~{SAME_FILE}",
        [do("read", file="a")], "SU TF",
        "~~ changes nothing"),
    row("and_of_constraints", f"constraint opened: {SAME_FILE}\nconstraint closed: {OPEN_CLOSE}",
        [do("open", file="a"), do("read", file="a"), do("close", file="a"), do("read", file="z")],
        "SSSSU TFFTF",
        "each constraint must hold"),
    row("settled_by_a_disjunct", f"Exists(admin, True) | {ONCE}",
        [do("modify", order=1), do("admin"), do("modify", order=1)], "SSSS TTTT",
        "once an admin was there, nothing can break it"),
]

# ---------------------------------------------------------------- contradictions that only the whole shows

TOGETHER = [
    row("dead_from_the_start", "Exists(a(n=n1), n1 == 5) & Forall(a(n=n1), n1 < 5)",
        [do("a", n=1)], "UU FF",
        "no call is 5 and below 5"),
    row("close_is_forbidden", f"constraint closed: {OPEN_CLOSE}\nconstraint never: ~Exists(close, True)",
        [do("list"), do("open", file="a")], "SSU TTF",
        "each alone is satisfiable; together the first open can't be repaired"),
    row("closed_once_only",
        f"constraint closed: {OPEN_CLOSE}\n"
        "constraint once: ~Seq(close(file=f1), True, close(file=f2), f1 == f2)",
        [do("open", file="a"), do("close", file="a"), do("open", file="a")], "SSSU TFTF",
        "a second open of a needs a second close of a"),
    row("mutual_precedence", "Before(a, True, b, True) & Before(b, True, a, True)",
        [do("c"), do("b")], "SSU TTF",
        "neither may ever come first"),
    row("no_last_event", "After(a, True, b, True) & After(b, True, a, True)",
        [do("c"), do("a")], "SSU TTF",
        "each asks for a later other: no finite trace ends it"),
    row("owed_but_too_big", "After(a(n=n1), True, b(n=n2), n1 == n2) & Forall(b(n=n1), n1 < 3)",
        [do("a", n=2), do("b", n=2), do("a", n=3)], "SSSU TFTF",
        "b(3) is owed and forbidden"),
    row("owed_needs_a_lost_past", f"After(open(file=f1), True, read(file=f2), f1 == f2) & {SAME_FILE}",
        [do("open", file="a"), do("read", file="a")], "SSS TFT",
        "the owed read has its open"),
    row("countdown", "After(a(n=n1), n1 > 0, a(n=n2), n2 == n1 - 1)",
        [do("a", n=3), do("a", n=2), do("a", n=0)], "SSSS TFFF",
        "3 owes 2, 2 owes 1, 1 owes 0: three more calls always do, but no bound is known beforehand"),
    row("count_up", "After(a(n=n1), n1 > 0, a(n=n2), n2 == n1 + 1)",
        [do("a", n=0), do("a", n=1)], "SSx TTF",
        "each call owes a bigger one: never done, and no finite look ahead shows it"),
    row("no_value_holds_itself", "Exists(set as s, s.v.x == s.v)",
        [do("set", v={"x": {"x": None}})], "xx FF",
        "JSON ends somewhere; a solver's model need not"),
    row("one_close_all_serves", "After(open, True, close_all, True)",
        [do("open", file="a"), do("open", file="b"), do("close_all"), do("open", file="c")], "SSSSS TFFTF",
        "the witness isn't compared with its trigger"),
]

# ---------------------------------------------------------------- failed calls, messages, patterns

PATTERNS = [
    row("a_failed_call_is_still_governed", APPROVED,
        [fail("pay", order=1)], "SU TF",
        "trying is what is governed"),
    row("a_failed_call_proves_nothing", APPROVED,
        [fail("approve", order=1), do("pay", order=1)], "SSU TTF",
        "the approval failed"),
    row("attempted_witness", "Before(call_agent, True, attempted(solve), True)",
        [fail("solve"), do("call_agent")], "SSS TTT",
        "trying was asked for, and is enough"),
    row("a_failed_call_owes_nothing", OPEN_CLOSE,
        [fail("open", file="a")], "SS TT",
        "nothing was opened"),
    row("attempted_trigger", "After(attempted(open(file=f1)), True, report(file=f2), f1 == f2)",
        [fail("open", file="a"), do("report", file="a")], "SSS TFT",
        "tries are to be reported too"),
    row("a_failed_call_is_no_existence", "Exists(create, True)",
        [fail("create"), do("create")], "SSS FFT",
        "only success exists"),
    row("retry_after_failure", ONCE,
        [fail("modify", order=1), do("modify", order=1), fail("modify", order=1), do("modify", order=1)],
        "SSSSU TTTTF",
        "failed calls don't count as modifications"),
    row("three_tries", "~Seq(attempted(login(user=u1)), True, attempted(login(user=u2)), u1 == u2)",
        [fail("login", user="ann"), fail("login", user="bob"), fail("login", user="ann")], "SSSU TTTF",
        "one try a user"),
    row("union", "Before(get(order=o), True, {by_email(email=who) | by_name(first=who, zip=z)}, True)",
        [fail("by_email", email="a@b"), do("by_name", first="Ann", zip="1"), do("get", order=1)], "SSSS TTTT",
        "either way of authenticating will do"),
    row("union_is_no_two_befores", "Before(get, True, by_email, True) & Before(get, True, by_name, True)",
        [do("by_name"), do("get")], "SSU TTF",
        "the conjunction asks for both"),
    row("branches_bind_their_own",
        "Before(get(user=u), True, {by_email(email=w) | by_name(first=w)}, u == w)",
        [do("by_email", email="e", first="f"), do("get", user="e"), do("get", user="f")], "SSSU TTTF",
        "an event of by_email is read through its own branch"),
    row("writes_need_a_login",
        "tool get(id: string) @read\ntool set(id: string) @write\ntool login(user: string) @read\n"
        "constraint rule: Before(@write, True, login, True)",
        [do("get", id="a"), do("login", user="ann"), do("set", id="a")], "SSSS TTTT",
        "reading is free; writing comes after login"),
    row("what_nobody_described_writes",
        "tool get(id: string) @read\ntool login(user: string) @read\n"
        "constraint rule: Before(@write, True, login, True)",
        [do("get", id="a"), do("odd")], "SSU TTF",
        "an undeclared tool is in every class"),
    row("any_call_but_no_message", "~Exists(@any, True)",
        [message("user", "hello"), message("assistant", "hello"), do("odd")], "SSSU TTTF",
        "classes never match messages"),
    row("explicit_yes", 'Before(refund, True, user_message as m, m.text == "yes")',
        [message("assistant", "yes"), message("user", "no"), message("user", "yes"), do("refund")],
        "SSSSS TTTTT",
        "the user said yes"),
    row("the_assistant_can_not_say_yes", 'Before(refund, True, user_message as m, m.text == "yes")',
        [message("assistant", "yes"), do("refund")], "SSU TTF",
        "it was the assistant's own message"),
    row("names_are_exact", "Before(pay, True, auth, True)",
        [do("Auth"), do("auth "), do("pay")], "SSSU TTTF",
        "neither capital nor blank is forgiven"),
]

# ---------------------------------------------------------------- values

VALUES = [
    row("limit_or_none", "Forall(pay as p, absent(p.limit) | p.limit <= 100)",
        [do("pay"), do("pay", limit=100), do("pay", limit=100.5)], "SSSU TTTF",
        "an optional argument, guarded"),
    row("absent_vouches_for_nobody", "Before(get as g, True, login as l, l.user == g.user)",
        [do("login"), do("get")], "SSU TTF",
        "absent equals nothing, not even absent"),
    row("null_is_a_value", "Forall(set as s, is_null(s.v))",
        [do("set", v=None), do("set")], "SSU TTF",
        "null is there, the absent isn't"),
    row("not_equal_to_the_absent", "Forall(set as s, s.v != 1)",
        [do("set"), do("set", v=2), do("set", v=1.0)], "SSSU TTTF",
        "!= is not-==, and 1.0 is 1"),
    row("true_is_not_one", "Forall(set as s, s.v == 1)",
        [do("set", v=1.0), do("set", v=True)], "SSU TTF",
        "kinds are respected"),
    row("exact_sums", "Forall(pay as p, p.price + p.fee == p.total)",
        [do("pay", price=0.1, fee=0.2, total=0.3), do("pay", price=0.1, fee=0.2, total=0.30000000000000004)],
        "SSU TTF",
        "numbers are what they are written as"),
    row("big_integers", "Forall(pay as p, p.n == 9007199254740993)",
        [do("pay", n=9007199254740993), do("pay", n=9007199254740992.0)], "SSU TTF",
        "no float in between"),
    row("order_needs_one_kind", "Forall(pay as p, p.n <= 10)",
        [do("pay", n=9.5), do("pay", n="9")], "SSU TTF",
        "a string is neither below nor above a number"),
    row("booleans_have_no_order", "Forall(pay as p, p.n <= p.n)",
        [do("pay", n=1), do("pay", n="a"), do("pay", n=True)], "SSSU TTTF",
        "<= holds within numbers and within strings only"),
    row("not_less_is_plain_denial", "Forall(pay as p, ~(p.n < 10))",
        [do("pay", n=10), do("pay", n="9"), do("pay"), do("pay", n=9)], "SSSSU TTTTF",
        "what can't be compared is not less"),
    row("dates_as_strings", 'Forall(book as b, b.date >= "2024-05-15")',
        [do("book", date="2024-05-15"), do("book", date="2024-10-01"), do("book", date="2024-05-1")],
        "SSSU TTTF",
        "strings order by code point, a beginning comes first"),
    row("capitals_come_first", 'Forall(say as s, s.a < s.b)',
        [do("say", a="Z", b="a"), do("say", a="\uffff", b="\U0001f600"), do("say", a="é", b="z")],
        "SSSU TTTF",
        "code points, no alphabet, no UTF-16"),
    row("escapes_forge_nothing", 'Exists(a(v=v1), v1 == "\\\\u{41}")',
        [do("a", v="A"), do("a", v="\\u{41}")], "SSS FFT",
        "the six characters are not the letter A"),
    row("two_spellings_of_e", "Before(b(u=u1), True, a(u=u2), u1 == u2)",
        [do("a", u="zo\u00eb"), do("b", u="zo\u00eb"), do("b", u="zoe\u0308")], "SSSU TTTF",
        "no Unicode normalisation"),
    row("structures", "Before(b(doc=d1), True, a(doc=d2), d1 == d2)",
        [do("a", doc={"p": 1, "q": [1, 2]}), do("b", doc={"q": [1, 2.0], "p": 1}), do("b", doc={"p": 1})],
        "SSSU TTTF",
        "equal as JSON: the order of an object's keys doesn't matter"),
    row("paths", 'Forall(ship as s, s.to.lines[0] == "Ann")',
        [do("ship", to={"lines": ["Ann", "Main St"]}), do("ship", to={"lines": []})], "SSU TTF",
        "a path that leads nowhere is absent"),
]

# ---------------------------------------------------------------- lists and strings

CONTENTS = [
    row("one_of", 'Forall(cancel as c, c.reason in ["mistake", "no longer needed"])',
        [do("cancel", reason="mistake"), do("cancel", reason="bored")], "SSU TTF",
        "the listed reasons only"),
    row("element_of_an_output", "Before(pay(order=o), True, list_orders as l, o in output(l).orders)",
        [do("list_orders", {"orders": ["#1", "#2"]}), do("pay", order="#2"), do("pay", order="#3")],
        "SSSU TTTF",
        "only orders that were listed"),
    row("all_elements", "Forall(ship as s, all(i in s.items: i.price > 0))",
        [do("ship", items=[]), do("ship", items=[{"price": 1}]), do("ship", items=[{"price": 1}, {}])],
        "SSSU TTTF",
        "all is true of the empty list"),
    row("all_of_no_list", "Forall(ship as s, all(i in s.items: True))",
        [do("ship", items=[1]), do("ship", items="no list")], "SSU TTF",
        "and false of what is no list"),
    row("any_element", "Forall(ship as s, any(i in s.items: i.gift == true))",
        [do("ship", items=[{"gift": False}, {"gift": True}]), do("ship", items=[])], "SSU TTF",
        "one is enough, none is not"),
    row("counting", "Forall(pay as p, count(m in p.methods: m == \"card\") <= 1)",
        [do("pay", methods=["card", "gift"]), do("pay", methods=["card", "gift", "card"])], "SSU TTF",
        "at most one card"),
    row("no_element_twice", "Forall(pay as p, distinct(p.methods))",
        [do("pay", methods=[1, True, "1"]), do("pay", methods=[1, 1.0])], "SSU TTF",
        "1 is not true, but it is 1.0"),
    row("lengths", "Forall(say as s, len(s.text) <= 3)",
        [do("say", text="abc"), do("say", text="\U0001f600\U0001f600"), do("say", text="abcd")], "SSSU TTTF",
        "code points"),
    row("substring_or_element", 'Forall(say as s, contains(s.text, "ab"))',
        [do("say", text="cabc"), do("say", text=["x", "ab"]), do("say", text=["cabc"])], "SSSU TTTF",
        "a substring of a string, an element of a list"),
    row("beginning_and_end", 'Forall(open(file=f), starts_with(f, "/tmp/") & ends_with(f, ".txt"))',
        [do("open", file="/tmp/a.txt"), do("open", file="/etc/tmp/a.txt")], "SSU TTF",
        "from the first character"),
    row("whole_string_matches", 'Forall(get(order=o), matches(o, "#W[0-9]{3}"))',
        [do("get", order="#W123"), do("get", order="#W1234")], "SSU TTF",
        "of the whole string"),
]

# ---------------------------------------------------------------- outputs, state, schemas

WORLD = [
    row("owner_by_output", "Before(get(user=u), True, find as f, output(f).id == u)",
        [do("find", {"id": "ann"}), do("get", user="ann"), do("find"), do("get", user="bob")], "SSSSU TTTTF",
        "an output that isn't there vouches for nobody"),
    row("pay_back_what_was_reserved", "After(reserve as r, True, release as s, s.ticket == output(r).ticket)",
        [do("reserve", {"ticket": 7}), do("release", ticket=8), do("release", ticket=7)], "SSSS TFFT",
        "the trigger's own output is compared"),
    row("no_ticket_to_release", "After(reserve as r, True, release as s, s.ticket == output(r).ticket)",
        [do("reserve", "sold out")], "SU TF",
        "nothing equals the absent ticket, so nothing can release it"),
    row("state_of_the_call", 'Forall(cancel(order=o) as c, c.state.status(o) == "pending")',
        [at({("status", 1): "pending"}, do("cancel", order=1)),
         at({("status", 2): "shipped"}, do("cancel", order=2))],
        "SSU TTF",
        "read just before the call ran"),
    row("state_of_nothing", 'Forall(cancel(order=o) as c, c.state.status(o) == "pending")',
        [at({("status", 9): MISSING}, do("cancel", order=9))], "SU TF",
        "there is no such order"),
    row("state_that_failed", 'Forall(cancel(order=o) as c, c.state.status(o) == "pending")',
        [at({("status", 1): Failed("no connection")}, do("cancel", order=1))], "S? T?",
        "nobody knows, so the call isn't let through"),
    row("state_that_failed_while_something_is_owed",
        "constraint owned: Forall(cancel as c, c.state.mine() == true)\n"
        "constraint paid: After(cancel, True, pay, True)",
        [at({("mine",): Failed("no connection")}, do("cancel")), do("pay")], "S?? TF?",
        "what is still owed makes nothing known"),
    row("state_that_was_not_needed",
        'Forall(cancel(order=o) as c, c.fee > 0 | c.state.status(o) == "pending")',
        [do("cancel", order=1, fee=5)], "SS TT",
        "the verdict doesn't hang on it"),
    row("bare_state_is_the_first_events",
        "Before(get(order=o), True, find as f, output(f).id == state(owner(o)))",
        [do("find", {"id": "ann"}), at({("owner", 1): "ann"}, do("get", order=1)),
         at({("owner", 2): "bob"}, do("get", order=2))], "SSSU TTTF",
        "only one's own orders"),
    row("state_of_the_witness", "Before(pay, True, check as c, c.state.balance() >= 10)",
        [at({("balance",): 5}, do("check")), at({("balance",): 10}, do("check")), do("pay")], "SSSS TTTT",
        "one of the checks saw enough"),
    row("schema_forbids_the_future",
        "tool pay(amount: integer(0..10))\nconstraint rule: Exists(pay(amount=a), a > 10)",
        [do("pay", amount=3)], "UU FF",
        "no call that the tool accepts is above 10"),
    row("schema_leaves_a_future",
        "tool pay(amount: integer(0..10))\nconstraint rule: Exists(pay(amount=a), a > 9)",
        [do("pay", amount=3), do("pay", amount=10)], "SSS FFT",
        "10 is accepted"),
    row("enumeration_forbids_the_future",
        'tool open(file: string)\ntool close(file: "a" | "b")\n'
        "constraint rule: After(open(f1), True, close(f2), f1 == f2)",
        [do("open", file="a"), do("open", file="c")], "SSU TFF",
        "close doesn't accept c"),
    row("only_declared_tools_come",
        "tool open(file: string)\nconstraint rule: Exists(@any as e, e.file == \"a\")",
        [do("open", file="b"), do("open", file="a")], "SSS FFT",
        "open can still be called with a"),
]  # fmt: skip

EXAMPLES = (*PREDICATES, *CONNECTIVES, *TOGETHER, *PATTERNS, *VALUES, *CONTENTS, *WORLD)
