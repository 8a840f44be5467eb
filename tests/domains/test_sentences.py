"""docs/policies.md accounts for every sentence of both policies, and for nothing else."""

import re
from pathlib import Path

import pytest

from agentc.domains import faults, load, load_specification, names

pytest.importorskip("tau2")

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs/policies.md").read_text(encoding="utf-8")


def sentences(policy: str) -> list[str]:
    """Return the headings, list items and sentences of a policy; what is quoted is not split."""
    lines = [re.sub(r"^[\s#-]+", "", line).strip() for line in policy.splitlines()]
    return [s for line in lines if line for s in re.split(r"(?<=[.!?])\s+(?=(?!PLEASE)[A-Z*])", line)]


def listed(domain: str) -> list[tuple[str, str]]:
    """Return what the document says decides each sentence."""
    _, _, part = DOCUMENT.partition(f"\n## Every sentence of the {domain} policy\n")
    rows = re.findall(r"^\| (.+) \| (.+) \|$", part.partition("\n## ")[0], re.MULTILINE)
    assert rows[0][0] == "sentence"
    return rows[1:]


@pytest.mark.parametrize("domain", names())
def test_every_sentence_is_listed_in_order(domain: str) -> None:
    assert [sentence for sentence, _ in listed(domain)] == sentences(load(domain).policy)


@pytest.mark.parametrize("domain", names())
def test_what_is_said_to_decide_a_sentence_is_a_constraint_and_quotes_it(domain: str) -> None:
    rows = [(sentence, re.findall(r"`(\w+)`", by)) for sentence, by in listed(domain)]
    constraints = {c.name: c for c in load_specification(domain).constraints}
    assert {name for _, names in rows for name in names} == set(constraints)
    for name in constraints:
        mine = [sentence for sentence, names in rows if name in names]
        for quoted in quotations(domain, name):
            assert any(quoted in sentence or sentence in quoted for sentence in mine), (name, quoted)


@pytest.mark.parametrize("domain", names())
def test_what_constraints_quote_is_in_the_policy(domain: str) -> None:
    policy = " ".join(load(domain).policy.split())
    for constraint in load_specification(domain).constraints:
        quoted = quotations(domain, constraint.name)
        assert quoted and all(quotation in policy for quotation in quoted), constraint.name


def quotations(domain: str, name: str) -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "specs").glob(f"{domain}*.agentc")]
    (block,) = [b for t in texts for b in t.split("\nconstraint ")[1:] if b.startswith(f"{name}:")]
    return [quoted.rstrip(" ,.:") for quoted in re.findall(r'^  "(.*)"$', block, re.MULTILINE)]


def test_every_constraint_and_fault_is_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", DOCUMENT, re.MULTILINE)
    shipped = [c.name for name in ("retail", "airline") for c in load_specification(name).constraints]
    assert rows == shipped
    found = re.findall(r"^\| (retail|airline) ([\d, ]+) \| ([\w`, ]+) \|", DOCUMENT, re.MULTILINE)
    told = {(name, t): set(re.findall(r"\w+", by)) for name, ts, by in found for t in ts.split(", ")}
    assert told == {(n, t): set(fault.constraints) for n in names() for t, fault in faults(n).items()}
