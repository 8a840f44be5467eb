"""The page about the text form shows text that can be read, and the limits there are."""

import re
from pathlib import Path

from agentc.dsl.check import check
from agentc.dsl.constants import MAX_CONSTRAINTS, MAX_NAME, MAX_NESTING, MAX_WORDS
from agentc.dsl.parse import MAX_TEXT, parse_formula, parse_specification
from agentc.trace.json_text import MAX_DIGITS, MAX_STRING

PAGE = (Path(__file__).parents[2] / "docs" / "text-form.md").read_text("utf-8")


def test_the_example_can_be_read_and_means_something() -> None:
    (example,) = re.findall(r"```agentc\n(.*?)```", PAGE, re.DOTALL)
    spec = parse_specification(example)
    check(spec)
    assert [c.name for c in spec.constraints] == ["opened", "closed", "own_files"]


def test_every_pattern_in_the_table_can_be_read() -> None:
    table = PAGE.split("## Patterns")[1].split("##")[0]
    rows = re.findall(r"^\| (`.*`) \|", table, re.MULTILINE)
    patterns = [p.replace("\\|", "|") for row in rows for p in re.findall(r"`([^`]+)`", row)]
    assert len(patterns) == 12
    tools = parse_specification(
        "tool read(file: any)\ntool find_by_email(m: any)\ntool find_by_name(f: any, l: any)"
    ).tools
    for pattern in patterns:
        parse_formula(f"Exists({pattern}, True)", tools)


def test_the_limits_are_the_ones_stated() -> None:
    limits = PAGE.split("## Limits")[1]
    for limit in (MAX_CONSTRAINTS, MAX_WORDS, MAX_TEXT, MAX_NESTING, MAX_NAME, MAX_STRING, MAX_DIGITS):
        assert f"{limit:,}" in limits
