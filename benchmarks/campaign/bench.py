"""What a campaign's safety costs: workers, guard and store, on ConDiff's subjects.

Every figure is a median of runs that take turns. ``executions_per_s`` is by the clock, ``executions_per_cpu_s`` by the
processor's time of the exploring process, which other load on the machine hardly changes. ``isolation`` compares one
worker (with its guard) with a plain process without, ``guard`` two plain processes; ``two_workers`` is the gain of a
second worker by the clock. ``second_run`` and ``after_change`` are how many times faster a campaign is that finds
everything, or everything but what a changed method reaches, in its store.
"""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.campaign import tasks
from benchmarks.condiff.scenarios import public_methods, subject
from plait.campaign.fingerprint import Fingerprints, unit_key
from plait.campaign.spec import WorkerSpec
from plait.campaign.store import Store
from plait.campaign.workers import Workers
from plait.model.test import Test
from plait.subject.name import Subject
from plait.subject.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
SUBJECTS = ("C1", "C4", "C5")
TESTS = 150
LONG = 600.0
GOALS = {"isolation_percent": 10.0, "two_workers": 1.8, "second_run": 20.0, "after_change": 3.0}


def run(
    *, runs: int = 3, seconds: float = 10.0, progress: Callable[[str], None] = print, names: tuple[str, ...] = SUBJECTS
) -> dict[str, Any]:
    """Measure; ``seconds`` is how long memory is watched per subject."""
    rows = [_row(name, runs, seconds, progress) for name in names]
    summary = {key: round(median(row[key] for row in rows), 2) for key in (*GOALS, "guard_percent")}
    return {"rows": rows, "summary": {**summary, "goals": GOALS, "load": round(os.getloadavg()[0], 1), "runs": runs}}


def _row(name: str, runs: int, seconds: float, progress: Callable[[str], None]) -> dict[str, Any]:
    chosen = subject(name)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(chosen.module, chosen.class_name, Path(folder))
        (place.folder / f"{chosen.module}.py").write_text(chosen.source("new"), encoding="utf-8")
        with Workers(place.spec, count=1) as workers:
            tests = workers.submit(tasks.make, str(place.spec), TESTS, 0, timeout=LONG).result().value
        figures: dict[str, list[dict[str, Any]]] = {}
        for number in range(1, runs + 1):
            progress(f"{chosen.module}: run {number} of {runs}")
            for kind in ("free", "guard"):
                figures.setdefault(kind, []).append(_inside(place, tests, kind))
            for count in (1, 2):
                figures.setdefault(f"{count} workers", []).append(_workers(place, tests, count))
        rates = {kind: median(one["executions"] / one["wall_s"] for one in some) for kind, some in figures.items()}
        by_cpu = {kind: median(one["executions"] / one["cpu_s"] for one in some) for kind, some in figures.items()}
        progress(f"{chosen.module}: store and memory")
        return {
            "subject": chosen.module, "tests": len(tests), "executions": figures["free"][0]["executions"],
            "executions_per_s": {kind: round(rate) for kind, rate in rates.items()},
            "executions_per_cpu_s": {kind: round(rate) for kind, rate in by_cpu.items()},
            "isolation_percent": _cost(by_cpu["free"], by_cpu["1 workers"]),
            "guard_percent": _cost(by_cpu["free"], by_cpu["guard"]),
            "two_workers": round(rates["2 workers"] / rates["1 workers"], 2),
            **_store(place, tests), "memory": _memory(place, tests, seconds),
        }  # fmt: skip


class Place:
    """A subject in a folder of its own."""

    def __init__(self, module: str, name: str, folder: Path) -> None:
        self.module, self.name, self.folder = module, name, folder
        self.spec = WorkerSpec(module=module, qualname=name, roots=(folder,))
        self.subject = Subject(module, name)
        self.version = Version("x", folder, "folder", tree=folder, project=folder, origin=folder)


def _cost(free: float, bound: float) -> float:
    """How much slower, in percent."""
    return round(100 * (free / bound - 1), 1)


def _inside(place: Place, tests: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.campaign.inside", place.module, place.name, str(place.folder), kind]
    done = subprocess.run(
        command, input=json.dumps(tests), cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def _explored(workers: Workers, place: Place, tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    batches = [tests[start : start + tasks.BATCH] for start in range(0, len(tests), tasks.BATCH)]
    futures = [workers.attempt(tasks.explore, str(place.spec), batch, timeout=LONG) for batch in batches]
    return [future.result().value for future in futures]


def _workers(place: Place, tests: list[dict[str, Any]], count: int) -> dict[str, Any]:
    with Workers(place.spec, count=count) as workers:
        _explored(workers, place, tests[: 2 * count * tasks.BATCH])
        started = time.perf_counter()
        answers = _explored(workers, place, tests)
        return tasks.added(answers, time.perf_counter() - started)


# -- store ----------------------------------------------------------------------------------------------------------


def _store(place: Place, tests: list[dict[str, Any]]) -> dict[str, Any]:
    """Three campaigns over the same tests: with nothing, everything and most of it in the store."""
    store = place.folder / ".plait"
    first_s, first, _ = _campaign(place, tests, store)
    second_s, second, again = _campaign(place, tests, store)
    assert second == first
    assert again == 0
    file = place.folder / f"{place.module}.py"
    source = file.read_text(encoding="utf-8")
    called = {call["method"] for data in tests for suffix in data["suffixes"] for call in suffix}
    methods = {name: node for name, node in public_methods(source, place.name).items() if name in called}
    node = methods[random.Random(0).choice(sorted(methods))]
    lines = source.splitlines()
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    lines.insert(body[0].lineno - 1, f"{' ' * body[0].col_offset}unused = 0")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    third_s, third, redone = _campaign(place, tests, store)
    assert third == first
    with Store(store) as opened:
        started = time.perf_counter()
        for number in range(200):
            opened.remember("cost", {str(number): {"verdicts": ["none"], "executions": 1}})
        written = (time.perf_counter() - started) / 200
        started = time.perf_counter()
        for number in range(200):
            opened.explored(str(number))
        read = (time.perf_counter() - started) / 200
    return {
        "first_run_s": round(first_s, 3), "second_run_s": round(second_s, 3), "after_change_s": round(third_s, 3),
        "second_run": round(first_s / second_s, 1), "after_change": round(first_s / third_s, 1),
        "changed_method": node.name, "methods": len(methods), "explored_again": redone,
        "store_write_us": round(1e6 * written), "store_read_us": round(1e6 * read),
    }  # fmt: skip


def _campaign(place: Place, tests: list[dict[str, Any]], folder: Path) -> tuple[float, list[str], int]:
    """Explore what the store does not know; how long it took, all verdicts, and how many tests were explored.

    The time that workers need to start is left out: it is the same for long campaigns as for these short ones.
    """
    with Workers(place.spec, count=2) as workers, Store(folder) as store:
        for future in [workers.submit(time.sleep, 0.2, timeout=LONG) for _ in range(2)]:
            future.result()
        started = time.perf_counter()
        prints = Fingerprints(place.subject, place.version)
        keys = [unit_key(test, {"seed": 0}, prints.code(test)) for test in map(Test.from_json, tests)]
        known = {key: store.explored(key) for key in keys}
        todo = [number for number, key in enumerate(keys) if known[key] is None]
        if todo:
            answers = _explored(workers, place, [tests[number] for number in todo])
            verdicts = [verdict for answer in answers for verdict in answer["verdicts"]]
            fresh = {keys[number]: {"verdict": verdict} for number, verdict in zip(todo, verdicts, strict=True)}
            store.remember(place.name, fresh)
            known.update(fresh)
        elapsed = time.perf_counter() - started
    return elapsed, [known[key]["verdict"] for key in keys], len(todo)


# -- memory ---------------------------------------------------------------------------------------------------------


def _memory(place: Place, tests: list[dict[str, Any]], seconds: float) -> dict[str, int]:
    """Kilobytes of a worker and of the campaign, after a first part and at the end."""
    deadline = time.monotonic() + seconds
    sizes = []
    with Workers(place.spec, count=1) as workers:
        while len(sizes) < 2 or time.monotonic() < deadline:
            _explored(workers, place, tests[:20])
            sizes.append((workers.submit(tasks.resident, timeout=LONG).result().value, tasks.resident()))
    return {
        "rounds": len(sizes), "worker_before_kb": sizes[1][0], "worker_after_kb": sizes[-1][0],
        "campaign_before_kb": sizes[1][1], "campaign_after_kb": sizes[-1][1],
    }  # fmt: skip


def show(result: dict[str, Any]) -> str:
    """The table as text."""
    heads = f"{'subject':24} {'exec/s: plain':>14} {'1 worker':>9} {'2 workers':>10} {'isolation':>10} {'guard':>7}"
    lines = [f"{heads} {'second run':>11} {'one changed':>12} {'worker memory':>22}"]
    for row in result["rows"]:
        rate, memory = row["executions_per_s"], row["memory"]
        lines.append(
            f"{row['subject']:24} {rate['free']:14} {rate['1 workers']:9} {rate['2 workers']:10} "
            f"{row['isolation_percent']:8} % {row['guard_percent']:5} % {row['second_run']:10}x "
            f"{row['after_change']:11}x {memory['worker_before_kb']:9} to {memory['worker_after_kb']} kB"
        )
    summary = result["summary"]
    lines.append(
        f"medians: isolation {summary['isolation_percent']} % (goal < 10 %), guard {summary['guard_percent']} %, "
        f"two workers {summary['two_workers']}x (goal 1.8x), second run {summary['second_run']}x (goal 20x), "
        f"one method changed {summary['after_change']}x (goal 3x); load of the machine {summary['load']}"
    )
    return "\n".join(lines)
