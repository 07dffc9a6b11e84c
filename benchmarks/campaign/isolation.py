"""What isolation costs: a worker beside a plain process without any, in turns, by the processor's time.

Both explore the same tests, as many at a time as `plait check` gives a worker, one directly after the other, so that
both have the same load beside them. The worker's side has all that a worker needs: its process's time for the batch,
with the frames, and the parent's time to ask, to look after the worker (ten times a second, so that a busy machine
makes it more) and to read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.campaign import tasks
from plait.commands.check.campaign import CHUNK_TESTS
from plait.workers.pool import Workers

if TYPE_CHECKING:
    from benchmarks.campaign.throughput import Place

ROOT = Path(__file__).resolve().parents[2]
LONG = 600.0


def isolation(place: Place, rounds: int) -> dict[str, Any]:
    """Percent of processor time more than without isolation: the median of the rounds, the least and the most.

    ``parent_percent`` is what the parent has of it.
    """
    batches = [place.tests[start : start + CHUNK_TESTS] for start in range(0, len(place.tests), CHUNK_TESTS)]
    command = [sys.executable, "-m", "benchmarks.campaign.inside", place.module, place.name, str(place.folder), "turns"]
    with (
        Workers(place.spec, count=1) as workers,
        subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "0"}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        ) as plain,
    ):  # fmt: skip
        for batch in batches[:2]:  # both load what they need
            _plain(plain, batch)
            _isolated(workers, place, batch, _pid(workers))
        found = []
        for number in range(rounds):
            free, bound, asked = 0.0, 0.0, 0.0
            for at, batch in enumerate(batches):
                pid = _pid(workers)  # it may be replaced, as any worker
                if (number + at) % 2:
                    free += _plain(plain, batch)
                worker, parent = _isolated(workers, place, batch, pid)
                if (number + at) % 2 == 0:
                    free += _plain(plain, batch)
                bound, asked = bound + worker, asked + parent
            found.append((100 * ((bound + asked) / free - 1), 100 * asked / free))
        assert plain.stdin is not None
        plain.stdin.close()
    costs, of_parent = zip(*found, strict=True)
    return {
        "isolation_percent": round(median(costs), 1), "isolation_least": round(min(costs), 1),
        "isolation_most": round(max(costs), 1), "parent_percent": round(median(of_parent), 1),
    }  # fmt: skip


def starts(place: Place, rounds: int) -> dict[str, float]:
    """Milliseconds of processor time that a worker takes to start, with the kernel's layers and without, in turns."""
    found: dict[bool, list[float]] = {True: [], False: []}
    for number in range(rounds):
        for kernel in (True, False) if number % 2 else (False, True):
            with Workers(replace(place.spec, kernel=kernel), count=1) as workers:
                found[kernel].append(1000 * workers.submit(time.process_time, timeout=LONG).result().value)
    return {"start_ms": round(median(found[True]), 1), "start_without_ms": round(median(found[False]), 1)}


def _plain(process: subprocess.Popen[str], batch: list[dict[str, Any]]) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(batch) + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def _isolated(workers: Workers, place: Place, batch: list[dict[str, Any]], pid: int) -> tuple[float, float]:
    """Seconds of the worker and of its parent."""
    parent, worker = time.process_time(), _clock(pid)
    workers.attempt(tasks.explore, str(place.spec), batch, timeout=LONG).result()
    return _clock(pid) - worker, time.process_time() - parent


def _pid(workers: Workers) -> int:
    found: int = workers.submit(os.getpid, timeout=LONG).result().value
    return found


def _clock(pid: int) -> float:
    """The processor's time that a process has had, which the kernel counts in nanoseconds."""
    return int(Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[0]) / 1e9
