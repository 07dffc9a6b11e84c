"""What a campaign's safety costs: workers, guard and store, on ConDiff's subjects.

Figures are medians of runs that take turns. ``executions_per_s`` is by the clock, ``executions_per_cpu_s`` by the
processor's time of the exploring process, which other load on the machine hardly changes. ``isolation`` compares one
worker and its parent with a plain process without any, batch by batch in turns; ``guard`` compares two plain processes,
``start_ms`` the processor's time until a worker takes its first task, with the kernel's layers and without;
``two_workers`` is the gain of a second worker by the clock. ``second_run`` is how many times faster `plait diff` is on
what it has compared before, ``check_again`` and ``diff_again`` the same for campaigns of which nothing has changed,
``check_after_change`` and ``diff_after_change`` for those of which one method has; ``_by_cpu`` says it by the
processor's time.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.campaign import again, isolation, memory, throughput
from benchmarks.campaign.throughput import Place
from benchmarks.condiff.scenarios import subject
from plait.errors import UsageError
from plait.store.database import Store

if TYPE_CHECKING:
    from collections.abc import Callable

SUBJECTS = ("C1", "C3", "C5")
DASK = (1, 2, 4)
TESTS = 100
STARTS = 9  # of a worker, in each way
METHODS = 26  # of the classes that the goals of a change of one method are about
GOALS = {
    "isolation_percent": 10.0, "two_workers": 1.8, "second_run": 20.0, "check_after_change": 3.0,
    "diff_after_change": 3.0,
}  # fmt: skip


def run(
    *, runs: int = 3, seconds: float = 15.0, progress: Callable[[str], None] = print, names: tuple[str, ...] = SUBJECTS,
    dask: tuple[int, ...] = DASK, which: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Measure; ``seconds`` is how long memory is watched. ``which`` may be ``isolation``: nothing else is measured."""
    if which not in ("", "isolation"):
        raise UsageError(f"there is no part {which!r} of this table; there is isolation")
    with tempfile.TemporaryDirectory(prefix="plait-campaign-") as folder:
        chosen = [subject(name) for name in names]
        places = [
            Place(each.module, each.class_name, each.source("old"), Path(folder) / each.module) for each in chosen
        ]
        if which:
            return {"isolation": [_isolation(place, runs, progress) for place in places], "load": _load(), "runs": runs}
        rows = [_throughput(place, runs, progress) for place in places]
        for number in dask if importlib.util.find_spec("distributed") is not None else ():
            progress(f"dask with {number} workers")
            with throughput.dask(number) as address:
                for place, row in zip(places, rows, strict=True):
                    figures = throughput.on_dask(place, address, number)
                    row["executions_per_s"][f"dask {number}"] = round(figures["executions"] / figures["wall_s"])
        for each, row in zip(chosen, rows, strict=True):
            progress(f"{each.module}: store")
            row |= again.repeated(each, Path(folder) / f"{each.module}-repeated", runs)
            for command in ("check", "diff"):
                row |= again.changed(each, Path(folder) / f"{each.module}-{command}", command, runs)
        progress(f"memory: {seconds:g} s")
        grown = memory.grown(places[0], seconds)
        store = _store(Path(folder) / "store")
    summary = {key: round(median(row[key] for row in rows), 2) for key in (*GOALS, "guard_percent")}
    measured = [row for row in rows if row["methods"] == METHODS] or rows
    stored = [f"{command}_{what}{by}" for command in ("check", "diff") for what in ("again", "after_change")
              for by in ("", "_by_cpu")]  # fmt: skip
    summary |= {key: min(row[key] for row in measured) for key in stored}
    summary |= {"memory": grown, "store": store, "goals": GOALS, "load": _load(), "runs": runs}
    return {"rows": rows, "summary": summary}


def _throughput(place: Place, runs: int, progress: Callable[[str], None]) -> dict[str, Any]:
    place.make_tests(TESTS)
    figures: dict[str, list[dict[str, Any]]] = {}
    for number in range(1, runs + 1):
        progress(f"{place.module}: run {number} of {runs}")
        for kind in ("free", "guard"):
            figures.setdefault(kind, []).append(throughput.inside(place, kind))
        for count in (1, 2):
            figures.setdefault(f"{count} workers", []).append(throughput.in_workers(place, count))
    rates = {kind: median(one["executions"] / one["wall_s"] for one in some) for kind, some in figures.items()}
    by_cpu = {kind: median(one["executions"] / one["cpu_s"] for one in some) for kind, some in figures.items()}
    return {
        "subject": place.module, "tests": len(place.tests), "executions": figures["free"][0]["executions"],
        "executions_per_s": {kind: round(rate) for kind, rate in rates.items()},
        "executions_per_cpu_s": {kind: round(rate) for kind, rate in by_cpu.items()},
        **isolation.isolation(place, runs),
        "guard_percent": _cost(by_cpu["free"], by_cpu["guard"]),
        "two_workers": round(rates["2 workers"] / rates["1 workers"], 2),
    }  # fmt: skip


def _isolation(place: Place, runs: int, progress: Callable[[str], None]) -> dict[str, Any]:
    progress(f"{place.module}: isolation")
    place.make_tests(TESTS)
    figures = isolation.isolation(place, runs)
    return {"subject": place.module, "tests": len(place.tests), **figures, **isolation.starts(place, STARTS)}


def _load() -> float:
    return round(os.getloadavg()[0], 1)


def _cost(free: float, bound: float) -> float:
    """How much slower, in percent."""
    return round(100 * (free / bound - 1), 1)


def _store(folder: Path) -> dict[str, int]:
    """Microseconds to remember a test, and to look one up."""
    with Store(folder) as opened:
        started = time.perf_counter()
        for number in range(200):
            opened.remember("cost", {str(number): {"verdicts": ["none"], "executions": 1}})
        written = (time.perf_counter() - started) / 200
        started = time.perf_counter()
        for number in range(200):
            opened.explored(str(number))
        read = (time.perf_counter() - started) / 200
    return {"write_us": round(1e6 * written), "read_us": round(1e6 * read)}


def _isolation_shown(result: dict[str, Any]) -> str:
    columns = {
        "isolation_percent": "isolation", "isolation_least": "least", "isolation_most": "most",
        "parent_percent": "of parent", "start_ms": "start, ms", "start_without_ms": "without layers",
    }  # fmt: skip
    lines = [f"{'subject':20}" + "".join(f"{name:>15}" for name in columns.values())]
    for row in result["isolation"]:
        lines.append(f"{row['subject']:20}" + "".join(f"{row[key]:>15}" for key in columns))
    cost = median(row["isolation_percent"] for row in result["isolation"])
    slower = median(row["start_ms"] - row["start_without_ms"] for row in result["isolation"])
    lines.append(
        f"medians: isolation {cost:.1f} % (goal < 10 %), start {slower:+.1f} ms (goal < 30 ms); {result['runs']} runs "
        f"in turns, by processor time, at load {result['load']}"
    )
    return "\n".join(lines)


def show(result: dict[str, Any]) -> str:
    """The table as text."""
    if "isolation" in result:
        return _isolation_shown(result)
    rates = list(result["rows"][0]["executions_per_s"])
    names = [f"exec/s: {kind}" if kind == "free" else kind for kind in rates]
    others = {
        "isolation": "isolation_percent", "guard": "guard_percent", "second run": "second_run",
        "check, one changed": "check_after_change", "diff, one changed": "diff_after_change",
    }  # fmt: skip
    lines = [" ".join([f"{'subject':20}", *(f"{name:>12}" for name in names), *(f"{name:>18}" for name in others)])]
    for row in result["rows"]:
        figures = [f"{row['executions_per_s'].get(kind, '-'):>12}" for kind in rates]
        units = [f"{row[key]}{' %' if 'percent' in key else 'x'}" for key in others.values()]
        lines.append(" ".join([f"{row['subject']:20}", *figures, *(f"{text:>18}" for text in units)]))
    summary = result["summary"]
    grown, store = summary["memory"], summary["store"]
    lines.append(
        f"medians: isolation {summary['isolation_percent']} % (goal < 10 %), guard {summary['guard_percent']} %, two "
        f"workers {summary['two_workers']}x (goal 1.8x), second run {summary['second_run']}x (goal 20x); at least, "
        f"after one of {METHODS} methods has changed: check {summary['check_after_change']}x, diff "
        f"{summary['diff_after_change']}x (goal 3x), by cpu time {summary['check_after_change_by_cpu']}x and "
        f"{summary['diff_after_change_by_cpu']}x; nothing changed, by cpu time: check "
        f"{summary['check_again_by_cpu']}x, diff {summary['diff_again_by_cpu']}x"
    )
    lines.append(
        f"memory over {grown['tests']} tests: campaign {grown['campaign_kb']} kB, "
        f"{grown['campaign_kb_per_1000_tests']:+} kB per 1,000 tests; worker {grown['worker_kb']} kB, "
        f"{grown['worker_kb_per_1000_tests']:+} kB per 1,000 tests"
    )
    lines.append(
        f"store: {store['write_us']} us to remember a test, {store['read_us']} us to look one up; load of the machine "
        f"{summary['load']}"
    )
    return "\n".join(lines)
