"""A browser, and the widget in it on a blank page with a stand-in for the notebook's model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentc.monitor import Judgement
from agentc.view.looked_at import LookedAt
from agentc.view.modules import script, style
from agentc.view.subject import subject_of

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
BLANK = """
<!doctype html><html lang="en"><title>test</title><main><h1>test</h1><div id="host"></div></main></html>
"""

MOUNT = """
async ([source, css, state]) => {
  const sheet = document.createElement("style");
  sheet.textContent = css;
  document.head.append(sheet);
  const heard = {};
  window.saves = [];
  window.model = {
    state, get: (name) => state[name],
    set(name, value) { state[name] = value; (heard["change:" + name] || []).forEach((f) => f()); },
    on: (name, f) => (heard[name] = heard[name] || []).push(f),
    off: (name, f) => { heard[name] = (heard[name] || []).filter((g) => g !== f); },
    save_changes: () => window.saves.push({ cursor: state.cursor, constraint: state.constraint }),
  };
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  const host = document.createElement("div");
  document.querySelector("#host").replaceWith(host);
  window.unmount = widget.render({ model: window.model, el: host });
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
"""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A blank page; a script's error in it fails the test."""
    errors: list[str] = []
    page = chromium.new_page(viewport={"width": 1200, "height": 800})
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content(BLANK)
    yield page
    page.close()
    assert not errors


def mount(page: Any, state: dict[str, Any]) -> Any:
    """Render the widget with a stub model; nobody can be asked."""
    page.evaluate(MOUNT, [script(), style(), state])
    page.locator(".act-grid").focus()
    return page.locator(".agentc-trace")


def state_of(
    what: Any, spec: Any = None, proposed: Judgement | None = None, **changes: Any
) -> dict[str, Any]:
    looked_at = LookedAt(subject_of(what, spec, proposed=proposed))
    return {**looked_at.state(looked_at.start), **changes}
