"""Couchbase's `agentc`, another project with the same import name: the two can't share an environment."""

from __future__ import annotations

from importlib import metadata

from agentc.errors import AgentcError

__all__ = ["refuse_other_project"]

_OTHERS = "agentc"


def refuse_other_project() -> None:
    """Refuse to go on where the other distribution is installed too: one may have overwritten the other.

    Raises
    ------
    AgentcError
        If a distribution called ``agentc`` is installed; this project's is ``agentc-workbench``.
    """
    try:
        other = metadata.distribution(_OTHERS)
    except metadata.PackageNotFoundError:
        return
    raise AgentcError(
        "another project's package `agentc` is installed in this environment, under the same import name",
        where=str(other.locate_file("agentc")),
        found=f"{_OTHERS} {other.version}: {other.metadata['Summary'] or 'no summary'}",
        hint="pip uninstall agentc, then install agentc-workbench again; or give each its own environment",
    )
