"""The widget's modules in Chromium, with a stub model on a blank page."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agentc.monitor import Session
from agentc.trace.event import Event
from tests.view.conftest import mount, state_of
from tests.view.traces import CLOSE, DELETE, FILES, OPEN, READ, READ_B, hostile, trace

pytestmark = [pytest.mark.browser]


@pytest.fixture
def view(page: Any) -> Any:
    return mount(page, state_of(trace(), FILES))


def here(view: Any) -> int:
    """The position of the row that is selected; the details are about the same event."""
    (row,) = view.locator(".act-row.act-here").all()
    position = int(row.get_attribute("data-t"))
    assert view.locator(".act-detail h2 .act-pos").inner_text() == str(position)
    assert view.locator(".act-grid").get_attribute("aria-activedescendant") == row.get_attribute("id")
    return position


def rows(view: Any) -> list[int]:
    return [int(r.get_attribute("data-t")) for r in view.locator(".act-row").all()]


def press(view: Any, *keys: str) -> None:
    for key in keys:
        view.page.keyboard.press(key)


def detail(view: Any) -> str:
    return view.locator(".act-detail").inner_text()


# ---------------------------------------------------------------- what is shown


def test_it_opens_at_the_first_violation(view: Any) -> None:
    assert here(view) == READ_B
    assert view.locator(".act-summary").inner_text().split("\n") == [
        "files, run 1", "8 events", "✗ UNSAT", "from event 4; 2 constraints broken",
    ]  # fmt: skip


def test_a_verdict_is_a_glyph_and_a_word(view: Any) -> None:
    said = view.locator(".act-row .act-c1").all_inner_texts()
    assert said == ["✓ SAT", *["○ pending"] * 3, *["✗ UNSAT"] * 4]


def test_the_matrix(view: Any) -> None:
    names = view.locator(".act-column").all_inner_texts()
    assert names == ["opened", "closed", "once", "own"]
    rows = [row.locator(".act-cell").all_inner_texts() for row in view.locator(".act-row").all()]
    columns = dict(zip(names, map("".join, zip(*rows, strict=True)), strict=True))
    assert columns == {"opened": "·◆✓·✗│││", "closed": "·○○○○◆··", "once": "·····✓··", "own": "······✗│"}
    cell = view.locator(f".act-row[data-t='{READ_B}'] .act-cell").first
    assert cell.get_attribute("aria-label") == "opened: UNSAT from this event on"


def test_why_a_call_is_refused(view: Any) -> None:
    card = view.locator(".act-card.act-unsat").inner_text()
    assert "breaks opened" in card and "Open a file before you read it." in card
    assert re.search(r'event 1: argument file is "a\.txt"', card)
    assert re.search(r'argument file is "b\.txt"', card)
    assert "an earlier open that fits" in card
    legal = view.locator(".act-card.act-legal").inner_text()
    assert 'open came before it, for example open(file="b.txt")' in legal
    assert 'argument file were "a.txt"' in legal


def test_the_cores_cells_are_marked_where_they_stand(view: Any) -> None:
    assert view.locator(".act-core").all_inner_texts() == ['file\n"b.txt"\nopened']
    press(view, "n")
    assert here(view) == DELETE
    assert view.locator(".act-core").all_inner_texts() == ['owner("a.txt")\n"you"\nown']


def test_an_earlier_event_says_what_hangs_on_it(view: Any) -> None:
    view.locator(f".act-row[data-t='{OPEN}']").click()
    assert "opened at event 4" in view.locator(".act-card.act-note").inner_text()
    assert view.locator(".act-core .act-tag").all_inner_texts() == ["opened"]


def test_what_is_owed_and_for_which_event(view: Any) -> None:
    press(view, "Home", "ArrowDown", "ArrowDown")
    owed = view.locator(".act-card.act-owed").inner_text()
    assert 'close(file="a.txt") must still happen, for event 1 (closed)' in owed


def test_outputs_and_values(view: Any) -> None:
    press(view, "Home", "j")
    output = view.locator(".act-section", has_text="output").inner_text()
    assert re.sub(r"\s+", " ", output) == (
        'output 3 keys handle 3 mode "r" parts 4 items [0] 1 [1] 2.5 [2] null [3] true'
    )
    press(view, "j")
    assert view.locator(".act-block").inner_text() == "first line\nsecond line"


def test_what_changed_since_the_event_before(view: Any) -> None:
    press(view, "ArrowDown")
    assert here(view) == CLOSE
    changed = view.locator(".act-section", has_text="what changed").inner_text()
    assert "since event 4" in changed and "closed: ○ pending → ✓ SAT" in changed


def test_arguments_since_the_tool_was_last_called(view: Any) -> None:
    arguments = view.locator(".act-section", has_text="arguments").inner_text()
    assert 'was "a.txt"' in arguments and "last called at event 2" in arguments


def test_messages_stand_between_calls(view: Any) -> None:
    press(view, "Home")
    assert view.locator(".act-said").inner_text() == "Please read a.txt.\nThen delete it."
    assert view.locator(".act-row.act-message").count() == 3


def test_a_proposed_call_that_was_refused(page: Any) -> None:
    session = Session(FILES)
    session.push(Event("open", {"file": "a.txt"}))
    judgement = session.check("read", {"file": "b.txt"})
    view = mount(page, state_of(session, proposed=judgement))
    assert here(view) == 1
    assert "proposed, not run" in view.locator(".act-detail h2").inner_text()
    assert 'argument file were "a.txt"' in view.locator(".act-card.act-legal").inner_text()
    assert view.locator(".act-section", has_text="output").count() == 0


def test_no_events_at_all(page: Any) -> None:
    view = mount(page, state_of([], FILES))
    press(view, "j", "n", "End", "x", "f", "w")
    assert "The trace has no events." in detail(view)


# ---------------------------------------------------------------- moving


def test_keys_move_through_the_events(view: Any) -> None:
    places = []
    for key in ("Home", "j", "ArrowDown", "k", "ArrowUp", "ArrowUp", "End", "j", "PageUp", "PageDown"):
        press(view, key)
        places.append(here(view))
    assert places == [0, 1, 2, 1, 0, 0, 7, 7, 0, 7]


def test_next_and_previous_violation(view: Any) -> None:
    press(view, "Home")
    found = []
    for key in ("n", "n", "n", "p", "p"):
        press(view, key)
        found.append(here(view))
    assert found == [READ_B, DELETE, DELETE, READ_B, READ_B]


def test_links_lead_to_the_witness_and_back(view: Any) -> None:
    view.locator(f".act-row[data-t='{READ}']").click()
    assert view.locator(".act-row.act-related").count() == 1
    view.locator(".act-card.act-links").get_by_role("button", name="event 1").click()
    assert here(view) == OPEN
    assert "opened: answers event 2" in view.locator(".act-card.act-links").inner_text()
    press(view, "b")
    assert here(view) == READ
    press(view, "w")
    assert here(view) == OPEN


def test_the_scrubber(view: Any) -> None:
    scrubber = view.get_by_role("slider", name="event")
    scrubber.fill("2")
    assert here(view) == 2
    scrubber.focus()
    press(view, "ArrowRight")
    assert here(view) == 3
    assert scrubber.get_attribute("aria-valuetext") == "event 3, assistant_message, pending"
    view.get_by_role("button", name="next violation").click()
    assert here(view) == READ_B


def test_a_constraint_is_looked_at_by_click_and_by_key(view: Any) -> None:
    view.locator(".act-column", has_text="own").click()
    assert "Delete only what is yours." in view.locator(".act-card.act-chosen").inner_text()
    press(view, "n")
    assert here(view) == DELETE
    press(view, "p")
    assert here(view) == DELETE, "the violation before is another constraint's"
    press(view, "Escape", "ArrowRight")
    assert view.locator(".act-column.act-chosen").inner_text() == "opened"
    press(view, "ArrowRight", "ArrowLeft", "ArrowLeft")
    assert view.locator(".act-column.act-chosen").count() == 0
    view.locator(f".act-row[data-t='{READ}'] .act-cell").nth(1).click()
    assert here(view) == READ
    assert view.locator(".act-column.act-chosen").inner_text() == "closed"


# ---------------------------------------------------------------- filters


def test_search(view: Any) -> None:
    press(view, "/")
    view.page.keyboard.type("SECOND line")
    assert rows(view) == [READ], "it reads outputs too, in any case"
    assert view.locator(".act-count").inner_text() == "1 of 8 events"
    press(view, "Escape")
    assert len(rows(view)) == 8


def test_what_is_typed_into_the_search_is_no_command(view: Any) -> None:
    press(view, "/")
    view.page.keyboard.type("jnm?")
    assert view.get_by_role("searchbox").input_value() == "jnm?"
    assert rows(view) == []
    press(view, "Escape")
    assert here(view) == READ_B


def test_filter_by_tool_and_by_verdict(view: Any) -> None:
    press(view, "t")
    view.page.keyboard.type("read")
    assert rows(view) == [READ, READ_B]
    view.get_by_label("filter by verdict").select_option("o")
    assert rows(view) == [READ]
    view.get_by_label("filter by tool").select_option("")
    view.get_by_label("filter by verdict").select_option("breaks")
    assert rows(view) == [READ_B, DELETE]


def test_messages_can_be_hidden(view: Any) -> None:
    press(view, "m")
    assert rows(view) == [OPEN, READ, READ_B, CLOSE, DELETE]
    assert view.get_by_role("button", name="messages").get_attribute("aria-pressed") == "false"
    press(view, "Home", "ArrowDown", "ArrowDown", "ArrowDown")
    assert here(view) == CLOSE


def test_from_what_is_filtered_out_one_moves_to_the_nearest_row(page: Any) -> None:
    view = mount(page, state_of(trace(), FILES, cursor=3))
    press(view, "m", "ArrowDown")
    assert here(view) == READ_B


def test_what_changes_nothing_folds(page: Any) -> None:
    events = [Event("read", {"file": "z"}), *[Event("ls", {})] * 5, Event("read", {"file": "y"})]
    spec = FILES
    view = mount(page, state_of(events, spec))
    press(view, "f")
    assert rows(view) == [0, 1]
    folded = view.locator(".act-row").nth(1)
    assert "6 events that change nothing" in folded.inner_text()
    press(view, "ArrowDown")
    assert folded.get_attribute("aria-selected") == "true"
    press(view, "Enter")
    assert rows(view) == [0, 1, 2, 3, 4, 5, 6]
    press(view, "f")
    assert view.get_by_role("button", name="fold").get_attribute("aria-pressed") == "false"


def test_a_link_into_a_fold_opens_it(page: Any) -> None:
    events = [*[Event("ls", {})] * 4, Event("read", {"file": "y"})]
    view = mount(page, state_of(events, FILES))
    press(view, "f")
    assert rows(view) == [0, 4]
    view.get_by_role("slider").fill("2")
    assert (rows(view), here(view)) == ([0, 1, 2, 3, 4], 2)


def test_constraints_without_a_say_are_shown_on_demand(page: Any) -> None:
    view = mount(page, state_of([Event("open", {"file": "a"})], FILES))
    assert view.locator(".act-column").all_inner_texts() == ["closed"]
    view.get_by_role("button", name="3 idle constraints").click()
    assert view.locator(".act-column").count() == 4
    press(view, "c")
    assert view.locator(".act-column").count() == 1


def test_values_open_and_close(view: Any) -> None:
    press(view, "Home", "j")
    trees = view.locator("details.act-tree")
    assert [t.get_attribute("open") for t in trees.all()] == ["", ""]
    press(view, "x")
    assert [t.get_attribute("open") for t in trees.all()] == [None, None]


# ---------------------------------------------------------------- keyboard and model


def test_the_help_lists_every_key(view: Any) -> None:
    keys = [*"↓j↑knp→←wb/tvmfxcdl?", "Page", "Home", "End", "Enter", "Esc"]
    press(view, "?")
    dialog = view.get_by_role("dialog")
    assert dialog.is_visible()
    shown = " ".join(dialog.locator("kbd").all_inner_texts()).split()
    for key in keys:
        assert key in shown
    press(view, "j")
    assert here(view) == READ_B, "nothing moves behind the dialog"
    press(view, "Escape")
    assert not dialog.is_visible()


def test_no_key_reaches_the_notebook(view: Any) -> None:
    view.page.evaluate("window.heard = []; document.addEventListener('keydown', (e) => heard.push(e.key))")
    press(view, "j", "a", "b", "d", "x", "Escape", "?", "Escape")
    assert view.page.evaluate("window.heard.filter((k) => k !== 'Escape')") == []
    assert view.get_attribute("data-lm-suppress-shortcuts") == "true"


def test_commands_of_the_browser_stay_its_own(view: Any) -> None:
    press(view, "Control+b", "Alt+n")
    assert here(view) == READ_B


def test_details_can_be_reached_and_left_by_key(view: Any) -> None:
    focused = "document.activeElement.className"
    press(view, "d")
    assert view.page.evaluate(focused) == "act-detail"
    press(view, "Tab")
    assert view.page.evaluate(focused) == "act-link"
    press(view, "l")
    assert view.page.evaluate(focused) == "act-grid"


def test_python_is_told_where_we_are(view: Any) -> None:
    press(view, "Home", "j", "j", "ArrowRight")
    view.page.wait_for_function("window.saves.length > 0")
    assert view.page.evaluate("window.saves.at(-1)") == {"cursor": 2, "constraint": "opened"}
    assert view.page.evaluate("window.saves.length") == 1, "not at every step"


def test_python_moves_the_view(view: Any) -> None:
    view.page.evaluate("window.model.set('cursor', 1)")
    assert here(view) == 1
    view.page.evaluate("window.model.set('constraint', 'own')")
    assert view.locator(".act-column.act-chosen").inner_text() == "own"


def test_what_python_answers_later_is_shown_when_it_comes(page: Any) -> None:
    state = state_of(trace(), FILES)
    answers = state["why"]
    view = mount(page, {**state, "why": {}, "live": True})
    assert "Asking what would have been legal" in detail(view)
    page.evaluate("([why]) => window.model.set('why', why)", [answers])
    assert "open came before it" in detail(view)


def test_another_trace_from_python(view: Any) -> None:
    new = state_of([Event("open", {"file": "new.txt"})], FILES)
    view.page.evaluate(
        "([s]) => { Object.assign(model.state, { verdicts: s.verdicts, cursor: 0 });"
        " model.set('events', s.events); }",
        [new],
    )
    assert rows(view) == [0]
    assert "new.txt" in detail(view)


def test_a_view_that_is_closed_listens_no_more(view: Any) -> None:
    view.page.evaluate("window.unmount(); window.model.set('cursor', 0)")
    assert view.locator(".act-row.act-here").get_attribute("data-t") == str(READ_B)


# ---------------------------------------------------------------- hostile text


def test_hostile_text_is_inert(page: Any) -> None:
    spec, bad = hostile()
    view = mount(page, state_of(bad, spec))
    for _ in range(4):
        press(view, "x")
        assert "<img src=x onerror" in view.inner_text()
        press(view, "ArrowUp")
    press(view, "End", "?", "Escape", "ArrowRight")
    page.wait_for_timeout(100)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, script, iframe").count() == 0


UNSEEN = r"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
ALL_TEXT = """
(root) => root.textContent + [...root.querySelectorAll("[title], [aria-label]")]
  .map((node) => node.title + node.ariaLabel).join("")
"""


def test_no_character_hides_or_reorders(page: Any) -> None:
    spec, bad = hostile()
    view = mount(page, state_of(bad, spec))
    seen = ""
    for _ in range(4):
        seen += view.evaluate(ALL_TEXT)
        press(view, "ArrowUp")
    assert re.findall(UNSEEN, seen) == []
    assert r"\u202e" in seen and r"\u001b" in seen


def test_text_of_several_lines_cannot_pass_for_further_fields(page: Any) -> None:
    event = Event("open", {"file": 'a"\nowner  "me"'})
    view = mount(page, state_of([event], FILES))
    assert view.locator(".act-section", has_text="arguments").locator(".act-leaf").count() == 1
    assert view.locator(".act-block").inner_text() == 'a"\nowner  "me"'
