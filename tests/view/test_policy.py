"""The `%%policy` cell in a real IPython shell."""

from __future__ import annotations

from typing import Any

import pytest

from agentc.dsl.nodes import Specification

IPython = pytest.importorskip("IPython")

GOOD = """\
tool open(file: string)
tool read(file: string)
constraint opened: "Open <b>first</b>."
  Before(read as r, True, open as o, o.file == r.file)
"""


AT_ODDS = """\
constraint never: Forall(rm as r, r.a == 1 & r.a == 2)
constraint must: Exists(rm, True)
"""
MISSPELT = "%%policy f\ntool rm(path: string)\nconstraint x:\n  Forall(rm as r, r.pth == 1)"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Any:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    made = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    made.shown = []
    monkeypatch.setattr("agentc.view.policy.display", made.shown.append)
    made.run_line_magic("load_ext", "agentc")
    return made


def run(shell: Any, cell: str) -> Any:
    return shell.run_cell(cell)


def test_the_cell_is_bound_and_shown_with_logic_and_lint(shell: Any) -> None:
    run(shell, f"%%policy files\n{GOOD}").raise_error()
    spec = shell.user_ns["files"]
    assert isinstance(spec, Specification)
    assert (spec.name, [c.name for c in spec.constraints]) == ("files", ["opened"])
    (report,) = shell.shown
    assert repr(report) == "✓ 1 constraint checked and bound to files; 0 errors, 0 warnings"
    html = report._repr_html_()
    assert "Open &lt;b&gt;first&lt;/b&gt;." in html and "<b>" not in html
    assert r"\forall" in html and "safety" in html


def test_lint_is_told(shell: Any) -> None:
    run(shell, f"%%policy odd\n{AT_ODDS}")
    (report,) = shell.shown
    assert repr(report).startswith("✗ 2 constraints checked and bound to odd; 1 error")
    assert "✗ error" in report._repr_html_()


def test_quick_asks_no_solver(shell: Any) -> None:
    run(shell, f"%%policy files --quick\n{GOOD}").raise_error()
    assert repr(shell.shown[0]).endswith("not analysed")


def test_a_cell_with_its_own_name_keeps_it(shell: Any) -> None:
    run(shell, f'%%policy mine --quick\nspecification theirs "t"\n{GOOD}').raise_error()
    assert shell.user_ns["mine"].name == "theirs"


@pytest.mark.parametrize(
    ("cell", "what", "where"),
    [
        ("%%policy files\nconstraint x: Befor(a, True, b, True)", "Befor", "%%policy files, line 2"),
        (MISSPELT, "`rm` has no argument `pth`", "line 3"),
        ("%%policy two names\nconstraint x: Exists(a, True)", "`%%policy` binds one", "found: two names"),
        ("%%policy\nconstraint x: Exists(a, True)", "`%%policy` binds one name", "found: none"),
        ("%%policy class\nconstraint x: Exists(a, True)", "a policy is bound to a Python name", "class"),
        ("%%policy x --fast\nconstraint x: Exists(a, True)", "`%%policy` has no such option", "--fast"),
        ("%%policy x\ntool a(n: integer)", "at least one constraint", "%%policy x"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_four_parts_and_binds_nothing(
    shell: Any, capsys: pytest.CaptureFixture[str], cell: str, what: str, where: str
) -> None:
    names = set(shell.user_ns)
    result = run(shell, cell)
    assert result.error_in_exec is not None
    said = capsys.readouterr().out
    assert what in said and where in said
    assert "Traceback" not in said and "agentc/view" not in said
    assert set(shell.user_ns) - names <= {"_i", "_ii", "_iii", "_i1", "_i2", "_"} and not shell.shown
