"""Planted bugs as the measure: how many of them `plait check` and `plait diff` find, a row per operator.

Each operator (`operators.py`) changes one place of a sound class (`catalogue.py`). ``check`` is given the mutant alone,
``diff`` the mutant beside its original; both have one worker and stop at the first finding. Mutants that no caller can
tell from the original do not count: `judged.json` says which these are, by exhausting small tests on both or by a
reason; neither command is run on them. Of the others, ``check`` can find those that are ``unsound`` by themselves: with
several threads they do what no order of their own calls does. A class that is merely another class with one thread is
a matter of ``diff``.

Each mutant's result is kept in the file that ``resume`` names, and what is there is not measured again.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept, checked, compared, names
from benchmarks.mutants.mutants import Mutant, judged, known, nobody_can_tell, planted, settled
from benchmarks.mutants.operators import OPERATORS
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.mutants.catalogue import Subject

SECONDS = 20.0
FIRST = 4  # a part of the limit, for most mutants enough
NOT_RUN = {
    "found": False, "sequential": False, "verdict": "not run", "seconds": 0.0, "tests": 0, "schedules": 0, "said": "",
}  # fmt: skip
GOAL, LEAST = 0.95, 0.85  # of the mutants of all operators, and of one


def run(
    *, seconds: float = SECONDS, progress: Callable[[str], None] = lambda _line: None, seed: int = 0,
    operator: str | None = None, subject: str | None = None, sample: int | None = None, max_tests: int | None = None,
    resume: Path | None = None, bases: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Measure all mutants, or those of some operators and classes (names with commas between them)."""
    mutants = planted(_names(operator, OPERATORS, "operator"), names(subject), sample)
    if not mutants:
        raise UsageError(f"there is no mutant of {operator or 'any operator'} in {subject or 'any class'}")
    limits = {"seconds": seconds, "max_tests": max_tests, "seed": seed}
    kept = Kept(resume, limits)
    entries = known()
    results = []
    for mutant in mutants:
        row = kept.get(mutant.name, lambda mutant=mutant: measured(mutant, limits, entries))
        results.append(row)
        progress(line(row))
    classes = list(dict.fromkeys(mutant.subject for mutant in mutants)) if bases else []
    silent = [kept.get(f"{each.name} sound", lambda each=each: _base(each, limits)) for each in classes]
    for each in silent:
        if each["found"]:
            progress(f"{each['subject']}: NOT SILENT: {each['said']}")
    rows = [_row(name, [each for each in results if each["operator"] == name]) for name in OPERATORS]
    rows = [row for row in rows if row["planted"]]
    return {"rows": rows, "summary": {**_summary(rows, results, silent, limits), "mutants": results}}


def _names(text: str | None, allowed: Sequence[str], what: str) -> tuple[str, ...]:
    for name in names(text):
        if name not in allowed:
            raise UsageError(f"there is no {what} {name!r}; there are {', '.join(allowed)}")
    return names(text)


# -- measuring ----------------------------------------------------------------------------------------------------


def measured(mutant: Mutant, limits: dict[str, Any], entries: dict[str, Any]) -> dict[str, Any]:
    """One mutant: what both commands say, and what callers can tell.

    Each command gets a part of its limit first, which most mutants need. Small tests are run where that leaves a
    question, and the whole limit is for those that somebody can tell apart, or for which not all small tests ran.
    """
    verdict = settled(mutant, entries)
    if verdict is not None and nobody_can_tell(verdict):
        return _told(mutant, verdict, NOT_RUN, NOT_RUN)
    with tempfile.TemporaryDirectory(prefix="plait-mutants-") as name:
        new = Path(name) / "new"
        old = Path(name) / "old"
        _copied(mutant.subject, new, mutant.text)
        _copied(mutant.subject, old, mutant.subject.source)

        def compare(limits: dict[str, Any]) -> dict[str, Any]:
            return compared(mutant.subject.module, mutant.subject.cls, old, new, limits)

        first = _part(limits)
        said, told = _checked(mutant.subject, new, first), compare(first)
        if not said["found"] and verdict is None:
            verdict = judged(mutant, entries)
        # What `check` has found needs no further proof: callers can tell, and the mutant alone shows it.
        verdict = verdict or {"tests": 0, "complete": False}
        silent = not (told["found"] or told["sequential"])
        if not said["found"] and (verdict.get("unsound") or not verdict["complete"]):
            said = _checked(mutant.subject, new, limits)
        if silent and (said["found"] or not nobody_can_tell(verdict)):
            told = compare(limits)
        return _told(mutant, verdict, said, told)


def _part(limits: dict[str, Any]) -> dict[str, Any]:
    tests = limits["max_tests"]
    return {
        **limits, "seconds": limits["seconds"] / FIRST, "max_tests": None if tests is None else -(-tests // FIRST),
    }  # fmt: skip


def _told(mutant: Mutant, verdict: dict[str, Any], said: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    return {
        "subject": mutant.subject.name, "operator": mutant.operator, "method": mutant.method, "line": mutant.line,
        "digest": mutant.digest,
        "sequential": verdict.get("sequential"), "unsound": verdict.get("unsound"),
        "concurrent": verdict.get("concurrent"), "reason": verdict.get("reason"),
        "small_tests": verdict["tests"], "all_small_tests": verdict["complete"],
        "check": said, "diff": told,
    }  # fmt: skip


def _copied(subject: Subject, folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / f"{subject.module}.py").write_text(text, encoding="utf-8")


def _checked(subject: Subject, folder: Path, limits: dict[str, Any]) -> dict[str, Any]:
    return checked(subject.module, subject.cls, folder, limits)


def _base(subject: Subject, limits: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="plait-mutants-") as name:
        folder = Path(name) / "sound"
        _copied(subject, folder, subject.source)
        return {"subject": subject.name, **_checked(subject, folder, limits)}


# -- showing ------------------------------------------------------------------------------------------------------


def can_tell(row: dict[str, Any]) -> bool:
    """Whether somebody has seen a difference from the original: by small tests, or by one of the commands."""
    shown = any(row[kind] for kind in ("sequential", "unsound", "concurrent"))
    return bool(shown or row["check"]["found"] or row["diff"]["found"] or row["diff"]["sequential"])


def is_unsound(row: dict[str, Any]) -> bool:
    """Whether the mutant alone shows its fault."""
    return bool(row["unsound"] or row["check"]["found"])


def told_apart(row: dict[str, Any]) -> bool:
    """Whether `plait diff` has named a difference, be it with one thread."""
    return bool(row["diff"]["found"] or row["diff"]["sequential"])


def _row(operator: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    distinguishable = [each for each in results if can_tell(each)]
    unsound = [each for each in distinguishable if is_unsound(each)]
    checked = [each["check"] for each in unsound if each["check"]["found"]]
    compared = [each["diff"] for each in distinguishable if told_apart(each)]
    return {
        "subject": "all", "operator": operator, "title": OPERATORS[operator][0], "planted": len(results),
        "classes": len({each["subject"] for each in results}),
        "distinguishable": len(distinguishable), "unsound": len(unsound), "check_found": len(checked),
        "diff_found": len(compared), "diff_sequential": sum(each["sequential"] for each in compared),
        "check_tests": _median(checked, "tests"), "check_schedules": _median(checked, "schedules"),
        "check_s": _median(checked, "seconds"), "diff_tests": _median(compared, "tests"),
        "diff_schedules": _median(compared, "schedules"), "diff_s": _median(compared, "seconds"),
        "undecided": sum(not can_tell(each) and not each["all_small_tests"] and not each["reason"] for each in results),
    }  # fmt: skip


def _median(results: list[dict[str, Any]], name: str) -> float | None:
    return round(median(each[name] for each in results), 2) if results else None


def _share(found: int, of: int) -> float | None:
    return round(found / of, 3) if of else None


def _summary(
    rows: list[dict[str, Any]], results: list[dict[str, Any]], silent: list[dict[str, Any]], limits: dict[str, Any]
) -> dict[str, Any]:
    total = {
        name: sum(row[name] for row in rows)
        for name in ("planted", "distinguishable", "unsound", "check_found", "diff_found", "undecided")
    }
    shares = {
        "check": {row["operator"]: _share(row["check_found"], row["unsound"]) for row in rows},
        "diff": {row["operator"]: _share(row["diff_found"], row["distinguishable"]) for row in rows},
    }
    return {
        **limits, **total, "classes": len({each["subject"] for each in results}),
        "check_share": _share(total["check_found"], total["unsound"]),
        "diff_share": _share(total["diff_found"], total["distinguishable"]), "goal": GOAL, "least": LEAST,
        "below_least": {
            command: [name for name, share in by_operator.items() if share is not None and share < LEAST]
            for command, by_operator in shares.items()
        },
        "bases": len(silent), "bases_silent": sum(not each["found"] for each in silent),
        "not_silent": [each["subject"] for each in silent if each["found"]],
        "missed": [
            {"command": command, "mutant": f"{each['subject']} {each['operator']} {each['method']}:{each['line']}",
             "test": each["unsound"] or each["concurrent"] or each["sequential"]}
            for each in results
            for command, missed in (
                ("check", is_unsound(each) and not each["check"]["found"]),
                ("diff", can_tell(each) and not told_apart(each)),
            ) if missed
        ],
        "processors": os.cpu_count(),
    }  # fmt: skip


def line(row: dict[str, Any]) -> str:
    """One mutant as text."""
    check_said = "found" if row["check"]["found"] else "MISSED" if is_unsound(row) else "-"
    diff_said = (
        "found" if row["diff"]["found"] else "sequential" if row["diff"]["sequential"]
        else "MISSED" if can_tell(row) else "-"
    )  # fmt: skip
    name = f"{row['subject']} {row['method']}:{row['line']}"
    cost = {each: f"{row[each]['tests']:6} tests{row[each]['seconds']:7.1f} s" for each in ("check", "diff")}
    return f"{row['operator']:16}{name:46}check {check_said:7}{cost['check']}   diff {diff_said:11}{cost['diff']}"


def show(result: dict[str, Any]) -> str:
    """The table as text."""
    titles = f"{'planted bug':68}{'planted':>8}{'differ':>7}{'unsound':>8}{'check':>6}{'diff':>5}"
    lines = [titles + 2 * f"{'tests':>7}{'schedules':>10}"]
    for row in result["rows"]:
        told = [row[name] if row[name] is not None else "-" for name in
                ("check_tests", "check_schedules", "diff_tests", "diff_schedules")]  # fmt: skip
        lines.append(
            f"{row['title']:68}{row['planted']:8}{row['distinguishable']:7}{row['unsound']:8}{row['check_found']:6}"
            f"{row['diff_found']:5}{told[0]!s:>7}{told[1]!s:>10}{told[2]!s:>7}{told[3]!s:>10}"
        )
    summary = result["summary"]
    lines += ["", f"check: {summary['check_found']} of {summary['unsound']} unsound mutants found"]
    lines.append(f"diff: {summary['diff_found']} of {summary['distinguishable']} distinguishable mutants found")
    loud = "".join(f", not {name}" for name in summary["not_silent"])
    lines.append(f"bases: {summary['bases_silent']} of {summary['bases']} silent{loud}")
    lines += [f"missed by {each['command']}: {each['mutant']}   {each['test']}" for each in summary["missed"]]
    return "\n".join(lines)
