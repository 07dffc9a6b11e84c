"""CovCon's evaluation on the Python ports: tests and time to the first violation, beside the paper's (Table II).

Strategies: ``random`` (ConTeGe), ``published`` (CovCon as its paper has it), ``covcon`` (plait's: pairs that could not
disturb each other come later; on native threads that is not known, and the two are the same), and ``naive`` (section
VI-E: least tried pair first). Settings: ``controlled`` explores the schedules of every test, ``native`` is the paper's,
``single`` the same under control; ``check`` is the whole command. Rows carry the coverage over time (Fig. 3) and where
the time went (Fig. 4) of the first seed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from math import exp, log
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from benchmarks.covcon import command
from benchmarks.covcon.table import FEW_PAIRS, HERE, LIMIT, ROWS, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = HERE.parents[1]
STRATEGIES = ("random", "published", "covcon", "naive")
SETTINGS = ("controlled", "native", "single", "check")
SLACK = 20  # times the limit, which is of the processor's time on a machine that may be busy


def run(
    *, runs: int = 10, seconds: float = 60.0, progress: Callable[[str], None] = print,
    strategies: Sequence[str] = STRATEGIES, settings: Sequence[str] = SETTINGS, only: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """Measure; ``only`` names modules."""
    rows = []
    with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as pool:
        for row in ROWS:
            if only and row.module not in only:
                continue
            for setting in settings:
                if setting == "check":
                    rows.append(command.measured(row, runs=runs, seconds=seconds))
                    progress(_line(rows[-1]))
                    continue
                for strategy in strategies:
                    if (strategy, setting) == ("published", "native"):
                        continue
                    jobs = [pool.submit(_measure, row, strategy, setting, seed, seconds) for seed in range(runs)]
                    rows.append(_row(row, strategy, setting, [job.result() for job in jobs], seconds))
                    progress(_line(rows[-1]))
    return {"rows": rows, "summary": {"runs": runs, "seconds": seconds, **_summary(rows)}}


def _measure(row: Row, strategy: str, setting: str, seed: int, seconds: float) -> dict[str, Any]:
    command = [
        sys.executable, str(Path(__file__).with_name("measure.py")), str(row.faulty.parent), row.module, row.cls,
        strategy,
        setting, str(seed), str(seconds),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT / "src")}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=seconds * SLACK, check=False
        )
    except subprocess.TimeoutExpired:
        return {"found": None, "tests": 0, "seconds": seconds, "trouble": "no end"}
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return {"found": None, "tests": 0, "seconds": seconds, "trouble": last}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _row(row: Row, strategy: str, setting: str, results: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    hits = [result for result in results if result["found"]]
    paper = {"covcon": row.covcon_s, "random": row.contege_s}.get(strategy)
    return {
        "subject": row.name, "module": row.module, "strategy": strategy, "setting": setting,
        "found": len(hits), "runs": len(results), "shows": sorted({result["found"] for result in hits}),
        "tests": mean(result["tests"] for result in results),
        "tests_median": median(result["tests"] for result in results),
        "executions": mean(result.get("executions", 0) for result in results),
        "seconds": round(mean(result["seconds"] for result in results), 2), "pairs": row.pairs,
        "ported_pairs": max(result.get("pairs", 0) for result in results),
        "paper_s": None if paper is None else "never" if paper == LIMIT else paper,
        "coverage": results[0].get("coverage"), "breakdown": results[0].get("breakdown"),
        "trouble": next((result["trouble"] for result in results if "trouble" in result), None),
    }  # fmt: skip


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What covcon needs, relative to the others; runs that found nothing count with all they did.

    In the native and the single setting a test is one execution, as in the paper. In the controlled one a test is
    explored, and a longer one is worth many short ones: there executions and seconds are the fair units.
    """
    found: dict[str, Any] = {}
    for setting in dict.fromkeys(row["setting"] for row in rows):
        here = [row for row in rows if row["setting"] == setting]
        if setting == "check":
            found[setting] = command.summary(here)
            continue
        mine = [row for row in here if row["strategy"] == "covcon"]
        entry: dict[str, Any] = {"found": sum(row["found"] > 0 for row in mine), "classes": len(mine)}
        for other in ("random", "published", "naive"):
            entry.update(_relative(here, "covcon", other))
        published = _relative(here, "published", "random")
        found[setting] = {**entry, **{f"published_{name}": value for name, value in published.items()}}
    return found


def _relative(rows: list[dict[str, Any]], mine: str, other: str) -> dict[str, Any]:
    """On how many classes the one strategy needs fewer tests, executions and seconds than the other, and what part."""
    by_key = {(row["module"], row["strategy"]): row for row in rows}
    both = [(row, by_key.get((row["module"], other))) for row in rows if row["strategy"] == mine]
    pairs = [(one, two) for one, two in both if two is not None and (one["found"] or two["found"])]
    larger = [(one, two) for one, two in pairs if one["ported_pairs"] > FEW_PAIRS]
    entry: dict[str, Any] = {}
    for unit in ("tests", "executions", "seconds") if pairs else ():
        ratios = [_cost(one, unit) / _cost(two, unit) for one, two in larger]
        entry[f"fewer_{unit}_than_{other}"] = sum(_cost(one, unit) < _cost(two, unit) for one, two in pairs)
        entry[f"{unit}_relative_to_{other}"] = round(exp(mean(map(log, ratios))), 3) if ratios else None
    return entry


def _cost(row: dict[str, Any], unit: str) -> float:
    """Tests, executions or seconds per violation found."""
    return max(row[unit], 0.01) * row["runs"] / max(row["found"], 0.5)


def _line(row: dict[str, Any]) -> str:
    if row["setting"] == "check":
        return command.line(row)
    paper = "" if row["paper_s"] is None else f"  paper: {row['paper_s']}{' s' if row['paper_s'] != 'never' else ''}"
    trouble = f"  {row['trouble']}" if row["trouble"] else ""
    return (
        f"{row['subject']:38}{row['setting']:12}{row['strategy']:10}{row['found']:3} of {row['runs']:2}"
        f"{row['tests']:9.1f} tests{row['seconds']:8.2f} s{paper}{trouble}"
    )


def show(result: dict[str, Any]) -> str:
    """The table, then coverage over time and the time breakdown as small pictures."""
    lines = [_line(row) for row in result["rows"]]
    lines += ["", "coverage over time (covered pairs, one mark per 2 % of the tests)"]
    for row in result["rows"]:
        if row.get("coverage") and row["strategy"] != "naive":
            lines.append(f"{row['subject']:38}{row['setting']:12}{row['strategy']:10}{_curve(row)}")
    lines += ["", "where the time goes (generate / execute / coverage)"]
    for row in result["rows"]:
        spent = row.get("breakdown")
        if spent and row["strategy"] == "covcon":
            total = sum(spent.values()) or 1.0
            lines.append(
                f"{row['subject']:38}{row['setting']:12}" + "  ".join(f"{part / total:4.0%}" for part in spent.values())
            )
    for setting, entry in result["summary"].items():
        if isinstance(entry, dict):
            lines.append(
                f"{setting}: " + ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in entry.items())
            )
    return "\n".join(lines)


def _curve(row: dict[str, Any]) -> str:
    marks = " .:-=+*#%@"
    top = max(1, row["ported_pairs"])
    return "".join(
        marks[min(len(marks) - 1, covered * len(marks) // top)] for _time, _tests, covered in row["coverage"][:50]
    )
