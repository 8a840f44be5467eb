"""What can be said of a specification before any trace: its class, what can't come true, what can never fire.

The questions are put to the engine itself, about the empty trace; a finding rests on UNSAT from a certified
bound, and what the solver doesn't decide is said to be undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from agentc.dsl import nodes as n
from agentc.logic.bound import coupled, future_bound, literals
from agentc.logic.engine import Engine, Limits, Verdict
from agentc.logic.focus import alone
from agentc.logic.future import Answer, callable_tools
from agentc.logic.reference import closed
from agentc.tools.signature import ToolSet

__all__ = ["Analysis", "ConstraintAnalysis", "Finding", "Kind", "analyse", "kind_of", "needed_events"]

Kind = Literal["safety", "modular", "bounded", "uncertified"]
"""How far the future has to be looked into, from least to most."""

_QUICK: Final = Limits(rlimit=5_000_000, timeout_ms=3_000)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, or suspicious, that was found in a specification.

    Parameters
    ----------
    level : {"error", "warning"}
        An error makes every run end badly, or the specification unusable; a warning may be meant.
    constraint : str
        Its name; several, joined by commas, where only together they are at fault.
    what, hint : str
        What is wrong, and one concrete edit.
    """

    level: Literal["error", "warning"]
    constraint: str
    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ConstraintAnalysis:
    """One constraint's class.

    Parameters
    ----------
    name : str
    kind : Kind
    bound : int or None
        How many further events are enough to satisfy it from the empty trace; None if none is known.
    needed : tuple of str
        Events that it asks for: refusing calls can't make them happen.
    """

    name: str
    kind: Kind
    bound: int | None
    needed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """A specification's constraints, the class of their conjunction, and what was found.

    Parameters
    ----------
    constraints : tuple of ConstraintAnalysis
    kind : Kind
    bound : int or None
        As of a constraint, for all of them together.
    findings : tuple of Finding
    """

    constraints: tuple[ConstraintAnalysis, ...]
    kind: Kind
    bound: int | None
    findings: tuple[Finding, ...]


def analyse(
    spec: n.Specification, limits: Limits | None = None, done: Callable[[], object] = lambda: None
) -> Analysis:
    """Analyse a checked specification.

    Parameters
    ----------
    spec : Specification
    limits : Limits, optional
        Budget of each question to the solver; by default 3 s.
    done : callable, optional
        Called after each constraint, for a progress bar.

    Notes
    -----
    The classes, in negation normal form: **safety** has only Before and Forall, and negated Exists and Seq: a
    bad event can be refused and no future is needed. **modular**: obligations can be met one by one, each in
    a future of a known length. **bounded**: a future of a known length is enough for all of them together.
    **uncertified**: no such length is known, so that verdicts may be UNKNOWN.

    Examples
    --------
    >>> from agentc.dsl.parse import parse_specification
    >>> found = analyse(parse_specification('''
    ... tool open(file: string)
    ... tool close(file: string)
    ... constraint closed: "Close what you open." After(open(f), True, close(g), f == g)
    ... constraint odd: "Never open both." Forall(open as o, o.file != "a" | o.file != "b")
    ... '''))
    >>> found.kind, found.constraints[0].needed
    ('modular', ('once `open` was called, a call of `close` that fits it',))
    >>> print(found.findings[0].what)
    it can never be broken: every call of `open` that the tools accept satisfies it
    """
    found = _Findings(spec, limits or _QUICK)
    described = []
    for constraint in spec.constraints:
        kind, bound = _class((constraint.formula,), spec.tools)
        described.append(ConstraintAnalysis(constraint.name, kind, bound, needed_events(constraint.formula)))
        found.of(constraint)
        done()
    found.together()
    kind, bound = _class(tuple(c.formula for c in spec.constraints), spec.tools)
    return Analysis(tuple(described), kind, bound, tuple(found.found))


# ---------------------------------------------------------------- classes


def kind_of(formula: n.Formula, tools: ToolSet | None = None) -> Kind:
    """Return the class of a temporal formula.

    >>> from agentc.dsl.parse import parse_formula
    >>> [kind_of(parse_formula(f)) for f in ("~Exists(a, True)", "Exists(a, True)", "~Forall(a, True)")]
    ['safety', 'modular', 'modular']
    >>> kind_of(parse_formula("After(a as x, x.n > 0, a as y, y.n == x.n - 1)"))
    'uncertified'
    """
    return _class((formula,), tools)[0]


def _class(formulas: Sequence[n.Formula], tools: ToolSet | None) -> tuple[Kind, int | None]:
    found = [literal for formula in formulas for literal in literals(formula)]
    if all(_only_forbids(atom, sign) for atom, sign in found):
        return "safety", 0
    whole = n.And(tuple(formulas))
    owed: dict[n.Temporal, int] = {atom: 1 for atom, _ in found if isinstance(atom, n.After)}
    bound = future_bound(whole, {}, owed, tools, callable_tools(whole, tools))
    if bound is None:
        return "uncertified", None
    return ("modular" if alone(whole) is not None else "bounded"), bound


def _only_forbids(atom: n.Temporal, sign: bool) -> bool:
    return isinstance(atom, (n.Before, n.Forall)) if sign else isinstance(atom, (n.Exists, n.Seq))


def needed_events(formula: n.Formula) -> tuple[str, ...]:
    """Return what a formula asks to happen, in words: blocking alone can't enforce it."""
    told = (_need(atom, sign) for atom, sign in literals(formula) if not _only_forbids(atom, sign))
    return tuple(dict.fromkeys(told))


def _need(atom: n.Temporal, sign: bool) -> str:
    first = _tools(atom.first)
    match atom:
        case n.Exists():
            return f"a call of {first} that fits"
        case n.Forall():
            return f"a call of {first} that breaks the condition"
    fits = " that fits it" if isinstance(atom, n.Seq) or coupled(atom) else ""
    second = f"{_tools(atom.second)}{fits}"
    match atom:
        case n.After():
            owed = f"once {first} was called, a call of {second}"
            return owed if sign else f"a call of {first} that no {second} follows"
        case n.Before():
            return f"a call of {first} without an earlier {second}"
    return f"a call of {first}, then of {second}"


def _tools(pattern: n.Pattern) -> str:
    names = [f"`{b.name}`" for b in pattern.branches]
    return " or ".join(names) if len(names) < 4 else f"{names[0]} (or {len(names) - 1} others)"


# ---------------------------------------------------------------- findings


class _Findings:
    def __init__(self, spec: n.Specification, limits: Limits) -> None:
        self.spec, self.limits = spec, limits
        self.found: list[Finding] = []
        self._hopeless: set[str] = set()
        self._asked: dict[n.Formula, Answer] = {}

    def of(self, constraint: n.Constraint) -> None:
        """Look at one constraint alone."""
        if not constraint.sentence:
            hint = "add the sentence of the policy, in quotes, after the constraint's name"
            self._warn(constraint.name, "it has no policy sentence to tell a person or a model", hint)
        self._satisfiable(constraint)
        told = (line for atom, _ in literals(constraint.formula) for line in self._dead(atom))
        for what, hint in dict.fromkeys(told):
            self._warn(constraint.name, what, hint)

    def together(self) -> None:
        """Look at all constraints at once, where each alone could hold."""
        if self._hopeless or all(closed(c.formula, (), self.spec.tools) for c in self.spec.constraints):
            return
        answer = Engine(self.spec, limits=self.limits).prefix()
        core = answer.core or range(len(self.spec.constraints))
        names = ", ".join(self.spec.constraints[j].name for j in core)
        self._judge(answer, names, "no run at all satisfies them together")

    def _satisfiable(self, constraint: n.Constraint) -> None:
        if closed(constraint.formula, (), self.spec.tools):
            return
        answer = self._ask(constraint.formula)
        if not answer:
            self._hopeless.add(constraint.name)
        self._judge(answer, constraint.name, "no run at all satisfies it")

    def _judge(self, answer: Answer, names: str, what: str) -> None:
        if answer.verdict is Verdict.UNSAT:
            hint = "every call would be refused; look for a condition that nothing meets"
            self.found.append(Finding("error", names, what, hint))
        elif answer.verdict is Verdict.UNKNOWN:
            what = f"whether any run satisfies it wasn't decided: {answer.reason}"
            self._warn(names, what, "UNKNOWN is refused: simplify it until this is decided")

    def _dead(self, atom: n.Temporal) -> Iterator[tuple[str, str]]:
        """Yield what of a temporal formula no accepted call can ever make true, with a hint."""
        calls = _tools(atom.first)
        if self._impossible(n.Exists(atom.first, n.Truth(True))):
            yield f"it can never fire: no call that the tools accept matches {calls}", "check the pattern"
            return
        match atom:
            case n.Forall(first, where):
                if self._impossible(n.Exists(first, n.Not(where))):
                    what = f"it can never be broken: every call of {calls} that the tools accept satisfies it"
                    yield what, "drop it, or make its condition stricter"
            case n.Exists(first, where):
                if self._impossible(n.Exists(first, where)):
                    yield f"no call of {calls} that the tools accept satisfies its condition", _LOOSEN
            case n.Before() | n.After() | n.Seq():
                yield from self._dead_pair(atom, calls)

    def _dead_pair(self, atom: n.Before | n.After | n.Seq, calls: str) -> Iterator[tuple[str, str]]:
        trigger = n.Exists(atom.first, atom.when)
        if atom.when != n.Truth(True) and self._impossible(trigger):
            yield f"it can never fire: no call of {calls} that the tools accept meets its condition", _LOOSEN
        elif isinstance(atom, n.Seq):
            if self._impossible(atom):
                later = _tools(atom.second)
                yield f"it can never fire: no call of {later} can come after {calls} as it says", _LOOSEN
        elif self._impossible(n.And((trigger, atom))):
            when = "before" if isinstance(atom, n.Before) else "after"
            what = f"nothing can satisfy it: no call of {_tools(atom.second)} {when} {calls} would do"
            yield what, f"every call of {calls} that it governs is refused; if so meant, say it with Forall"

    def _impossible(self, formula: n.Formula) -> bool:
        """Return whether it is certain that no run satisfies the formula."""
        bound = _class((formula,), self.spec.tools)[1]
        if bound is None or bound > self.limits.longest:
            return False  # no search could make it certain
        return self._ask(formula).verdict is Verdict.UNSAT

    def _ask(self, formula: n.Formula) -> Answer:
        """Is there any run that satisfies the formula?"""
        if formula not in self._asked:
            single = n.Specification("", (n.Constraint("", formula),), self.spec.tools, self.spec.projections)
            self._asked[formula] = Engine(single, limits=self.limits).prefix()
        return self._asked[formula]

    def _warn(self, constraint: str, what: str, hint: str) -> None:
        self.found.append(Finding("warning", constraint, what, hint))


_LOOSEN: Final = "look for conditions that exclude each other"
