"""Monitors of every kind, as sound and as broken programs: what `plait check` and `plait diff` say of them.

A sound monitor must be silent, a planted fault (`faults.py`) must be found: by ``check`` without the original, by
``diff`` beside it. ``subject`` names monitors, with commas between them; ``max_tests`` bounds the work instead of time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.monitors.faults import CLASSES, FAULTS, KINDS, SOUND
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.monitors.faults import Fault

SILENT = 3  # times as long, or as many tests, for a sound monitor: silence is the harder claim


def run(
    *, seconds: float = 20.0, max_tests: int | None = None, subject: str | None = None,
    progress: Callable[[str], None] = print, seed: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """Measure; one worker each, in folders of their own."""
    rows = []
    wanted = list(CLASSES) if subject is None else subject.split(",")
    unknown = [name for name in wanted if name not in CLASSES]
    if unknown:
        raise UsageError(f"--subject: there is no monitor {unknown[0]!r}; there is {', '.join(CLASSES)}")

    def limit(times: int) -> tuple[str, ...]:
        words = ("--budget", f"{times * seconds:g}s") if max_tests is None else ("--max-tests", str(times * max_tests))
        return (*words, "--seed", str(seed))

    for monitor in wanted:
        sound = check(SOUND / f"{monitor}.py", monitor, limit(SILENT))
        rows.append({"subject": monitor, "fault": None, "check": sound})
        progress(_line(rows[-1]))
    for fault in FAULTS:
        if fault.monitor in wanted:
            said = judged(fault, limit(1))
            rows.append({"subject": fault.monitor, "fault": fault.kind, "where": fault.where, **said})
            progress(_line(rows[-1]))
    return {"rows": rows, "summary": {"seconds": seconds, "max_tests": max_tests, **_summary(rows)}}


def judged(fault: Fault, limit: Sequence[str]) -> dict[str, Any]:
    """What both commands say of a planted fault."""
    with tempfile.TemporaryDirectory(prefix="plait-monitors-") as name:
        new = Path(name)
        return {
            "check": check(fault.write(new, fault.monitor), fault.monitor, limit),
            "diff": command(
                "diff", f"{fault.monitor}:{CLASSES[fault.monitor]}", "--old", f"dir:{SOUND}", "--new", f"dir:{new}",
                *limit,
            ),
        }  # fmt: skip


def check(file: Path, monitor: str, limit: Sequence[str]) -> dict[str, Any]:
    """`plait check` of one module."""
    return command("check", f"{file}:{CLASSES[monitor]}", *limit)


def command(*words: str) -> dict[str, Any]:
    """Run a command of plait's in an empty folder; returns its verdict and what it cost."""
    with tempfile.TemporaryDirectory(prefix="plait-monitors-") as folder:
        line = [sys.executable, "-m", "plait", *words, "--workers", "1", "--fresh", "--quiet", "--json", "result.json"]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        file = Path(folder, "result.json")
        if not file.exists():
            return {"exit": done.returncode, "verdict": "error", "trouble": (done.stderr or done.stdout)[-300:]}
        result = json.loads(file.read_text(encoding="utf-8"))
    stats = result["stats"]
    return {
        "exit": done.returncode, "verdict": result["verdict"],
        "kinds": sorted({finding["kind"] for finding in result["findings"]}),
        "tests": stats.get("tests"), "schedules": stats.get("schedules"),
        "seconds_to_first": stats.get("seconds_to_first"),
        "summaries": [finding["summary"] for finding in result["findings"]],
    }  # fmt: skip


def _summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    sound = [row for row in rows if row["fault"] is None]
    broken = [row for row in rows if row["fault"] is not None]
    return {
        "silent": sum(row["check"]["exit"] == 0 for row in sound), "sound": len(sound),
        "found_by_check": sum(row["check"]["exit"] == 1 for row in broken),
        "found_by_diff": sum(row["diff"]["exit"] == 1 for row in broken), "broken": len(broken),
    }  # fmt: skip


def _line(row: dict[str, Any]) -> str:
    if row["fault"] is None:
        return f"{row['subject']}: {_said(row['check'])}"
    return f"{row['subject']}, {row['fault']} ({row['where']}): check {_said(row['check'])}; diff {_said(row['diff'])}"


def _said(answer: dict[str, Any]) -> str:
    if answer["exit"] != 1:
        return "silent" if answer["exit"] == 0 else answer.get("trouble") or answer["verdict"]
    seconds = answer["seconds_to_first"]
    return ", ".join(answer["kinds"]) + ("" if seconds is None else f" in {seconds:.1f} s")


def show(result: dict[str, Any]) -> str:
    """A table by kind of fault, what was missed, and which sound monitors were not silent."""
    rows, summary = result["rows"], result["summary"]
    broken = [row for row in rows if row["fault"] is not None]
    lines = [f"{'fault':<28}{'planted':>9}{'check':>9}{'diff':>9}"]
    for kind in KINDS:
        these = [row for row in broken if row["fault"] == kind]
        found = [sum(row[name]["exit"] == 1 for row in these) for name in ("check", "diff")]
        lines.append(f"{kind:<28}{len(these):>9}{found[0]:>9}{found[1]:>9}")
    lines.append(f"{summary['silent']} of {summary['sound']} sound monitors are silent")
    lines += [f"not found or not silent: {_line(row)}" for row in rows if not _right(row)]
    return "\n".join(lines)


def _right(row: dict[str, Any]) -> bool:
    if row["fault"] is None:
        return bool(row["check"]["exit"] == 0)
    return bool(row["check"]["exit"] == 1 and row["diff"]["exit"] == 1)
