"""The same tables in SQLite, from Python's own library: a policy doesn't care where state lives."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from agentc.domains.store import Entities, Row, Table
from agentc.domains.world import Isolated
from agentc.errors import DomainError, shorten
from agentc.trace.values import JSON

__all__ = ["SqliteStore"]


class SqliteStore:
    """A copy of a domain's state in an SQLite database.

    Parameters
    ----------
    entities : Entities
        What to copy.
    tables : iterable of Table
        The views of it that become tables.
    path : str
        The database file, new or empty; by default in memory.
    """

    def __init__(self, entities: Entities, tables: Iterable[Table], path: str = ":memory:") -> None:
        self._tables = {t.name: t for t in tables}
        self._connection = sqlite3.connect(path)
        for table in self._tables.values():
            self._create(table)
        for name, collection in entities.items():
            for entity in dict.values(collection):
                self._insert(name, entity)
        self._connection.commit()

    def select(self, table: str, /, **equal: JSON) -> list[Row]:
        view = self._tables[table]
        # SQLite would turn 1 into '1' to compare it with a text, and can hold no text with a lone surrogate.
        if not all(isinstance(v, str) and _storable(v) for v in equal.values()):
            return []
        where = " AND ".join(f"{column} = ?" for column in equal) or "1"
        query = f"SELECT * FROM {view.name} WHERE {where} ORDER BY rowid"
        return [view.row(cells) for cells in self._connection.execute(query, [*equal.values()])]

    def catch_up(self, entities: Mapping[str, Isolated]) -> None:
        """Copy anew every entity that was touched since it was last copied."""
        for collection, isolated in entities.items():
            for key in isolated.touched & isolated.keys():
                for table in self._of(collection):
                    self._connection.execute(f"DELETE FROM {table.name} WHERE {table.key} = ?", (key,))
                self._insert(collection, dict.__getitem__(isolated, key))
            isolated.touched.clear()
        self._connection.commit()

    def close(self) -> None:
        self._connection.close()

    # Names of tables and columns come from the domain's own `Table`s; values are bound as parameters.

    def _create(self, table: Table) -> None:
        columns = ", ".join(f"{name} {kind}" for name, kind in table.columns.items())
        self._connection.execute(f"CREATE TABLE {table.name} ({columns})")
        self._connection.execute(f"CREATE INDEX {table.name}_key ON {table.name} ({table.key})")

    def _insert(self, collection: str, entity: Any) -> None:
        for table in self._of(collection):
            slots = ", ".join("?" * len(table.columns))
            try:
                self._connection.executemany(f"INSERT INTO {table.name} VALUES ({slots})", table.rows(entity))
            except (sqlite3.Error, OverflowError, UnicodeEncodeError) as problem:
                raise DomainError(
                    "SQLite can't hold a value that a tool stored",
                    where=f"table {table.name}",
                    found=shorten(str(problem)),
                    hint="read this domain's state in memory",
                ) from None

    def _of(self, collection: str) -> list[Table]:
        return [t for t in self._tables.values() if t.entity == collection]


def _storable(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in text)
