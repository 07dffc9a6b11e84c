"""The study of adaptive generation on the Python ports, beside the paper's figures (ATG, section 6).

Rows of part ``saturation`` are Tables 2 to 5 (the summary's ``per_iroot`` is Table 6), ``first-bug`` Table 7, ``sweep``
Table 8 and Figures 4 and 5. ``sound`` runs the nine structures with the judge of the mutants; ``feasible`` holds active
testing against exhaustive exploration; ``corpus``, left out of short forms, compares ``covcon`` and ``sd-atg`` on real
releases. Settings: ``native`` is the paper's, ``controlled`` plait's own. Times are seconds of processor time, and a
run begins with compiled code: only their ratios can be compared with the paper's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from benchmarks.atg import corpus
from benchmarks.atg.show import line, show
from benchmarks.atg.study import (
    APPROACHES,
    HERE,
    MEASURED,
    MUTANTS,
    STRUCTURES,
    SWEEP,
    SWEPT,
    THRESHOLD,
    Figures,
    Subject,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["run", "show"]

ROOT = HERE.parents[1]
SETTINGS = ("native", "controlled")
PARTS = ("saturation", "first-bug", "sound", "sweep", "feasible")
FULL = 10
"""From so many runs on, real releases are part of it."""
COUNTED = ("iroots", "profiles", "active_tests", "orchestrated", "seconds", "executions", "discovered")


def run(
    *, runs: int = 3, seconds: float = 30.0, progress: Callable[[str], None] = print,
    settings: Sequence[str] = SETTINGS, parts: Sequence[str] = (), only: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """Measure; the paper's figures are means of 50 runs. ``seconds`` is what one check of a release may take.

    ``parts`` and ``only`` choose what is measured: parts by name, subjects by number (``C4``, ``C41``).
    """
    rows: list[dict[str, Any]] = []
    parts = parts or (PARTS if runs < FULL else (*PARTS, "corpus"))
    jobs = [job for job in _jobs(settings, parts) if not only or job[1].number in only]
    with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as pool:
        started = [pool.submit(_measure, *job[1:], runs) for job in jobs]
        for (part, subject, setting, _, threshold), job in zip(jobs, started, strict=True):
            for row in _rows(part, subject, setting, threshold, job.result()):
                rows.append(row)
                progress(line(row))
    for case in corpus.chosen() if "corpus" in parts else ():
        for strategy in corpus.STRATEGIES:
            head = {"subject": case.name, "part": "corpus", "setting": "controlled", "approach": strategy}
            rows.append({**head, **corpus.compare(case, strategy, seconds)})
            progress(line(rows[-1]))
    return {"rows": rows, "summary": {"runs": runs, **_summary(rows, runs)}}


def _jobs(settings: Sequence[str], parts: Sequence[str]) -> Iterable[tuple[str, Subject, str, str, int]]:
    for setting in settings:
        if "saturation" in parts:
            yield from (("saturation", each, setting, "saturation", THRESHOLD) for each in STRUCTURES)
        if "first-bug" in parts:
            yield from (("first-bug", each, setting, "judged", THRESHOLD) for each in MUTANTS)
        if "sound" in parts:
            yield from (("sound", each, setting, "judged", THRESHOLD) for each in STRUCTURES)
        if "sweep" in parts:
            swept = next(each for each in STRUCTURES if each.cls == "OptimisticList")
            yield from (("sweep", swept, setting, "saturation", number) for number in SWEPT if number != THRESHOLD)
    if "feasible" in parts:
        yield from (("feasible", each, "controlled", "feasible", THRESHOLD) for each in STRUCTURES)


# -- measuring -----------------------------------------------------------------------------------------------------


def _measure(subject: Subject, setting: str, what: str, threshold: int, runs: int) -> list[dict[str, Any]]:
    module, *arguments = (
        ("feasible", subject.number) if what == "feasible"
        else ("runs", subject.number, setting, what, str(runs), str(threshold))
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.atg.{module}", *arguments], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT / "src")}, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no output"]
        raise RuntimeError(f"{subject.name}: {last[0]}")
    return [json.loads(each) for each in done.stdout.splitlines()]


def _rows(
    part: str, subject: Subject, setting: str, threshold: int, measured: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    head = {"subject": subject.name, "part": part, "setting": setting}
    if part == "feasible":
        return [{**head, **each} for each in measured]
    rows = []
    for approach in MEASURED:
        mine = [each for each in measured if each["approach"] == approach]
        if not mine:
            continue
        row: dict[str, Any] = {**head, "approach": approach, "threshold": threshold, "runs": len(mine)}
        for name in COUNTED:
            values = [each[name] for each in mine]
            row[name] = round(mean(values), 3)
            row[f"{name}_sd"] = round(stdev(values), 3) if len(values) > 1 else 0.0
        troubles = [each["trouble"] for each in mine if each["trouble"] is not None]
        if part in ("first-bug", "sound"):
            row.update(found=len(troubles), shows=sorted(set(troubles)))
        paper = _paper(part, subject, approach, threshold)
        if paper is not None:
            row["paper"] = {name: value for name, value in paper.items() if value is not None}
        rows.append(row)
    return rows


def _paper(part: str, subject: Subject, approach: str, threshold: int) -> dict[str, float | None] | None:
    if part == "sound" or approach not in APPROACHES:
        return None
    if part == "sweep":
        iroots, seconds = SWEEP[threshold][APPROACHES.index(approach)]
        return {"iroots": iroots, "seconds": seconds}
    figures: Figures = subject.paper[approach]
    return {name: getattr(figures, name) for name in ("iroots", "profiles", "active_tests", "seconds")}


# -- summing up ----------------------------------------------------------------------------------------------------


def _summary(rows: list[dict[str, Any]], runs: int) -> dict[str, Any]:
    summary: dict[str, Any] = {}
    for setting in dict.fromkeys(row["setting"] for row in rows):
        mine = [row for row in rows if row["setting"] == setting]
        entry: dict[str, Any] = {}
        saturation = [row for row in mine if row["part"] == "saturation"]
        if saturation:
            entry["averages"] = averages(saturation)
            entry["per_iroot"] = {name: _per_iroot(each) for name, each in entry["averages"].items()}
        bugs = [row for row in mine if row["part"] == "first-bug"]
        if bugs:
            entry["first_bug"] = averages(bugs)
            entry["mutants"] = len({row["subject"] for row in bugs})
            entry["always_found"] = {
                name: sum(row["found"] == runs for row in bugs if row["approach"] == name) for name in MEASURED
            }
        sound = [row for row in mine if row["part"] == "sound"]
        if sound:
            entry["false_alarms"] = sum(row["found"] for row in sound)
        if entry:
            summary[setting] = entry
    real = [row for row in rows if row["part"] == "corpus"]
    if real:
        summary["corpus"] = corpus.summary(real)
    feasible = [row for row in rows if row["part"] == "feasible"]
    if feasible:
        names = ("tests", "possible", "exposed", "aimed", "attempts")
        total = {name: sum(row[name] for row in feasible) for name in names}
        summary["feasible"] = {
            **total, "share": round(total["exposed"] / max(1, total["possible"]), 4),
            "attempts_each": round(total["attempts"] / max(1, total["aimed"]), 2),
        }  # fmt: skip
    return summary


def averages(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The last rows of Tables 2 to 5 and 7: means over the subjects, and how they differ from MRT's."""
    found: dict[str, dict[str, Any]] = {}
    for approach in MEASURED:
        mine = [row for row in rows if row["approach"] == approach]
        if mine:
            found[approach] = {name: round(mean(row[name] for row in mine), 3) for name in COUNTED}
    base = found.get("mrt")
    for entry in found.values():
        if base is not None:
            entry["to_mrt"] = {name: round(entry[name] / base[name] - 1, 4) for name in COUNTED if base[name]}
    return found


def _per_iroot(average: dict[str, Any]) -> dict[str, float]:
    """Table 6: profiles and active tests, and time, for each instance exposed."""
    iroots = average["iroots"]
    return {
        "profiles_and_tests": round((average["profiles"] + average["active_tests"]) / iroots, 3),
        "seconds": round(average["seconds"] / iroots, 5),
    }
