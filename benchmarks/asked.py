"""What `check`, `diff` and `explore` say of a small subject; shared by the tables that give them many.

Each command has one worker and stops at its first finding. ``limits`` has ``seconds``, ``max_tests`` (which takes the
place of the seconds, so that the work is the same on every machine) and ``seed``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.commands.diff.command import diff
from plait.commands.diff.options import DiffOptions
from plait.subject.name import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

OVERTIME = 60.0  # seconds beside its budget after which a command has no answer


def names(text: str | None) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(part for part in (text or "").split(",") if part)


class Kept:
    """Results by name, in a file that grows line by line; those that were measured with other limits do not count."""

    def __init__(self, file: Path | None, limits: dict[str, Any]) -> None:
        self._file = file
        self._limits = limits
        self._found: dict[str, dict[str, Any]] = {}
        if file is not None and file.is_file():
            for text in file.read_text(encoding="utf-8").splitlines():
                entry = json.loads(text)
                if entry["limits"] == limits:
                    self._found[entry["name"]] = entry["result"]

    def get(self, name: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if name not in self._found:
            result = self._found[name] = measure()
            if self._file is not None:
                with self._file.open("a", encoding="utf-8") as file:
                    print(json.dumps({"name": name, "limits": self._limits, "result": result}), file=file)
        return self._found[name]


def checked(module: str, cls: str, folder: Path, limits: dict[str, Any]) -> dict[str, Any]:
    """`plait check` of one class in a folder."""
    result = check(
        CheckOptions(
            Subject(module, cls), f"dir:{folder}", project=folder, seed=limits["seed"], keep_going=False,
            **_limit(limits),
        )
    )  # fmt: skip
    stats = result.stats
    return {
        "found": bool(result.findings), "verdict": result.verdict,
        "seconds": stats["seconds_to_first"] or round(result.elapsed_s, 2),
        "tests": stats["tests_to_first"] or stats["tests"],
        "schedules": stats["schedules_to_first"] or stats["schedules"],
        "said": result.findings[0].summary if result.findings else "; ".join(result.notes),
    }  # fmt: skip


def compared(module: str, cls: str, old: Path, new: Path, limits: dict[str, Any]) -> dict[str, Any]:
    """`plait diff` of one class between two folders."""
    result = diff(
        DiffOptions(
            Subject(module, cls), f"dir:{old}", f"dir:{new}", project=new, seed=limits["seed"], workers=1,
            explain=False, reproduce=False, **_limit(limits),
        )
    )  # fmt: skip
    stats = result.stats
    return {
        "found": result.verdict == "difference", "sequential": result.verdict == "sequential-difference",
        "verdict": result.verdict,
        "seconds": stats.get("difference_revealing_s") or round(result.elapsed_s, 2),
        "tests": stats["tests_generated"], "schedules": stats["schedules"], "checks": stats["checks"],
        "said": "; ".join(result.notes),
    }  # fmt: skip


def explored(
    test: str, folder: Path, limits: dict[str, Any], search: str | None = None, new: str | None = None
) -> dict[str, Any]:
    """`plait explore` of one test in a folder, by its default search or another one; ``new`` is a release it uses."""
    words = [sys.executable, "-m", "plait", "explore", test, "--workers", "1", "--seed", str(limits["seed"])]
    words += ["--budget", f"{limits['seconds']:g}s", "--json", "result.json"]
    words += [] if search is None else ["--schedule", search]
    words += [] if new is None else ["--new", new]
    file = folder / "result.json"
    file.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            words, cwd=folder, env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=False,
            timeout=limits["seconds"] + OVERTIME,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return _nothing(limits["seconds"] + OVERTIME, "no end")
    if not file.exists():
        return _nothing(0.0, (done.stderr or done.stdout)[-300:].strip())
    result = json.loads(file.read_text(encoding="utf-8"))
    findings = result["findings"]
    return {
        "found": bool(findings), "verdict": result["verdict"], "seconds": round(result["elapsed_s"], 2),
        "schedules": result["stats"]["schedules"], "exhausted": bool(result["stats"].get("exhausted")),
        "kind": findings[0]["kind"] if findings else None,
        "said": findings[0]["summary"] if findings else "; ".join(result.get("notes", ())),
    }  # fmt: skip


def _nothing(seconds: float, said: str) -> dict[str, Any]:
    return {
        "found": False, "verdict": "error", "seconds": seconds, "schedules": 0, "exhausted": False, "kind": None,
        "said": said,
    }  # fmt: skip


def _limit(limits: dict[str, Any]) -> dict[str, Any]:
    if limits["max_tests"] is not None:
        return {"max_tests": limits["max_tests"]}
    return {"budget": limits["seconds"]}
