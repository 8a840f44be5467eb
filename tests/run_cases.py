"""Run case files against an engine: ``python tests/run_cases.py FILE... [--engine z3]``.

Prints every verdict that isn't the file's and ends with ``N cases, M disagreements``; exit status 1 if M > 0.
Two kinds of difference are set apart and counted by themselves, each made sure of: see `case_reasons`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema

sys.path.insert(0, str(Path(__file__).parents[1]))

from agentc.dsl import nodes as N
from agentc.logic import reference
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event
from agentc.trace.values import MISSING
from tests.case_reasons import proved_without_bound, rests_on_absent
from tests.cases_format import FIELDS, NEVER, Case, load

WRONG = "wrong"
PROVED = "UNSAT where the file certifies nothing; so says a query without any bound on the future"
ABSENT = "the file's own witness needs an absent argument to equal an absent one"
Run = Callable[[Case, N.Specification, Sequence[str]], dict[str, list[Any]]]
SUPPORTED = {"reference": ("closed",), "z3": FIELDS, "quantified": ("closed", "prefix", "prefix_fin")}


@dataclass(frozen=True)
class Disagreement:
    """One verdict that isn't the file's. `index` counts events: 0 is the empty trace."""

    case: str
    field: str
    index: int
    expected: bool | None
    got: str

    def __str__(self) -> str:
        return f"{self.case}: {self.field}[{self.index}]: expected {self.expected}, got {self.got}"


def compare(case: Case, name: str, got: Sequence[Any], spec: N.Specification) -> Iterator[Disagreement]:
    """Yield where the verdicts in `got` (bool, verdict or Answer) differ from the file's."""
    for i, (want, have) in enumerate(zip(case.expected[name], got, strict=True)):
        fault = verdict_fault(want, have)
        if not fault and said(have) == "SAT" and hasattr(have, "witness"):
            precall = name == "precall" and i > 0
            witness = witness_of(case, i, have) if precall else have.witness
            fault = witness_fault(spec, case.events[: i - precall], witness)
        if fault:
            yield Disagreement(case.id, name, i, want, fault)


def said(have: Any) -> str:
    """Return "SAT", "UNSAT" or "UNKNOWN" for a bool, a verdict or an answer that carries one."""
    if isinstance(have, bool):
        return "SAT" if have else "UNSAT"
    verdict = getattr(have, "verdict", have)
    return str(getattr(verdict, "value", verdict))


def verdict_fault(want: bool | None, have: Any) -> str:
    """Return what is wrong with a verdict, or "". Where the file says null, anything but UNSAT agrees."""
    verdict = said(have)
    if verdict != "UNSAT" if want is None else verdict == ("SAT" if want else "UNSAT"):
        return ""
    reason = getattr(have, "reason", "")
    return f"{verdict} ({reason})" if reason else verdict


def witness_of(case: Case, i: int, have: Any) -> tuple[Event, ...]:
    """Return the call whose output was not known, and what follows it; no witness: nothing has to."""
    call = unknown_output(case.events[i - 1])
    if not have.witness:
        return (call,)
    first = have.witness[0]
    kept = first.tool == call.tool and dict(first.args) == dict(call.args)
    return tuple(have.witness) if kept else (call, *have.witness)


def witness_fault(spec: N.Specification, past: Iterable[Event], witness: Sequence[Event]) -> str:
    """Return what is wrong with a witness continuation, or "": calls the tools accept, and that replay."""
    refused = [e for e in witness if spec.tools is not None and not accepts(spec.tools, e)]
    if refused:
        return f"SAT by a call the tools don't accept: {refused[0]}"
    return "" if reference.conforms(spec, [*past, *witness]) else f"SAT by a witness that fails: {witness}"


def accepts(tools: ToolSet, event: Event) -> bool:
    """Return whether the tools' schemas accept the event's arguments and output."""
    if event.tool not in tools:
        return False
    tool = tools[event.tool]
    if not validator(tool.parameters).is_valid(dict(event.args)):
        return False
    output = tool.output if tool.output is not None else {}
    if event.output is MISSING:
        return event.error or output in ({}, NEVER) or NEVER in output.get("anyOf", ())
    return event.error or validator(output).is_valid(event.output)


VALIDATORS: dict[int, tuple[Any, jsonschema.Draft202012Validator]] = {}


def validator(schema: Any) -> jsonschema.Draft202012Validator:
    """Return the schema's validator; kept beside its schema, so that the key stays its own."""
    return VALIDATORS.setdefault(id(schema), (schema, jsonschema.Draft202012Validator(schema)))[1]


# ---------------------------------------------------------------- what each engine says


def by_reference(case: Case, spec: N.Specification, names: Sequence[str]) -> dict[str, list[Any]]:
    verdicts = [reference.conforms(spec, case.events[:i]) for i in range(len(case.events) + 1)]
    return dict.fromkeys(names, verdicts)


def by_engine(engine: Any, case: Case, names: Sequence[str]) -> dict[str, list[Any]]:
    """Push the trace event by event and note every verdict asked for."""
    got: dict[str, list[Any]] = {name: [] for name in names}
    ask = {"closed": engine.closed, "prefix": engine.prefix, "prefix_fin": engine.prefix}
    for i in range(len(case.events) + 1):
        if "precall" in names:
            got["precall"].append(engine.check(unknown_output(case.events[i - 1])) if i else engine.prefix())
        if i:
            engine.push(case.events[i - 1])
        for name in names:
            if name in ask:
                got[name].append(ask[name]())
    return got


def unknown_output(event: Event) -> Event:
    return replace(event, output=MISSING)


def runner(engine: str, paranoid: bool = False, timeout_ms: int = 120_000) -> Run:
    if engine == "reference":
        return by_reference
    if engine == "quantified":
        from agentc.logic.quantified import QuantifiedEngine

        return lambda case, spec, names: by_engine(QuantifiedEngine(spec, timeout_ms), case, names)
    from agentc.logic.engine import Engine

    return lambda case, spec, names: by_engine(Engine(spec, paranoid=paranoid), case, names)


def disagreements(case: Case, run: Run, fields: Sequence[str]) -> list[Disagreement]:
    """Return what the engine gets wrong of one case; `prefix_fin` runs over the case's finite domain."""
    asked = [name for name in fields if name in case.expected]
    found: list[Disagreement] = []
    for spec, names in (
        (case.spec, [n for n in asked if n != "prefix_fin"]),
        (case.finite, [n for n in asked if n == "prefix_fin"]),
    ):
        if names:
            got = run(case, spec, names)
            found += [d for name in names for d in compare(case, name, got[name], spec)]
    return found


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--engine", choices=tuple(SUPPORTED), default="z3")
    parser.add_argument("--paranoid", action="store_true", help="rebuild the whole query at every step")
    parser.add_argument("--timeout-ms", type=int, default=120_000, help="of one quantified query")
    parser.add_argument("--limit", type=int, help="run only the first N cases of each file")
    parser.add_argument("--fields", help=f"comma-separated: {','.join(FIELDS)}")
    args = parser.parse_args(argv)
    fields = [f for f in (args.fields.split(",") if args.fields else FIELDS) if f in SUPPORTED[args.engine]]
    run, count, tally = runner(args.engine, args.paranoid, args.timeout_ms), 0, Counter[str]()
    for case in (c for file in args.files for c in islice(load(file), args.limit)):
        count += 1
        for found in disagreements(case, run, fields):
            kind = judged(case, found)
            tally[kind] += 1
            print(found if kind == WRONG else f"{found} ({kind})", flush=True)
    for kind in (k for k in (PROVED, ABSENT) if tally[k]):
        print(f"{tally[kind]} verdicts set apart: {kind}")
    print(f"{count} cases, {tally[WRONG]} disagreements")
    return 1 if tally[WRONG] else 0


def judged(case: Case, found: Disagreement) -> str:
    """Return whether a verdict that isn't the file's is wrong, or how it is known to be right."""
    if proved_without_bound(case, found):
        return PROVED
    return ABSENT if rests_on_absent(case, found) else WRONG


if __name__ == "__main__":
    sys.exit(main())
