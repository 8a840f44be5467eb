"""Looking at traces: the notebook widget, pages that work from disk, and the ``%%policy`` cell.

Nothing here needs a notebook until `TraceView` or the magic is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agentc.domains.domain import Domain
from agentc.dsl.nodes import Specification
from agentc.errors import AgentcError
from agentc.monitor import Session
from agentc.trace.event import Event, Trace
from agentc.view.looked_at import LookedAt
from agentc.view.subject import subject_of

if TYPE_CHECKING:
    from agentc.view.report import Report
    from agentc.view.widget import TraceView

__all__ = ["Report", "TraceView", "trace_to_html"]


def trace_to_html(
    what: Session | Trace | Sequence[Event],
    spec: Specification | None = None,
    domain: Domain | str | None = None,
) -> str:
    """Return a trace as one HTML document: `TraceView` without a kernel, working from disk, with no request.

    Parameters
    ----------
    what, spec, domain
        As in `TraceView`.

    >>> from agentc.dsl.parse import parse_specification
    >>> from agentc.trace.event import call
    >>> spec = parse_specification('constraint safe: Forall(rm(path=p), p != "/root")')
    >>> "Content-Security-Policy" in trace_to_html([call("rm", path="/root")], spec)
    True
    """
    return LookedAt(subject_of(what, spec, domain)).page()


def __getattr__(name: str) -> Any:
    if name == "Report":
        from agentc.view.report import Report

        return Report
    if name != "TraceView":
        raise AttributeError(f"`agentc.view` has no `{name}`")
    try:
        from agentc.view.widget import TraceView
    except ModuleNotFoundError as missing:
        raise AgentcError(
            "the trace widget needs the notebook libraries",
            found=f"no module `{missing.name}`",
            hint="pip install 'agentc-workbench[notebook]'; or `agentc.view.trace_to_html`, which needs none",
        ) from None
    return TraceView
