"""Does a call stay legal whatever the tool returns? The strict reading of a check before the call."""

from __future__ import annotations

from collections.abc import Callable

import z3

from agentc.dsl import nodes as n
from agentc.logic.bound import literals
from agentc.logic.candidates import Candidates
from agentc.logic.future import Answer, Question, happening
from agentc.logic.limits import Verdict
from agentc.logic.query import Query
from agentc.logic.schema import accepted
from agentc.logic.skeleton import connect
from agentc.logic.slots import Slot
from agentc.tools.signature import ToolSet
from agentc.trace.event import Event

__all__ = ["every_output"]


def every_output(question: Question, judge: Callable[[Event], Answer]) -> Answer:
    """Look for an output the tool's schema allows that would make the trace a bad prefix.

    Parameters
    ----------
    question : Question
        About a complete call, whose formula holds every constraint the call touches.
    judge : Callable
        The prefix verdict as if an event had happened.

    Notes
    -----
    SAT only where no future is needed to judge the constraints (no After, no Exists or Seq that has yet to
    come true, no negated Forall or Before); elsewhere UNKNOWN, unless an output is found that breaks them.
    """
    assert question.known is not None
    slot = Slot("now", [question.known.tool], question.tools, question.interner, question.known)
    query = Query([slot], question.tools or ToolSet(), question.interner)
    wanted = dict(literals(question.formula))
    never = connect(question.formula, lambda atom: _at_best(query, question, atom, wanted[atom]))
    candidates = Candidates(query, z3.Not(never), question.limits, failures=False)
    for model in candidates:
        (event,) = happening([slot], model, candidates.spelt)
        if accepted(question.tools, event, made_up=False) and judge(event).verdict is Verdict.UNSAT:
            return Answer(Verdict.UNSAT, witness=(event,))
    if candidates.verdict is not Verdict.UNSAT:
        return Answer(Verdict.UNKNOWN, candidates.reason)
    if all(_needs_no_future(atom, sign) for atom, sign in literals(question.formula)):
        return Answer(Verdict.SAT)
    return Answer(
        Verdict.UNKNOWN, "whether every output keeps it SAT is decided only where no future is needed"
    )


def _at_best(query: Query, question: Question, atom: n.Temporal, sign: bool) -> z3.BoolRef:
    """The truth of an atom that a future most friendly to the specification could still give it."""
    return query.truth(question.folds[atom]) if _needs_no_future(atom, sign) else z3.BoolVal(sign)


def _needs_no_future(atom: n.Temporal, sign: bool) -> bool:
    return isinstance(atom, (n.Forall, n.Before)) if sign else isinstance(atom, (n.Exists, n.Seq))
