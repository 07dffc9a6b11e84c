"""`plait check` with ``covcon`` and with ``sd-atg`` on releases with a known defect: executions to the first finding.

One worker, so that the order of the tests is the strategy's. A case counts as found if a finding is the known defect;
``any`` is whether anything was found.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.corpus.cases import HERE, Case, cases

STRATEGIES = ("covcon", "sd-atg")
NAMES = (
    "boltons-lri-evict", "boltons-lru-setdefault", "cachelib-simple-inc", "pyee-once", "limits-memory-incr",
    "repoze-lru-clear", "watchdog-skip-repeats", "fasteners-rw-downgrade", "mock-children", "injector-get-singleton",
    "zict-lru", "jinja2-lru-setdefault-open",
)  # fmt: skip
"""A dozen: one for each package that needs nothing but its class path."""
SLACK = 300.0


def chosen() -> list[Case]:
    """The cases, in the order above."""
    known = {case.name: case for case in cases("class")}
    return [known[name] for name in NAMES]


def compare(case: Case, strategy: str, seconds: float, schedules: int | None = None) -> dict[str, Any]:
    """One run of the command; ``schedules`` bounds it instead of the clock."""
    limit = ["--budget", f"{seconds}s"] if schedules is None else ["--max-schedules", str(schedules)]
    command = [
        sys.executable, "-m", "plait", "check", case.subject, "--at", case.release(case.buggy), *limit,
        "--generate", strategy, "--workers", "1", "--json", "result.json",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="plait-atg-") as folder:
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=seconds + SLACK, check=False,
                env={**os.environ, "PYTHONPATH": str(HERE.parents[1] / "src")},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"found": False, "any": False, "trouble": f"no end within {seconds + SLACK:.0f} s"}
        if done.returncode not in (0, 1):
            said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            return {"found": False, "any": False, "trouble": said[0]}
        result = json.loads((Path(folder) / "result.json").read_text(encoding="utf-8"))
    stats = result["stats"]
    return {
        "found": any(case.shown_by(finding) for finding in result["findings"]), "any": bool(result["findings"]),
        "findings": len(result["findings"]), "tests": stats["tests"], "executions": stats["schedules"],
        "tests_to_first": stats["tests_to_first"], "executions_to_first": stats["schedules_to_first"],
        "stopped_by": result["stopped_by"],
    }  # fmt: skip


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """By strategy: the known defects found, and what the first finding cost where both strategies have one."""
    found: dict[str, Any] = {}
    by_case = {(row["subject"], row["approach"]): row for row in rows}
    both = [
        name for name in dict.fromkeys(row["subject"] for row in rows)
        if all(by_case.get((name, each), {}).get("executions_to_first") is not None for each in STRATEGIES)
    ]  # fmt: skip
    for strategy in STRATEGIES:
        mine = [row for row in rows if row["approach"] == strategy]
        costs = [by_case[name, strategy]["executions_to_first"] for name in both]
        found[strategy] = {
            "cases": len(mine), "found": sum(row["found"] for row in mine), "any": sum(row["any"] for row in mine),
            "both": len(both), "median_executions_to_first": median(costs) if costs else None,
        }  # fmt: skip
    return found
