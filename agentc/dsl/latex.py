r"""LaTeX of formulas: the translation to first-order logic, and the one to first-order LTL.

Both are mathematics for ``$...$``; every name and string is escaped, so that none of them is a command.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from agentc.dsl import ltl as L
from agentc.dsl import nodes as N
from agentc.dsl.latex_data import Data, bindings
from agentc.dsl.show_text import too_deep
from agentc.dsl.tex import (
    AND,
    OR,
    RELATION,
    Tex,
    both,
    either,
    implies,
    negate,
    quantify,
    typewriter,
)
from agentc.errors import SpecificationError, shorten

__all__ = ["to_latex"]


def to_latex(formula: N.Formula, form: Literal["fo", "ltl"] = "fo") -> str:
    r"""Write a temporal formula as LaTeX mathematics, without the dollar signs.

    Parameters
    ----------
    formula : Formula
    form : {"fo", "ltl"}
        First-order logic over times t, t' (the paper's translation), or first-order linear temporal logic,
        where G is globally, F finally (``F^{>}`` strictly later) and W weak until.

    Raises
    ------
    SpecificationError
        If `form` is neither, or a data formula stands outside of any predicate.

    Notes
    -----
    ``T_t`` is the tool at t, ``x_t`` its arguments, ``s_t`` its state, ``y_t`` its output; ``ok_t`` says that
    it did not fail. Strings are cut after 80 characters. Needs no package beyond what MathJax and KaTeX load.

    >>> from agentc.dsl.parse import parse_formula
    >>> rule = parse_formula("Before(read(file=f1), True, open(file=f2), f1 == f2)")
    >>> print(to_latex(rule).replace(r"\Rightarrow", "\n=>"))  # doctest: +ELLIPSIS
    \forall t.\; T_{t} = \mathtt{read}
    => \exists t'.\; t' < t \wedge T_{t'} = \mathtt{open} \wedge \mathit{ok}_{t'}...
    """
    try:
        if form == "fo":
            return _first_order(formula).text
        if form == "ltl":
            return _ltl(L.to_ltl(formula)).text
    except RecursionError:
        raise too_deep() from None
    raise SpecificationError("there is no such form", found=shorten(repr(form)), hint='write "fo" or "ltl"')


# ---------------------------------------------------------------- first-order logic over time


def _first_order(formula: N.Formula) -> Tex:
    match formula:
        case N.Truth(value):
            return Tex(r"\top" if value else r"\bot")
        case N.Not(arg):
            return negate(_first_order(arg))
        case N.And(args):
            return both(map(_first_order, args))
        case N.Or(args):
            return either(map(_first_order, args))
        case N.Implies(left, right):
            return implies(_first_order(left), _first_order(right))
    return _predicate(formula)


def _predicate(formula: N.Formula) -> Tex:
    match formula:
        case N.Before(first, when, second, where):
            return quantify(
                "forall", "t", implies(_at("t", first, True, when), _other("<", first, second, where))
            )
        case N.After(first, when, second, where):
            return quantify(
                "forall", "t", implies(_at("t", first, False, when), _other(">", first, second, where))
            )
        case N.Seq(first, when, second, where):
            return quantify(
                "exists", "t", _and_then(_at("t", first, False, when), _other(">", first, second, where))
            )
        case N.Forall(first, where):
            data = Data({"first": "_{t}"}, {"first": first})
            return quantify("forall", "t", implies(_tool("t", first, True), data.formula(where)))
        case N.Exists(first, where):
            return quantify("exists", "t", _at("t", first, False, where))
    raise SpecificationError("a data formula stands outside any predicate", found=type(formula).__name__)


def _at(time: str, pattern: N.Pattern, attempts: bool, when: N.Formula) -> Tex:
    data = Data({"first": f"_{{{time}}}"}, {"first": pattern})
    return both([_tool(time, pattern, attempts), data.formula(when)])


def _other(order: str, first: N.Pattern, second: N.Pattern, where: N.Formula) -> Tex:
    data = Data({"first": "_{t}", "second": "_{t'}"}, {"first": first, "second": second})
    time = Tex(f"t' {order} t", RELATION)
    return quantify("exists", "t'", both([time, _tool("t'", second, False), data.formula(where)]))


def _tool(time: str, pattern: N.Pattern, attempts: bool) -> Tex:
    """Say that the event at `time` matches the pattern, and did not fail."""
    ok = [] if attempts or pattern.attempted else [Tex(rf"\mathit{{ok}}_{{{time}}}")]
    if any(bindings(b, pattern, "") for b in pattern.branches):
        tools = [both([_one_of(time, (b,)), *bindings(b, pattern, f"_{{{time}}}")]) for b in pattern.branches]
        return both([either(tools), *ok])
    return both([_one_of(time, pattern.branches), *ok])


def _one_of(time: str, branches: tuple[N.Branch, ...]) -> Tex:
    names = [typewriter(b.name) for b in branches if not b.is_class]
    classes = [typewriter(b.name) for b in branches if b.is_class]
    if len(names) == 1 and not classes:
        return Tex(f"T_{{{time}}} = {names[0]}", RELATION)
    sets = ([rf"\{{{', '.join(names)}\}}"] if names else []) + classes
    return Tex(rf"T_{{{time}}} \in " + r" \cup ".join(sets), RELATION)


def _and_then(left: Tex, right: Tex) -> Tex:
    """Join by "and"; the quantifier on the right reaches to the end."""
    return Tex(rf"{left.within(OR)} \wedge {right.text}", AND)


# ---------------------------------------------------------------- first-order linear temporal logic

_MARKS: Final[Mapping[N.Role, str]] = {"first": "", "second": "'"}
_VARIABLES: Final[Mapping[N.Role, str]] = {"first": "x, s, y", "second": "x', s', y'"}


def _ltl(formula: L.LTL) -> Tex:
    match formula:
        case L.Constant(value):
            return Tex(r"\top" if value else r"\bot")
        case L.Negation(arg):
            return negate(_ltl(arg))
        case L.Conjunction(args):
            return both(map(_ltl, args))
        case L.Disjunction(args):
            return either(map(_ltl, args))
        case L.Implication(left, right):
            return implies(_ltl(left), _ltl(right))
        case L.Every(role, body):
            return quantify("forall", _VARIABLES[role], _ltl(body))
        case L.Some(role, body):
            return quantify("exists", _VARIABLES[role], _ltl(body))
    return _operator(formula)


def _operator(formula: L.LTL) -> Tex:
    match formula:
        case L.Globally(body):
            return Tex(rf"\mathbf{{G}}\, {_ltl(body).within(RELATION)}")
        case L.Finally(body, strict):
            return Tex(rf"\mathbf{{F}}{'^{>}' if strict else ''}\, {_ltl(body).within(RELATION)}")
        case L.WeakUntil(left, right):
            return Tex(
                rf"{_ltl(left).within(RELATION)} \;\mathbf{{W}}\; {_ltl(right).within(RELATION)}", RELATION
            )
        case L.Now(role, pattern, attempts):
            return _now(role, pattern, attempts)
        case L.Holds(data, patterns):
            return Data(_MARKS, dict(zip(_MARKS, patterns, strict=False))).formula(data)
    raise SpecificationError("there is no such operator", found=type(formula).__name__)


def _now(role: N.Role, pattern: N.Pattern, attempts: bool) -> Tex:
    """Say that the present event is a call of the pattern with the data of `role`, and did not fail."""
    mark = _MARKS[role]
    branches = [
        both([Tex(f"{typewriter(b.name)}({_VARIABLES[role]})"), *bindings(b, pattern, mark)])
        for b in pattern.branches
    ]
    return both([either(branches), *([] if attempts else [Tex(r"\mathit{ok}")])])
