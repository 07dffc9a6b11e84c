"""`plait check` with its defaults on the ports: found or silent, how small findings are, what their files are worth.

The same command with ``--generate random`` says what CovCon's order is worth in it. A finding's pytest file runs under
plain pytest, many times, once with the faulty version on its path and once with the sound one. A finding is minimal if
nothing can be left out of its test and no schedule with fewer preemptions shows it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from itertools import chain
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from benchmarks.covcon.table import FEW_PAIRS, HERE, Row
from plait.workers.protocol import STREAMS

SLACK = 60.0
COPIES = 5
ROOT = HERE.parents[1]


def measured(
    row: Row, *, runs: int, seconds: float, reproductions: int = 20, tests: int | None = None
) -> dict[str, Any]:
    """One row: ``runs`` seeds on the faulty version, one run with the same budget on the sound one.

    ``tests`` ends each run after so many, whatever the clock says.

    Each has a folder of its own: what one run has found is not to be known to the next.
    """
    with tempfile.TemporaryDirectory(prefix="plait-covcon-") as name:
        folder = Path(name)
        results = [check(row, row.faulty, seed, seconds, folder / str(seed), tests=tests) for seed in range(runs)]
        by_chance = [
            check(row, row.faulty, seed, seconds, folder / f"random-{seed}", "random", tests) for seed in range(runs)
        ]
        sound = check(row, row.sound, 0, seconds, folder / "sound", tests=tests)
        numbers = [seed for seed, result in enumerate(results) if result.get("verdict") == "violation"]
        found = [results[seed] for seed in numbers]
        findings = list(chain.from_iterable(result["findings"] for result in found))
        files = [folder / str(numbers[0]) / one["reproducer"] for one in found[0]["findings"]] if found else []
        again = [reproduce(file, reproductions) for file in files]
        dropped = droppable(row, found[0], folder) if found else []
    return {
        "subject": row.name, "module": row.module, "strategy": "covcon", "setting": "check",
        "found": len(found), "runs": len(results), "kinds": sorted({kind(each) for each in findings}),
        "tests": cost(results), "tests_at_random": cost(by_chance), "pairs": max(map(pairs, results)),
        "seconds": max((result["stats"]["seconds_to_first"] for result in found), default=seconds),
        "silent_when_sound": sound.get("verdict") == "none", "sound_pairs": sound.get("stats", {}).get("method_pairs"),
        "calls_median": median(len(each) for one in findings for each in one["test"]["suffixes"]) if findings else None,
        "preemptions_median": median(one["preemptions"] for one in findings) if findings else None,
        "droppable": len(dropped), "reproducers": len(files), "reproductions": reproductions,
        "fail_on_faulty": [failed for failed, _ in again], "pass_on_sound": [passed for _, passed in again],
        "trouble": next((result["trouble"] for result in (*results, sound) if "trouble" in result), None),
    }  # fmt: skip


def cost(results: list[dict[str, Any]]) -> float:
    """Tests per violation found, counted as the result does it: in the stream of tests that came to one first.

    A run that found nothing counts with all tests of one of its streams.
    """
    stats = [(result.get("verdict") == "violation", result.get("stats", {})) for result in results]
    made = sum(each["tests_to_first"] if found else each.get("tests", 0) / STREAMS for found, each in stats)
    return round(made / max(sum(found for found, _ in stats), 0.5), 1)


def pairs(result: dict[str, Any]) -> int:
    """Pairs of methods."""
    return int(result.get("stats", {}).get("method_pairs", 0))


def kind(finding: dict[str, Any]) -> str:
    """The exception, or what else went wrong."""
    return finding.get("exception") or finding["kind"]


def check(
    row: Row,
    version: Path,
    seed: int,
    seconds: float,
    folder: Path,
    generate: str = "covcon",
    tests: int | None = None,
) -> dict[str, Any]:
    """The result file of one run, by one worker; ``trouble`` if there is none."""
    folder.mkdir(exist_ok=True)
    command = [
        sys.executable, "-m", "plait", "check", f"{row.module}:{row.cls}", "--path", str(version.parent), "--fresh",
        "--seed", str(seed), "--budget", f"{seconds:g}s", "--workers", "1", "--json", "result.json",
        "--generate", generate, *(() if tests is None else ("--max-tests", str(tests))),
    ]  # fmt: skip
    limit = seconds + SLACK
    try:
        done = subprocess.run(
            command, cwd=folder, env=_environment(), capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"trouble": "no end"}
    if done.returncode not in (0, 1):
        return {"trouble": (done.stderr.strip().splitlines() or ["no output"])[-1]}
    found: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return found


def reproduce(file: Path, times: int) -> tuple[int, int]:
    """How often it fails on the faulty version, and passes on the sound one."""
    text = file.read_text(encoding="utf-8")
    sound = text.replace("covcon/faulty'", "covcon/sound'")
    assert sound != text
    return _outcomes(file, text, times)[0], _outcomes(file, sound, times)[1]


def _outcomes(file: Path, text: str, times: int) -> tuple[int, int]:
    """Failures and passes of plain pytest: a few processes, each with a few copies of the file."""
    folder = file.parent / f"{file.stem}_copies"
    folder.mkdir(exist_ok=True)
    failed = passed = 0
    for start in range(0, times, COPIES):
        names = [f"{file.stem}_{number}.py" for number in range(start, min(start + COPIES, times))]
        for name in names:
            # One folder deeper: the file finds its subject by a path that starts where it lies.
            (folder / name).write_text(text.replace("__file__).parent", "__file__).parents[1]"), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *names]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=_environment())
        last = done.stdout.strip().splitlines()[-1]
        failed += int(found[1]) if (found := re.search(r"(\d+) failed", last)) else 0
        passed += int(found[1]) if (found := re.search(r"(\d+) passed", last)) else 0
    return failed, passed


def droppable(row: Row, result: dict[str, Any], folder: Path) -> list[Any]:
    """What could be left out of the findings of a run; see `benchmarks.covcon.minimal`."""
    file = folder / "minimal.json"
    file.write_text(json.dumps(result), encoding="utf-8")
    command = [sys.executable, str(HERE / "minimal.py"), str(row.faulty.parent), row.module, row.cls, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=_environment())
    found: list[Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def line(row: dict[str, Any]) -> str:
    """One line of the table."""
    trouble = f"  {row['trouble']}" if row["trouble"] else ""
    times = row["reproductions"]
    fail, succeed = (sum(count == times for count in row[name]) for name in ("fail_on_faulty", "pass_on_sound"))
    return (
        f"{row['subject']:38}{'check':12}{row['found']:3} of {row['runs']:2}{row['seconds']:8.1f} s at most, "
        f"{row['tests']:g} tests ({row['tests_at_random']:g} at random), sound: "
        f"{'silent' if row['silent_when_sound'] else 'NOT SILENT'}, calls {row['calls_median']}, preemptions "
        f"{row['preemptions_median']}, droppable {row['droppable']}, files {row['reproducers']}: {fail} fail and "
        f"{succeed} pass {times} of {times} times{trouble}"
    )


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The whole of it in a few figures."""
    larger = [row for row in rows if row["pairs"] > FEW_PAIRS]
    ratios = [max(row["tests"], 1) / max(row["tests_at_random"], 1) for row in larger]
    return {
        "fewer_tests_than_random": sum(row["tests"] < row["tests_at_random"] for row in rows),
        "tests_relative_to_random": round(geometric_mean(ratios), 3) if ratios else None,
        "classes": len(rows), "found_in_every_run": sum(row["found"] == row["runs"] for row in rows),
        "silent_when_sound": sum(row["silent_when_sound"] for row in rows),
        "most_seconds": max(row["seconds"] for row in rows),
        "calls_median": median(row["calls_median"] for row in rows if row["calls_median"] is not None),
        "preemptions_median": median(row["preemptions_median"] for row in rows if row["calls_median"] is not None),
        "droppable": sum(row["droppable"] for row in rows), "reproducers": sum(row["reproducers"] for row in rows),
        "always_fail_on_faulty": sum(count == row["reproductions"] for row in rows for count in row["fail_on_faulty"]),
        "always_pass_on_sound": sum(count == row["reproductions"] for row in rows for count in row["pass_on_sound"]),
    }  # fmt: skip
