"""Accessibility by axe-core, themes, and 2,000 events."""

from __future__ import annotations

from typing import Any

import pytest

from tests.view.conftest import BLANK, mount, state_of
from tests.view.traces import FILES, long_trace, trace

pytestmark = [pytest.mark.browser]

THEMES = {
    "light": ":root { color-scheme: light; }",
    "dark": ":root { --jp-layout-color1: #111; --jp-content-font-color1: #fff; }",
    "vscode": ":root { --vscode-editor-background: #1f1f1f; --vscode-editor-foreground: #ccc; }",
    "jupyter": ":root { --jp-layout-color1: white; --jp-content-font-color1: rgba(0, 0, 0, 0.87); }",
}


def faults(page: Any) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [f"{v['id']}: {n['html'][:200]} {n['failureSummary']}" for v in found for n in v["nodes"]]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [1200, 600])
def test_axe_finds_nothing(page: Any, theme: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.add_style_tag(content=THEMES[theme])
    view = mount(page, state_of(trace(), FILES))
    assert view.get_attribute("data-theme") == ("light" if theme in ("light", "jupyter") else "dark")
    assert faults(page) == []
    for key in ("n", "ArrowRight", "f", "?"):
        page.keyboard.press(key)
        assert faults(page) == []


def test_axe_would_notice(page: Any) -> None:
    mount(page, state_of(trace(), FILES))
    search = "document.querySelector('.act-search')"
    page.evaluate(f"{search}.removeAttribute('aria-label'); {search}.placeholder = ''")
    assert faults(page) != []


def test_the_theme_follows_the_notebooks(page: Any) -> None:
    view = mount(page, state_of(trace(), FILES))
    colour = "(e) => getComputedStyle(e.querySelector('.act-unsat-text')).color"
    light = view.evaluate(colour)
    page.evaluate("document.documentElement.style.setProperty('--jp-layout-color1', '#111')")
    page.wait_for_selector(".agentc-trace[data-theme=dark]")
    assert view.evaluate(colour) != light


def test_a_dark_system(chromium: Any) -> None:
    page = chromium.new_page(color_scheme="dark")
    page.set_content(BLANK.replace("<html", '<html style="color-scheme: light dark"'))
    view = mount(page, state_of(trace(), FILES))
    assert view.get_attribute("data-theme") == "dark"
    assert faults(page) == []
    page.close()


TIMED = """
async (keys) => {
  const grid = document.querySelector(".act-grid");
  const took = [];
  for (const key of keys) {
    const from = performance.now();
    grid.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.body.offsetHeight; // lay out, as a frame would
    took.push(performance.now() - from);
    await new Promise((done) => setTimeout(done));
  }
  return took.sort((a, b) => a - b);
}
"""


def test_two_thousand_events_do_not_freeze_it(page: Any) -> None:
    """Measured 4 ms for a step (median) on two shared cores; the limits leave room for a busy machine."""
    state = state_of(long_trace(2_000), FILES)
    assert len(state["events"]) == 2_000
    view = mount(page, state)
    assert view.locator(".act-row").count() < 80, "only the rows in sight exist"
    took = page.evaluate(TIMED, ["j"] * 60 + ["End", "Home", "n", "f", "f", "PageDown"])
    assert took[len(took) // 2] < 50 and took[-1] < 500, took
    page.keyboard.press("End")
    assert view.locator(".act-row.act-here").get_attribute("data-t") == "1999"
    assert view.locator(".act-row.act-here").is_visible()
    view.get_by_role("searchbox").fill("f437.txt is done")
    assert [r.get_attribute("data-t") for r in view.locator(".act-row").all()] == ["1751"]


def test_scrolling_draws_what_comes_into_sight(page: Any) -> None:
    view = mount(page, state_of(long_trace(2_000), FILES))
    view.locator(".act-grid").evaluate("(e) => { e.scrollTop = 26 * 1200; }")
    page.wait_for_selector(".act-row[data-t='1200']")
    assert view.locator(".act-row").count() < 80
