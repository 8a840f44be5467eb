"""What the documents show is run: every block, every table of examples, every formula and every link.

What a block is, its first word after the fence says; a second word is the name of the file it is saved as.

* ``agentc``, or ``text`` that begins with a statement: a specification, parsed and checked. One without
  declarations is about the tools of the one before.
* ``python`` and ``pycon``: run, in one namespace a document; what ``pycon`` prints is compared.
* ``json``: a trace file, loaded.
* ``console``: ``$ python -m agentc ...`` is run where its files are the document's own, and what follows it
  compared; else its arguments are parsed. ``$ make x`` is a target of the Makefile.

Tables whose first column is "condition" or "text" hold formulas, their Python, and what they come to.
"""

from __future__ import annotations

import doctest
import io
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agentc.cli.main import main, parser
from agentc.domains import signatures
from agentc.dsl import build, constants, regex
from agentc.dsl import parse as text_form
from agentc.dsl.check import check, check_formula
from agentc.dsl.nodes import Constraint, Formula, Specification
from agentc.dsl.parse import parse_formula, parse_specification
from agentc.logic.engine import Engine, Limits, Verdict
from agentc.logic.reference import closed
from agentc.trace import Event, load_traces
from agentc.trace.values import MAX_DEPTH, MAX_EXPONENT

ROOT = Path(__file__).parent.parent
LANGUAGE = ROOT / "docs" / "language.md"
RUN = [
    ROOT / "README.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("README", "language", "text-form", "traces", "cli", "view")),
]
ALL = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])

_FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
_STATEMENT = re.compile(r"^(specification|domain|tool|projection|constraint)\b", re.M)
_DECLARES = re.compile(r"^(domain|tool)\b", re.M)
_PRINTED = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """A fenced block: its line, its language, the file it is saved as, and its text."""

    line: int
    language: str
    name: str
    text: str


def blocks(text: str) -> Iterator[Block]:
    for found in _FENCED.finditer(text):
        language, _, name = found[1].partition(" ")
        yield Block(text.count("\n", 0, found.start()) + 1, language, name, found[2])


@dataclass
class Runner:
    """Runs one document's blocks in order, in a folder that holds its files."""

    folder: Path
    setting: Specification | None = None
    namespace: dict[str, Any] = field(default_factory=dict)

    def run(self, block: Block) -> None:
        if block.name:
            (self.folder / block.name).write_text(block.text, encoding="utf-8")
        kind = "agentc" if block.language == "text" and _STATEMENT.match(block.text) else block.language
        runs = {"agentc": self.agentc, "python": self.python, "pycon": self.pycon, "json": self.json,
                "console": self.console}  # fmt: skip
        assert kind in runs, f"nobody runs blocks of `{kind}`"
        runs[kind](block)

    def agentc(self, block: Block) -> None:
        if _DECLARES.search(block.text):
            spec = self.setting = parse_specification(block.text, "docs", signatures)
        else:
            assert self.setting is not None and self.setting.tools is not None, "no tools were declared"
            declared = self.setting.tools, self.setting.projections
            spec = parse_specification(f"domain above\n{block.text}", "docs", lambda name: declared)
        check(spec)

    def python(self, block: Block) -> None:
        exec(compile(block.text, f"<block at line {block.line}>", "exec"), self.namespace)

    def pycon(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.namespace, "docs", "docs", block.line)
        assert test.examples, "no `>>>` in it"
        told = io.StringIO()
        doctest.DocTestRunner(optionflags=_PRINTED).run(test, out=told.write, clear_globs=False)
        self.namespace |= test.globs
        assert not told.getvalue(), told.getvalue()

    def json(self, block: Block) -> None:
        (file := self.folder / (block.name or "unnamed.jsonl")).write_text(block.text, encoding="utf-8")
        assert load_traces(file)

    def console(self, block: Block) -> None:
        for command, printed in _commands(block.text):
            words = shlex.split(command, comments=True)
            if words[0] == "make":
                assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.M), command
            else:
                assert words[:3] == ["python", "-m", "agentc"], f"nobody runs `{command}`"
                self.agentc_command(words[3:], printed)

    def agentc_command(self, words: Sequence[str], printed: str) -> None:
        parser().parse_args(words)
        files = [word for word in words if "." in word and not word.startswith("-")]
        if not all((self.folder / file).exists() for file in files):
            assert not printed, "what a command prints is shown, but it can't be run here"
            return
        with redirect_stdout(io.StringIO()) as out:
            status = main(list(words))
        assert status == 0
        want, got = printed, out.getvalue()
        assert not want or doctest.OutputChecker().check_output(want, got, _PRINTED), f"it prints\n{got}"


def _commands(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


@pytest.mark.parametrize("path", RUN, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    runner, failed = Runner(tmp_path), []
    for block in blocks(path.read_text(encoding="utf-8")):
        try:
            runner.run(block)
        except Exception as problem:  # told with its place, after the others have run
            failed.append(f"{path.name}, line {block.line}: {type(problem).__name__}: {problem}")
    assert not failed, "\n\n".join(failed)


# ---------------------------------------------------------------- tables of formulas


@dataclass(frozen=True)
class Row:
    """A table's row: its cells by their column's heading."""

    line: int
    cells: dict[str, str]


def rows(text: str, first: str) -> list[Row]:
    """The rows of the tables whose first heading is `first`."""
    found, headings = [], []
    for number, line in enumerate(text.splitlines(), 1):
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if not line.startswith("|"):
            headings = []
        elif not headings:
            headings = cells
        elif headings[0] == first and not set(line) <= set("|-: "):
            found.append(Row(number, dict(zip(headings, cells, strict=True))))
    return found


def code(cell: str) -> str:
    """What stands between a cell's back quotes."""
    assert re.fullmatch(r"`[^`]+`", cell), cell
    return cell[1:-1]


@cache
def language() -> str:
    return LANGUAGE.read_text(encoding="utf-8")


@cache
def shop() -> Specification:
    (block,) = [b for b in blocks(language()) if b.name == "shop.agentc"]
    return parse_specification(block.text)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Event:
    (block,) = [b for b in blocks(language()) if b.name == "sample.jsonl"]
    (file := tmp_path_factory.mktemp("docs") / block.name).write_text(block.text, encoding="utf-8")
    return load_traces(file)[0][0]


CONDITIONS = rows(language(), "condition")
PAIRS = rows(language(), "text")


def line_of(row: Row) -> str:
    return f"line {row.line}"


def names() -> dict[str, Any]:
    tools = build.Tools(shop().tools, shop().projections)
    return {name: getattr(build, name) for name in build.__all__} | {"t": tools}


def python(source: str) -> Formula:
    """The tree of a formula that a document writes in Python."""
    return eval(source, names()).node


def text(condition: str) -> Formula:
    return parse_formula(f"Exists(pay as p, {condition})", shop().tools)


def test_there_are_tables_to_test() -> None:
    assert len(CONDITIONS) > 30 and len(PAIRS) > 4


@pytest.mark.parametrize("row", CONDITIONS, ids=line_of)
def test_a_condition_comes_to_what_its_table_says(row: Row, sample: Event) -> None:
    formula, said = text(code(row.cells["condition"])), {"true": True, "false": False}[row.cells["is"]]
    assert closed(formula, [sample], shop().tools) is said
    engine = Engine(Specification("", (Constraint("asked", formula),), shop().tools))
    engine.push(sample)
    assert (engine.closed().verdict is Verdict.SAT) is said


@pytest.mark.parametrize("row", [r for r in CONDITIONS if "in Python" in r.cells], ids=line_of)
def test_a_condition_is_checked_and_the_same_in_python(row: Row) -> None:
    formula = text(code(row.cells["condition"]))
    check_formula(formula, shop().tools, shop().projections)
    assert python(f"Exists(t.pay, lambda p: {code(row.cells['in Python'])})") == formula


@pytest.mark.parametrize("row", PAIRS, ids=line_of)
def test_a_formula_is_checked_and_the_same_in_python(row: Row) -> None:
    formula = parse_formula(code(row.cells["text"]), shop().tools)
    check_formula(formula, shop().tools, shop().projections)
    assert python(code(row.cells["Python"])) == formula


@pytest.mark.parametrize("row", rows(language(), "pattern"), ids=line_of)
def test_a_pattern_is_checked(row: Row) -> None:
    for pattern in re.findall(r"`([^`]+)`", row.cells["pattern"]):
        check_formula(parse_formula(f"Exists({pattern}, True)", shop().tools), shop().tools)


# ---------------------------------------------------------------- words, numbers, links


def test_every_word_of_the_language_is_told() -> None:
    from agentc.dsl.mistakes import FUNCTIONS

    words = {*FUNCTIONS, *build.__all__, *(f"@{kind}" for kind in ("any", "read", "write", "other"))}
    assert not (missing := sorted(w for w in words if not re.search(rf"(?<!\w){w}\b", language()))), missing


def test_limits_are_those_of_the_code() -> None:
    limits = Limits()
    wanted = [
        f"{text_form.MAX_TEXT:,} characters", f"{constants.MAX_WORDS:,} words",
        f"{constants.MAX_CONSTRAINTS:,} constraints", f"names of {constants.MAX_NAME:,} characters",
        f"{constants.MAX_NESTING} levels deep", f"{MAX_DEPTH} levels deep", f"±{MAX_EXPONENT}",
        f"{regex.MAX_LENGTH:,} characters, {regex.MAX_SIZE:,} positions", f"groups {regex.MAX_NESTING} deep",
        f"{limits.rlimit:,} of its resource units and {limits.timeout_ms // 1000} s",
        f"{limits.partial_rlimit:,} and {limits.partial_ms} ms",
        f"{limits.uncertified} events where no bound", f"bounds over {limits.longest} aren't",
    ]  # fmt: skip
    assert not (missing := [w for w in wanted if w not in language()]), missing


@pytest.mark.parametrize("path", ALL, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
    local = [t for t in targets if "://" not in t]
    assert not (dead := [t for t in local if not (path.parent / t).exists()]), dead


def test_the_index_lists_every_document() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    others = [p.name for p in (ROOT / "docs").glob("*.md") if p.name != "README.md"]
    assert not (missing := [name for name in others if f"({name})" not in index]), missing
