"""The specifications that come with the domains, and their groups of constraints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path

from agentc.domains.domain import signatures
from agentc.dsl.check import check
from agentc.dsl.nodes import Specification
from agentc.dsl.parse import read_specification
from agentc.errors import SpecificationError, closest

__all__ = ["groups_of", "load_specification"]

_SHIPPED = Path(__file__).parent.parent / "_specs"


def load_specification(
    path_or_name: str | PathLike[str], checked: bool = True, groups: Iterable[str] | None = None
) -> Specification:
    """Return a checked specification from a file, or one that comes with agentc by its name.

    Parameters
    ----------
    path_or_name : str or path
        A file, if it has a suffix or a folder in it (``policy.agentc``, ``./policy``); else a name, as
        ``retail``.
    checked : bool
        False: leave the check to the caller, who wants to list every problem (`agentc.dsl.check.problems`).
    groups : iterable of str, optional
        For a name: which of its groups of constraints to add to what calls and the database decide by
        themselves (`groups_of`). By default all; ``()`` for none, where a trace has no messages.

    Raises
    ------
    SpecificationError
        There is no such file, name or group, it can't be read, or it says what its domain's tools can't mean.
    DomainError
        Its domain isn't known or isn't installed.

    Notes
    -----
    A group is a file beside the specification's own: ``retail_dialogue.agentc`` is retail's ``dialogue``.

    Examples
    --------
    >>> load_specification("retail")["once_per_order"].sentence
    'Exchange or modify order tools can only be called once per order.'
    >>> [len(load_specification("retail", groups=groups).constraints) for groups in ((), ["letter"], None)]
    [18, 19, 24]
    """
    path = Path(path_or_name)
    named = not path.suffix and path.name == str(path_or_name)
    if named:
        _known(path.name, [p.stem for p in _shipped()], "specification", "; a file's name ends in `.agentc`")
        specification = _with_groups(path.name, groups)
    elif groups is not None:
        hint = "give a specification that comes with agentc by its name: retail, airline"
        raise SpecificationError("a file has no groups of constraints", where=str(path), hint=hint)
    else:
        specification = _read(path)
    if checked:
        check(specification)
    return specification


def groups_of(name: str) -> tuple[str, ...]:
    """Return the names of a shipped specification's groups of constraints.

    >>> groups_of("retail")
    ('confirmation', 'dialogue', 'letter')
    """
    return tuple(sorted(p.stem.removeprefix(f"{name}_") for p in _shipped() if p.stem.startswith(f"{name}_")))


def _with_groups(name: str, groups: Iterable[str] | None) -> Specification:
    known = groups_of(name)
    wanted = known if groups is None else tuple(dict.fromkeys(groups))
    for group in wanted:
        _known(group, known, f"group of `{name}`")
    files = [_SHIPPED / f"{stem}.agentc" for stem in (name, *(f"{name}_{group}" for group in wanted))]
    core, *more = [_read(file) for file in files]
    return replace(core, constraints=tuple(c for spec in (core, *more) for c in spec.constraints))


def _known(name: str, known: Iterable[str], what: str, hint: str = "") -> None:
    if name not in (names := list(known)):
        advice = closest(name, names) + hint
        raise SpecificationError(f"there is no {what} of this name", found=name, hint=advice)


def _shipped() -> list[Path]:
    return sorted(_SHIPPED.glob("*.agentc"))


def _read(path: Path) -> Specification:
    return read_specification(path, signatures)
