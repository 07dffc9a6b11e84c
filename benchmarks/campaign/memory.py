"""How the memory of a long campaign grows: `plait check`, watched from outside while it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.campaign.throughput import Place

EVERY_S = 0.2
WINDOW = 0.2  # of the time, in the middle and at the end, that is compared


def grown(place: Place, seconds: float, tests: int | None = None) -> dict[str, Any]:
    """Kilobytes that the campaign and its worker grow by per 1,000 tests, in the second half of the time.

    ``tests`` is how many there are at most; the same number on every machine, unless the seconds are too few.
    """
    result = place.folder / "result.json"
    command = [
        sys.executable, "-m", "plait", "check", str(place.spec), "--budget", f"{seconds:g}s", "--workers", "1",
        "--fresh", "--quiet", "--json", result.name, *([] if tests is None else ["--max-tests", str(tests)]),
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=place.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sizes: list[tuple[int, int]] = []
    while process.poll() is None:
        sizes.append((_resident(process.pid), max(map(_resident, _descendants(process.pid)), default=0)))
        time.sleep(EVERY_S)
    done = json.loads(result.read_text(encoding="utf-8"))["stats"]["tests"]
    sizes = [each for each in sizes if all(each)]
    window = max(1, int(len(sizes) * WINDOW))
    middle = sizes[len(sizes) // 2 : len(sizes) // 2 + window]  # the largest: a worker may be replaced, and ends
    found: dict[str, Any] = {"seconds": seconds, "tests": done}
    for position, name in enumerate(("campaign", "worker")):
        before, after = (max(each[position] for each in part) for part in (middle, sizes[-window:]))
        thousands = done / 1000 / 2 * (1 - WINDOW)
        found |= {f"{name}_kb": round(after), f"{name}_kb_per_1000_tests": round((after - before) / thousands)}
    return found


def _resident(pid: int) -> int:
    """Kilobytes in memory; 0 if the process is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def _descendants(pid: int) -> list[int]:
    """The processes that a process, and those that it has started, have started: workers are forked of a server."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(text) for text in task.read_text("ascii").split()]
        except OSError:
            continue
    return found + [each for child in found for each in _descendants(child)]
