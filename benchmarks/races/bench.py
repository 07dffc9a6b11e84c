"""Documented races in the state of modules and classes: found by `check` from a name alone, silent when mended?

``subject`` names some of them (with commas), ``ask`` one half (``faulty`` or ``mended``); a ``resume`` file keeps what
was measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept, checked, names
from benchmarks.races.catalogue import FAULTY, MENDED, RACES
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benchmarks.races.catalogue import Race

GOAL = 0.85  # of the races are found
VERSIONS = {"faulty": FAULTY, "mended": MENDED}


def run(
    *, seconds: float = 20.0, progress: Callable[[str], None] = lambda _line: None, seed: int = 0,
    ask: str | None = None, subject: str | None = None, sample: int | None = None, max_tests: int | None = None,
    resume: Path | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Measure; a row per race and version."""
    limits = {"seconds": seconds, "max_tests": max_tests, "seed": seed}
    kept = Kept(resume, limits)
    rows = []
    for race in _chosen(subject, sample):
        for version in _asked(ask):
            one = (race, version, limits)
            answer = kept.get(f"{race.subject} {version}", lambda one=one: _said(*one))
            rows.append({
                "subject": race.subject, "kind": race.kind, "source": race.source, "fault": race.fault,
                "version": version, **answer,
            })  # fmt: skip
            progress(_line(rows[-1]))
    return {"rows": rows, "summary": {**limits, **_summary(rows)}}


def _said(race: Race, version: str, limits: dict[str, Any]) -> dict[str, Any]:
    try:
        return checked(race.module, race.name, VERSIONS[version], limits)
    except UsageError as error:
        return {"found": False, "verdict": "refused", "seconds": 0.0, "tests": 0, "schedules": 0, "said": str(error)}


def _chosen(subject: str | None, sample: int | None) -> list[Race]:
    wanted = names(subject)
    known = {race.module for race in RACES}
    for name in wanted:
        if name not in known:
            raise UsageError(f"there is no race {name!r}; there are {', '.join(sorted(known))}")
    found = [race for race in RACES if not wanted or race.module in wanted]
    return found if sample is None else found[:: max(1, len(found) // sample)][:sample]


def _asked(ask: str | None) -> tuple[str, ...]:
    wanted = names(ask) or tuple(VERSIONS)
    for name in wanted:
        if name not in VERSIONS:
            raise UsageError(f"there is no version {name!r} here; there are {', '.join(VERSIONS)}")
    return tuple(wanted)


def _silent(row: dict[str, Any]) -> bool:
    return not row["found"] and row["verdict"] == "none"


def _summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    faulty = [row for row in rows if row["version"] == "faulty"]
    mended = [row for row in rows if row["version"] == "mended"]
    return {
        "races": len(faulty), "found": sum(row["found"] for row in faulty), "goal": GOAL,
        "missed": [f"{row['subject']}: {row['said'] or row['verdict']}" for row in faulty if not row["found"]],
        "mended": len(mended), "silent": sum(_silent(row) for row in mended),
        "not_silent": [f"{row['subject']}: {row['said'] or row['verdict']}" for row in mended if not _silent(row)],
    }  # fmt: skip


def _line(row: dict[str, Any]) -> str:
    told = "found" if row["found"] else row["verdict"]
    return (
        f"{row['subject']:<28}{row['version']:<8}{told:<13}{row['tests']:>5} tests{row['schedules']:>7} schedules"
        f"{row['seconds']:>7.1f} s  {row['said'][:110]}"
    )


def show(result: dict[str, Any]) -> str:
    """A line per race with its source, then the sums, what was missed and what was not silent."""
    rows, summary = result["rows"], result["summary"]
    lines = [f"{'race':<28}{'kind':<17}{'found':>9}{'mended':>13}  source"]
    for name in dict.fromkeys(row["subject"] for row in rows):
        mine = {row["version"]: row for row in rows if row["subject"] == name}
        one = next(iter(mine.values()))
        found = "-" if "faulty" not in mine else _cell(mine["faulty"])
        quiet = "-" if "mended" not in mine else "silent" if _silent(mine["mended"]) else mine["mended"]["verdict"]
        lines.append(f"{name:<28}{one['kind']:<17}{found:>9}{quiet:>13}  {one['source']}")
    found = f"found {summary['found']} of {summary['races']} (goal {summary['goal']:.0%})"
    lines += ["", f"{found}, {summary['silent']} of {summary['mended']} mended ones silent"]
    lines += [f"missed: {each}" for each in summary["missed"]]
    return "\n".join(lines + [f"not silent: {each}" for each in summary["not_silent"]])


def _cell(row: dict[str, Any]) -> str:
    return f"{row['seconds']:.1f} s" if row["found"] else row["verdict"]
