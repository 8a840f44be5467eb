# ruff: noqa: SIM300, E711, E712
"""The builder: what it makes; its misuses are in test_build_misuse."""

import linecache

import pytest

from agentc.dsl import nodes as N
from agentc.dsl.build import (
    After,
    Before,
    Exists,
    Forall,
    Implies,
    Seq,
    Tools,
    absent,
    all_of,
    any_of,
    any_tool,
    assistant_message,
    attempted,
    constraint,
    count,
    distinct,
    is_integer,
    is_null,
    is_string,
    length,
    output,
    read_tools,
    specification,
    user_message,
    value,
    write_tools,
)
from agentc.dsl.parse import parse_formula, parse_specification
from agentc.dsl.show_text import to_text

WORLD = parse_specification("""
tool refund(order_id: string, amount: number, note?: string | null, state?: string) @write
tool approve(order_id: string) -> {"type": "object", "properties": {"ok": {"type": "boolean"}}} @write
tool find_email(email: string) -> string @read
tool find_name(first: string, zip: string) -> string @read
tool ship(items: array[string], to: {"type": "object", "properties": {"zip": {"type": "string"}},
  "required": ["zip"]}) @write
projection owner(order_id: string) -> string
projection status(order_id: string) -> "pending" | "delivered"
""")
t = Tools(WORLD.tools, WORLD.projections)
free = Tools()

MADE = [
    (
        lambda: Before(
            t.refund,
            t.find_email | t.find_name,
            where=lambda order, auth: output(auth) == order.state.owner(order.order_id),
        ),
        "Before(refund as order, True, {find_email | find_name} as auth,"
        " output(auth) == order.state.owner(order.order_id))",
    ),
    (
        lambda: After(free.open, free.close, where=lambda o, c: o.file == c.file),
        "After(open as o, True, close as c, o.file == c.file)",
    ),
    (
        lambda: ~Seq(t.refund, t.refund, where=lambda a, b: a.order_id == b.order_id),
        "~Seq(refund as a, True, refund as b, a.order_id == b.order_id)",
    ),
    (
        lambda: Before(
            t.refund, t.approve, when=lambda r: r.amount > 100, where=lambda r, a: a.order_id == r.order_id
        ),
        "Before(refund as r, r.amount > 100, approve as a, a.order_id == r.order_id)",
    ),
    (
        lambda: Before(t.refund, t.approve, when=lambda r: 100 < r.amount),
        "Before(refund as r, r.amount > 100, approve, True)",
    ),
    (lambda: Forall(free.rm, lambda r: r.path != "/root"), 'Forall(rm as r, r.path != "/root")'),
    (lambda: Exists(free.create, lambda c: c.r == "456"), 'Exists(create as c, c.r == "456")'),
    (lambda: Exists(t.refund), "Exists(refund, True)"),
    (lambda: Forall(t.refund, False), "Forall(refund, False)"),
    (lambda: Forall(t.refund, lambda _: False), "Forall(refund as _, False)"),
    (
        lambda: Implies(Exists(t.refund), Exists(t.approve) | ~Exists(t.ship)),
        "Implies(Exists(refund, True), Exists(approve, True) | ~Exists(ship, True))",
    ),
    (
        lambda: Exists(t.refund) & Exists(t.approve) & Exists(t.ship) & True,
        "Exists(refund, True) & Exists(approve, True) & Exists(ship, True) & True",
    ),
    (lambda: Exists(attempted(t.refund | t.ship)), "Exists(attempted({refund | ship}), True)"),
    (
        lambda: Exists(any_tool) | Exists(read_tools) | Exists(write_tools),
        "Exists(@any, True) | Exists(@read, True) | Exists(@write, True)",
    ),
    (
        lambda: Before(write_tools, user_message, where=lambda w, m: m.text.contains("yes")),
        'Before(@write as w, True, user_message as m, contains(m.text, "yes"))',
    ),
    (
        lambda: Exists(assistant_message, lambda m: m.text.starts_with("a") & m.text.ends_with("z")),
        'Exists(assistant_message as m, starts_with(m.text, "a") & ends_with(m.text, "z"))',
    ),
    (
        lambda: Forall(t.find_email.bind(who="email") | t.find_name.bind(who="first"), lambda f: f.who != ""),
        'Forall({find_email(email=who) | find_name(first=who)} as f, who != "")',
    ),
    (
        lambda: Forall(
            t.refund, lambda r: absent(r.note) | is_null(r.note) | (r.note == None) | (length(r.note) < 3)
        ),
        "Forall(refund as r, absent(r.note) | is_null(r.note) | r.note == null | len(r.note) < 3)",
    ),
    (
        lambda: Forall(
            t.ship, lambda s: all_of(s.items, lambda i: i != "") & any_of(s.items, lambda j: j.matches("a+"))
        ),
        'Forall(ship as s, all(i in s.items: i != "") & any(j in s.items: matches(j, "a+")))',
    ),
    (
        lambda: Forall(t.ship, lambda s: (count(s.items, lambda i: i == "a") <= 2) & distinct(s.items)),
        'Forall(ship as s, count(i in s.items: i == "a") <= 2 & distinct(s.items))',
    ),
    (
        lambda: Forall(
            t.ship,
            lambda s: s.to.zip.is_in(["1", "2"]) & s["to"]["zip"].is_in(s.items) & is_string(s.items[0]),
        ),
        'Forall(ship as s, s.to.zip in ["1", "2"] & s.to.zip in s.items & is_string(s.items[0]))',
    ),
    (
        lambda: Forall(t.refund, lambda r: 2 * r.amount - 1 + r.amount >= -r.amount),
        "Forall(refund as r, 2 * r.amount - 1 + r.amount >= 0 - r.amount)",
    ),
    (
        lambda: Forall(t.refund, lambda r: absent(r["state"]) | (r["state"] == r.state.status(r.order_id))),
        "Forall(refund as r, absent(r.state) | r.state == r.state.status(r.order_id))",
    ),
    (
        lambda: Before(t.refund, t.approve, where=lambda r, a: output(a).ok == True),
        "Before(refund as r, True, approve as a, output(a).ok == true)",
    ),
    (
        lambda: After(t.approve, t.refund, when=lambda a: output(a).ok == True),
        "After(approve as a, output(a).ok == true, refund, True)",
    ),
    (
        lambda: Forall(t.refund, lambda r: value(["a", "b"]).contains(r.order_id) & is_integer(r.amount)),
        'Forall(refund as r, contains(["a", "b"], r.order_id) & is_integer(r.amount))',
    ),
    (
        lambda: Exists(free["get-order"], lambda g: g["contains"] == 1),
        'Exists("get-order" as g, g.contains == 1)',
    ),
    (
        lambda: Forall(t.refund, lambda r: Implies(r.amount > 1, r.order_id == "a")),
        'Forall(refund as r, Implies(r.amount > 1, r.order_id == "a"))',
    ),
]


@pytest.mark.parametrize(("make", "text"), MADE, ids=[text for _, text in MADE])
def test_made(make, text):
    made = make()
    assert to_text(made.node, None) == text and str(made) == text and f"{made}" == text
    assert parse_formula(text, WORLD.tools) == made.node


def test_reprs_are_safe_and_say_what_it_is():
    seen = []

    def where(r, a):
        seen.extend([r, r.amount, r.amount == 1, r.state, r.state.owner])
        return a.order_id == ""

    Before(t.refund, t.approve, where=where)
    assert [repr(s) for s in seen] == [
        "<an event: r>",
        "<a value: first.amount>",
        "<a condition: first.amount == 1>",
        "<the state at r>",
        "<a projection: r.state.owner>",
    ]
    assert repr(t.refund | t.ship) == "<a pattern: {refund | ship}>" and "refund" in dir(t)
    assert repr(Tools()) == "<Tools: any>"


def test_introspection_finds_no_magic_names():
    import copy

    assert not hasattr(t, "_repr_html_") and not hasattr(t.refund, "_ipython_display_")
    assert copy.copy(Exists(t.refund)).node == Exists(t.refund).node


# ---------------------------------------------------------------- constraints and specifications


@constraint
def approved():
    """Refunds
    are approved first."""
    return Before(t.refund, t.approve, where=lambda r, a: r.order_id == a.order_id)


def test_constraint():
    made = approved.constraint
    assert (made.name, made.sentence) == ("approved", "Refunds are approved first.")
    assert made.place.source.endswith("test_build.py")
    assert "@constraint" in linecache.getline(__file__, made.place.line)
    assert repr(approved).startswith('constraint approved:\n  "Refunds are approved first."\n  Before(')
    assert (approved & Exists(t.ship)).node == N.And((made.formula, Exists(t.ship).node))


def test_specification():
    spec = specification(
        "shop", [approved, N.Constraint("shipped", Exists(t.ship).node)], domain="d", title="Shop"
    )
    assert [c.name for c in spec.constraints] == ["approved", "shipped"]
    assert (spec.name, spec.domain, spec.title) == ("shop", "d", "Shop")
    assert spec.tools is WORLD.tools and spec.projections is WORLD.projections
    assert specification("shop", [approved], tools=WORLD.tools).tools is WORLD.tools
    assert specification("shop", [approved], tools=t).projections is WORLD.projections
    assert specification("shop", [approved], tools=WORLD).projections is WORLD.projections
    assert parse_specification(to_text(specification("shop", [approved]))) == specification(
        "shop", [approved]
    )


def test_nothing_declared():
    @constraint
    def closed():
        return After(free.open, free.close, where=lambda o, c: o.file == c.file)

    assert specification("files", [closed]).tools is None and closed.constraint.sentence == ""


def test_cells_of_a_notebook_are_named(tmp_path):
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    try:
        shell.run_cell("from agentc.dsl.build import *\nt = Tools()")
        result = shell.run_cell("x = 1\nForall(t.rm, lambda r: r == 3)", store_history=True)
        assert str(result.error_in_exec.where).endswith("line 2") and "Cell In" in result.error_in_exec.where
    finally:
        InteractiveShell.clear_instance()
