"""`agentc replay`: what a line becomes, what stops it, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentc.cli.main import main
from agentc.domains import faults, ground_truth, load_specification
from agentc.trace.event import Event
from tests.domains import test_airline_policy as airline
from tests.domains import test_retail_policy as retail

pytest.importorskip("tau2")

LOGIN = {"name": "find_user_id_by_email", "arguments": {"email": retail.EMAIL}}
OTHERS_LOGIN = {"name": "find_user_id_by_email", "arguments": {"email": retail.OTHERS_EMAIL}}
LOOK = {"name": "get_order_details", "arguments": {"order_id": retail.PENDING}}
OTHERS = {"name": "get_order_details", "arguments": {"order_id": retail.OTHERS_ORDER}}
CANCEL = {
    "name": "cancel_pending_order",
    "arguments": {"order_id": retail.PENDING, "reason": "no longer needed"},
}
YES = {"role": "user", "content": f"I am {retail.EMAIL}. Yes."}
DETAILS = {"role": "assistant", "content": f"Cancel {retail.PENDING}?"}


def actions(events: list[Event] | Any) -> list[dict[str, object]]:
    return [{"name": e.tool, "arguments": dict(e.args)} for e in events if not e.is_message]


def replay(tmp_path: Path, lines: list[object], *options: str, domain: str = "retail") -> list[Any]:
    source, out = tmp_path / "actions.jsonl", tmp_path / "verdicts.jsonl"
    source.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    assert main(["replay", "--domain", domain, str(source), "--out", str(out), *options]) == 0
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def one(tmp_path: Path, proposed: list[object], *options: str, domain: str = "retail") -> Any:
    (line,) = replay(tmp_path, [{"id": "a", "actions": proposed}], *options, domain=domain)
    assert line.pop("id") == "a"
    return line


def test_a_legal_line(tmp_path: Path) -> None:
    lines = [{"id": "legal", "actions": [LOGIN, LOOK, CANCEL]}, {"id": 7, "actions": []}]
    nothing = {"first_bad": None, "constraints": [], "refused_by_tool": []}
    assert replay(tmp_path, lines) == [{"id": "legal", **nothing}, {"id": 7, **nothing}]


def test_it_stops_at_the_first_violation_without_running_it(tmp_path: Path) -> None:
    found = one(tmp_path, [LOGIN, OTHERS, CANCEL])
    assert found == {"first_bad": 1, "constraints": ["own_orders"], "refused_by_tool": []}


def test_all_goes_on_and_tells_what_is_broken_anew(tmp_path: Path) -> None:
    found = one(tmp_path, [OTHERS, LOGIN, OTHERS, CANCEL, CANCEL, LOOK], "--all")
    assert found == {
        "first_bad": 0,
        "constraints": ["authenticated", "own_orders", "status_checked", "pending_only"],
        "refused_by_tool": [4],
        "violations": [
            {"index": 0, "constraints": ["authenticated", "own_orders"]},
            {"index": 3, "constraints": ["status_checked"]},
            {"index": 4, "constraints": ["pending_only"]},
        ],
    }


def test_a_violation_that_only_the_output_shows(tmp_path: Path) -> None:
    nobody = {"name": "find_user_id_by_email", "arguments": {"email": "nobody@example.com"}}
    found = one(tmp_path, [nobody, LOGIN, LOGIN, OTHERS_LOGIN, LOOK])
    assert found == {"first_bad": 3, "constraints": ["one_user"], "refused_by_tool": [0]}


def test_a_call_its_tool_does_not_accept_is_no_violation_of_its_own(tmp_path: Path) -> None:
    careless = {"name": "cancel_pending_order", "arguments": {"order_id": retail.PENDING}}
    assert one(tmp_path, [LOGIN, LOOK, {"name": "get_order_details", "arguments": {"x": 1}}, CANCEL]) == {
        "first_bad": None,
        "constraints": [],
        "refused_by_tool": [2],
    }
    found = one(tmp_path, [LOGIN, careless], "--all")
    assert found["constraints"] == ["status_checked", "cancel_reason"] and found["refused_by_tool"] == [1]
    unknown = {"name": "think", "arguments": {"thought": "hm"}}
    assert one(tmp_path, [LOGIN, unknown])["refused_by_tool"] == [1]
    assert one(tmp_path, [unknown])["constraints"] == ["authenticated"]


def test_groups_of_constraints(tmp_path: Path) -> None:
    assert one(tmp_path, [LOGIN, LOOK, CANCEL], "--group", "confirmation")["constraints"] == [
        "confirmed",
        "details_listed",
    ]
    whole = ("--group", "confirmation", "--group", "dialogue", "--group", "letter")
    assert one(tmp_path, [YES, LOGIN, LOOK, DETAILS, YES, CANCEL], *whole)["first_bad"] is None
    assert one(tmp_path, [LOGIN, YES], *whole)["constraints"] == ["identity_given"]


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_the_calls_of_every_policy_test(tmp_path: Path, domain: str) -> None:
    policy = retail if domain == "retail" else airline
    decided = {c.name for c in load_specification(domain, groups=()).constraints}
    breaks = [(name, events) for name, traces in policy.BREAKS.items() for events in traces]
    lines = [{"id": i, "actions": actions(events)} for i, (_, events) in enumerate(breaks)]
    for (name, _), found in zip(breaks, replay(tmp_path, lines, domain=domain), strict=True):
        assert found["constraints"] == ([name] if name in decided else [])
        assert (found["first_bad"] is None) == (name not in decided)
    kept = [events for traces in policy.KEEPS.values() for events in traces]
    lines = [{"id": i, "actions": actions(events)} for i, events in enumerate(kept)]
    assert all(found["first_bad"] is None for found in replay(tmp_path, lines, domain=domain))


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_tau2_s_own_solutions(tmp_path: Path, domain: str) -> None:
    decided = {c.name for c in load_specification(domain, groups=()).constraints}
    lines = [{"id": t.meta["task"], "actions": actions(t)} for t in ground_truth(domain)]
    found = {line["id"]: line["constraints"] for line in replay(tmp_path, lines, "--all", domain=domain)}
    listed = {task: [c for c in fault.constraints if c in decided] for task, fault in faults(domain).items()}
    assert {t: names for t, names in found.items() if names} == {t: n for t, n in listed.items() if n}


MALFORMED = [
    ("[]", "this must be an object", "line 2"),
    ("{", "line 2", "line 2"),
    ('{"actions": []}', "the field `id` is missing", "line 2, field id"),
    ('{"id": true, "actions": []}', "`id` must be a string or a whole number", "line 2, field id"),
    ('{"id": 1}', "the field `actions` is missing", "line 2"),
    ('{"id": 1, "actions": {}}', "`actions` must be a list", "line 2, field actions"),
    ('{"id": 1, "actions": [5]}', "this must be an object", "line 2, actions[0]"),
    ('{"id": 1, "actions": [{"arguments": {}}]}', "`name` is missing", "line 2, actions[0]"),
    ('{"id": 1, "actions": [{"name": "x"}]}', "`arguments` is missing", "line 2, actions[0]"),
    ('{"id": 1, "actions": [{"name": 1, "arguments": {}}]}', "must be a string", "actions[0], field name"),
    ('{"id": 1, "actions": [{"name": "", "arguments": {}}]}', "name the tool", "actions[0], field name"),
    (
        '{"id": 1, "actions": [{"name": "x", "arguments": "{}"}]}',
        "`arguments` must be an object",
        "actions[0], field arguments",
    ),
    (
        '{"id": 1, "actions": [{"name": "user_message", "arguments": {"text": "yes"}}]}',
        "a tool can't be called that",
        "actions[0], field name",
    ),
    ('{"id": 1, "actions": [{"role": "user"}]}', "`content` is missing", "line 2, actions[0]"),
    (
        '{"id": 1, "actions": [{"role": "tool", "content": ""}]}',
        "an unknown role",
        "actions[0], field role",
    ),
]


@pytest.mark.parametrize(("line", "what", "where"), MALFORMED)
def test_malformed_input_is_refused_and_nothing_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, what: str, where: str
) -> None:
    source, out = tmp_path / "actions.jsonl", tmp_path / "verdicts.jsonl"
    source.write_text(json.dumps({"id": 1, "actions": [LOGIN]}) + f"\n{line}\n", encoding="utf-8")
    out.write_text("as it was", encoding="utf-8")
    assert main(["replay", "--domain", "retail", str(source), "--out", str(out)]) == 2
    told = capsys.readouterr().err
    assert what in told and where in told and str(source) in told
    assert out.read_text(encoding="utf-8") == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["actions.jsonl", "verdicts.jsonl"]


def test_unknown_domain_group_and_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "actions.jsonl", str(tmp_path / "out.jsonl")
    assert main(["replay", "--domain", "retial", str(source), "--out", out]) == 2
    assert "did you mean `retail`" in capsys.readouterr().err
    assert main(["replay", "--domain", "retail", "--group", "x", str(source), "--out", out]) == 2
    assert "there is no group of `retail` of this name" in capsys.readouterr().err
    assert main(["replay", "--domain", "retail", str(source), "--out", out]) == 2
    assert "there is no such file" in capsys.readouterr().err
