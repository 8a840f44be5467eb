"""Time Invariant on a job that was written for it. Run by the Python of Invariant's own environment.

``python peer_invariant.py JOB.json`` prints JSON lines as ``worker.py`` does. Imports nothing of agentc.
"""

import json
import os
import sys
import time
from collections.abc import Iterator

os.environ["INVARIANT_MAX_ITERATIONS"] = str(10**12)  # the default, 100, stops at traces of a few dozen calls

from invariant.analyzer.policy import LocalPolicy


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    started = time.perf_counter()
    policy = LocalPolicy.from_string(job["rules"])
    say({"ready": 1e3 * (time.perf_counter() - started), "rules": len(policy.rule_set.rules)})
    list(
        judge(policy, job["past"][:10], job["windows"][0])
    )  # untimed: what its first judgement loads and compiles
    say({"fed": time.perf_counter() - started})
    for window in job["windows"]:
        for line in judge(policy, job["past"], window):
            say(line)


def judge(policy: LocalPolicy, past: list[dict], window: list[dict]) -> Iterator[dict]:
    """Judge the calls of a window one after another; messages only join the trace, untimed."""
    trace = list(past)
    for step in window:
        if step["id"] is not None:
            started = time.perf_counter()
            result = policy.analyze_pending(trace, step["entries"], pending=step["id"])
            ms = 1e3 * (time.perf_counter() - started)
            broken = [str(error.args[0]) for error in result.errors]
            verdict = "UNSAT" if broken else "SAT"
            yield {"ms": [ms], "tools": [step["tool"]], "verdicts": [verdict], "broken": broken}
        trace += step["entries"]


def say(line: dict) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
