"""Objects read from a trace file, each knowing where it stood, and the checks of their fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from agentc.errors import TraceError, closest, shorten
from agentc.trace.json_text import dump_json
from agentc.trace.values import JSON

__all__ = ["Kind", "Record"]

Kind = Literal["a string", "an object", "a list", "true or false", "a number", "a whole number"]

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "a string": (str,),
    "an object": (dict,),
    "a list": (list,),
    "true or false": (bool,),
    "a number": (int, float, Decimal),
    "a whole number": (int,),
}


@dataclass(frozen=True, slots=True)
class Record:
    """An object read from a file.

    Parameters
    ----------
    fields : Mapping[str, JSON]
    place : str
        File and line, as errors tell them.
    path : str
        The way to it within that place: ``[0].traj[3]``.
    """

    fields: Mapping[str, JSON]
    place: str
    path: str = ""

    @classmethod
    def of(cls, value: JSON, place: str, path: str = "") -> Record:
        """Return the record of a value that must be an object."""
        record = cls(value, place, path)
        _check(value, "an object", record.where, "this")
        return record

    @property
    def where(self) -> str:
        return f"{self.place}, {self.path}" if self.path else self.place

    def get(self, name: str, kind: Kind) -> Any:
        """Return a field that must be there and of one kind."""
        if name not in self.fields:
            found = ", ".join(self.fields) or "no fields"
            raise self.error(f"the field `{name}` is missing", found=found, hint=f"add it; it must be {kind}")
        _check(self.fields[name], kind, self.at(name), f"`{name}`")
        return self.fields[name]

    def find(self, name: str, kind: Kind, default: Any = None) -> Any:
        """Return a field that may be left out."""
        return self.get(name, kind) if name in self.fields else default

    def child(self, name: str) -> Record:
        return Record(self.get(name, "an object"), self.place, self._path(name))

    def children(self, name: str) -> list[Record]:
        """Return the objects of a list that may be left out, each with its 0-based position in the path."""
        items = enumerate(self.find(name, "a list", ()))
        return [Record.of(item, self.place, f"{self._path(name)}[{i}]") for i, item in items]

    def only(self, known: Collection[str]) -> None:
        """Refuse fields that nothing would read."""
        for name in self.fields:
            if name not in known:
                raise self.error(
                    f"`{shorten(name)}` is not a field of it", hint=closest(shorten(name), known)
                )

    def _path(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def at(self, name: str) -> str:
        return f"{self.where}, field {name}"

    def error(self, what: str, *, field: str = "", found: str = "", hint: str = "") -> TraceError:
        """Return the error that something is wrong with the record, or with one of its fields."""
        where = self.at(field) if field else self.where
        return TraceError(what, where=where, found=shorten(found), hint=hint)


def _check(value: JSON, kind: Kind, where: str, name: str) -> None:
    if isinstance(value, _KINDS[kind]) and (kind == "true or false" or not isinstance(value, bool)):
        return
    raise TraceError(f"{name} must be {kind}", where=where, found=shorten(dump_json(value)))
