"""agentc: temporal policies for LLM agents, judged by Z3 at every call.

What a person needs is here by name; everything else has its room (docs/architecture.md). A name is imported
when it is first asked for, so that ``import agentc`` costs next to nothing.

>>> import agentc
>>> files = agentc.Tools()
>>> print(agentc.After(files.open, files.close, where=lambda o, c: o.file == c.file))
After(open as o, True, close as c, o.file == c.file)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

__version__ = "0.1.0"

__all__ = [
    # write a constraint
    "Tools", "Before", "After", "Seq", "Forall", "Exists", "Implies", "output", "absent", "attempted",
    "constraint", "specification", "parse_specification", "load_specification", "analyse",
    # look at it
    "to_text", "to_latex", "to_html", "TraceView",
    # what is judged
    "Event", "Trace", "call", "message", "load_traces", "write_traces", "load_domain", "needed_by", "replay",
    # check a trace
    "Session", "Judgement", "Verdict", "Limits", "audit",
    # what goes wrong
    "AgentcError",
]  # fmt: skip

_HOMES: Final = {
    "agentc.dsl.build": (
        "Tools", "Before", "After", "Seq", "Forall", "Exists", "Implies", "output", "absent", "attempted",
        "constraint", "specification",
    ),
    "agentc.dsl.parse": ("parse_specification",),
    "agentc.dsl.show_text": ("to_text",),
    "agentc.dsl.latex": ("to_latex",),
    "agentc.dsl.html": ("to_html",),
    "agentc.view": ("TraceView",),
    "agentc.logic.analysis": ("analyse",),
    "agentc.trace": ("Event", "Trace", "call", "message", "load_traces", "write_traces"),
    "agentc.domains": ("load_specification", "load_domain", "needed_by", "replay"),
    "agentc.monitor": ("Session", "Judgement", "Verdict", "Limits"),
    "agentc.cli.judging": ("audit",),
    "agentc.errors": ("AgentcError",),
}  # fmt: skip
_OTHERWISE: Final = {"load_domain": "load"}
"""Names that are called something else at home."""

if TYPE_CHECKING:
    from agentc.cli.judging import audit
    from agentc.domains import load as load_domain
    from agentc.domains import load_specification, needed_by, replay
    from agentc.dsl.build import (
        After,
        Before,
        Exists,
        Forall,
        Implies,
        Seq,
        Tools,
        absent,
        attempted,
        constraint,
        output,
        specification,
    )
    from agentc.dsl.html import to_html
    from agentc.dsl.latex import to_latex
    from agentc.dsl.parse import parse_specification
    from agentc.dsl.show_text import to_text
    from agentc.errors import AgentcError
    from agentc.logic.analysis import analyse
    from agentc.monitor import Judgement, Limits, Session, Verdict
    from agentc.trace import Event, Trace, call, load_traces, message, write_traces
    from agentc.view.widget import TraceView


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        from agentc.errors import closest

        raise AttributeError(f"`agentc` has no `{name}`; {closest(name, __all__)}")
    from importlib import import_module

    from agentc.cli.beside import refuse_other_project

    refuse_other_project()
    found = globals()[name] = getattr(import_module(home), _OTHERWISE.get(name, name))
    return found


def load_ipython_extension(shell: Any) -> None:
    """Let ``%load_ext agentc`` bring the ``%%policy`` cell."""
    from agentc.view.policy import load

    load(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
