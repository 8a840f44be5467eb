"""The checker's view of terms: names, paths, types and guards."""

from __future__ import annotations

from dataclasses import replace

from agentc.dsl import nodes as N
from agentc.dsl.check_scope import Problem, Scope
from agentc.dsl.clash import clash
from agentc.dsl.guards import Part, speaks_for
from agentc.dsl.types import ANYTHING, NUMBER, WHOLE, Type, constant_type, describe
from agentc.errors import closest, shorten
from agentc.tools.signature import Projection, Tool
from agentc.tools.types import NUMBERS, follow
from agentc.trace.event import MESSAGES

__all__ = ["type_of"]


def type_of(term: N.Term, scope: Scope) -> Type:
    """Return the type of a term, and report what is wrong with it."""
    match term:
        case N.Const(value):
            return constant_type(value)
        case N.Arg() | N.Var():
            return _part(term, scope)
        case N.Item():
            return _item(term, scope)
        case N.Output():
            return _output(term, scope)
        case N.State():
            return _state(term, scope)
        case N.Arith():
            return _arith(term, scope)
        case N.Len(inner):
            return _length(term, type_of(inner, scope), scope)
        case N.Count():
            from agentc.dsl.check_formulas import check_elements

            check_elements(term, scope)
            return WHOLE
    scope.problem("a term of an unknown kind", term, "build terms from the language's nodes")
    return ANYTHING


# ---------------------------------------------------------------- arguments


def _part(term: N.Arg | N.Var, scope: Scope) -> Type:
    """Type an argument, by its own name or through a variable."""
    if not _speakable(term.role, term, scope):
        return ANYTHING
    names = _names(term, scope)
    if names is None:
        return ANYTHING
    return _followed(term, [t for t in names if t is not None], None in names, scope)


def _names(term: N.Arg | N.Var, scope: Scope) -> list[Type | None] | None:
    """Return the argument's type in each tool, None where a tool has none; None if it can't be said."""
    if isinstance(term, N.Arg):
        return _arguments(term, scope)
    branches = scope.patterns[term.role].branches
    variables = sorted({v for b in branches for _, v in b.bindings})
    if term.name not in variables:
        hint = closest(term.name, variables) or "bind it: `tool(argument=variable)`"
        scope.problem(f"the pattern binds no variable `{shorten(term.name)}`", term, hint)
        return None
    bound = [({v: a for a, v in b.bindings}.get(term.name), tool) for b, tool in scope.tools(term.role)]
    types = [_argument(tool, name) if name else None for name, tool in bound]
    unknown = any(name and part is None for (name, _), part in zip(bound, types, strict=True))
    return None if unknown or not types else types  # what a pattern binds is checked with the pattern


def _arguments(term: N.Arg, scope: Scope) -> list[Type | None] | None:
    tools = [tool for _, tool in scope.tools(term.role)]
    found = [_argument(tool, term.name) for tool in tools]
    lacking = [tool.name for tool, part in zip(tools, found, strict=True) if part is None]
    if not lacking:
        return found or None
    known = sorted({name for tool in tools for name in tool.arguments})
    if len(lacking) == len(tools):
        names = f"`{lacking[0]}` has" if len(lacking) == 1 else "no alternative of the pattern has"
        article = "no" if len(lacking) == 1 else "an"
        scope.problem(
            f"{names} {article} argument `{shorten(term.name)}`",
            term,
            closest(term.name, known) or "it has none",
        )
    else:
        having = next(tool.name for tool, part in zip(tools, found, strict=True) if part is not None)
        union = f"{{{having}({term.name}=v) | {lacking[0]}(...=v)}}"
        python = f'.bind(v="{term.name}")'
        hint = (
            f"give each alternative a branch of its own, `{union}` (`{python}` in Python), and speak of `v`"
        )
        scope.problem(
            f"not every alternative has an argument `{shorten(term.name)}`: `{lacking[0]}` hasn't", term, hint
        )
    return None


def _argument(tool: Tool, name: str) -> Type | None:
    """Return what a tool's argument can be, None if there is no such argument."""
    if name in tool.arguments:
        return Type((tool.arguments[name],), name not in tool.required)
    return Type(follow({**tool.parameters, "properties": {}}, (name,)).schemas, True) if tool.open else None


def _followed(term: N.Arg | N.Var, types: list[Type], somewhere_unbound: bool, scope: Scope) -> Type:
    """Follow the term's path in every alternative, and hold the results against one another."""
    whole = Type(
        tuple(s for t in types for s in t.schemas), somewhere_unbound or any(t.optional for t in types)
    )
    _compatible(term, types, scope)
    found = whole.at(term.path)
    if not found.schemas and types:
        _nowhere(term, whole, scope)
        return ANYTHING
    _guarded(term, found, whole, scope)
    return Type(found.schemas)


def _compatible(term: N.Arg | N.Var, types: list[Type], scope: Scope) -> None:
    for i, one in enumerate(types):
        for other in types[:i]:
            if not (one.kinds - {"null"}) & (other.kinds - {"null"}):
                sides = f"{describe(other.kinds)} in one alternative and {describe(one.kinds)} in another"
                what = f"`{shorten(term.name)}` is {sides}"
                scope.problem(what, term, "give each alternative a branch with a variable of its own")
                return


def _guarded(term: Part, found: Type, whole: Type, scope: Scope) -> None:
    if not found.optional or not scope.demanding:
        return
    if any(speaks_for(fact, kind, term, whole) for fact, kind in scope.facts.items()):
        return
    shown = scope.shown(term)
    hint = (
        f"write `absent({shown}) | (...)` if it may be left out, or `~absent({shown}) & (...)` if it may not"
    )
    scope.report(Problem(f"`{shown}` may be absent and is compared without a guard", shown, hint))


def _nowhere(term: N.Arg | N.Var | N.Item | N.Output | N.State, whole: Type, scope: Scope) -> None:
    """Report a path that the schema closes, at its first step that leads nowhere."""
    length = next(n for n in range(1, len(term.path) + 1) if not whole.at(term.path[:n]).schemas)
    before, step = whole.at(term.path[: length - 1]), term.path[length - 1]
    known = sorted({name for s in before.schemas for name in follow(s, (step,)).known})
    whole_name = scope.shown(replace(term, path=term.path[: length - 1]))
    what = f"`{whole_name}` has no part `{shorten(str(step))}`"
    hint = closest(str(step), known) if known else f"it is {describe(before.kinds)}"
    scope.problem(what, term, hint)


def _speakable(role: N.Role, term: N.Term, scope: Scope) -> bool:
    if role in scope.patterns:
        return True
    name = type(scope.predicate).__name__
    hint = (
        f"move this into the second condition of {name}"
        if name in ("Before", "After", "Seq")
        else "use Before, After or Seq"
    )
    scope.problem(f"{scope.part} of {name} can't speak of a second event", term, hint)
    return False


# ---------------------------------------------------------------- outputs, states, elements


def _output(term: N.Output, scope: Scope) -> Type:
    if not _speakable(term.role, term, scope):
        return ANYTHING
    if term.role not in scope.outputs:
        name = type(scope.predicate).__name__
        what = f"the output of `{scope.event(term.role)}` isn't known yet where {name} asks for it"
        scope.problem(what, term, "a call is judged before it runs; ask its arguments or the state instead")
        return ANYTHING
    tools = [tool for _, tool in scope.tools(term.role)]
    if tools and all(tool.name in MESSAGES for tool in tools):
        scope.problem("a message has no output", term, f"its text is `{scope.event(term.role)}.text`")
        return ANYTHING
    outputs = [tool.output for tool in tools]
    if not tools or None in outputs or scope.patterns[term.role].attempted:
        return ANYTHING
    return _inside(term, Type(tuple(outputs)), scope)


def _inside(term: N.Output | N.State | N.Item, whole: Type, scope: Scope) -> Type:
    found = whole.at(term.path)
    if whole.schemas and not found.schemas:
        _nowhere(term, whole, scope)
        return ANYTHING
    return Type(found.schemas)


def _state(term: N.State, scope: Scope) -> Type:
    if not _speakable(term.role, term, scope):
        return ANYTHING
    inner = replace(scope, outputs=frozenset[N.Role]())
    types = [type_of(arg, inner) if _own(arg, term.role) else _foreign(arg, scope) for arg in term.args]
    if scope.declared.tools is None:
        return ANYTHING
    projection = scope.declared.projections.get(term.name)
    if projection is None:
        hint = (
            closest(term.name, scope.declared.projections)
            or "declare it: `projection name(argument: string)`"
        )
        scope.problem(f"there is no projection `{shorten(term.name)}`", term, hint)
        return ANYTHING
    _fits(term, projection, types, scope)
    return ANYTHING if projection.returns is None else _inside(term, Type((projection.returns,)), scope)


def _own(arg: N.Term, role: N.Role) -> bool:
    """Return whether a projection's argument speaks only of its own event's arguments, and of constants."""
    if isinstance(arg, N.Arith):
        return _own(arg.left, role) and _own(arg.right, role)
    if isinstance(arg, N.Len):
        return _own(arg.term, role)
    return isinstance(arg, N.Const) or (isinstance(arg, (N.Arg, N.Var)) and arg.role == role)


def _foreign(arg: N.Term, scope: Scope) -> Type:
    hint = (
        "give the whole list to the projection"
        if isinstance(arg, N.Item)
        else "read it at the event whose argument this is"
    )
    scope.problem("a projection's arguments are its own event's arguments, and constants", arg, hint)
    return ANYTHING


def _fits(term: N.State, projection: Projection, types: list[Type], scope: Scope) -> None:
    wanted = projection.parameters
    if len(types) != len(wanted):
        signature = f"{projection.name}({', '.join(name for name, _ in wanted)})"
        plural = "s" * (len(wanted) != 1)
        what = f"`{projection.name}` takes {len(wanted)} argument{plural}, here are {len(types)}"
        scope.problem(what, term, f"write `{signature}`")
        return
    for arg, found, (name, schema) in zip(term.args, types, wanted, strict=True):
        reason = clash(found, Type((schema,)))
        if reason:
            scope.problem(f"`{projection.name}` can't take this as `{name}`: {reason[0]}", arg, reason[1])


def _item(term: N.Item, scope: Scope) -> Type:
    if term.name not in scope.items:
        hint = closest(term.name, scope.items) or "bind it with all, any or count"
        scope.problem(f"nothing here is named `{shorten(term.name)}`", term, hint)
        return ANYTHING
    whole, of_argument = scope.items[term.name]
    if of_argument:
        found = whole.at(term.path)
        if found.schemas:
            _guarded(term, found, whole, scope)
    return _inside(term, whole, scope)


# ---------------------------------------------------------------- arithmetic, length


def _arith(term: N.Arith, scope: Scope) -> Type:
    for side in (term.left, term.right):
        found = type_of(side, scope)
        if not found.kinds & NUMBERS:
            hint = (
                "`+` doesn't join strings"
                if found.kinds == {"str"} and term.op == "+"
                else "use numbers on both sides"
            )
            scope.problem(f"`{term.op}` needs numbers, and this is {describe(found.kinds)}", side, hint)
            return ANYTHING
    return NUMBER


def _length(term: N.Len, inner: Type, scope: Scope) -> Type:
    if not inner.kinds & {"str", "list", "dict"}:
        hint = "compare it directly"
        scope.problem(
            f"only a string, list or object has a length, and this is {describe(inner.kinds)}", term, hint
        )
    return WHOLE
