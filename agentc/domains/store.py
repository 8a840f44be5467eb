"""Where a domain's state lives: tables that can be asked for rows, in memory or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from agentc.trace.values import JSON, MISSING, Missing

__all__ = ["Column", "Entities", "MemoryStore", "Row", "Store", "Table", "first"]

Row = Mapping[str, JSON]
Column = Literal["TEXT", "REAL", "INTEGER"]


class Store(Protocol):
    """What every projection reads from: the one method a place for state must have."""

    def select(self, table: str, /, **equal: JSON) -> list[Row]:
        """Return the rows of `table` whose columns equal the strings given.

        One entity's rows are in the entity's own order; entities come in no particular one.
        """
        ...


@dataclass(frozen=True, slots=True)
class Table:
    """A flat view of one kind of entity.

    Parameters
    ----------
    name : str
    entity : str
        The collection of the domain's database that its rows come from.
    columns : Mapping[str, Column]
        The first one holds the entity's key.
    rows : callable
        Takes an entity, returns tuples in the columns' order.
    parts : Mapping[str, callable], optional
        For a column, takes an entity and returns the values of its rows there, quicker than `rows` does.
    """

    name: str
    entity: str
    columns: Mapping[str, Column]
    rows: Callable[[Any], Iterable[tuple[JSON, ...]]]
    parts: Mapping[str, Callable[[Any], Container[JSON]]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return next(iter(self.columns))

    def row(self, cells: tuple[JSON, ...]) -> Row:
        """Return the cells of one row by the names of their columns."""
        return dict(zip(self.columns, cells, strict=True))


Entities = Mapping[str, dict[str, Any]]
"""A domain's collections by name, each a dictionary of entities by their key."""


class MemoryStore:
    """Tables over entities in memory; it looks, never copies and never changes anything."""

    def __init__(self, entities: Entities, tables: Iterable[Table]) -> None:
        self._entities, self._tables = entities, {t.name: t for t in tables}

    def select(self, table: str, /, **equal: JSON) -> list[Row]:
        view = self._tables[table]
        if not all(isinstance(v, str) for v in equal.values()):
            return []
        return [
            row
            for entity in self._candidates(view, equal)
            for row in map(view.row, view.rows(entity))
            if all(row[column] == value for column, value in equal.items())
        ]

    def _candidates(self, view: Table, equal: Mapping[str, JSON]) -> Iterable[Any]:
        # dict.get and dict.values, so that a collection that copies on access (`world.Isolated`) does not.
        collection = self._entities[view.entity]
        if view.key not in equal:
            known = [(view.parts[name], value) for name, value in equal.items() if name in view.parts]
            return (e for e in dict.values(collection) if all(v in part(e) for part, v in known))
        entity = dict.get(collection, equal[view.key])
        return () if entity is None else (entity,)


def first(rows: list[Row], column: str) -> JSON | Missing:
    """Return `column` of the first row; MISSING if there is none."""
    return rows[0][column] if rows else MISSING
