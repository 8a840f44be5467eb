"""A domain and its live environments: what a policy is checked against and what calls run on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentc.domains import airline, retail, world
from agentc.domains.projections import Q, read
from agentc.domains.sqlite import SqliteStore
from agentc.domains.store import MemoryStore, Store, Table
from agentc.domains.world import World
from agentc.errors import DomainError, closest
from agentc.tools.signature import Projection, ToolSet
from agentc.trace.event import Event
from agentc.trace.values import JSON, Missing

__all__ = ["Domain", "Environment", "Needs", "load", "names", "signatures"]

Needs = Callable[[Event], Iterable[tuple[str, tuple[JSON, ...]]]]
"""What must be read before an event runs: pairs of a projection's name and its arguments."""


class Environment:
    """A domain's database, alive: projections are read from it and tools run on it.

    Examples
    --------
    >>> from agentc.domains import load
    >>> shop = load("retail").environment()
    >>> shop.read("order_status", "#W5918442"), shop.read("order_status", "no such order")
    ('pending', MISSING)
    >>> reason = {"order_id": "#W5918442", "reason": "no longer needed"}
    >>> output, error = shop.execute("cancel_pending_order", reason)
    >>> error, output["status"], shop.read("order_status", "#W5918442")
    (False, 'cancelled', 'cancelled')
    """

    def __init__(self, domain: Domain, state: World, *, in_sqlite: bool = False) -> None:
        self.domain = domain
        self._world = state
        self._sqlite = SqliteStore(state.entities, domain.tables) if in_sqlite else None
        self._store: Store = self._sqlite or MemoryStore(state.entities, domain.tables)

    def read(self, projection: str, *args: JSON | Missing) -> JSON | Missing:
        """Read a projection as the state is now.

        Parameters
        ----------
        projection : str
        *args : JSON or MISSING

        Returns
        -------
        JSON or MISSING
            MISSING if what the arguments name does not exist, or if they can't name anything.

        Raises
        ------
        DomainError
            The domain has no such projection, or it takes another number of arguments.
        """
        return read(self.domain.answers, self._store, projection, *args)

    def execute(self, tool: str, args: Mapping[str, JSON]) -> tuple[JSON, bool]:
        """Run a tool; return its output as JSON, or the text of its error, and whether it is an error.

        Notes
        -----
        Any tool that fails, also one that doesn't exist, is an error and not an exception, as in tau2-bench.
        """
        result = self._world.execute(tool, args)
        if self._sqlite is not None:
            self._sqlite.catch_up(self._world.entities)
        return result

    def digest(self) -> str:
        """Return tau2's own hash of the whole database, by which its evaluator compares two states."""
        return self._world.digest()

    def copy(self) -> Environment:
        """Return an independent environment in the same state."""
        return Environment(self.domain, self._world.copy(), in_sqlite=self._sqlite is not None)

    def in_sqlite(self) -> Environment:
        """Return an independent environment in the same state whose projections read a copy in SQLite."""
        return Environment(self.domain, self._world.copy(), in_sqlite=True)


@dataclass(frozen=True)
class Domain:
    """A set of tools over one kind of database, and the questions a policy may ask of its state.

    Parameters
    ----------
    name : str
    tables : tuple of Table
        The views of the database that projections read.
    answers : Mapping[str, Q]
        The projections, with the functions that answer them.
    """

    name: str
    tables: tuple[Table, ...]
    answers: Mapping[str, Q]

    @cached_property
    def projections(self) -> Mapping[str, Projection]:
        """The signature of each projection."""
        return {name: q.signature for name, q in self.answers.items()}

    @property
    def tools(self) -> ToolSet:
        """The signature of each tool: JSON schemas, and the kinds read, write and other."""
        return world.tools(self.name)

    @property
    def policy(self) -> str:
        """The policy that agents are given, in Markdown."""
        return world.policy(self.name)

    @property
    def tasks(self) -> tuple[Mapping[str, Any], ...]:
        """tau2-bench's tasks, as its file has them."""
        return world.tasks(self.name)

    def environment(self) -> Environment:
        """Return a fresh environment, in the state every task starts from."""
        return Environment(self, world.world(self.name))


_DOMAINS = {
    "airline": Domain("airline", airline.TABLES, airline.PROJECTIONS),
    "retail": Domain("retail", retail.TABLES, retail.PROJECTIONS),
}


def names() -> tuple[str, ...]:
    """Return the names of the domains there are."""
    return tuple(_DOMAINS)


def load(name: str) -> Domain:
    """Return a domain by its name; its tools and data are loaded when they are asked for.

    Raises
    ------
    DomainError
        There is no such domain.

    Examples
    --------
    >>> retail = load("retail")
    >>> len(retail.tools), retail.tools["cancel_pending_order"].kind, retail.tools["calculate"].kind
    (15, 'write', 'other')
    """
    if name not in _DOMAINS:
        raise DomainError("there is no such domain", found=name, hint=closest(name, _DOMAINS))
    return _DOMAINS[name]


def signatures(name: str) -> tuple[ToolSet, Mapping[str, Projection]]:
    """Return a domain's tools and projections, without loading its database: what the parser resolves by.

    Raises
    ------
    DomainError
        There is no such domain, or tau2-bench isn't installed.
    """
    domain = load(name)
    return domain.tools, domain.projections
