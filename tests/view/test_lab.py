"""The widget and the `%%policy` cell in a real JupyterLab with a real kernel."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.lab]

CONFIG = """
from jupyterlab.galata import configure_jupyter_server
configure_jupyter_server(c)
c.ServerApp.port = {port}
c.ServerApp.root_dir = {root!r}
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.allow_root = True
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
"""
SETUP = """
from agentc import TraceView
from tests.view.traces import FILES, trace
view = TraceView(trace(), FILES)
view
"""
POLICY = """
%%policy files
tool open(file: string)
tool read(file: string)
constraint opened: "Open a file before you read it."
  Before(read as r, True, open as o, o.file == r.file)
"""
CURSOR = "print('at', view.cursor, view.selected.tool, view.constraint or 'none')"
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    pytest.importorskip("jupyterlab")
    root = tmp_path_factory.mktemp("lab")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = root / "config.py"
    config.write_text(CONFIG.format(port=port, root=str(root)), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "JUPYTER_CONFIG_DIR": str(root / "none")}
    log = (root / "log.txt").open("w")
    command = [sys.executable, "-m", "jupyterlab", "--config", str(config)]
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=root)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{url}/api", process, root / "log.txt")
        yield url, root
    finally:
        process.terminate()
        process.wait(20)
        log.close()


def wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.3)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def cell(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "source": source.strip(),
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }


PANEL = "window.jupyterapp.shell.currentWidget"
CONTEXT = f"{PANEL}.context.sessionContext"
OPEN = "window.jupyterapp?.shell?.currentWidget?.context?.sessionContext"
IDLE = f"{OPEN}?.isReady && {OPEN}.session?.kernel?.status === 'idle'"


class Lab:
    """One notebook, open in JupyterLab."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        page.goto(url)
        page.wait_for_function(IDLE, timeout=90_000)

    def run_all(self) -> None:
        self.page.evaluate("void window.jupyterapp.commands.execute('runmenu:run-all')")

    def run(self, source: str) -> str:
        """Run code in the notebook's kernel and return what it printed."""
        return self.page.evaluate(
            f"""async (code) => {{
              const future = {CONTEXT}.session.kernel.requestExecute({{ code }});
              let out = "";
              future.onIOPub = (m) => {{ out += m.content.text || (m.content.traceback || []).join("\\n"); }};
              await future.done;
              return out;
            }}""",
            source,
        ).strip()

    def cells(self) -> int:
        return self.page.evaluate(f"{PANEL}.content.widgets.length")

    def until(self, source: str, printed: str) -> None:
        """Run code until it prints what is expected: the browser tells Python a moment later."""
        until = time.monotonic() + 20
        while (said := self.run(source)) != printed:
            assert time.monotonic() < until, f"{said!r} is not {printed!r}"
            time.sleep(0.2)


@pytest.fixture
def lab(chromium: Any, server: tuple[str, Path], request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A notebook with the cells that the test asks for, in a page of its own."""
    url, root = server
    name = f"{request.node.name}.ipynb"
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    book = {
        "cells": [cell(c) for c in request.param],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    (root / name).write_text(json.dumps(book), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1300, "height": 950})
    page.set_default_timeout(30_000)
    yield Lab(page, f"{url}/lab/tree/{name}?reset")
    page.close()


with_cells = pytest.mark.parametrize("lab", [[SETUP]], indirect=True, ids=["view"])


@with_cells
def test_the_view_and_python_move_each_other(lab: Lab) -> None:
    lab.run_all()
    view = lab.page.locator(".agentc-trace")
    view.locator(".act-row.act-here[data-t='4']").wait_for()
    view.locator(".act-row[data-t='1']").click()
    lab.until(CURSOR, "at 1 open none")
    assert 'close(file="a.txt") must still happen' in view.locator(".act-card.act-owed").inner_text()
    view.locator(".act-grid").focus()
    for key in ("n", "ArrowRight"):
        lab.page.keyboard.press(key)
    lab.until(CURSOR, "at 4 read opened")
    lab.run("view.cursor = 6; view.constraint = 'own'")
    view.locator(".act-row.act-here[data-t='6']").wait_for()
    assert view.locator(".act-column.act-chosen").inner_text() == "own"


@with_cells
def test_keys_do_nothing_to_the_notebook_and_the_theme_is_followed(lab: Lab) -> None:
    lab.run_all()
    view = lab.page.locator(".agentc-trace")
    view.locator(".act-row.act-here").wait_for()
    view.locator(".act-row[data-t='2']").click()
    before = lab.cells()
    for key in ("a", "b", "d", "d", "x", "z", "m", "m", "c", "v", "l", "Escape", "j", "?", "Escape", "k"):
        lab.page.keyboard.press(key)
    assert lab.cells() == before
    assert lab.page.evaluate(f"{PANEL}.content.mode") == "command"
    for theme, kind in (("JupyterLab Dark", "dark"), ("JupyterLab Light", "light")):
        lab.page.evaluate(
            "(theme) => void window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme
        )
        lab.page.wait_for_selector(f".agentc-trace[data-theme={kind}]")


@with_cells
def test_a_session_that_goes_on(lab: Lab) -> None:
    lab.run_all()
    lab.page.locator(".agentc-trace").wait_for()
    lab.run("""
from agentc import Session, call
session = Session(FILES)
_ = session.push(call("open", file="a.txt"))
live = TraceView(session)
from IPython.display import display
""")
    assert lab.run("print(live)") == "files: 1 event, ○ pending"
    assert (
        lab.run("_ = session.push(call('close', file='a.txt')); live.refresh(); print(live)")
        == "files: 2 events, ✓ SAT"
    )


@pytest.mark.parametrize(
    "lab",
    [["%load_ext agentc", POLICY, "%%policy bad\nconstraint x: Befor(a, True, b, True)"]],
    indirect=True,
    ids=["policy"],
)
def test_the_policy_cell(lab: Lab) -> None:
    lab.run_all()
    report = lab.page.locator(".agentc-report")
    report.wait_for()
    assert "✓ 1 constraint checked and bound to files; 0 errors, 0 warnings" in report.inner_text()
    report.locator("summary", has_text="logic").click()
    report.locator("mjx-container, .MathJax").first.wait_for()
    error = lab.page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']")
    error.wait_for()
    assert "where: %%policy bad, line 2" in error.inner_text()
    assert "Traceback" not in error.inner_text()
    lab.until("print(files['opened'].sentence)", "Open a file before you read it.")
