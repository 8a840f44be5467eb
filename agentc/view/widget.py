"""The trace widget: a recorded trace, or a session, stepped through in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets as t

from agentc.domains.domain import Domain
from agentc.dsl.nodes import Specification
from agentc.logic.engine import Limits
from agentc.monitor import Judgement, Session
from agentc.trace.event import Event, Trace
from agentc.trace.files import replacing
from agentc.view.looked_at import LookedAt
from agentc.view.modules import script, style
from agentc.view.subject import subject_of

__all__ = ["TraceView"]


class TraceView(anywidget.AnyWidget):
    """Step through a trace: every constraint's verdict at every event, and why.

    Parameters
    ----------
    what : Session, Trace or sequence of Event
    spec : Specification
        What the trace is judged by; a session has its own.
    domain : str or Domain, optional
        Where the state that `spec` reads comes from, by running the trace again; by default the
        specification's own domain. ``"none"``: only from what was recorded. A session has read its own.
    proposed : Judgement, optional
        With a session: what its `check` said of a call that has not run; shown last.
    limits : Limits, optional
        Budgets of the solver, for each question; by default a session's own.

    Attributes
    ----------
    cursor : int
        0-based position of the event that is looked at; follows the mouse and the keyboard, and can be set.
    constraint : str
        Name of the constraint that is looked at, or empty.

    Raises
    ------
    SpecificationError, TraceError, DomainError
        As `agentc.view.subject.subject_of` says.

    Notes
    -----
    All verdicts are computed before it is shown (`agentc.view.judged.judge`); what the solver is asked
    (obligations, repairs) is computed for the event that is looked at. Of very long values only the beginning
    is sent to the browser; `selected` has all.

    >>> import agentc
    >>> spec = agentc.parse_specification('constraint safe: Forall(rm(path=p), p != "/root")')
    >>> view = TraceView([agentc.call("ls"), agentc.call("rm", path="/root")], spec)
    >>> view.cursor, view.selected.tool
    (1, 'rm')
    """

    _esm = script()
    _css = style()
    events: t.List = t.List().tag(sync=True)
    verdicts = t.Dict().tag(sync=True)
    why = t.Dict().tag(sync=True)
    cursor = t.Int(0).tag(sync=True)
    constraint = t.Unicode("").tag(sync=True)
    live = t.Bool(True).tag(sync=True)

    def __init__(
        self,
        what: Session | Trace | Sequence[Event],
        spec: Specification | None = None,
        *,
        domain: Domain | str | None = None,
        proposed: Judgement | None = None,
        limits: Limits | None = None,
    ) -> None:
        own = what.engine.limits if isinstance(what, Session) else None
        self._what, self._limits = what, limits or own
        self._looked_at = LookedAt(subject_of(what, spec, domain, proposed), self._limits)
        super().__init__(cursor=self._looked_at.start)
        self._show()

    @property
    def selected(self) -> Event:
        """The event that is looked at, whole."""
        return self._looked_at.subject.events[self.cursor]

    @property
    def divergences(self) -> tuple[Any, ...]:
        """Where running the trace again on its domain came out differently."""
        return self._looked_at.subject.divergences

    def refresh(self) -> None:
        """Show what a session's run has become since; a trace stays as it was."""
        if isinstance(self._what, Session):
            self._looked_at = LookedAt(subject_of(self._what), self._limits)
            self.cursor = min(self.cursor, max(len(self._looked_at.subject.events) - 1, 0))
            self._show()

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the view as one HTML document that works from disk and makes no request.

        Parameters
        ----------
        path : str or path, optional
            Write it there too; the file is whole, or as it was before.

        Raises
        ------
        TraceError
            If the file can't be written.
        """
        text = self._looked_at.page(self.cursor)
        if path is not None:
            with replacing(path) as put:
                put(text)
        return text

    def _show(self) -> None:
        with self.hold_sync():
            self.events = self._looked_at.events()
            self.verdicts = self._looked_at.verdicts()
            self._explain()

    @t.validate("cursor")
    def _within(self, proposal: Any) -> int:
        return max(0, min(proposal["value"], len(self._looked_at.subject.events) - 1))

    @t.validate("constraint")
    def _known(self, proposal: Any) -> str:
        names = {c.name for c in self._looked_at.subject.spec.constraints}
        return proposal["value"] if proposal["value"] in names else ""

    @t.observe("cursor")
    def _explain(self, _: Any = None) -> None:
        known = self._looked_at.subject.events
        self.why = {str(self.cursor): self._looked_at.why(self.cursor)} if known else {}

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict] | None:
        found = super()._repr_mimebundle_(**kwargs)
        if found is None:
            return None
        data, metadata = found
        plain = {"text/plain": self._looked_at.plain_text(), "text/html": self._looked_at.plain_html()}
        return {**data, **plain}, metadata

    def __repr__(self) -> str:
        return self._looked_at.plain_text()
