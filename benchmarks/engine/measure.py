"""Measures one tool on one subject, in a process of its own.

``python -m benchmarks.engine.measure TOOL SUBJECT SECONDS`` prints one JSON object; ``memory`` as the tool's name
measures how much memory many executions leave behind.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.engine.catalogue import FOLDERS, LONGEST, subject
from benchmarks.engine.tools import LOADERS

STEADY = 0.5  # seconds of repeated calls behind a steady rate
WARM_UP, EXECUTIONS = 1_000, 10_000


def measure(tool: str, name: str, seconds: float) -> dict[str, Any]:
    """The first exploring call of the process to the end, then repeated calls, then a call to the first failure."""
    explore = LOADERS[tool](tool, subject(name))
    start = time.perf_counter()
    first = explore(False, seconds)
    elapsed = time.perf_counter() - start
    executions, total, cpu = 0, 0.0, 0.0
    while total < min(STEADY, seconds) and first.trouble != "inconclusive":
        start, spent = time.perf_counter(), time.process_time()
        executions += explore(False, seconds).executions
        total += time.perf_counter() - start
        cpu += time.process_time() - spent
    failing = explore(True, seconds) if first.trouble != "inconclusive" else first
    return {
        "executions": first.executions,
        "redundant": first.redundant,
        "exhausted": first.exhausted,
        "first_rate": first.executions / elapsed,
        "steady_rate": executions / total if total else None,
        "cpu_rate": executions / cpu if cpu else None,
        "to_failure": failing.executions if failing.failed else None,
        "trouble": first.trouble or failing.trouble,
    }


def _resident() -> int:
    """Kilobytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def memory() -> dict[str, int]:
    """Resident memory before and after ten thousand executions of the longest program."""
    from plait.explore.dpor import Dpor
    from plait.explore.runner import explore
    from plait.observe.places import PLACES
    from plait.run.importing.world import World

    world = World(PLACES)
    module = world.load(LONGEST.module, roots=FOLDERS)
    world.snapshot()
    program = lambda: module.Program(*LONGEST.arguments).bodies
    search = Dpor()
    explore(program, search, max_executions=WARM_UP)
    before = _resident()
    explore(program, search, max_executions=EXECUTIONS)
    return {"executions": EXECUTIONS, "before_kb": before, "after_kb": _resident()}


if __name__ == "__main__":
    if sys.argv[1] == "memory":
        print(json.dumps(memory()))
    else:
        print(json.dumps(measure(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
