"""Measure, in one run: ``python -m bench [--short | --quick]``. ``bench/README.md`` says what and how."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.measure import PEER, ROOT, measure
from bench.plan import FULL, QUICK, SHORT
from bench.record import save
from bench.report import show

__all__ = ["main"]

RESULTS = ROOT / "bench" / "results"
NOTEBOOK = ROOT / "notebooks" / "bench_speed.ipynb"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, save and draw; return 0, or 2 where it can't start."""
    asked = _arguments().parse_args(argv)
    if not asked.without_peers and not PEER.exists():
        print("error: Invariant's environment isn't there", file=sys.stderr)
        print("  hint: `make peers` builds it; or leave it out with --without-peers", file=sys.stderr)
        return 2
    plan, size = (QUICK, "quick") if asked.quick else (SHORT, "short") if asked.short else (FULL, "full")
    folder = asked.out or (ROOT / "out" / "bench" if asked.quick else RESULTS)
    record = measure(plan, None if asked.without_peers else PEER, size)
    show(record)
    whole, table = save(record, folder)
    print(f"saved: {whole} and {table.name}, after {record['seconds'] / 60:.1f} min")
    if folder == RESULTS:
        _draw()
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure the speed of agentc and of a peer."
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="a minute or two; saved in out/bench")
    length.add_argument("--short", action="store_true", help="all sizes, few samples: three minutes")
    parser.add_argument("--without-peers", action="store_true", help="leave Invariant out")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where speed.json and speed.csv go")
    return parser


def _draw() -> None:
    """Run the notebook that draws the figure."""
    command = [sys.executable, "-m", "jupyter", "nbconvert", "--to", "notebook", "--execute", "--inplace"]
    subprocess.run([*command, str(NOTEBOOK)], check=True, cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
