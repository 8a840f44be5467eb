"""Where CI is set, a browser, JupyterLab, notebook or model test that is skipped has failed."""

import os
import re
from collections.abc import Generator

import pytest

MUST_RUN = ("browser", "lab", "notebook", "model")


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    marks = [mark for mark in MUST_RUN if item.get_closest_marker(mark)]
    if in_ci() and marks and report.skipped and not hasattr(report, "wasxfail"):
        refuse(report, f"a `{marks[0]}` test was skipped")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A file skipped whole (importorskip, say) never shows its marks, so its text is asked for them."""
    report = yield
    if in_ci() and report.skipped and isinstance(collector, pytest.Module):
        found = re.search(rf"\bmark\.({'|'.join(MUST_RUN)})\b", collector.path.read_text(encoding="utf-8"))
        if found:
            refuse(report, f"a file with `{found[1]}` tests was skipped")
    return report


def refuse(report: pytest.TestReport | pytest.CollectReport, what: str) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = (
        f"error: {what}, which counts as a failure where CI is set\n"
        f"  where: {report.nodeid}\n"
        f"  found: {reason}\n"
        "  hint: have .ci/run install what the test needs"
    )
