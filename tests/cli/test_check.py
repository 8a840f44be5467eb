"""`agentc check`: one trace, verdict by verdict."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import FILES, OWNED, Ran, agentc, event, printable, spec_file, trace_file


def checked(folder: Path, *events: object, spec: str = FILES, more: tuple[object, ...] = ()) -> Ran:
    return agentc("check", spec_file(folder, spec), trace_file(folder, ("run", events)), *more)  # type: ignore[arg-type]


def lines(ran: Ran) -> list[str]:
    return [" ".join(line.split()) for line in ran.out.splitlines() if line.strip()]


def test_each_event_has_its_verdict(tmp_path: Path) -> None:
    ran = checked(tmp_path, event("open", file="a"), event("read", file="a"), event("close", file="a"))
    assert ran.status == 0 and lines(ran)[:6] == [
        '0 ✓ pending open(file="a")',
        'owed closed: close(file="a") (for event 0)',
        '1 ✓ pending read(file="a")',
        'owed closed: close(file="a") (for event 0)',
        '2 ✓ SAT close(file="a")',
        "end ✓ SAT as it stands, with nothing after it",
    ]


def test_a_violation_is_explained_below_its_row_and_the_rest_goes_on(tmp_path: Path) -> None:
    ran = checked(tmp_path, event("read", file="a"), event("read", file="/", error=True))
    found = lines(ran)
    assert found[0] == '0 ✗ UNSAT read(file="a")' and found[1] == "constraint opened"
    row = found.index('1 ✗ UNSAT read(file="/") (failed)')
    assert found[row + 1 : row + 4] == [
        "constraint no_root", "policy The root is never read.", 'because argument file is "/"',
    ]  # fmt: skip
    assert (
        "end ✗ UNSAT as it stands, with nothing after it" in found
        and "✗ violate a constraint: 1 of 1 trace" in found
    )


def test_what_is_unmet_at_the_end(tmp_path: Path) -> None:
    found = lines(checked(tmp_path, event("open", file="a")))
    assert found[found.index("end ✗ UNSAT as it stands, with nothing after it") + 1] == "unmet closed"


def test_an_undecided_event_says_why(tmp_path: Path) -> None:
    found = lines(checked(tmp_path, event("refund", order="1", user="ann"), spec=OWNED))
    assert found[0] == '0 ? UNKNOWN refund(order="1", user="ann")'
    assert found[1] == "undecided state owner was not read at refund"


def test_messages_are_shown_as_what_was_said(tmp_path: Path) -> None:
    found = lines(checked(tmp_path, event("user_message", text="Hello\nthere")))
    assert found[0] == '0 ✓ SAT user_message: "Hello\\nthere"'


def test_hostile_text_is_printed_escaped(tmp_path: Path) -> None:
    ran = checked(tmp_path, event("\x1b]0;title\x07", **{"\u202e": "\x00[red]"}))
    assert ran.status == 0 and printable(ran.out) and "\\u001b]0;title\\u0007(\\u202e=" in ran.out


def test_one_of_several_traces(tmp_path: Path) -> None:
    spec = spec_file(tmp_path, FILES)
    several = trace_file(tmp_path, ("one", [event("read", file="a")]), ("two", [event("open", file="b")]))
    assert lines(agentc("check", spec, several, "--trace", "two"))[0] == '0 ✓ pending open(file="b")'
    assert lines(agentc("check", spec, several, "--trace", "0"))[0] == '0 ✗ UNSAT read(file="a")'
    ran = agentc("check", spec, several)
    assert ran.status == 2 and "error: the file holds several traces" in ran.err and "--trace one" in ran.err
    ran = agentc("check", spec, several, "--trace", "tow")
    assert ran.status == 2 and "the file has no such trace" in ran.err and "did you mean `two`?" in ran.err


def test_state_of_a_domain_is_rebuilt(tmp_path: Path) -> None:
    trace = trace_file(tmp_path, ("run", [event("cancel_reservation", reservation_id="NQNU5R")]))
    found = lines(agentc("check", "airline", trace))
    assert 'because state flight_statuses is ["landed", "landed"]' in found
