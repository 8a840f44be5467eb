"""Text to raw tree: the grammar, read by lark's LALR parser, with limits on size and nesting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from agentc.dsl.constants import MAX_CONSTRAINTS, MAX_NAME, MAX_NESTING, MAX_WORDS
from agentc.dsl.mistakes import Misread, explain
from agentc.errors import BudgetError, TraceError
from agentc.trace.json_text import parse_json
from agentc.trace.values import JSON

if TYPE_CHECKING:
    from lark import Lark, Token

__all__ = ["Raw", "read"]


@dataclass(frozen=True, slots=True)
class Raw:
    """One construct as it was written: its kind, the offset it begins at, its value and its parts."""

    kind: str
    at: int
    value: Any = None
    parts: tuple[Raw, ...] = ()
    depth: int = 1


def read(text: str, start: str) -> Raw:
    """Parse `text` from the grammar's rule `start` ("specification" or "formula").

    Raises
    ------
    Misread
        If it isn't in the grammar, or passes a limit.
    """
    from lark.exceptions import UnexpectedInput

    try:
        return _parser().parse(text, start=start)  # type: ignore[return-value]
    except UnexpectedInput as error:
        raise explain(text, error) from None


@cache
def _parser() -> Lark:
    from lark import Lark

    grammar = files("agentc.dsl").joinpath("grammar.lark").read_text("utf-8")
    return Lark(
        grammar, parser="lalr", start=["specification", "formula"], transformer=_build(), postlex=_Guard()
    )


_BRACKETS: Final = 3 * MAX_NESTING  # as many as the printer may need at the limit on nesting


class _Guard:
    """Counts words and nesting as they are read: the parser itself has no limit."""

    always_accept = ()

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        open_brackets = signs = constraints = 0
        for words, token in enumerate(stream):
            kind = token.type
            signs = signs + 1 if kind in ("TILDE", "MINUS") else 0
            if kind in ("LPAR", "LSQB", "LBRACE"):
                open_brackets += 1
            elif kind in ("RPAR", "RSQB", "RBRACE"):
                open_brackets -= 1
            elif kind == "CONSTRAINT":
                constraints += 1
            if open_brackets > _BRACKETS:
                raise _too_much(_BRACKETS, "open brackets", token.start_pos)
            if signs > MAX_NESTING:
                raise _too_much(MAX_NESTING, "levels of nesting", token.start_pos)
            if constraints > MAX_CONSTRAINTS:
                raise _too_much(MAX_CONSTRAINTS, "constraints", token.start_pos)
            if words >= MAX_WORDS:
                raise _too_much(MAX_WORDS, "words", token.start_pos)
            if len(token) > MAX_NAME and kind in ("NAME", "ATTRIBUTE", "CLASS"):
                raise Misread(
                    f"a name may have at most {MAX_NAME:,} characters", token.start_pos or 0, "shorten it"
                )
            yield token


def _too_much(most: int, of: str, at: int | None) -> Misread:
    hint = "split it; `&` and `|` take any number of parts at one level"
    return Misread(f"a text may have at most {most:,} {of}", at or 0, hint, BudgetError)


_FLAT: Final = frozenset(
    {"group", "attribute", "index", "label", "union", "each", "list", "object", "pair", "minus"}
)
"""What makes no node of its own, or a constant or path, which are limited where they are read."""


def _raw(kind: str, at: int, value: Any = None, parts: tuple[Raw, ...] = ()) -> Raw:
    depth = (kind not in _FLAT) + max((p.depth for p in parts), default=0)
    if depth > MAX_NESTING + 2:  # a leaf and its function's name are no nodes
        raise _too_much(MAX_NESTING, "levels of nesting", at)
    return Raw(kind, at, value, parts, depth)


def _json(token: Token) -> JSON:
    try:
        return parse_json(str(token))
    except TraceError as error:
        what = error.what.replace("this is not JSON", "this isn't written as in JSON")
        hint = error.hint or (
            "a backslash is written \\\\, a control character \\u0000"
            if token[0] == '"'
            else "write it as in JSON"
        )
        raise Misread(what, token.start_pos or 0, hint) from None


def _build() -> Any:
    """Return the transformer, made here so that importing this file doesn't import lark."""
    from lark import Transformer, v_args

    def leaf(kind: str) -> Any:
        return lambda self, token: _raw(kind, token.start_pos, str(token))

    def value(kind: str) -> Any:
        return lambda self, token: _raw(kind, token.start_pos, _json(token))

    def infix(kind: str) -> Any:
        return lambda self, left, op, right: _raw(kind, left.at, str(op), (left, right))

    def several(kind: str) -> Any:
        return lambda self, *parts: _raw(kind, parts[0].at if parts else 0, None, parts)

    def bracketed(kind: str) -> Any:
        return lambda self, token, *parts: _raw(
            kind, token.start_pos, None, tuple(p for p in parts if p is not None)
        )

    def pass_on(self: object, node: Raw) -> Raw:
        return node

    @v_args(inline=True)
    class Expressions(Transformer[Any, Raw]):
        word, class_, truth = leaf("word"), leaf("class"), leaf("truth")
        string, number, literal = value("string"), value("number"), value("literal")
        compare, arith, in_ = infix("compare"), infix("arith"), infix("in")
        or_, and_ = several("or"), several("and")
        group, list_, union, object = (
            bracketed("group"),
            bracketed("list"),
            bracketed("union"),
            bracketed("object"),
        )
        not_, minus = bracketed("not"), bracketed("minus")
        formula = pass_on

        def pair(self, key: Token, value: Raw) -> Raw:
            return _raw("pair", key.start_pos or 0, _json(key), (value,))

        def each(self, head: Raw, where: Raw) -> Raw:
            depth = max(head.depth - (head.kind == "in"), where.depth)
            return Raw("each", head.at, None, (head, where), depth)

        def attribute(self, base: Raw, token: Token) -> Raw:
            return _raw("attribute", base.at, (str(token)[1:], (token.start_pos or 0) + 1), (base,))

        def index(self, base: Raw, key: Raw) -> Raw:
            return _raw("index", base.at, None, (base, key))

        def call(self, head: Raw, *arguments: Raw | None) -> Raw:
            return _raw("call", head.at, None, (head, *(a for a in arguments if a is not None)))

        def bind(self, left: Raw, equals: Token, right: Raw) -> Raw:
            return _raw("bind", left.at, equals.start_pos, (left, right))

        def label(self, base: Raw, word: Token, name: Raw) -> Raw:
            return _raw("label", base.at, name, (base,))

    @v_args(inline=True)
    class Statements(Expressions):
        named_type, literal_type = leaf("named"), value("literal")
        type, specification = several("types"), several("specification")
        json_type = json_signature = returns = pass_on

        def array_type(self, name: Token, of: Raw) -> Raw:
            return _raw("array", name.start_pos or 0, str(name), (of,))

        def range_type(self, name: Token, low: Raw | None, dots: Token, high: Raw | None) -> Raw:
            return _raw("range", name.start_pos or 0, (str(name), low and low.value, high and high.value))

        def bound(self, minus: Token | None, number: Token) -> Raw:
            value = _json(number)
            return _raw("bound", number.start_pos or 0, -value if minus else value)

        def parameter(self, name: Raw, optional: Token | None, type_: Raw) -> Raw:
            return _raw("parameter", name.at, (name.value, optional is not None), (type_,))

        def signature(self, *parts: Any) -> Raw:
            parameters = tuple(p for p in parts if isinstance(p, Raw))
            return _raw(
                "signature", 0, any(p is not None and not isinstance(p, Raw) for p in parts), parameters
            )

        def header(self, word: Token, name: Raw, title: Token | None) -> Raw:
            return _raw("header", word.start_pos or 0, (name.value, _json(title) if title else ""))

        def domain(self, word: Token, name: Raw) -> Raw:
            return _raw("domain", word.start_pos or 0, name.value)

        def tool(self, word: Token, name: Raw, *rest: Any) -> Raw:
            parameters, returns, cls, about = rest
            value = (name.value, parameters, returns, cls and str(cls), _json(about) if about else "")
            return _raw("tool", word.start_pos or 0, value)

        def projection(self, word: Token, name: Raw, *rest: Any) -> Raw:
            parameters, returns, about = rest
            value = (name.value, parameters, returns, _json(about) if about else "")
            return _raw("projection", word.start_pos or 0, value)

        def sentence(self, *parts: Token) -> str:
            return "".join(_json(p) for p in parts)

        def constraint(self, word: Token, name: Raw, sentence: str, formula: Raw) -> Raw:
            return _raw(
                "constraint",
                word.start_pos or 0,
                (name.value, sentence, (word.line, word.column)),
                (formula,),
            )

    return Statements()
