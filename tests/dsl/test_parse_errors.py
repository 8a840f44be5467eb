"""Every mistake gets what is wrong, where, what was found, and one edit that helps."""

import pytest

from agentc.dsl.parse import parse_formula, parse_specification
from agentc.errors import SpecificationError
from agentc.tools.signature import Tool, ToolSet

TOOLS = ToolSet(
    [
        Tool("read", {"type": "object", "properties": {"file": {}}}),
        Tool("open", {"type": "object", "properties": {"file": {}, "mode": {}}}),
    ]
)

# text (the mistake begins at «), what is wrong, what the hint says
MISTAKES = [
    # spelling
    ("Before(read(f1), True, open(f2), f1 «= f2)", "`=` doesn't compare", "write `==`"),
    ("Forall(read as r, r.a == 1 «and r.b == 2)", "`and` isn't written here", "write `&`"),
    ("Forall(read as r, r.a == 1 «or r.b == 2)", "`or` isn't written here", "write `|`"),
    ("Forall(read as r, «not r.a == 1)", "`not` isn't written here", "write `~(...)`"),
    ("Forall(read as r, r.a «not in [1])", "`not` isn't written here", "`~(x in [...])`"),
    ("Forall(read as r, r.a == 1 «&& r.b == 2)", "`&&` isn't written here", "write `&`"),
    ("Forall(read as r, r.a == 1 «|| r.b == 2)", "`||` isn't written here", "write `|`"),
    ("Forall(read as r, «!absent(r.a))", "`!` isn't written here", "write `~`"),
    ("Forall(read as r, r.a == «'x')", "`'` isn't written here", "double quotes"),
    ("Forall(read as r, r.a == «“x”)", "`“` isn't written here", "straight double quotes"),
    ("Forall(read as r, r.a «≤ 1)", "`≤` isn't written here", "write `<=`"),
    ("Forall(read as r, r.a == 1 «=> r.b == 1)", "`=>` isn't written here", "Implies(a, b)"),
    ("Forall(read as r, r.a «/ 2 == 1)", "`/` isn't written here", "no division"),
    ("Forall(read as r, r.a == «None)", "`None` isn't written here", "`null`"),
    ("«before(read, True, open, True)", "there is no predicate `before`", "did you mean `Before`?"),
    ("«Always(read, True)", "there is no predicate `Always`", "known names: After"),
    ("Forall(read as r, «contain(r.a, 1))", "there is no function `contain`", "did you mean `contains`?"),
    ("Forall(read as r, r.a == «length(r.b))", "there is no function `length`", "did you mean `len`?"),
    # brackets, commas, strings, numbers
    ("Before«(read(f1), True, open(f2), f1 == f2", "`(` is never closed", "add `)`"),
    ("Forall(read as r, r.a in [1, 2«)", "`)` closes nothing; `[` in line 1 is still open", "write `]`"),
    ("Forall(read, True)«)", "`)` closes nothing", "remove `)`"),
    (
        "Before(read, True «open, True)",
        "`open` can't follow what stands before it",
        "a comma or an operator is missing",
    ),
    ("Forall(read as r, r.a == 1) «Forall(read, True)", "`Forall` can't follow", "an operator is missing"),
    (
        "Forall(read as r, r.a in [1,«])",
        "`]` can't stand here",
        "a name, a constant or a formula is expected",
    ),
    ('Forall(read as r, r.a == «"x)', "the string doesn't end on its line", 'close it with `"`'),
    ('Forall(read as r, r.a == «"\\u{41}")', "isn't written as in JSON", "a backslash is written \\\\"),
    ('Forall(read as r, r.a == «"\x07")', "isn't written as in JSON", "a control character"),
    ("Forall(read as r, r.a == «007)", "more text after the end", "as in JSON"),
    ("Forall(read as r, r.a == «1e999)", "exponent must stay within", "scale it"),
    ("Forall(read as r, r.a <= 1 «<= r.b)", "comparisons don't chain", "`a < b & b < c`"),
    ("«", "the text is empty", "a formula is expected"),
    ("True &«", "the text ends too early", "a formula is expected"),
    # predicates and what stands in them
    (
        "«Before(read, open, True)",
        "Before takes 4 arguments, here are 3",
        "Before(tool, condition or True, earlier_tool",
    ),
    ("«Forall(read)", "Forall takes 2 arguments, here are 1", "Forall(tool, condition)"),
    ("Before(«True, True, open, True)", "`True` is a condition", "@any"),
    ("Before(«read | open, True, open, True)", "a union of tools stands in braces", "`{a | b} as label`"),
    ("Before(«(read), True, open, True)", "a pattern is expected here", "a tool's name"),
    ("Before(«len, True, open, True)", "`len` is a word of the language", '"len" in quotes'),
    (
        "Before(attempted(read as «r), True, open, True)",
        "a label stands outside attempted",
        "`attempted(tool) as label`",
    ),
    (
        'Before(read(file=«"a"), True, open, True)',
        "a new name is expected here, not a constant",
        "compare it",
    ),
    ('Before(read as «"r", True, open, True)', "a new name is expected", "bind a name"),
    (
        "Before(read, True, open, «{read | open})",
        "this is a pattern",
        "write True where there is no condition",
    ),
    (
        "Forall(read, «Exists(open, True))",
        "Exists speaks of time and can't stand inside Forall",
        "outside of them",
    ),
    ("«read(f1)", "there is no predicate `read`", "known names"),
    ("«len(f1)", "this says nothing about time", "Forall(tool, condition)"),
    ('«"a policy"', "this is a string", "the policy's sentence"),
    # names
    ("Forall(read as r, «x.a == 1)", "nothing here is named `x`", "known names: r"),
    ("Forall(read as order, «oder.a == 1)", "nothing here is named `oder`", "did you mean `order`?"),
    ("Forall(read, «order.a == 1)", "nothing here is named `order`", "label a pattern"),
    (
        "Before(read as r, «o.a == 1, open as o, True)",
        "`o` is the second event; the second argument of Before",
        "fourth",
    ),
    (
        "After(read as r, «o.a == 1, open as o, True)",
        "`o` is the second event; the second argument of After",
        "fourth",
    ),
    ("Before(read(f), True, «open(f), True)", "`f` is bound in both patterns", "`f1 == f2`"),
    ("Before(read as r, True, «open as r, True)", "`r` is bound in both patterns", "its own name"),
    ("Forall(«read(r) as r, True)", "`r` names both the event and one of its arguments", "rename"),
    ("Forall(open(f, «f), True)", "`f` is bound twice in one pattern", "each argument its own name"),
    ("Forall(open(f, «file=g), True)", "the argument `file` is bound twice", "remove"),
    ("Forall(open(a, b, «c), True)", "`open` has 2 arguments", "they are: file, mode"),
    ("Forall(«opne(f), True)", "there is no tool `opne`", "did you mean `open`?"),
    ("Forall(@write(«f), True)", "a class has no order of arguments", "`@write(argument=variable)`"),
    ("Forall(read as r, all(«r in r.xs: True))", "the name `r` is taken", "a name of its own"),
    (
        "Forall(read as r, all(i in r.xs: any(«i in i.ys: True)))",
        "the name `i` is taken",
        "a name of its own",
    ),
    # values and formulas
    ("Forall(read as r, «r.a)", "a formula is expected here, this is a value", "compare it"),
    ("Forall(read as r, «true)", "`true` and `false` are values", "write `True`"),
    ("Forall(read as r, r.a == «True)", "`True` is a formula", "the value is written `true`"),
    ("Forall(read as r, r.a == («r.b == 1))", "this is a formula", "join formulas"),
    ("Forall(read as r, r.a == «absent(r.b))", "absent(...) is a formula", "join formulas"),
    ("Forall(read as r, «r == 1)", "`r` is an event, not a value", "`r.argument` or `output(r)`"),
    ("Forall(read as r, r[«0] == 1)", "an event's arguments have names", "`r.argument`"),
    ("Forall(read as r, r.a[«-1] == 1)", "a name in quotes or a position", '`["name"]` or `[0]`'),
    ("Forall(read as r, r.a in [1, «r.b])", "holds constants only", "`x == a | x == b`"),
    ('Forall(read as r, r.a == {"x": 1, «"x": 2})', "an object's keys must differ", "remove"),
    ("Forall(read as r, r.a == «-r.b)", "`-` before a value needs a number", "`0 - value`"),
    ("Forall(read as r, «len(r.a, 1) == 1)", "len takes 1 argument, here are 2", "write `len(value)`"),
    ("Forall(read as r, all(«r.xs))", "all is not written so", "`all(i in list: formula)`"),
    ("Forall(read as r, all(«1 in r.xs: True))", "an element's name and a list", "`all(i in list: formula)`"),
    ("Forall(read as r, «r.a() == 1)", "this can't be called", "`label.state.name(...)`"),
    ("Forall(read as r, len(r.a).«b == 1)", "a path starts at", "len(...) has no parts"),
    # outputs and state
    (
        "Before(read as r, «output(r) == 1, open, True)",
        "the output of `r` isn't known yet where Before",
        "before it runs",
    ),
    (
        "Before(read as r, True, open as o, o.a == «output(r))",
        "the output of `r` isn't known yet",
        "before it runs",
    ),
    (
        "Forall(read as r, «output(r) == 1)",
        "the output of `r` isn't known yet where Forall",
        "before it runs",
    ),
    ("Exists(read(f), output(«f) == 1)", "output takes an event's label", "`tool as label`"),
    ("Exists(read as r, output(«r.a) == 1)", "output takes an event's label", "the path after it"),
    ("Forall(read as r, r.state.«owner == 1)", "a projection is called", '`label["state"]`'),
    ("Forall(read as r, state(«owner) == 1)", "state takes a projection's call", "`state(name(...))`"),
    (
        "Seq(read as r, True, open as o, r.state.owner(«o.a) == 1)",
        "speak of its own event only",
        "`o`'s own state",
    ),
    (
        "Seq(read as r, True, open as o, state(owner(«o.a)) == 1)",
        "speak of its own event only",
        "`o`'s own state",
    ),
    ("Exists(read as r, r.state.owner(«output(r)) == 1)", "isn't known yet", "before it runs"),
]


def column(text: str) -> int:
    return text.index("«") + 1


@pytest.mark.parametrize(("text", "what", "hint"), MISTAKES, ids=[t for t, _, _ in MISTAKES])
def test_a_mistake_is_told_in_four_parts(text: str, what: str, hint: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse_formula(text.replace("«", ""), TOOLS)
    error = caught.value
    assert what in error.what
    assert hint in error.hint
    assert error.where == f"text, line 1, column {column(text)}"
    assert error.found


STATEMENTS = [
    (
        "constraint a: True\n«constraint a: True",
        "the constraint `a` stands here twice",
        "the other is in line 1",
    ),
    ("constraint a: Before«(read, True\nconstraint b: True", "`(` is never closed", "add `)`"),
    ("«constrain a: True", "there is no statement `constrain`", "did you mean `constraint`?"),
    ("specification a\n«specification b", "one name and one domain", "remove"),
    (
        "domain a\n«tool b(x: any)",
        "the domain a declares the tools and projections already",
        "remove this line",
    ),
    ("tool a()\n«tool a()", "the tool `a` is declared twice", "remove"),
    ("«tool user_message()", "the tool `user_message` is declared twice", "messages are always declared"),
    ("projection a()\n«projection a()", "the projection `a` is declared twice", "remove"),
    ("tool a(x: «strin)", "there is no type `strin`", "did you mean `string`?"),
    (
        "tool a(x: «string(1..2))",
        "there is no type `string` of this form",
        "only integer and number have a range",
    ),
    ("tool a(x: «list[string])", "there is no type `list` of this form", "only array has elements"),
    ("tool a(x: any, «x: any)", "the argument `x` is declared twice", "remove"),
    ("«tool a() @any", "a tool can't be declared @any", "@read, @write, @other"),
    ("«projection a(x?: any)", "all named and required", "projection name(key: string)"),
    ("constraint a:«", "the text ends too early", "a formula is expected"),
    ("constraint a «True", "`True` can't follow", "missing"),
    (
        "domain a\nconstraint c: Forall(read(«f), True)",
        "the order of `read`'s arguments isn't known here",
        "name them",
    ),
]


@pytest.mark.parametrize(("text", "what", "hint"), STATEMENTS, ids=[t for t, _, _ in STATEMENTS])
def test_a_mistake_in_a_statement(text: str, what: str, hint: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse_specification(text.replace("«", ""), "p.agentc")
    error = caught.value
    assert what in error.what
    assert hint in error.hint
    before = text[: text.index("«")]
    line, column_ = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert error.where.split(", in ")[0] == f"p.agentc, line {line}, column {column_}"


def test_the_whole_message() -> None:
    text = "constraint opened:\n    Before(read(file=f1), True,\n           open(file=f2), f1 = f2)\n"
    with pytest.raises(SpecificationError) as error:
        parse_specification(text, "files.agentc")
    assert str(error.value) == (
        "`=` doesn't compare\n"
        "  where: files.agentc, line 3, column 30, in constraint `opened`\n"
        "  found: open(file=f2), f1 = f2)\n"
        "                           ^\n"
        "  hint: write `==`"
    )
