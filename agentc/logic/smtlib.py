"""Queries as SMT-LIB 2 text, for a second solver, a bug report or a curious reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import z3

from agentc.dsl import nodes as n
from agentc.dsl.show_text import to_text
from agentc.errors import shorten
from agentc.logic.quantified import QuantifiedEngine
from agentc.trace.event import Event

__all__ = ["export", "to_smtlib"]

_UNSAFE = re.compile(r"[^A-Za-z0-9_.!]")


def export(
    spec: n.Specification,
    events: Sequence[Event],
    asked: Literal["prefix", "closed"] = "prefix",
    size: int | None = None,
) -> str:
    """Return the query of one verdict, in the quantified shape, as SMT-LIB 2 text.

    Parameters
    ----------
    spec : Specification
    events : sequence of Event
        The trace so far.
    asked : {"prefix", "closed"}
        Whether some continuation satisfies the specification, or whether the trace as it stands does.
    size : int or None
        How many further calls a prefix query allows; None sets no limit and leaves the tools' schemas out:
        its ``unsat`` is final, its ``sat`` is not.

    Returns
    -------
    str
        ``sat`` is yes and ``unsat`` is no. Comments at the top say what is asked of what.

    Notes
    -----
    Strings, lists and objects are numbers there; equal values have equal ones.
    """
    engine = QuantifiedEngine(spec)
    for event in events:
        engine.push(event)
    query = engine.query(0 if asked == "closed" else size)
    return to_smtlib(query.assertions, _header(spec, events, asked, size))


def _header(spec: n.Specification, events: Sequence[Event], asked: str, size: int | None) -> Iterator[str]:
    yield f"asked: {asked} verdict" + ("" if asked == "closed" else _limit(size))
    yield f"specification: {spec.name}"
    for constraint in spec.constraints:
        yield f"  {constraint.name}: {to_text(constraint.formula, None)}"
    yield f"trace: {len(events)} events"
    for t, event in enumerate(events):
        failed = " (failed)" if event.error else ""
        yield f"  {t}: {event.tool} {dict(event.args)!r} -> {event.output!r}{failed}"


def _limit(size: int | None) -> str:
    return ", any number of further calls" if size is None else f", up to {size} further calls"


def to_smtlib(assertions: Sequence[z3.BoolRef], comments: Iterator[str] | Sequence[str] = ()) -> str:
    """Return assertions as an SMT-LIB 2 script that ends in ``(check-sat)``.

    Parameters
    ----------
    assertions : sequence of BoolRef
    comments : iterable of str
        One line each, at the top; hostile text is cut and escaped, so that it can't end its line.
    """
    solver = z3.Solver()
    solver.add(_renamed(assertions))
    body = re.sub(r"^;.*\n|^\(set-info.*\n", "", solver.to_smt2(), flags=re.MULTILINE)
    head = "".join(f"; {_ascii(shorten(line, 400))}\n" for line in comments)
    return f"{head}(set-logic ALL)\n{body}"


def _ascii(line: str) -> str:
    return line.encode("ascii", "backslashreplace").decode("ascii")


def _renamed(assertions: Sequence[z3.BoolRef]) -> list[z3.BoolRef]:
    """Give every function and constant a name that needs no quoting: names come from specifications."""
    functions = []
    constants = [(z3.And([]), z3.BoolVal(True)), (z3.Or([]), z3.BoolVal(False))]  # as printed, no SMT-LIB
    for number, decl in enumerate(_declarations(assertions)):
        name = f"{_UNSAFE.sub('_', decl.name())}!{number}" if _UNSAFE.search(decl.name()) else decl.name()
        sorts = [decl.domain(i) for i in range(decl.arity())]
        if sorts:
            variables = [z3.Var(i, s) for i, s in enumerate(sorts)]
            functions.append((decl, z3.Function(name, *sorts, decl.range())(*variables)))
        else:
            constants.append((decl(), z3.Const(name, decl.range())))
    return [z3.substitute_funs(z3.substitute(a, *constants), *functions) for a in assertions]


def _declarations(assertions: Sequence[z3.BoolRef]) -> list[z3.FuncDeclRef]:
    """Return every uninterpreted function and constant, in the order they are met."""
    found: dict[int, z3.FuncDeclRef] = {}
    seen: set[int] = set()
    stack: list[z3.ExprRef] = list(reversed(assertions))
    while stack:
        term = stack.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        if z3.is_quantifier(term):
            stack.append(term.body())
        elif z3.is_app(term):
            if term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found.setdefault(term.decl().get_id(), term.decl())
            stack.extend(reversed(term.children()))
    return list(found.values())
