"""What `plait check` finds in real packages: a run per case at the release with the defect, and at the mended one.

Cases of level ``class`` get the class path and nothing else; cases of level ``factory`` the few lines in ``config``.
A finding on a mended release is either explained in ``explained.json``, with a reason, or counts against plait.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.corpus.cases import HERE, Case, cases
from plait.campaign.check import cache_root
from plait.errors import UsageError
from plait.subject.release import Release

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GOALS = {"class": 0.75, "factory": 0.5}
SLACK = 60.0  # seconds for fetching, importing and the last minimisation


def run(
    *, seconds: float = 60.0, progress: Callable[[str], None] = print, only: Sequence[str] = (), good: bool = True
) -> dict[str, Any]:
    """Check every case; ``only`` names some of them, ``good=False`` leaves the mended releases out."""
    rows = []
    seen: dict[tuple[str, str, str], dict[str, Any]] = {}
    for case in cases():
        if only and case.name not in only:
            continue
        row: dict[str, Any] = {
            "subject": case.subject, "case": case.name, "level": case.level, "command": "check",
            "expected": "violation",
            "package": f"{case.package} {case.buggy}", "symptom": case.symptom,
        }  # fmt: skip
        if case.config is not None and not case.config.is_file():
            rows.append(
                {**row, "verdict": "none", "found": False, "seconds": 0.0, "reason": "no configuration written"}
            )
            continue
        rows.append({**row, **_buggy(case, seconds, seen)})
        if good and case.good is not None:
            rows[-1].update(_good(case, seconds, seen))
        progress(_line(rows[-1]))
    return {"rows": rows, "summary": _summary(rows, seconds)}


# -- measuring ----------------------------------------------------------------------------------------------------


def _buggy(case: Case, seconds: float, seen: dict[tuple[str, str, str], dict[str, Any]]) -> dict[str, Any]:
    result = _check(case, case.buggy, seconds, seen)
    if "trouble" in result:
        return {"verdict": "none", "found": False, "seconds": result["seconds"], "reason": result["trouble"]}
    showing = [finding for finding in result["findings"] if case.shown_by(finding)]
    reason = "" if showing else "not reached within the budget" if not result["findings"] else "other findings only"
    return {
        "verdict": result["verdict"], "found": bool(showing), "seconds": result["seconds"],
        "tests": result["stats"]["tests"], "first_s": result["stats"].get("seconds_to_first"), "reason": reason,
        "findings": [_short(finding) for finding in result["findings"]],
    }  # fmt: skip


def _good(case: Case, seconds: float, seen: dict[tuple[str, str, str], dict[str, Any]]) -> dict[str, Any]:
    assert case.good is not None
    result = _check(case, case.good, seconds, seen)
    if "trouble" in result:
        return {"good": f"{case.package} {case.good}", "good_verdict": "none", "good_reason": result["trouble"]}
    known = json.loads((HERE / "explained.json").read_text(encoding="utf-8")).get(case.name, [])
    found = [_short(finding) for finding in result["findings"]]
    reasons = {_key(each): _reason(each, known) for each in found}
    return {
        "good": f"{case.package} {case.good}",
        "good_verdict": result["verdict"],
        "good_findings": found,
        "good_explained": {key: why for key, why in reasons.items() if why},
        "good_unexplained": [key for key, why in reasons.items() if not why],
    }


def _reason(finding: dict[str, Any], known: Sequence[dict[str, Any]]) -> str | None:
    """Why a finding on a mended release is true: the reason given for one of its methods."""
    methods = {name.rpartition(".")[2] for name in finding["methods"]}
    return next((each["why"] for each in known if methods & set(each["methods"])), None)


def _short(finding: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": finding["kind"], "exception": finding.get("exception"), "methods": finding["methods"],
        "summary": finding["summary"], "preemptions": finding["preemptions"], "reachable": finding["reachable"],
    }  # fmt: skip


def _key(finding: dict[str, Any]) -> str:
    """A finding in a few words: what it is and the methods that show it."""
    names = "+".join(sorted(name.rpartition(".")[2] for name in finding["methods"]))
    return f"{finding['exception'] or finding['kind']} {names}"


def _check(case: Case, number: str, seconds: float, seen: dict[tuple[str, str, str], dict[str, Any]]) -> dict[str, Any]:
    """One run of the command, as a user types it; a class that several cases share is run once per release."""
    key = (case.subject, number, case.name if case.config is not None else "")
    if key not in seen:
        try:
            _pin(case, number)
        except UsageError as error:
            seen[key] = {"trouble": str(error), "seconds": 0.0}
        else:
            seen[key] = _command(case, number, seconds)
    return seen[key]


def _pin(case: Case, number: str) -> None:
    """Old releases need old dependencies that their metadata do not name."""
    _release, dependencies = Release.parse(f"{case.package}=={number}").fetch(cache_root())
    done = dependencies.parent / "pinned"
    if case.extra and not done.is_file():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--upgrade",
            "--target",
            str(dependencies),
            *case.extra,
        ]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            done.touch()


def _command(case: Case, number: str, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="plait-corpus-") as name:
        folder = Path(name)
        if case.config is not None:
            shutil.copy(case.config, folder / "plait.toml")
            hook = case.config.with_suffix(".py")
            if hook.is_file():
                shutil.copy(hook, folder / "hook.py")
        command = [
            sys.executable, "-m", "plait", "check", case.subject, "--at", case.release(number), "--budget",
            f"{seconds}s",
            "--json", "result.json",
        ]  # fmt: skip
        started = time.monotonic()
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=seconds + SLACK, check=False,
                env={**os.environ, "PYTHONPATH": str(HERE.parents[1] / "src")},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"trouble": f"no end within {seconds + SLACK:.0f} s", "seconds": time.monotonic() - started}
        took = round(time.monotonic() - started, 1)
        if done.returncode not in (0, 1):
            said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            return {"trouble": said[0], "seconds": took}
        return {**json.loads((folder / "result.json").read_text(encoding="utf-8")), "seconds": took}


# -- showing ------------------------------------------------------------------------------------------------------


def _summary(rows: Sequence[dict[str, Any]], seconds: float) -> dict[str, Any]:
    summary: dict[str, Any] = {"seconds": seconds}
    for level, goal in GOALS.items():
        mine = [row for row in rows if row["level"] == level]
        summary[level] = {"cases": len(mine), "found": sum(row["found"] for row in mine), "goal": goal}
    summary["unexplained"] = sum(len(row.get("good_unexplained", ())) for row in rows)
    return summary


def _line(row: dict[str, Any]) -> str:
    said = "found" if row["found"] else f"NOT FOUND: {row['reason']}"
    good = row.get("good_unexplained")
    after = "" if "good" not in row else f"; {row['good']}: " + (
        row.get("good_reason")
        or ("silent" if not row["good_findings"] else f"unexplained {', '.join(good)}" if good else "explained")
    )  # fmt: skip
    return f"{row['level']:8}{row['case']:30}{row['seconds']:6.1f} s  {said}{after}"


def show(result: dict[str, Any]) -> str:
    """The table as text."""
    lines = [_line(row) for row in result["rows"]]
    for level in GOALS:
        figures = result["summary"][level]
        lines.append(f"{level}: {figures['found']} of {figures['cases']} found (goal {figures['goal']:.0%})")
    lines.append(f"findings on mended releases that nothing explains: {result['summary']['unexplained']}")
    for row in result["rows"]:
        lines += [f"  {row['case']}, {row['good']}: {key}: {why}" for key, why in row.get("good_explained", {}).items()]
    return "\n".join(lines)
