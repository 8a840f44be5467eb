"""The specifications that come with the domains."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from agentc.domains.domain import signatures
from agentc.dsl.check import check
from agentc.dsl.nodes import Specification
from agentc.dsl.parse import read_specification
from agentc.errors import SpecificationError, closest

__all__ = ["load_specification"]

_SHIPPED = Path(__file__).parent.parent / "_specs"


def load_specification(path_or_name: str | PathLike[str], checked: bool = True) -> Specification:
    """Return a checked specification from a file, or one that comes with agentc by its name.

    Parameters
    ----------
    path_or_name : str or path
        A file, if it has a suffix or a folder in it (``policy.agentc``, ``./policy``); else a name, as
        ``retail``.
    checked : bool
        False: leave the check to the caller, who wants to list every problem (`agentc.dsl.check.problems`).

    Raises
    ------
    SpecificationError
        There is no such file or name, it can't be read, or it says what its domain's tools can't mean.
    DomainError
        Its domain isn't known or isn't installed.

    Examples
    --------
    >>> load_specification("retail")["once_per_order"].sentence
    'Exchange or modify order tools can only be called once per order.'
    """
    path = Path(path_or_name)
    if path.suffix or path.name != str(path_or_name):
        return _read(path, checked)
    shipped = {p.stem: p for p in _SHIPPED.glob("*.agentc")}
    if path.name not in shipped:
        hint = closest(path.name, shipped) + "; a file's name ends in `.agentc`"
        raise SpecificationError("there is no specification of this name", found=path.name, hint=hint)
    return _read(shipped[path.name], checked)


def _read(path: Path, checked: bool) -> Specification:
    specification = read_specification(path, signatures)
    if checked:
        check(specification)
    return specification
