"""The one Z3 sort for JSON values, and the interning that makes equal values equal constants.

Strings, lists and objects become integers: equality is then exact and cheap, and no text is ever parsed by Z3
as an escape (``StringVal("\\\\u{41}")`` would be read as "A"). Numbers are exact reals.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import z3
from z3 import z3core

from agentc.trace.values import Key

__all__ = ["MAX_CHAR", "VAL", "Interner", "is_integer", "kind_test", "number", "text_literal"]

MAX_CHAR = 0x2FFFF
"""Largest code point of Z3's strings; text beyond it can't be put to a string query."""


z3core.Z3_enable_concurrent_dec_ref(z3.main_ctx().ref())
# Python frees a term in whatever thread drops it last, while another may be solving: that crashed Z3.


def _sort() -> Any:
    val = z3.Datatype("Val")
    val.declare("missing")
    val.declare("null")
    val.declare("bool", ("b", z3.BoolSort()))
    val.declare("num", ("n", z3.RealSort()))
    val.declare("str", ("s", z3.IntSort()))
    val.declare("list", ("l", z3.IntSort()))
    val.declare("dict", ("d", z3.IntSort()))
    return val.create()


VAL = _sort()
_INT = z3.IntSort()
_CONSTRUCTORS = {"str": VAL.str, "list": VAL.list, "dict": VAL.dict}
_NOT_PLAIN = re.compile(r"[^ -\[\]-~]")
_RECOGNISER = {
    "missing": VAL.is_missing,
    "null": VAL.is_null,
    "bool": VAL.is_bool,
    "num": VAL.is_num,
    "str": VAL.is_str,
    "list": VAL.is_list,
    "dict": VAL.is_dict,
}


def number(value: int | Fraction) -> z3.RatNumRef:
    """Return the exact real constant."""
    exact = Fraction(value)
    return (
        z3.Q(exact.numerator, exact.denominator)
        if exact.denominator != 1
        else z3.RealVal(str(exact.numerator))
    )


def is_integer(val: z3.ExprRef) -> z3.BoolRef:
    return z3.And(VAL.is_num(val), z3.IsInt(VAL.n(val)))


def kind_test(val: z3.ExprRef, sort: str) -> z3.BoolRef:
    """Return the formula "val is of this kind" for the sorts of `nodes.Is`."""
    return is_integer(val) if sort == "int" else _RECOGNISER[sort](val)


def text_literal(text: str) -> z3.SeqRef | None:
    """Return a Z3 string that is exactly `text`, or None if Z3 has no such character.

    Every character outside plain ASCII, and the backslash, is spelt as an escape, so nothing in it can act as
    one.
    """
    if not text.isascii() and any(ord(c) > MAX_CHAR for c in text):
        return None
    return z3.StringVal(_NOT_PLAIN.sub(lambda c: f"\\u{{{ord(c[0]):x}}}", text))


def _numbered(constructor: z3.FuncDeclRef, ident: int) -> z3.ExprRef:
    """Return ``constructor(ident)`` through Z3's C interface: every new value costs this once."""
    ctx = constructor.ctx
    number = z3core.Z3_mk_int64(ctx.ref(), ident, _INT.ast)
    return z3.DatatypeRef(z3core.Z3_mk_app(ctx.ref(), constructor.ast, 1, (z3core.Ast * 1)(number)), ctx)


class Interner:
    """Value keys to Z3 constants and back; grows, never forgets, so ids stay comparable for a session's life.
    """

    def __init__(self) -> None:
        self._ids: dict[Key, int] = {}
        self._keys: list[Key] = []
        self._exprs: dict[Key, z3.ExprRef] = {("missing",): VAL.missing, ("null",): VAL.null}
        self._texts: dict[str, z3.SeqRef | None] = {}
        self.used: dict[Key, None] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def expr(self, key: Key) -> z3.ExprRef:
        """Return the constant of sort Val for a value's key, and note in `used` that somebody asked for it.
        """
        self.used[key] = None
        return self.value(key)

    def value(self, key: Key) -> z3.ExprRef:
        """Return the constant of sort Val for a value's key."""
        found = self._exprs.get(key)
        if found is None:
            found = self._exprs[key] = self._make(key)
        return found

    def _make(self, key: Key) -> z3.ExprRef:
        tag = key[0]
        if tag == "bool":
            return VAL.bool(z3.BoolVal(key[1]))
        if tag == "num":
            return VAL.num(number(key[1]))
        return _numbered(_CONSTRUCTORS[tag], self.id(key))

    def text(self, text: str) -> z3.SeqRef | None:
        """Return the Z3 string for a text, or None if Z3 has no such character."""
        if text not in self._texts:
            self._texts[text] = text_literal(text)
        return self._texts[text]

    def id(self, key: Key) -> int:
        """Return the integer that stands for a string, list or object."""
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = len(self._keys)
            self._keys.append(key)
        return found

    def knows(self, key: Key) -> bool:
        """Return whether a string, list or object has a number already."""
        return key in self._ids

    def key(self, ident: int) -> Key | None:
        """Return what an integer stands for, or None if nothing was given that number."""
        return self._keys[ident] if 0 <= ident < len(self._keys) else None
