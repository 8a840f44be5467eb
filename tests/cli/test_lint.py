"""`agentc lint`: problems all listed, classes, what can't come true, what can never fire."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import FILES, Ran, agentc, printable, spec_file

TOOLS = "tool open(file: string)\ntool close(file: string)\ntool pay(amount: integer)\n"


def linted(folder: Path, text: str) -> Ran:
    return agentc("lint", spec_file(folder, text))


def rows(ran: Ran) -> list[str]:
    return [" ".join(line.split()) for line in ran.out.splitlines() if line.strip()]


@pytest.mark.parametrize("name", ["retail", "airline"])
def test_the_specifications_that_come_with_agentc_are_clean(name: str) -> None:
    ran = agentc("lint", name)
    assert ran.status == 0 and " 0 errors, 0 warnings" in rows(ran)[-1]


def test_the_class_of_each_constraint(tmp_path: Path) -> None:
    ran = linted(tmp_path, FILES)
    found = rows(ran)
    assert ran.status == 0 and "opened safety 0" in found and "all together modular 1" in found
    assert "closed modular 1 once `open` was called, a call of `close` that fits it" in found
    assert found[-1] == "3 constraints: 0 errors, 0 warnings"


def test_every_problem_is_listed(tmp_path: Path) -> None:
    ran = linted(
        tmp_path, TOOLS + "constraint a: Forall(opn, True)\nconstraint b: Forall(pay as p, p.amont == 1)"
    )
    found = rows(ran)
    assert ran.status == 1 and found[-1].startswith("2 errors")
    assert any("opn" in line for line in found) and "hint did you mean `amount`?" in found


def test_what_no_run_satisfies_is_an_error(tmp_path: Path) -> None:
    ran = linted(tmp_path, TOOLS + 'constraint a: "A." Exists(open as o, o.file == "x" & o.file == "y")')
    assert ran.status == 1 and "✗ error: a: no run at all satisfies it" in rows(ran)


def test_what_no_run_satisfies_together_is_an_error(tmp_path: Path) -> None:
    some, none = "Exists(pay, True)", "Forall(pay as p, p.amount > 3 & p.amount < 4)"
    ran = linted(tmp_path, f'{TOOLS} constraint a: "A." {some} constraint b: "B." {none}')
    assert ran.status == 1 and "✗ error: a, b: no run at all satisfies them together" in rows(ran)


def test_what_can_never_fire_is_a_warning(tmp_path: Path) -> None:
    ran = linted(
        tmp_path, TOOLS + 'constraint a: "A." Before(pay as p, p.amount > 3 & p.amount < 4, open, True)'
    )
    assert ran.status == 0 and rows(ran)[-1] == "1 constraint: 0 errors, 1 warning"
    assert any(line.startswith("! warning: a: it can never fire") for line in rows(ran))


def test_a_text_that_cannot_be_read_is_told_with_its_place(tmp_path: Path) -> None:
    ran = linted(tmp_path, "constraint a: Forall(open, True")
    assert ran.status == 2 and ran.err.startswith("error: ") and "line 1" in ran.err


def test_hostile_names_are_printed_escaped(tmp_path: Path) -> None:
    ran = linted(tmp_path, 'constraint "\\u001b[2J[red]\\u202e": Exists("\\u0007", 1 == 2)')
    assert ran.status == 1 and printable(ran.out) and "\\u001b[2J[red]\\u202e" in ran.out
