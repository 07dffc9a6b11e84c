"""What `plait check` and `plait diff` find in real packages.

A check runs at the release with the defect and at the mended one; a comparison has both (`benchmarks.corpus.pairs`).

Cases of level ``class`` get the class path and nothing else; cases of level ``factory`` the few lines in ``config``.
``ask`` names what is run, ``check`` and ``diff`` if nothing is said: ``bare`` checks those of level ``factory`` without
their settings, ``module`` those of level ``module``, from the name of the module; ``mended`` has the mended releases
checked, too. ``subject`` names cases, and ``max_tests`` takes the place of the seconds.
A finding on a mended release is either explained in ``explained.json``, with a reason, or counts against plait.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept, names
from benchmarks.corpus import pairs
from benchmarks.corpus.cases import HERE, Case, bare_cases, cases
from benchmarks.corpus.command import ask, pin
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

GOALS = {"class": 0.95, "factory": 0.5}
BARE_GOALS = {"bare": 0.6, "module": 0.6}
COMMANDS = ("check", "diff")
NOT_REACHED = "not reached within the budget"
DIFF = 1.5  # a comparison gets so many times the seconds of a check


def run(
    *, seconds: float = 60.0, progress: Callable[[str], None] = print, only: Sequence[str] = (), good: bool = True,
    commands: Sequence[str] = COMMANDS, which: str = "sample", ask: str | None = None, subject: str | None = None,
    max_tests: int | None = None, resume: Path | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Check every case and compare its releases; ``only`` names some, ``good=False`` checks no mended releases.

    ``which`` is the set: ``sample``, ``held-out`` or ``all``.
    """
    rows: list[dict[str, Any]] = []
    only = (*only, *names(subject))
    if asked := names(ask):
        commands, good = asked, "mended" in asked
        for each in asked:
            if each not in (*COMMANDS, *BARE_GOALS, "mended"):
                raise UsageError(f"--ask {each}: choose {', '.join((*COMMANDS, *BARE_GOALS, 'mended'))}")
    limits = Limits(seconds, max_tests, Kept(resume, {"seconds": seconds, "max_tests": max_tests}))
    if "check" in commands:
        rows += _checks(cases(which=which), limits, progress, only, good=good)
    for level in BARE_GOALS:
        if level in commands:
            rows += _checks(bare_cases(level, which=which), limits, progress, only, good=good)
    if "diff" in commands:
        rows += pairs.compare(which, DIFF * seconds, progress, only)
    return {"rows": rows, "summary": _summary(rows, seconds)}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much each run may do, and what runs of such limits have brought before."""

    seconds: float
    max_tests: int | None
    kept: Kept


def _checks(
    every: Sequence[Case], limits: Limits, progress: Callable[[str], None], only: Sequence[str], *, good: bool
) -> list[dict[str, Any]]:
    rows = []
    seen: dict[tuple[str, str, str], dict[str, Any]] = {}
    for case in every:
        if only and case.name not in only:
            continue
        row: dict[str, Any] = {
            "subject": case.subject, "case": case.name, "level": case.group, "command": "check",
            "expected": "violation",
            "package": f"{case.package} {case.buggy}", "symptom": case.symptom,
        }  # fmt: skip
        if case.config is not None and not case.config.is_file():
            rows.append(
                {**row, "verdict": "none", "found": False, "seconds": 0.0, "reason": "no configuration written"}
            )
            continue
        rows.append({**row, **_buggy(case, limits, seen)})
        if good and case.good is not None:
            rows[-1].update(_good(case, limits, seen))
        progress(_line(rows[-1]))
    return rows


# -- measuring ----------------------------------------------------------------------------------------------------


def _buggy(case: Case, limits: Limits, seen: dict[tuple[str, str, str], dict[str, Any]]) -> dict[str, Any]:
    result = _check(case, case.buggy, limits, seen)
    if "trouble" in result:
        return {"verdict": "none", "found": False, "seconds": result["seconds"], "reason": result["trouble"]}
    showing = [finding for finding in result["findings"] if case.shown_by(finding)]
    reason = "" if showing else "other findings only" if result["findings"] else result.get("reason") or NOT_REACHED
    return {
        "verdict": result["verdict"], "found": bool(showing), "seconds": result["seconds"],
        "tests": result["stats"]["tests"], "first_s": result["stats"].get("seconds_to_first"), "reason": reason,
        "findings": [_short(finding) for finding in result["findings"]],
    }  # fmt: skip


def _good(case: Case, limits: Limits, seen: dict[tuple[str, str, str], dict[str, Any]]) -> dict[str, Any]:
    assert case.good is not None
    result = _check(case, case.good, limits, seen)
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


def _check(case: Case, number: str, limits: Limits, seen: dict[tuple[str, str, str], dict[str, Any]]) -> dict[str, Any]:
    """One run of the command, as a user types it; a class that several cases share is run once per release."""
    key = (case.subject, number, case.name if case.config is not None else "")
    if key not in seen:
        try:
            pin(case, number)
        except UsageError as error:
            seen[key] = {"trouble": str(error), "seconds": 0.0}
        else:
            words = ["check", case.subject, "--at", case.release(number)]
            name = f"{case.subject} {number} {key[2]}"
            seen[key] = limits.kept.get(name, lambda: ask(words, limits.seconds, case.config, limits.max_tests))
    return seen[key]


# -- showing ------------------------------------------------------------------------------------------------------


def _summary(rows: Sequence[dict[str, Any]], seconds: float) -> dict[str, Any]:
    summary: dict[str, Any] = {"seconds": seconds, "diff": pairs.summary(rows)}
    checks = [row for row in rows if row["command"] == "check"]
    goals = {**GOALS, **BARE_GOALS}
    for level in [*goals, *(f"held-out {level}" for level in goals)]:
        mine = [row for row in checks if row["level"] == level]
        if mine or level in GOALS:
            goal = goals[level.rpartition(" ")[2]]
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
    return f"{row['level']:17}{row['case']:30}{row['seconds']:6.1f} s  {said}{after}"


def show(result: dict[str, Any]) -> str:
    """The table as text."""
    lines = [pairs.line(row) if row["command"] == "diff" else _line(row) for row in result["rows"]]
    lines += pairs.told(result["summary"]["diff"])
    for level, figures in result["summary"].items():
        if level.rpartition(" ")[2] in (*GOALS, *BARE_GOALS):
            lines.append(f"check, {level}: {figures['found']} of {figures['cases']} found (goal {figures['goal']:.0%})")
    lines.append(f"findings on mended releases that nothing explains: {result['summary']['unexplained']}")
    for row in result["rows"]:
        lines += [f"  {row['case']}, {row['good']}: {key}: {why}" for key, why in row.get("good_explained", {}).items()]
    return "\n".join(lines)
