"""The engine that decides: an incremental fold over the trace, Z3 on what is left, and a bounded look at the
future."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import z3

from agentc.dsl import nodes as n
from agentc.errors import InternalError, SpecificationError, shorten
from agentc.logic.bound import literals
from agentc.logic.fold import AtomFold, Match, fold
from agentc.logic.future import Answer, Limits, Question, Verdict, possible
from agentc.logic.leaves import Undecided, leaves, needed_readings, resolve
from agentc.logic.outputs import every_output
from agentc.logic.prefix import Futures
from agentc.logic.program import Program
from agentc.logic.reference import Undecided as ReferenceUndecided
from agentc.logic.reference import closed
from agentc.logic.schema import accepted
from agentc.logic.skeleton import Values, connect
from agentc.logic.slots import Partial
from agentc.logic.store import Trail
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event, Reading
from agentc.trace.values import JSON, MISSING

__all__ = ["Answer", "Engine", "Limits", "Partial", "Verdict"]

_Plan = tuple[tuple[AtomFold, Match | None, Match | None], ...]


class Engine:
    """Judges a growing trace against a specification.

    Parameters
    ----------
    spec : Specification
        Checked already; its `tools` limit what future calls may be.
    paranoid : bool
        Rebuild the fold from the trace at every verdict, anew and without index, and insist on the same.
    limits : Limits
    program : Program or None
        The specification, prepared; None: the one that all its sessions share.

    Notes
    -----
    Pushing an event costs what its own constraints cost, whatever the length of the trace.
    """

    def __init__(
        self,
        spec: n.Specification,
        paranoid: bool = False,
        limits: Limits | None = None,
        program: Program | None = None,
    ) -> None:
        self.spec, self.paranoid, self.limits = spec, paranoid, limits or Limits()
        self.tools = spec.tools if spec.tools is not None else ToolSet()
        self.program = program or Program.of(spec)
        self.interner, self.skeleton = self.program.interner, self.program.skeleton
        self.events: list[Event] = []
        self.atoms = [fold(self.program, i) for i in range(len(self.program.atoms))]
        self.folds: dict[n.Temporal, AtomFold] = {f.node: f for f in self.atoms}
        self._trails: list[Trail] = []
        self._plans: dict[tuple[str, bool], _Plan] = {}
        self._completions: dict[tuple[str, frozenset[str]], Event] = {}
        self.futures = Futures(
            self.folds, spec.tools, self.interner, self.limits, self._replay, self._supposing_made_up
        )

    # ------------------------------------------------------------ the trace

    def push(self, event: Event) -> None:
        """Append a finished event."""
        trail: Trail = []
        position = len(self.events)
        try:
            for atom, first, second in self._plan(event):
                atom.step(event, position, first, second, trail)
        except BaseException:  # a value that is no JSON, say: no formula may have seen half an event
            _take_back(trail)
            raise
        self.events.append(event)
        self._trails.append(trail)

    def pop(self) -> Event:
        """Take the last event back."""
        event = self._undo()
        self.futures.forget(len(self.events))
        return event

    def _undo(self) -> Event:
        _take_back(self._trails.pop())
        return self.events.pop()

    def _plan(self, event: Event) -> _Plan:
        plan = self._plans.get((event.tool, event.error))
        if plan is None:
            plan = self._plans[event.tool, event.error] = tuple(self._matches(event))
        return plan

    def _matches(self, event: Event) -> Iterator[tuple[AtomFold, Match | None, Match | None]]:
        for atom in self.atoms:
            first = atom.match("first", event, self.tools)
            second = atom.match("second", event, self.tools) if atom.store is not None else None
            if first or second:
                yield atom, first, second

    def readings(self, tool: str, args: Mapping[str, JSON], complete: bool = True) -> list[Reading]:
        """Return the state readings the specification needs of a call, to be taken just before it runs.

        With `complete` False, only those whose own arguments are there already.
        """
        event = Event(tool, args)
        needed: dict[Reading, None] = {}
        for atom, first, second in self._plan(event):
            for role, match, formula in _read_by(atom, first, second):
                branch = atom.pattern(role).branches[match.branch]
                needed.update(dict.fromkeys(needed_readings(formula, branch, role, event, complete)))
        return list(needed)

    # ------------------------------------------------------------ verdicts

    def closed(self, constraints: Sequence[int] | None = None) -> Answer:
        """Judge the trace as it stands, with nothing after it."""
        self._paranoia()
        values, doubt = self._now(constraints)
        if not self.skeleton.satisfiable(values, constraints):
            return Answer(Verdict.UNSAT, core=self.skeleton.core(values, constraints))
        if doubt is None or self.skeleton.valid(values, constraints):
            return Answer(Verdict.SAT)
        return Answer(Verdict.UNKNOWN, doubt.reason)

    def prefix(self, constraints: Sequence[int] | None = None) -> Answer:
        """Judge whether some finite continuation satisfies the constraints (default: all of them)."""
        now = self._without_future(constraints)
        if now is not None:
            return now
        return self._future(constraints, None)

    def _without_future(self, constraints: Sequence[int] | None) -> Answer | None:
        """Return the prefix verdict where the fold alone decides it, else None."""
        now = self.closed(constraints)
        if now.verdict is Verdict.SAT:
            return now
        settled = self._settled(constraints)
        if not self.skeleton.satisfiable(settled, constraints):
            return Answer(Verdict.UNSAT, core=self.skeleton.core(settled, constraints))
        return now if now.verdict is Verdict.UNKNOWN else None

    def check(self, call: Event, outputs: str = "some") -> Answer:
        """Judge a proposed call before it runs: its output is unknown, and it is assumed to succeed.

        Parameters
        ----------
        call : Event
            With the state readings it needs; output and error are ignored.
        outputs : {"some", "all"}
            Whether some output, or every output, must keep the prefix SAT.
        """
        if outputs not in ("some", "all"):
            raise SpecificationError(
                "a check is for `some` output or for `all`",
                found=shorten(repr(outputs)),
                hint='outputs="all"',
            )
        bare = replace(call, output=MISSING, error=False)
        some = self._some_output(bare)
        if outputs == "some" or some.verdict is not Verdict.SAT or not self._output_matters(bare, later=True):
            return some
        known = Partial(call.tool, call.args, complete=True, state=call.state)
        answer = every_output(
            self._question(self._near(known), known), lambda event: self._supposing(event, None)
        )
        if answer.verdict is Verdict.SAT and self.closed().verdict is not Verdict.SAT:
            return Answer(Verdict.UNKNOWN, "some output might forbid what is still owed")
        return answer

    def _some_output(self, bare: Event) -> Answer:
        if not self._output_matters(bare):
            self.push(bare)
            try:
                now = self._without_future(None)
            finally:
                self.pop()
            if now is not None:
                return now
        return self.check_partial(Partial(bare.tool, bare.args, complete=True, state=bare.state))

    def check_partial(self, call: Partial, constraints: Sequence[int] | None = None) -> Answer:
        """Judge a call that is still being written: can some completion of it keep the prefix SAT?

        Notes
        -----
        First the completion that served last time is judged like a finished call. Then Z3 is asked what the
        call settles itself, and the completion it proposes is judged so. Only if that one fails is every
        completion put to the future together.
        """
        self._paranoia()
        settled = self._settled(constraints)
        if not self.skeleton.satisfiable(settled, constraints):
            return Answer(Verdict.UNSAT, core=self.skeleton.core(settled, constraints))
        before = self._as_before(call, constraints)
        if before is not None:
            return before
        near = self._near(call, constraints)
        answer = possible(self._question(near, call), lambda event: self._completed(call, event, constraints))
        if answer.verdict is Verdict.UNSAT:
            return replace(answer, core=tuple(near))
        if answer.verdict is Verdict.SAT:
            self._completions[call.tool, frozenset(call.args)] = answer.witness[0]
            return answer
        later = self._future(constraints, call)
        return replace(later, reason=answer.reason or later.reason) if later.reason else later

    def _as_before(self, call: Partial, constraints: Sequence[int] | None) -> Answer | None:
        """Try what last completed a call with the same arguments finished: SAT if it still does, else
        nothing."""
        last = self._completions.get((call.tool, frozenset(call.args)))
        if last is None or call.complete:
            return None
        event = replace(last, args={**last.args, **call.args}, state={**last.state, **call.state})
        if not accepted(self.spec.tools, event):
            return None
        answer = self._completed(call, event, constraints)
        return answer if answer.verdict is Verdict.SAT else None

    def _near(self, call: Partial, constraints: Sequence[int] | None = None) -> list[int]:
        """Return the constraints a call touches."""
        chosen = range(len(self.spec.constraints)) if constraints is None else constraints
        touched = self._touched(call.event)
        return [j for j in chosen if not touched.isdisjoint(self.program.of_constraint[j])]

    def _completed(self, call: Partial, event: Event, constraints: Sequence[int] | None) -> Answer:
        """Judge a completion of a call; one that was complete gets no reading nobody took."""
        return self._supposing(event if call.complete else self._with_readings(event), constraints)

    def _supposing(self, event: Event, constraints: Sequence[int] | None) -> Answer:
        """Judge the trace as if the event had happened; a SAT's witness begins with it."""
        self.push(event)
        try:
            answer = self.prefix(constraints)
        finally:
            self.pop()
        return replace(answer, witness=(event, *answer.witness)) if answer.verdict is Verdict.SAT else answer

    def _question(self, constraints: Sequence[int], known: Partial) -> Question:
        formula = n.And(tuple(self.spec.constraints[j].formula for j in constraints))
        limits = self.limits if known.complete else self.limits.for_partial()
        return Question(
            formula,
            self.folds,
            self.spec.tools,
            self.interner,
            limits,
            lambda events: self._replay(formula, events, known),
            (),
            known,
        )

    def settled(self) -> bool | None:
        """Return whether no continuation changes the closed verdict; None if the solver can't tell."""
        prefix = self.prefix()
        if prefix.verdict is not Verdict.SAT:
            return True if prefix.verdict is Verdict.UNSAT else None
        if self.closed().verdict is not Verdict.SAT:
            return False
        opposite = n.Not(n.And(tuple(c.formula for c in self.spec.constraints)))
        verdict = self.futures.ask((-1,), [opposite], [0], None, len(self.events)).verdict
        return None if verdict is Verdict.UNKNOWN else verdict is Verdict.UNSAT

    def fault(self, constraint: int) -> tuple[int, ...]:
        """Return which temporal formulas (by position in `folds`) settle a constraint false."""
        return self.skeleton.fault(self._settled((constraint,)), constraint)

    # ------------------------------------------------------------ pieces

    def _now(self, constraints: Sequence[int] | None = None) -> tuple[Values, Undecided | None]:
        values: list[bool | None] = []
        doubt = None
        for atom in self._atoms_of(constraints):
            now = atom.now
            if isinstance(now, Undecided):
                doubt = doubt or now
                values.append(None)
            else:
                values.append(now)
        return tuple(values), doubt

    def _settled(self, constraints: Sequence[int] | None = None) -> Values:
        return tuple(f.settled for f in self._atoms_of(constraints))

    def _atoms_of(self, constraints: Sequence[int] | None) -> Sequence[AtomFold]:
        if constraints is None:
            return self.atoms
        return [self.atoms[i] for i in self.skeleton.atoms_of(constraints)]

    def _output_matters(self, call: Event, later: bool = False) -> bool:
        """Return whether a formula reads this call's output now, or (`later`) may read it at a later call."""
        for atom, first, second in self._plan(call):
            if isinstance(atom.node, n.Forall) or (isinstance(atom.node, n.Before) and not later):
                continue
            for role, match, formula in _read_by(atom, first, second):
                branch = atom.pattern(role).branches[match.branch]
                if any(isinstance(leaf, n.Output) for leaf in leaves(resolve(formula, branch, branch), role)):
                    return True
        return False

    def _future(self, constraints: Sequence[int] | None, known: Partial | None) -> Answer:
        chosen = tuple(range(len(self.spec.constraints))) if constraints is None else tuple(constraints)
        touched = self._touched(known.event) if known else frozenset[int]()
        live = [
            i
            for i, j in enumerate(chosen)
            if not self.skeleton.satisfiable(self._now((j,))[0], (j,))
            or not touched.isdisjoint(self.program.of_constraint[j])
        ]
        answer = self.futures.ask(
            chosen, [self.spec.constraints[j].formula for j in chosen], live, known, len(self.events)
        )
        if answer.verdict is Verdict.UNSAT:
            return replace(answer, core=tuple(chosen[i] for i in answer.core))
        return replace(answer, witness=self._filled(answer.witness, known))

    def _touched(self, call: Event) -> frozenset[int]:
        return frozenset(atom.index for atom, _, _ in self._plan(call))

    def _replay(self, formula: n.Formula, events: Sequence[Event], known: Partial | None = None) -> bool:
        """Return whether a continuation satisfies a formula: by the reference evaluator, on long traces by
        the fold."""
        filled = self._filled(events, known)
        if len(self.events) > self.limits.replayed:
            return self._suppose(filled, lambda: self._holds(formula))
        try:
            return closed(formula, [*self.events, *filled], self.spec.tools)
        except ReferenceUndecided:
            return False

    def _holds(self, formula: n.Formula) -> bool:
        """Return whether a formula is true by the folds as they stand."""
        now = {fold.node: fold.now for fold in self.atoms}
        if any(isinstance(now[atom], Undecided) for atom, _ in literals(formula)):
            return False
        return z3.is_true(z3.simplify(connect(formula, lambda atom: z3.BoolVal(now[atom] is True))))

    def _suppose(self, events: Sequence[Event], question: Callable[[], bool]) -> bool:
        """Put a question as if the events had happened."""
        length = len(self.events)
        try:
            for event in events:
                self.push(event)
            return question()
        finally:
            while len(self.events) > length:
                self._undo()

    def _supposing_made_up(self, events: Sequence[Event], question: Callable[[], bool]) -> bool:
        return self._suppose(self._filled(events, None), question)

    def _filled(self, events: Sequence[Event], known: Partial | None) -> tuple[Event, ...]:
        """Give events that are made up their readings; a complete call keeps only what was really read."""
        real = 1 if known is not None and known.complete else 0
        return (*events[:real], *(self._with_readings(e) for e in events[real:]))

    def _with_readings(self, event: Event) -> Event:
        """Give a made-up event the readings it was never asked for: nothing was found."""
        needed = dict.fromkeys(self.readings(event.tool, event.args), MISSING)
        return replace(event, state={**needed, **event.state})

    def _paranoia(self) -> None:
        if not self.paranoid:
            return
        fresh = Engine(self.spec, limits=self.limits, program=Program(self.spec))
        for atom in fresh.atoms:
            atom.scan()
        for event in self.events:
            fresh.push(event)
        for mine, theirs in zip(self.atoms, fresh.atoms, strict=True):
            if mine.state != theirs.state:
                raise InternalError(
                    "the fold and a fold made anew, without index or memory, disagree",
                    found=f"{mine.state} is not {theirs.state}",
                    hint="please report it with the specification and the trace",
                )


def _take_back(trail: Trail) -> None:
    for undo in reversed(trail):
        undo()


def _read_by(
    atom: AtomFold, first: Match | None, second: Match | None
) -> Iterator[tuple[n.Role, Match, n.Formula]]:
    """Yield each data formula that reads an event, with the role it reads it in."""
    if first is not None:
        yield "first", first, atom.when
        if atom.store is not None:
            yield "first", first, atom.node.where
    if second is not None:
        yield "second", second, atom.node.where
