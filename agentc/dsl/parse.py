"""The text form's entrance: specifications and formulas from text, which is never evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeVar

from agentc.dsl import declare
from agentc.dsl.mistakes import Misread, report
from agentc.dsl.nodes import Constraint, Formula, Place, Specification
from agentc.dsl.read_time import temporal
from agentc.dsl.syntax import Raw, read
from agentc.errors import AgentcError, BudgetError, SpecificationError, shorten
from agentc.tools.signature import Projection, Tool, ToolSet
from agentc.trace.event import MESSAGES

__all__ = ["MAX_TEXT", "Resolve", "parse_formula", "parse_specification", "read_specification"]

MAX_TEXT: Final = 32_000_000
"""Longest text, in characters."""

Resolve = Callable[[str], tuple[ToolSet, Mapping[str, Projection]]]
"""What a domain's name stands for: its tools and projections."""


def parse_specification(text: str, source: str = "", resolve: Resolve | None = None) -> Specification:
    """Read a specification from its text form.

    Parameters
    ----------
    text : str
        Statements: ``specification``, ``domain`` or ``tool`` and ``projection``, and ``constraint``.
    source : str
        What the text is called in errors and in each constraint's `Place`: a file, a notebook cell.
    resolve : callable, optional
        Returns the tools and projections of the name that ``domain`` gives. Without it the name is only kept.

    Raises
    ------
    SpecificationError
        If the text can't be read; says the line and column, with a caret, and what to write.
    BudgetError
        Past ``MAX_TEXT``, ``MAX_CONSTRAINTS``, ``MAX_WORDS`` or ``MAX_NESTING``.

    Notes
    -----
    Names of tools, arguments and projections are not looked up here, except where arguments are bound by
    position; that is the checker's part. Linear in the text: 10,000 constraints of 33 words took 5 s.

    >>> spec = parse_specification('''
    ... tool open(file: string)
    ... tool read(file: string)
    ... constraint opened:
    ...   "Open a file before reading it."
    ...   Before(read(f1), True, open(f2), f1 == f2)
    ... ''')
    >>> print(spec["opened"].sentence, spec["opened"].place)
    Open a file before reading it. text, line 4
    """
    reader = _Text(text, source)
    return reader.run(lambda: reader.specification(resolve))


def parse_formula(text: str, tools: ToolSet | None = None, source: str = "") -> Formula:
    """Read one temporal formula, as it stands in a constraint.

    Parameters
    ----------
    text : str
    tools : ToolSet, optional
        Gives the order of arguments that are bound by position, as in ``read(f1)``.
    source : str
        What the text is called in errors.

    Raises
    ------
    SpecificationError, BudgetError
        As in `parse_specification`.

    >>> parse_formula("Exists(rm as r, r.path == 1.50)").where
    Compare(op='==', left=Arg(role='first', name='path', path=()), right=Const(value=Fraction(3, 2)))
    """
    reader = _Text(text, source)
    return reader.run(lambda: temporal(read(reader.text, "formula"), tools))


def read_specification(path: str | PathLike[str], resolve: Resolve | None = None) -> Specification:
    """Read a specification from a file, UTF-8.

    Raises
    ------
    SpecificationError, BudgetError
        If there is no such file, it isn't UTF-8 text, or it can't be read as a specification.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(4 * MAX_TEXT + 1)
        text = data.decode("utf-8")
    except OSError as error:
        raise SpecificationError(
            "the specification can't be opened",
            where=shorten(str(path)),
            found=error.strerror or "",
            hint="check the path",
        ) from None
    except UnicodeDecodeError as error:
        raise SpecificationError(
            "a specification is UTF-8 text",
            where=f"{shorten(str(path))}, byte {error.start}",
            hint="save it as UTF-8",
        ) from None
    return parse_specification(text, str(path), resolve)


def _checked(text: str, source: str) -> str:
    if not isinstance(text, str):
        raise SpecificationError(
            "a specification is text", where=source, found=type(text).__name__, hint="pass a str"
        )
    if len(text) > MAX_TEXT:
        raise BudgetError(
            f"a text may have at most {MAX_TEXT:,} characters",
            where=source,
            found=f"{len(text):,}",
            hint="split the specification",
        )
    return text.removeprefix("\ufeff")


_T = TypeVar("_T")
_D = TypeVar("_D", Tool, Projection)


class _Text:
    """A text being read; knows where it is, for errors."""

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source, self.constraint = _checked(text, source), source, ""

    def run(self, step: Callable[[], _T]) -> _T:
        try:
            return step()
        except Misread as mistake:
            raise report(self.text, self.source, mistake, self.constraint) from None
        except RecursionError:  # within the limit on nesting, but the caller's stack is nearly used up
            raise BudgetError("a text can't be read at this depth of calls", where=self.source) from None

    def specification(self, resolve: Resolve | None) -> Specification:
        raw = read(self.text, "specification")
        statements = {kind: [s for s in raw.parts if s.kind == kind] for kind in _STATEMENTS}
        name, title = _once(statements["header"], ("", ""))
        domain = _once(statements["domain"], "")
        tools, projections = _declarations(statements, domain, resolve)
        constraints = tuple(self.constraints(statements["constraint"], tools))
        return Specification(name, constraints, tools, projections, domain, title)

    def constraints(self, statements: list[Raw], tools: ToolSet | None) -> Iterator[Constraint]:
        seen: dict[str, int] = {}
        for statement in statements:
            name, sentence, (line, column) = statement.value
            self.constraint = shorten(name, 40)
            if name in seen:
                raise Misread(
                    f"the constraint `{self.constraint}` stands here twice",
                    statement.at,
                    f"rename this one; the other is in line {seen[name]}",
                )
            seen[name] = line
            yield Constraint(
                name, temporal(statement.parts[0], tools), sentence, Place(self.source, line, column)
            )
        self.constraint = ""


_STATEMENTS: Final = ("header", "domain", "tool", "projection", "constraint")


def _once(statements: list[Raw], default: Any) -> Any:
    if len(statements) > 1:
        raise Misread(
            "a specification has one name and one domain", statements[1].at, "remove one of the two"
        )
    return statements[0].value if statements else default


def _declarations(
    statements: dict[str, list[Raw]], domain: str, resolve: Resolve | None
) -> tuple[ToolSet | None, Mapping[str, Projection]]:
    inline = statements["tool"] + statements["projection"]
    if not domain:
        tools = _named("tool", statements["tool"], declare.tool)
        return ToolSet(tools.values()) if tools else None, _named(
            "projection", statements["projection"], declare.projection
        )
    if inline:
        raise Misread(
            f"the domain {shorten(domain, 40)} declares the tools and projections already",
            inline[0].at,
            "remove this line, or the domain's",
        )
    return _resolved(statements["domain"][0], domain, resolve) if resolve else (None, {})


def _resolved(statement: Raw, domain: str, resolve: Resolve) -> tuple[ToolSet, Mapping[str, Projection]]:
    try:
        return resolve(domain)
    except AgentcError as error:
        raise Misread(error.what, statement.at, error.hint, type(error)) from None


def _named(what: str, statements: list[Raw], make: Callable[[Raw], _D]) -> dict[str, _D]:
    found: dict[str, _D] = {}
    for statement in statements:
        one = make(statement)
        if one.name in found or (what == "tool" and one.name in MESSAGES):
            hint = "messages are always declared" if one.name in MESSAGES else "remove one of the two"
            raise Misread(f"the {what} `{shorten(one.name, 40)}` is declared twice", statement.at, hint)
        found[one.name] = one
    return found
