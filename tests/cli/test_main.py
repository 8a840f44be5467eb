"""The entrance: help, versions, errors in four parts, interrupts, closed pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from email.message import Message
from importlib import metadata
from pathlib import Path

import pytest

import agentc as package
from agentc.cli import audit, beside, check, demo, lint, replay
from agentc.cli.interrupts import clean_interrupts
from agentc.errors import AgentcError
from tests.cli.running import FILES, ROOT, agentc, event, spec_file, trace_file

COMMANDS = {"audit": audit, "check": check, "lint": lint, "replay": replay, "demo": demo}


def test_version() -> None:
    ran = agentc("--version")
    assert (ran.status, ran.out) == (0, f"agentc {package.__version__}\n")


def test_help_tells_every_command_in_one_line() -> None:
    ran = agentc("--help")
    assert ran.status == 0
    for name in COMMANDS:
        (line,) = [line for line in ran.out.splitlines() if line.strip().startswith(f"{name} ")]
        assert len(line.split()) > 4
    assert "exit status:" in ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command: str) -> None:
    ran = agentc(command, "--help")
    assert ran.status == 0 and "usage:" in ran.out


@pytest.mark.parametrize(
    "argv", [(), ("audits",), ("audit",), ("check", "a"), ("audit", "--spec", "s", "--nope")]
)
def test_a_command_line_that_makes_no_sense(argv: tuple[str, ...]) -> None:
    ran = agentc(*argv)
    assert ran.status == 2 and "usage:" in ran.err and "Traceback" not in ran.err


def test_an_error_is_told_in_four_parts_on_standard_error(tmp_path: Path) -> None:
    ran = agentc("audit", "--spec", "retail", "--traces", tmp_path / "no.jsonl")
    lines = ran.err.splitlines()
    assert ran.status == 2 and ran.out == ""
    assert lines[0] == "error: there is no such file"
    assert lines[1] == f"  where: {tmp_path / 'no.jsonl'}" and lines[2].startswith("  hint: check the path")


def test_a_file_name_cannot_move_the_cursor() -> None:
    ran = agentc("check", "retail", "\x1b[2J\u202eevil.jsonl")
    assert ran.status == 2 and "\\u001b[2J\\u202eevil.jsonl" in ran.err and "\x1b" not in ran.err


def test_what_breaks_inside_is_told_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTC_TRACEBACK", raising=False)
    monkeypatch.setattr(lint, "run", raising(ZeroDivisionError("by zero")))
    ran = agentc("lint", "retail")
    assert ran.status == 70 and ran.err.startswith(
        "error: agentc itself failed\n  found: ZeroDivisionError: by zero"
    )
    monkeypatch.setenv("AGENTC_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        agentc("lint", "retail")


@pytest.mark.parametrize(("error", "status", "told"), [(KeyboardInterrupt(), 130, "interrupted\n")])
def test_an_interrupt(monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, told: str) -> None:
    monkeypatch.setattr(lint, "run", raising(error))
    ran = agentc("lint", "retail")
    assert (ran.status, ran.err) == (status, told)


def raising(error: BaseException) -> Callable[[object], int]:
    def run(args: object) -> int:
        raise error

    return run


# ---------------------------------------------------------------- the other project


def test_the_other_projects_distribution_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside.metadata, "distribution", distribution_called({"agentc": "1.1.5"}))
    ran = agentc("lint", "retail")
    assert ran.status == 2 and ran.err.startswith("error: another project's package `agentc` is installed")
    assert "agentc 1.1.5: Couchbase" in ran.err and "hint: pip uninstall agentc" in ran.err


def test_it_is_refused_in_python_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside.metadata, "distribution", distribution_called({"agentc": "1.1.5"}))
    vars(package).pop("Forall", None)
    with pytest.raises(AgentcError, match="another project"):
        package.Forall  # noqa: B018


def test_alone_there_is_nothing_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside.metadata, "distribution", distribution_called({"agentc-workbench": "0.1.0"}))
    beside.refuse_other_project()


class _Distribution(metadata.Distribution):
    """A stand-in for an installed distribution."""

    def __init__(self, name: str, version: str) -> None:
        self._message = Message()
        self._message["Name"], self._message["Version"] = name, version
        self._message["Summary"] = "Couchbase Agent Catalog"

    def read_text(self, filename: str) -> str | None:
        return self._message.as_string() if filename == "METADATA" else None

    def locate_file(self, path: object) -> Path:  # type: ignore[override]
        return Path("site-packages") / str(path)


def distribution_called(known: dict[str, str]) -> Callable[[str], metadata.Distribution]:
    def distribution(name: str) -> metadata.Distribution:
        if name not in known:
            raise metadata.PackageNotFoundError(name)
        return _Distribution(name, known[name])

    return distribution


# ---------------------------------------------------------------- processes


def process(*argv: object, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "agentc", *map(str, argv)]
    pipes = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "encoding": "utf-8",
        "cwd": ROOT,
    }
    return subprocess.Popen(command, **(pipes | options))  # type: ignore[call-overload,no-any-return]


def test_as_a_process(tmp_path: Path) -> None:
    spec = spec_file(tmp_path, FILES)
    traces = trace_file(tmp_path, ("one", [event("read", file="a")]))
    out, err = (run := process("audit", "--spec", spec, "--traces", traces)).communicate(timeout=120)
    assert run.returncode == 0 and err == ""
    assert '✗ UNSAT one, event 0: read(file="a")' in out


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    spec = spec_file(tmp_path, FILES)
    traces = trace_file(tmp_path, *[(f"run {i}", [event("read", file="/" * 60)]) for i in range(400)])
    run = process("audit", "--spec", spec, "--traces", traces)
    assert run.stdout is not None and run.stderr is not None
    run.stdout.readline()
    run.stdout.close()
    assert run.wait(timeout=240) == 141 and run.stderr.read() == ""
    run.stderr.close()


def test_a_terminal_that_cannot_show_a_glyph(tmp_path: Path) -> None:
    spec = spec_file(tmp_path, FILES)
    traces = trace_file(tmp_path, ("one", [event("read", file="é")]))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    out, err = (run := process("check", spec, traces, env=environment)).communicate(timeout=120)
    assert run.returncode == 0 and err == "" and "\\u2717 UNSAT" in out and "\\xe9" in out


def test_an_interrupted_process_says_so(tmp_path: Path) -> None:
    spec = spec_file(tmp_path, FILES)
    traces = trace_file(tmp_path, *[(f"run {i}", [event("read", file="a")] * 50) for i in range(2000)])
    run = process("audit", "--spec", spec, "--traces", traces)
    time.sleep(5)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=120)
    # Python ends by the signal itself where it passed through `exec` (dataclasses); shells call both 130.
    assert run.returncode in (130, -signal.SIGINT) and err == "interrupted\n" and "Traceback" not in out


def test_an_interrupt_in_a_finalizer_is_put_off_and_not_lost() -> None:
    class Slow:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)
            reached.append("after the signal")

    reached: list[str] = []
    with pytest.raises(KeyboardInterrupt), clean_interrupts():
        Slow()
        time.sleep(5)
        reached.append("slept on")
    assert reached == ["after the signal"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_ignored_interrupt_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with clean_interrupts():
            signal.raise_signal(signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
