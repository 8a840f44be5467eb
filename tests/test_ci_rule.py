"""The rule of conftest.py: under CI the tests that need a browser, a lab or a model may not be skipped."""

from pathlib import Path

import pytest

RULE = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")
MARKERS = ("browser", "lab", "notebook", "model", "gpu", "slow")


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    pytester.makeconftest(RULE)
    pytester.makeini("[pytest]\nmarkers =\n" + "\n".join(f"    {name}" for name in MARKERS))

    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(source: str, ci: str | None = "true") -> pytest.RunResult:
        monkeypatch.delenv("CI", raising=False)
        if ci is not None:
            monkeypatch.setenv("CI", ci)
        pytester.makepyfile(source)
        return pytester.runpytest_inprocess("-p", "no:cacheprovider")

    return run


def skipped(marker: str) -> str:
    return f"""
        import pytest
        @pytest.mark.{marker}
        def test_it(): pytest.skip("chromium is not installed")
    """


@pytest.mark.parametrize("marker", ["browser", "lab", "notebook", "model"])
def test_a_skipped_test_fails_in_ci(run, marker: str) -> None:
    result = run(skipped(marker))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            f"*error: a `{marker}` test was skipped, which counts as a failure where CI is set*",
            "*found: *chromium is not installed*",
            "*hint: have .ci/run install what the test needs*",
        ]
    )


@pytest.mark.parametrize("marker", ["gpu", "slow"])
def test_other_tests_may_be_skipped_in_ci(run, marker: str) -> None:
    run(skipped(marker)).assert_outcomes(skipped=1)


@pytest.mark.parametrize("ci", [None, "", "0", "false"])
def test_without_ci_a_skip_stays_a_skip(run, ci: str | None) -> None:
    run(skipped("browser"), ci=ci).assert_outcomes(skipped=1)


def test_skipif_counts_as_a_skip(run) -> None:
    source = """
        import pytest
        @pytest.mark.model
        @pytest.mark.skipif(True, reason="no model")
        def test_it(): pass
    """
    run(source).assert_outcomes(errors=1)


def test_a_skip_in_a_fixture_counts_as_a_skip(run) -> None:
    source = """
        import pytest
        @pytest.fixture
        def browser(): pytest.skip("chromium is not installed")
        @pytest.mark.browser
        def test_it(browser): pass
    """
    assert run(source).ret == pytest.ExitCode.TESTS_FAILED


def test_a_module_skipped_whole_fails_in_ci(run) -> None:
    source = """
        import pytest
        pytest.importorskip("no_such_module")
        pytestmark = pytest.mark.model
        def test_it(): pass
    """
    result = run(source)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*error: a file with `model` tests was skipped*"])


def test_an_unmarked_module_may_be_skipped_whole(run) -> None:
    source = "import pytest\npytest.importorskip('no_such_module')\ndef test_it(): pass\n"
    run(source).assert_outcomes(skipped=1)


def test_an_expected_failure_stays_one(run) -> None:
    source = """
        import pytest
        @pytest.mark.model
        @pytest.mark.xfail
        def test_it(): assert False
    """
    run(source).assert_outcomes(xfailed=1)


def test_a_passing_test_passes(run) -> None:
    run("import pytest\n@pytest.mark.model\ndef test_it(): pass\n").assert_outcomes(passed=1)
