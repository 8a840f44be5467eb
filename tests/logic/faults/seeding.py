"""How a mistake is put into the engine: something is replaced by something wrong, for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

__all__ = ["FAULTS", "Fault", "fault", "nothing", "seed"]


@dataclass(frozen=True)
class Fault:
    """One mistake: `patches` are (object or table, attribute or key, what stands there instead)."""

    name: str
    patches: tuple[tuple[Any, Any, Any], ...]

    @contextmanager
    def seeded(self) -> Iterator[None]:
        with ExitStack() as stack:
            for where, what, wrong in self.patches:
                if isinstance(where, dict):
                    stack.enter_context(mock.patch.dict(where, {what: wrong}))
                else:
                    stack.enter_context(mock.patch.object(where, what, wrong))
            yield


FAULTS: list[Fault] = []


def fault(*places: Any, name: str = "") -> Callable[[Any], Any]:
    """Register a function as what stands at (object, attribute) instead; its name tells the fault."""

    def register(wrong: Any) -> Any:
        told = (name or wrong.__name__).replace("_", " ")
        FAULTS.append(Fault(told, ((*places, wrong),)))
        return wrong

    return register


def nothing(*_: Any, **__: Any) -> None:
    return None


def seed(told: str, where: Any, what: Any, wrong: Any) -> None:
    FAULTS.append(Fault(told, ((where, what, wrong),)))
