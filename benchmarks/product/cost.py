"""What `plait check` costs in instructions of the processor, which no other load of the machine changes.

``python -m benchmarks.product.cost [--beside DIR] [--tests N] [--subject MODULE,...]`` advances the streams of a check
as a worker does (`benchmarks.product.inside`), under valgrind, and takes off what a run of no test costs. With
``--beside`` the same is counted of another tree. So that nothing is skipped in silence, both must make the same tests,
schedules and findings: a row says if they do not. Two runs of a tree differ by a few tenths of a percent.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.covcon.table import ROWS, Row
from benchmarks.product.bench import ROOT, environment, sources

PORTS = ("vector_117", "time_series", "as_map", "int_range", "xstream", "number_axis")
TESTS = 100
_COUNTED = re.compile(r"I\s+refs:\s+([\d,]+)")
_WORK = ("tests", "schedules", "findings")


@dataclass(frozen=True, slots=True)
class Cost:
    """Instructions of a port's tests in one tree, and what was done for them."""

    instructions: int
    work: dict[str, Any]

    @property
    def per_schedule(self) -> float:
        """Return thousands of instructions."""
        return self.instructions / max(self.work["schedules"], 1) / 1000


def cost(source: Path, row: Row, tests: int) -> Cost:
    """Count the instructions of so many tests, without those of the start."""
    begun, _nothing = _run(source, row, 0)
    whole, work = _run(source, row, tests)
    return Cost(whole - begun, {key: work[key] for key in _WORK})


def _run(source: Path, row: Row, tests: int) -> tuple[int, dict[str, Any]]:
    command = [
        "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", sys.executable, "-m",
        "benchmarks.product.inside", str(row.sound.parent), row.module, row.cls, str(tests), "0", "work",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, env=environment(source), capture_output=True, text=True, check=True)
    return counted(done.stderr), json.loads(done.stdout.strip().splitlines()[-1])


def counted(said: str) -> int:
    """Return the instructions that valgrind has counted."""
    found = _COUNTED.search(said)
    if found is None:
        raise RuntimeError(f"valgrind has counted nothing: {said[-200:]}")
    return int(found[1].replace(",", ""))


def line(name: str, here: Cost, beside: Cost | None) -> str:
    """Return a row of the table."""
    work = f"{here.work['tests']} tests, {here.work['schedules']} schedules"
    text = f"{name:14}{here.instructions / 1e6:>10.0f} M{here.per_schedule:>9.0f} k  {work}"
    if beside is None:
        return text
    same = "the same work" if here.work == beside.work else f"OTHER WORK: {beside.work}"
    return f"{text}{beside.instructions / here.instructions:>8.2f}x the tree beside, {same}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--tests", type=int, default=TESTS)
    parser.add_argument("--subject", default=",".join(PORTS))
    asked = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed: it counts the instructions")
    names = asked.subject.split(",")
    rows = [row for row in ROWS if row.module in names]
    if len(rows) < len(set(names)):
        sys.exit(f"--subject {asked.subject}: there is {', '.join(row.module for row in ROWS)}")
    ratios = []
    print(f"{'port':14}{'instructions':>12}{'a schedule':>11}")
    for row in rows:
        costs = [cost(source, row, asked.tests) for source in sources(asked.beside).values()]
        print(line(row.module, costs[0], costs[1] if len(costs) > 1 else None), flush=True)
        ratios += [costs[1].instructions / costs[0].instructions] if len(costs) > 1 else []
    if ratios:
        print(f"median {median(ratios):.2f}x")


if __name__ == "__main__":
    main()
