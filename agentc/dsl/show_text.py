"""Nodes to text: the canonical text form, which parses back to an equal tree."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count
from typing import Final

from agentc.dsl import nodes as N
from agentc.dsl.constants import KINDS, is_name, quote, write_constant
from agentc.dsl.declare import projection_text, tool_text
from agentc.dsl.mistakes import FUNCTIONS
from agentc.errors import BudgetError, SpecificationError, TraceError

__all__ = ["event_names", "to_text", "too_deep"]

WIDTH: Final = 100
_TIGHT: Final = {"+": 1, "-": 1, "*": 2}


def to_text(node: object, width: int | None = WIDTH, within: N.Temporal | None = None) -> str:
    """Write a specification, constraint, formula, pattern or term in the text form.

    Parameters
    ----------
    node : Specification, Constraint, Formula, Pattern, Branch or a term
    width : int or None
        Columns after which a formula is broken into lines; None never breaks one.
    within : Temporal, optional
        The predicate that a data formula or term stands in; its labels name the events.

    Raises
    ------
    SpecificationError
        If a constant can't be written: a fraction without a finite decimal, a lone surrogate, past a limit.
    BudgetError
        If the tree nests too deeply, far above ``MAX_NESTING``.

    Notes
    -----
    Arguments are bound by name, objects' keys are in order, numbers are plain decimals. A pattern that is
    spoken of and has no label is given one. The text of a tree that the text form can't say (one name for two
    things, `And` of fewer than two) doesn't parse back to that tree.

    >>> from agentc.dsl.parse import parse_formula
    >>> to_text(parse_formula('Forall(rm(path=p),~ ( p=="/root" ))'))
    'Forall(rm(path=p), ~(p == "/root"))'
    """
    try:
        if isinstance(node, N.Specification):
            return _specification(node, width)
        if isinstance(node, N.Constraint):
            return _constraint(node, width)
        return _Writer(event_names(within) if within else _NAMES).write(node, width, 0)
    except TraceError as error:
        raise SpecificationError(error.what, found=error.found, hint=error.hint) from None
    except RecursionError:
        raise too_deep() from None


def too_deep() -> BudgetError:
    """Return the error for a tree that nests deeper than Python's stack allows."""
    hint = "flatten it: `&` and `|` take any number of parts"
    return BudgetError("a formula nests too deeply to be written", hint=hint)


def _specification(spec: N.Specification, width: int | None) -> str:
    head = (
        [f"specification {_name(spec.name)}" + (f" {quote(spec.title)}" if spec.title else "")]
        if spec.name
        else []
    )
    head += [f"domain {_name(spec.domain)}"] if spec.domain else []
    if not spec.domain:
        head += [tool_text(t) for t in (spec.tools or {}).values()]
        head += [projection_text(p) for p in spec.projections.values()]
    blocks = (["\n".join(head)] if head else []) + [_constraint(c, width) for c in spec.constraints]
    return "\n\n".join(blocks) + "\n"


def _constraint(constraint: N.Constraint, width: int | None) -> str:
    sentence = f"  {quote(constraint.sentence)}\n" if constraint.sentence else ""
    formula = _Writer(_NAMES).write(constraint.formula, width, 2)
    return f"constraint {_name(constraint.name)}:\n{sentence}  {formula}"


def _name(name: str) -> str:
    return name if is_name(name) else quote(name)


# ---------------------------------------------------------------- names of events


_NAMES: Final[Mapping[N.Role, str]] = {"first": "first", "second": "second"}


def event_names(predicate: N.Temporal) -> Mapping[N.Role, str]:
    """Return what the first and the second event are called: the pattern's label, or a free name."""
    patterns: dict[N.Role, N.Pattern] = {"first": predicate.first}
    if isinstance(predicate, (N.Before, N.After, N.Seq)):
        patterns["second"] = predicate.second
    if all(p.label for p in patterns.values()):
        return {role: p.label for role, p in patterns.items()}
    taken = _taken(predicate)
    return {role: p.label or _free(role, taken) for role, p in patterns.items()}


def _taken(predicate: N.Temporal) -> set[str]:
    names: set[str] = set()
    for node in N.walk(predicate):
        if isinstance(node, N.Pattern):
            names |= {node.label, *(v for b in node.branches for _, v in b.bindings)}
        elif isinstance(node, (N.Each, N.Count)):
            names.add(node.item)
    return names


def _free(name: str, taken: set[str]) -> str:
    return next(n for n in chain([name], (f"{name}{i}" for i in count(1))) if n not in taken)


def _spoken_of(predicate: N.Temporal, formulas: tuple[N.Formula, ...]) -> set[N.Role]:
    """Return the roles that need a label: a bare ``state(...)`` of the first event needs none."""
    spoken: set[N.Role] = set()
    for node in chain.from_iterable(map(N.walk, formulas)):
        if isinstance(node, (N.Arg, N.Output)) or (isinstance(node, N.State) and node.role == "second"):
            spoken.add(node.role)
    return spoken


# ---------------------------------------------------------------- formulas


class _Writer:
    """Writes formulas and terms, under given names of the two events."""

    def __init__(self, names: Mapping[N.Role, str], bare_state: bool = False) -> None:
        self.names, self.bare_state = names, bare_state

    def write(self, node: object, width: int | None, indent: int) -> str:
        """Write `node` in one line if it fits, else broken; `indent` is the column it begins at."""
        line = self.text(node)
        if width is None or indent + len(line) <= width:
            return line
        if isinstance(node, (N.And, N.Or)) and len(node.args) > 1:
            sign = " & " if isinstance(node, N.And) else " | "
            parts = [
                self.operand(a, node, width, indent + (len(sign) - 1) * (i > 0))
                for i, a in enumerate(node.args)
            ]
            return f"\n{' ' * indent}{sign.strip()} ".join(parts)
        if isinstance(node, N.Implies):
            return self.broken(
                "Implies(", [self.write(a, width, indent + 8) for a in (node.left, node.right)], indent + 8
            )
        if isinstance(node, N.Not) and not _bare(node.arg):
            return f"~({self.write(node.arg, width, indent + 2)})"
        if isinstance(node, N.Not):
            return f"~{self.write(node.arg, width, indent + 1)}"
        if isinstance(node, N.Temporal):
            return self.predicate(node, width, indent)
        return line

    def broken(self, head: str, parts: list[str], column: int) -> str:
        return head + f",\n{' ' * column}".join(parts) + ")"

    def operand(self, node: N.Formula, parent: N.Formula, width: int | None, indent: int) -> str:
        if isinstance(node, (N.And, N.Or)):
            return f"({self.write(node, width, indent + 1)})"
        return self.write(node, width, indent)

    def predicate(self, node: N.Temporal, width: int | None, indent: int) -> str:
        head = f"{type(node).__name__}("
        column = indent + len(head)
        inner, parts = self.parts(node)
        written = [p if isinstance(p, str) else inner.write(p, width and width - 1, column) for p in parts]
        if len(written) == 4:  # the trigger and its condition share a line where they can
            joined = f"{written[0]}, {written[1]}"
            if "\n" not in joined and (width is None or column + len(joined) < width):
                written[:2] = [joined]
        return self.broken(head, written, column)

    def parts(self, node: N.Temporal) -> tuple[_Writer, list[str | N.Formula]]:
        """Return the predicate's arguments, patterns written and formulas not yet."""
        two = isinstance(node, (N.Before, N.After, N.Seq))
        formulas = (node.when, node.where) if isinstance(node, (N.Before, N.After, N.Seq)) else (node.where,)
        names, spoken = event_names(node), _spoken_of(node, formulas)
        labels = {r: names[r] if r in spoken else "" for r in names}
        first = _pattern(node.first, node.first.label or labels["first"])
        inner = _Writer(names, bare_state=not (node.first.label or labels["first"]))
        if not two:
            return inner, [first, node.where]
        assert isinstance(node, (N.Before, N.After, N.Seq))
        return inner, [
            first,
            node.when,
            _pattern(node.second, node.second.label or labels["second"]),
            node.where,
        ]

    # ------------------------------------------------------------ one line

    def text(self, node: object) -> str:
        """Write a formula, term, pattern or branch in one line."""
        match node:
            case N.Truth(value):
                return str(value)
            case N.Not(arg):
                return f"~{self.text(arg)}" if _bare(arg) else f"~({self.text(arg)})"
            case N.And(args):
                return self.joined(args, " & ", "True")
            case N.Or(args):
                return self.joined(args, " | ", "False")
            case N.Implies(left, right):
                return f"Implies({self.text(left)}, {self.text(right)})"
            case N.Before() | N.After() | N.Seq() | N.Forall() | N.Exists():
                inner, parts = self.parts(node)
                written = [p if isinstance(p, str) else inner.text(p) for p in parts]
                return f"{type(node).__name__}({', '.join(written)})"
            case N.Pattern():
                return _pattern(node, node.label)
            case N.Branch():
                return _branch(node)
        return self.data(node)

    def data(self, node: object) -> str:
        match node:
            case N.Compare(op, left, right):
                return f"{self.term(left)} {op} {self.term(right)}"
            case N.In(term, options):
                return f"{self.term(term)} in {self.term(options)}"
            case N.Contains(whole, part):
                return f"contains({self.term(whole)}, {self.term(part)})"
            case N.Text(op, term, other):
                return f"{op}({self.term(term)}, {self.term(other)})"
            case N.Is(term, sort):
                return f"{KINDS[sort]}({self.term(term)})"
            case N.Each(op, item, over, where):
                return f"{op}({item} in {self.term(over)}: {self.text(where)})"
            case N.Distinct(term):
                return f"distinct({self.term(term)})"
        return self.term(node)

    def term(self, node: object) -> str:
        match node:
            case N.Const(value):
                return write_constant(value)
            case N.Arg(role, name, path):
                step = f".{name}" if is_name(name) and (name != "state" or not path) else f"[{quote(name)}]"
                return self.event(role) + step + _path(path)
            case N.Var(_, name, path) | N.Item(name, path):
                return name + _path(path)
            case N.Output(role, path):
                return f"output({self.event(role)})" + _path(path)
            case N.State(role, name, args, path):
                return self.state(role, name, ", ".join(map(self.term, args))) + _path(path)
            case N.Arith(op, left, right):
                return f"{self.factor(left, op, False)} {op} {self.factor(right, op, True)}"
            case N.Len(term):
                return f"len({self.term(term)})"
            case N.Count(item, over, where):
                return f"count({item} in {self.term(over)}: {self.text(where)})"
        raise SpecificationError("only the language's nodes have a text form", found=type(node).__name__)

    def state(self, role: N.Role, name: str, args: str) -> str:
        if role == "first" and self.bare_state:
            return f"state({_name(name)}({args}))"
        return f"{self.event(role)}.state{_path((name,))}({args})"

    def factor(self, node: N.Term, op: str, right: bool) -> str:
        loose = isinstance(node, N.Arith) and _TIGHT[node.op] < _TIGHT[op] + right
        return f"({self.text(node)})" if loose else self.text(node)

    def event(self, role: N.Role) -> str:
        return self.names.get(role, role)

    def joined(self, args: tuple[N.Formula, ...], sign: str, empty: str) -> str:
        if len(args) < 2:
            return self.text(args[0]) if args else empty
        return sign.join(f"({self.text(a)})" if isinstance(a, (N.And, N.Or)) else self.text(a) for a in args)


def _bare(node: N.Formula) -> bool:
    """Return whether ``~`` can stand before the formula without parentheses."""
    return not isinstance(node, (N.And, N.Or, N.Compare, N.In))


def _pattern(node: N.Pattern, label: str) -> str:
    branches = " | ".join(map(_branch, node.branches))
    text = branches if len(node.branches) == 1 else f"{{{branches}}}"
    return (f"attempted({text})" if node.attempted else text) + (f" as {label}" if label else "")


def _branch(node: N.Branch) -> str:
    bindings = ", ".join(f"{_name(a)}={v}" for a, v in node.bindings)
    name = (
        node.name
        if _class(node.name) or (is_name(node.name) and node.name not in FUNCTIONS)
        else quote(node.name)
    )
    return name + (f"({bindings})" if bindings else "")


def _class(name: str) -> bool:
    return name.startswith("@") and name[1:].isidentifier()


def _path(path: N.Path) -> str:
    return "".join(f".{s}" if isinstance(s, str) and is_name(s) else f"[{write_constant(s)}]" for s in path)
