"""Renderings: trees, LaTeX and HTML, also of hostile names and strings."""

import logging
import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentc.dsl import nodes as N
from agentc.dsl.html import to_html
from agentc.dsl.latex import to_latex
from agentc.dsl.parse import parse_formula, parse_specification
from agentc.dsl.show_text import to_text
from agentc.dsl.show_tree import to_tree
from agentc.dsl.tex import typewriter
from agentc.errors import SpecificationError
from tests.dsl import trees

slow_draws = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
OWNER = """Before(get_order_details as order, order.n > 1 | absent(order.n),
               {find_by_email | find_by_name} as auth, output(auth) == order.state.owner(order.id))"""
UNWRITABLE = N.Forall(
    N.Pattern((N.Branch("a"),), "x"), N.Compare("==", N.Arg("first", "n"), N.Const(Fraction(1, 3)))
)

# ---------------------------------------------------------------- trees


def test_a_specification_is_drawn_as_a_tree() -> None:
    spec = parse_specification(
        'specification shop "Orders"\n'
        'constraint once: "Only once." ~Seq(modify(id=a), True, modify(id=b), a == b) & Exists(x, True)\n'
        "constraint other: Implies(Forall(pay as p, all(i in p.xs: i.a == 1 | i.b == 2)), False)"
    )
    assert to_tree(spec) == (
        "specification shop: Orders\n"
        "├─ constraint once\n"
        "│  ├─ “Only once.”\n"
        "│  └─ and\n"
        "│     ├─ not\n"
        "│     │  └─ Seq: some first event has a later second one\n"
        "│     │     ├─ first: modify(id=a)\n"
        "│     │     ├─ when: True\n"
        "│     │     ├─ second: modify(id=b)\n"
        "│     │     └─ where: a == b\n"
        "│     └─ Exists: some event\n"
        "│        ├─ first: x\n"
        "│        └─ where: True\n"
        "└─ constraint other\n"
        "   └─ implies\n"
        "      ├─ if: Forall: every event\n"
        "      │  ├─ first: pay as p\n"
        "      │  └─ where: all i in p.xs\n"
        "      │     └─ or\n"
        "      │        ├─ i.a == 1\n"
        "      │        └─ i.b == 2\n"
        "      └─ then: False"
    )


@slow_draws
@given(trees.specifications())
def test_a_tree_has_only_text_that_prints(spec: N.Specification) -> None:
    assert all(line.isprintable() for line in to_tree(spec).split("\n"))


def test_a_tree_shows_what_has_no_text_form() -> None:
    assert "└─ where: (Compare: a fraction" in to_tree(UNWRITABLE)


# ---------------------------------------------------------------- LaTeX

LATEX = [
    (
        "Before(read(file=f1), True, open(file=f2), f1 == f2)",
        r"""\forall t.\; T_{t} = \mathtt{read} \Rightarrow
            \exists t'.\; t' < t \wedge T_{t'} = \mathtt{open} \wedge \mathit{ok}_{t'} \wedge
            x_{t}.\mathtt{file} = x_{t'}.\mathtt{file}""",
        r"""\forall x, s, y.\; \neg \mathtt{read}(x, s, y) \;\mathbf{W}\;
            (\exists x', s', y'.\; \mathtt{open}(x', s', y') \wedge \mathit{ok} \wedge
            x.\mathtt{file} = x'.\mathtt{file})""",
    ),
    (
        "~Seq(a as x, x.n > 1, attempted(a), True)",
        r"""\neg (\exists t.\; T_{t} = \mathtt{a} \wedge \mathit{ok}_{t} \wedge x_{t}.\mathtt{n} > 1 \wedge
            \exists t'.\; t' > t \wedge T_{t'} = \mathtt{a})""",
        r"""\neg (\exists x, s, y.\; \mathbf{F}\, (\mathtt{a}(x, s, y) \wedge \mathit{ok} \wedge
            x.\mathtt{n} > 1 \wedge \mathbf{F}^{>}\, (\exists x', s', y'.\; \mathtt{a}(x', s', y'))))""",
    ),
    (
        "After(a, True, @write, True) & Exists(b, True)",
        r"""(\forall t.\; T_{t} = \mathtt{a} \wedge \mathit{ok}_{t} \Rightarrow \exists t'.\; t' > t \wedge
            T_{t'} \in \mathtt{{@}write} \wedge \mathit{ok}_{t'}) \wedge
            (\exists t.\; T_{t} = \mathtt{b} \wedge \mathit{ok}_{t})""",
        r"""(\forall x, s, y.\; \mathbf{G}\, (\mathtt{a}(x, s, y) \wedge \mathit{ok} \Rightarrow
            \mathbf{F}^{>}\, (\exists x', s', y'.\; \mathtt{{@}write}(x', s', y') \wedge \mathit{ok}))) \wedge
            (\exists x, s, y.\; \mathbf{F}\, (\mathtt{b}(x, s, y) \wedge \mathit{ok}))""",
    ),
    (
        "Forall({a(m=v) | b(n=v) | c} as x, ~(v == 1 & len(x.l) * (1 - 2.5) < -3) | x.s in [1, true])",
        r"""\forall t.\; (T_{t} = \mathtt{a} \wedge \mathtt{v}_{t} = x_{t}.\mathtt{m}) \vee
            (T_{t} = \mathtt{b} \wedge \mathtt{v}_{t} = x_{t}.\mathtt{n}) \vee T_{t} = \mathtt{c} \Rightarrow
            \neg (\mathtt{v}_{t} = 1 \wedge \mathrm{len}(x_{t}.\mathtt{l}) \cdot (1 - 2.5) < -3) \vee
            x_{t}.\mathtt{s} \in \mathtt{{[}1{,}\ true{]}}""",
        r"""\forall x, s, y.\; \mathbf{G}\, ((\mathtt{a}(x, s, y) \wedge \mathtt{v} = x.\mathtt{m}) \vee
            (\mathtt{b}(x, s, y) \wedge \mathtt{v} = x.\mathtt{n}) \vee \mathtt{c}(x, s, y) \Rightarrow
            \neg (\mathtt{v} = 1 \wedge \mathrm{len}(x.\mathtt{l}) \cdot (1 - 2.5) < -3) \vee
            x.\mathtt{s} \in \mathtt{{[}1{,}\ true{]}})""",
    ),
]


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("text", "first_order", "ltl"), LATEX, ids=[text for text, _, _ in LATEX])
def test_the_two_translations_are_written_out(text: str, first_order: str, ltl: str) -> None:
    rule = parse_formula(text)
    assert to_latex(rule) == to_latex(rule, "fo") == one_line(first_order)
    assert to_latex(rule, form="ltl") == one_line(ltl)


def test_state_output_and_unions_in_the_papers_letters() -> None:
    assert to_latex(parse_formula(OWNER)) == one_line(
        r"""\forall t.\; T_{t} = \mathtt{get\_order\_details} \wedge
            (x_{t}.\mathtt{n} > 1 \vee \mathrm{absent}(x_{t}.\mathtt{n})) \Rightarrow
            \exists t'.\; t' < t \wedge
            T_{t'} \in \{\mathtt{find\_by\_email}, \mathtt{find\_by\_name}\} \wedge
            \mathit{ok}_{t'} \wedge y_{t'} = s_{t}.\mathtt{owner}(x_{t}.\mathtt{id})"""
    )


def test_a_number_without_a_finite_decimal_is_a_fraction() -> None:
    assert r"= \frac{1}{3}" in to_latex(UNWRITABLE)


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(SpecificationError, match="no such form"):
        to_latex(UNWRITABLE, "smt")  # type: ignore[arg-type]


WORDS = """forall exists in top bot neg wedge vee Rightarrow cup mid mathtt mathrm mathit mathbf text frac
    neq leq geq cdot backslash sim prime"""
COMMANDS = {*WORDS.split(), *"{}$&#%_;, "}


@slow_draws
@given(trees.formulas(), st.sampled_from(["fo", "ltl"]))
def test_no_name_or_string_becomes_a_command(tree: N.Formula, form: str) -> None:
    written = to_latex(tree, form)  # type: ignore[arg-type]
    assert set(re.findall(r"\\([a-zA-Z]+|.)", written, re.DOTALL)) <= COMMANDS
    bare = re.sub(r"\\[a-zA-Z]+|\\.", "", written)
    assert not set(bare) & set("$&#%~\\") and bare.isprintable()
    assert _balanced(bare)


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


@slow_draws
@given(trees.formulas(), st.sampled_from(["fo", "ltl"]))
def test_a_mathematics_parser_reads_it(tree: N.Formula, form: str) -> None:
    mathtext = pytest.importorskip("matplotlib.mathtext")
    logging.getLogger("matplotlib.mathtext").setLevel(logging.ERROR)  # about letters its fonts lack
    written = to_latex(tree, form)  # type: ignore[arg-type]
    mathtext.MathTextParser("path").parse(f"${written.replace(chr(92) + '&', 'and')}$")  # it has no \&


def test_hostile_text_is_spelt_out() -> None:
    assert typewriter("\\input{x}$^_~ '\u202e") == (
        r"\mathtt{\backslash input\{x\}\${\wedge}\_{\sim}\ \text{'}\backslash u202e}"
    )
    assert len(typewriter("a" * 10**6)) < 120


# ---------------------------------------------------------------- HTML

HOSTILE = '</style></pre><script>alert(1)</script><img src=x onerror="x">&amp;\u202e'


class Reader(HTMLParser):
    """Collects tags, attributes and text as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= set(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


TAGS = {"div", "style", "section", "article", "p", "span", "bdi", "pre"}


@slow_draws
@given(trees.specifications())
def test_html_has_no_markup_but_ours(spec: N.Specification) -> None:
    page = read(to_html(spec))
    assert page.tags <= TAGS
    assert {name for name, _ in page.attributes} == {"class"}
    assert all(to_text(c.formula) in page.text for c in spec.constraints)


def test_hostile_names_and_sentences_stay_text() -> None:
    same = N.Compare("==", N.Arg("first", HOSTILE), N.Const(HOSTILE))
    rule = N.Forall(N.Pattern((N.Branch(HOSTILE),), "x"), same)
    constraint = N.Constraint(HOSTILE, rule, HOSTILE, N.Place(HOSTILE, 1, 1))
    spec = N.Specification(HOSTILE, (constraint,), None, {}, HOSTILE, HOSTILE)
    page = to_html(spec)
    assert read(page).tags <= TAGS
    assert page.count("<style>") == page.count("</style>") == 1
    assert "\u202e" not in page
    assert "http" not in page and "url(" not in page


def test_operators_are_escaped() -> None:
    page = to_html(parse_formula('Forall(a as x, x.n < 1 & x.m > "<&>")'))
    assert 'x.n &lt; 1 &amp; x.m &gt; <span class="agentc-string">&quot;&lt;&amp;&gt;&quot;</span>' in page


def test_html_shows_name_sentence_place_and_formula() -> None:
    text = f'specification shop\ndomain retail\nconstraint owner: "Only theirs." {OWNER}'
    page = read(to_html(parse_specification(text, "a.agentc")))
    for shown in ("shop", "1 constraint, domain retail", "owner", "a.agentc, line 3", "Only theirs."):
        assert shown in page.text
    assert "output(auth) ==" in page.text
    assert ("class", "agentc-predicate") in page.attributes


def test_a_large_specification_is_cut() -> None:
    rule = parse_formula("Exists(a, True)")
    page = to_html(N.Specification("many", tuple(N.Constraint(f"c{i}", rule) for i in range(1_000))))
    assert "and 800 more" in page


def test_html_says_what_has_no_text_form() -> None:
    assert "This formula has no text form" in to_html(UNWRITABLE)


# ---------------------------------------------------------------- in a notebook


def test_specifications_and_constraints_show_themselves() -> None:
    spec = parse_specification(f'constraint owner: "Only theirs." {OWNER}')
    constraint = spec["owner"]
    assert str(spec) == to_text(spec)
    assert str(constraint) == to_text(constraint)
    assert spec._repr_html_() == to_html(spec)
    assert constraint._repr_html_() == to_html(constraint)
    assert constraint._repr_latex_() == rf"$\displaystyle {to_latex(constraint.formula)}$"
