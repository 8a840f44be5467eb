"""The battery a faulty engine has to get past: tables, case files, brute force and the reference.

Every probe raises `Disagreement` at the first thing that is wrong. Specifications are copied for every
engine, so that nothing prepared under a fault outlives it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any

from agentc.dsl import nodes as N
from agentc.logic.engine import Engine, Limits, Partial
from agentc.logic.fold import AtomFold
from agentc.trace.event import Event, reading
from tests.cases_format import FIELDS, SHARED, load
from tests.examples import EXAMPLES, Example
from tests.logic.worlds import (
    completable,
    completions,
    outputs_of,
    random_call,
    random_event,
    random_spec,
    random_trace,
    truth,
)
from tests.run_cases import accepts, by_engine, compare

__all__ = ["LETTERS", "RANDOM", "Disagreement", "agree", "fresh", "good_witness", "memory", "said"]

LIMITS = Limits(rlimit=400_000, timeout_ms=2_000)
LETTERS = {"SAT": "T", "UNSAT": "F", "UNKNOWN": "?"}
ALLOWED = {"S": {"SAT"}, "U": {"UNSAT"}, "?": {"UNKNOWN"}, "x": {"UNSAT", "UNKNOWN"}}


class Disagreement(Exception):
    """The engine said something wrong."""


def agree(holds: bool, *what: Any) -> None:
    if not holds:
        raise Disagreement(*what)


def fresh(spec: N.Specification, events: Sequence[Event] = (), paranoid: bool = False) -> Engine:
    """Return an engine of a copy of the specification, after some events."""
    engine = Engine(replace(spec), paranoid=paranoid, limits=LIMITS)
    for event in events:
        engine.push(event)
    return engine


def said(answer: Any) -> str:
    return str(answer.verdict)


def good_witness(spec: N.Specification, past: Sequence[Event], answer: Any, real: int = 0) -> None:
    """A SAT's witness replays, and the tools accept its calls; the first `real` of them are given."""
    agree(truth(spec, [*past, *answer.witness]) == "SAT", "witness", past, answer)
    made_up = [e for e in answer.witness[real:] if not e.is_message]
    agree(spec.tools is None or all(accepts(spec.tools, e) for e in made_up), "not accepted", answer)


# ---------------------------------------------------------------- the example table, and the case files


def the_table() -> None:
    for example in EXAMPLES:
        judge, closed = fresh(example.spec, paranoid=True), ""
        for i, letter in enumerate(example.prefix):
            if i:
                _checked(judge, example, i)
                judge.push(example.events[i - 1])
            closed += LETTERS[said(judge.closed())]
            answer = judge.prefix()
            agree(said(answer) in ALLOWED[letter], example.name, i, answer)
            if letter == "S":
                good_witness(example.spec, example.events[:i], answer)
        agree(closed == example.closed, example.name, closed)


def _checked(judge: Engine, example: Example, i: int) -> None:
    """The call is let through if it can be; what is refused had to be."""
    event, before, after = example.events[i - 1], example.prefix[i - 1], example.prefix[i]
    if not event.error and not event.is_message:
        answer = said(judge.check(event))
        agree(answer == "SAT" or after != "S" or before != "S", example.name, i, "check", answer)
        agree(answer != "SAT" or before == "S", example.name, i, "check", answer)


def the_case_files() -> None:
    for file in sorted(SHARED.glob("*.jsonl")):
        for case in islice(load(file), 0, None, 1 if file.stem == "corner" else 12):
            for spec, names in ((case.spec, FIELDS[:3]), (case.finite, FIELDS[3:])):
                asked = [name for name in names if name in case.expected]
                got = by_engine(fresh(spec), case, asked)
                found = [d for name in asked for d in compare(case, name, got[name], spec)]
                found = [d for d in found if d.expected is not None or "witness" in d.got]
                agree(not found, *map(str, found[:1]))


# ---------------------------------------------------------------- at random, against all there is to try


def closed_verdicts() -> None:
    for seed in range(120):
        rng = Random(f"closed {seed}")
        spec, trace = random_spec(rng), random_trace(rng, 6, failing=True)
        judge = fresh(spec)
        for i in range(len(trace) + 1):
            if i:
                judge.push(trace[i - 1])
            mine, true = said(judge.closed()), truth(spec, trace[:i])
            agree(true in {mine, "UNKNOWN"}, seed, i, mine, true)


def prefix_verdicts() -> None:
    for seed in range(35):
        rng = Random(f"prefix {seed}")
        spec, trace = random_spec(rng, 2), random_trace(rng)
        judge = fresh(spec)
        for i in range(len(trace) + 1):
            if i:
                judge.push(trace[i - 1])
            against_brute_force(spec, trace[:i], judge, rng)


def against_brute_force(spec: N.Specification, past: Sequence[Event], judge: Engine, rng: Random) -> None:
    """Hold a prefix verdict, a check and a partial check against all there is to try."""
    answer = judge.prefix()
    _decided(answer)
    if said(answer) == "SAT":
        good_witness(spec, past, answer)
    agree(said(answer) != "UNSAT" or not completable(spec, past, 2), "prefix", past)
    call = random_call(rng)
    answer = judge.check(replace(call, output="ok", error=True))
    _decided(answer)
    if said(answer) == "SAT" and answer.witness:
        good_witness(spec, past, answer, 1)
    if said(answer) == "UNSAT":
        agree(not any(completable(spec, [*past, e], 1) for e in outputs_of(call)), "check", past, call)
    known = {a: v for a, v in call.args.items() if rng.random() < 0.5}
    answer = judge.check_partial(Partial(call.tool, known, state=call.state))
    _decided(answer)
    if said(answer) == "UNSAT":
        tried = completions(call.tool, known, call.state[reading("level")])
        agree(not any(completable(spec, [*past, e], 1) for e in tried), "partial", past, call.tool, known)


def _decided(answer: Any) -> None:
    """UNKNOWN is for want of a bound or of budget, never for want of care."""
    reason = answer.reason
    agree(said(answer) != "UNKNOWN" or "bound" in reason or "gave up" in reason, "undecided", reason)


# ---------------------------------------------------------------- memory: what is taken back


def memory(engine: Engine) -> list[Any]:
    """Return all an engine remembers of its trace, in a form that compares."""
    return [engine.events[:], *(_remembered(atom) for atom in engine.atoms)]


def _remembered(atom: AtomFold) -> tuple[Any, ...]:
    stores = [s for s in (atom.store, atom.doubtful) if s is not None]
    kept = [{name: tuple(e.positions) for name, e in store.entries.items()} for store in stores]
    found = [{name for bucket in store._buckets.values() for name in bucket} for store in stores]
    answered = {t: sorted(by) for t, by in atom.answered.items()}
    return atom.settled, atom.doubt is None, tuple(atom.evidence), dict(atom.witness), answered, kept, found


def taking_back() -> None:
    for seed in range(60):
        rng = Random(f"undo {seed}")
        spec, kept = random_spec(rng, 2), list[Event]()
        judge = fresh(spec)
        for _ in range(14):
            if kept and rng.random() < 0.45:
                agree(judge.pop() == kept.pop(), "popped another event")
            else:
                kept.append(random_event(rng, failing=True))
                judge.push(kept[-1])
            again = fresh(spec, kept)
            agree(memory(judge) == memory(again), "memory", seed, kept)
            agree(said(judge.closed()) == said(again.closed()), "closed", seed, kept)


def futures_after_taking_back() -> None:
    for seed in range(30):
        rng = Random(f"futures {seed}")
        spec, kept = random_spec(rng, 2), list[Event]()
        judge = fresh(spec)
        for _ in range(8):
            if kept and rng.random() < 0.4:
                judge.pop()
                kept.pop()
            else:
                kept.append(random_call(rng))
                judge.push(kept[-1])
            mine = judge.prefix()
            agree(said(mine) == said(fresh(spec, kept).prefix()), "prefix", seed, kept)
            if said(mine) == "SAT":
                good_witness(spec, kept, mine)


def questions_leave_no_trace() -> None:
    for seed in range(25):
        rng = Random(f"questions {seed}")
        spec, trace = random_spec(rng, 2), random_trace(rng)
        judge = fresh(spec, trace)
        before = memory(judge)
        for ask in questions(judge, random_call(rng)):
            ask()
            agree(memory(judge) == before, "a question changed the trace", seed)


def questions(judge: Engine, call: Event) -> list[Callable[[], Any]]:
    return [
        lambda: judge.check(call),
        lambda: judge.check(call, outputs="all"),
        lambda: judge.check_partial(Partial(call.tool, {}, state=call.state)),
        judge.prefix,
        lambda: judge.prefix((0,)),
        judge.settled,
    ]


RANDOM = (
    the_table,
    closed_verdicts,
    taking_back,
    questions_leave_no_trace,
    the_case_files,
    prefix_verdicts,
    futures_after_taking_back,
)
