"""The page that works from disk: one file, no request, inert, and the same view."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agentc.errors import TraceError
from agentc.view import trace_to_html
from tests.view.traces import FILES, READ_B, hostile, trace

TITLE = "\u2066</title><script>window.hacked=3</script>"


def test_nothing_of_a_trace_ends_the_element_it_stands_in() -> None:
    spec, bad = hostile()
    text = trace_to_html(bad, spec)
    assert text.count("</script>") == 2 and text.count("<script") == 2
    assert "<img" not in text
    (data,) = re.findall(r'<script type="application/json" id="state">(.*?)</script>', text, re.S)
    assert "<img src=x" in json.loads(data)["events"][0]["line"]


def test_the_page_asks_for_nothing_and_names_no_other_place() -> None:
    text = trace_to_html(trace(), FILES)
    assert "default-src 'none'" in text
    assert re.findall(r"(?:https?:)?//[\w.-]+\.\w+/|\b(?:src|href)=|@import|url\(", text) == []


def test_to_html_writes_a_file_whole_or_not_at_all(tmp_path: Path) -> None:
    from agentc.view import TraceView

    view = TraceView(trace(), FILES)
    text = view.to_html(tmp_path / "view.html")
    assert (tmp_path / "view.html").read_text(encoding="utf-8") == text
    with pytest.raises(TraceError, match="can't be written"):
        view.to_html(tmp_path / "nowhere" / "view.html")


@pytest.mark.browser
def test_from_disk(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "view.html"
    file.write_text(trace_to_html(trace(), FILES), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1100, "height": 700})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    here = page.locator(".act-row.act-here")
    assert here.get_attribute("data-t") == str(READ_B)
    assert "open came before it" in page.locator(".act-card.act-legal").inner_text()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert "must still happen, for this event" in page.locator(".act-card.act-owed").inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "must still happen, for event 1" in page.locator(".act-card.act-owed").inner_text()
    assert asked == [file.as_uri()] and page.title() == "files, run 1"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    assert [v["id"] for v in axe.Axe().run(page).response["violations"]] == []
    page.close()


@pytest.mark.browser
def test_its_policy_stops_scripts_and_requests(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "view.html"
    whole = trace_to_html(trace(), FILES)
    file.write_text(whole.replace("</main>", "</main><script>window.hacked = 1</script>"), encoding="utf-8")
    page = chromium.new_page()
    page.goto(file.as_uri())
    assert page.evaluate("window.hacked") is None
    asked = "fetch('data:text/plain,x').then(() => 'fetched', () => 'refused')"
    assert page.evaluate(asked) == "refused"
    page.close()


@pytest.mark.browser
def test_without_javascript_there_is_a_table(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "view.html"
    file.write_text(trace_to_html(trace(), FILES), encoding="utf-8")
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.get_by_role("row").nth(5).inner_text().split("\t")[:2] == ["4", "✗ UNSAT"]
    context.close()
