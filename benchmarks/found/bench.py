"""Defects in current releases of packages, found by plait: does each still fail on real threads, and who finds it?

``threads`` runs the test again and again on the threads of this interpreter, without plait, for so many ``seconds``;
``explore`` gives it to `plait explore`; ``check`` gives the name of the class, and nothing else, to `plait check`.
``ask`` names some of the three, ``subject`` some defects; a ``resume`` file keeps what was measured. Packages are
fetched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept, explored, names
from benchmarks.corpus.command import ask as asked_of
from benchmarks.found.catalogue import DEFECTS, HERE, PROGRAMS
from plait.commands.releases import cache_root
from plait.errors import INCONCLUSIVE, UsageError
from plait.subject.versions.release import Release

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.found.catalogue import Defect

WAYS = ("threads", "explore", "check")
OVERTIME = 60.0


def run(
    *, seconds: float = 20.0, seed: int = 0, ask: str | None = None, subject: str | None = None,
    resume: Path | None = None, progress: Callable[[str], None] = print,
) -> dict[str, Any]:  # fmt: skip
    """Measure; a row per defect, with what each way said."""
    limits = {"seconds": seconds, "max_tests": None, "seed": seed}
    ways = _known(names(ask), WAYS, "way") or WAYS
    wanted = _known(names(subject), [defect.name for defect in DEFECTS], "defect")
    kept = Kept(resume, limits)
    rows = []
    for defect in DEFECTS:
        if wanted and defect.name not in wanted:
            continue
        row: dict[str, Any] = {"subject": defect.name, "release": defect.version, "class": defect.subject}
        for way in ways:
            row[way] = kept.get(f"{defect.name} {way}", lambda one=defect, way=way: said(one, way, limits))
        rows.append(row)
        progress(line_of(row))
    return {"rows": rows, "summary": {**limits, **summary(rows)}}


def _known(wanted: Sequence[str], known: Sequence[str], kind: str) -> tuple[str, ...]:
    for name in wanted:
        if name not in known:
            raise UsageError(f"there is no {kind} {name!r} here; there are {', '.join(known)}")
    return tuple(wanted)


def said(defect: Defect, way: str, limits: dict[str, Any]) -> dict[str, Any]:
    """What one of the ways says of a defect."""
    if way == "threads":
        return on_threads(defect.test, _folders(defect), limits["seconds"])
    if way == "explore":
        with tempfile.TemporaryDirectory(prefix="plait-found-") as folder:
            for file in (PROGRAMS / "crew.py", defect.test):
                shutil.copy(file, folder)
            return explored(defect.test.name, Path(folder), limits, new=defect.version)
    return by_name(defect, asked_of(["check", defect.subject, "--at", defect.version], limits["seconds"]))


def by_name(defect: Defect, result: dict[str, Any]) -> dict[str, Any]:
    """What `plait check` says; other findings of the class than this defect do not count."""
    if "trouble" in result:
        verdict = "inconclusive" if result["trouble"] == f"exit code {INCONCLUSIVE}" else "error"
        return {"found": False, "verdict": verdict, "said": result["trouble"], "others": 0}
    findings = result["findings"]
    showing = [each for each in findings if _methods(each) <= defect.methods and _needed(each, defect)]
    return {
        "found": bool(showing), "verdict": result["verdict"], "others": len(findings) - len(showing),
        "said": showing[0]["summary"] if showing else "; ".join(result.get("notes", ())[:1]),
    }  # fmt: skip


def _methods(finding: dict[str, Any]) -> set[str]:
    return {name.rpartition(".")[2] for name in finding["methods"]}


def _needed(finding: dict[str, Any], defect: Defect) -> bool:
    """Whether the method that stands first, without which there is no defect, is part of a finding."""
    return defect.first in _methods(finding)


def _folders(defect: Defect) -> tuple[Path, ...]:
    return Release.parse(f"{defect.package}=={defect.number}").fetch(cache_root())


def on_threads(test: Path, folders: Sequence[Path], seconds: float) -> dict[str, Any]:
    """What the threads of this interpreter do, without plait."""
    words = [sys.executable, str(HERE / "repeated.py"), str(test), f"{seconds:g}"]
    path = os.pathsep.join(map(str, (test.parent, *folders)))
    try:
        done = subprocess.run(
            words, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
            timeout=seconds + OVERTIME,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"fails": False, "tries": 0, "said": "no end"}
    if not done.stdout:
        return {"fails": False, "tries": 0, "said": done.stderr[-200:].strip()}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many defects each way shows, of those it was asked about."""
    shown = {"threads": "fails", "explore": "found", "check": "found"}
    return {
        "defects": len(rows),
        **{f"by_{way}": f"{sum(row[way][key] for row in rows if way in row)} of {sum(way in row for row in rows)}"
           for way, key in shown.items()},
    }  # fmt: skip


def line_of(row: dict[str, Any]) -> str:
    """A defect in a line."""
    parts = [f"{row['subject']:<30}{row['release'].removeprefix('pypi:'):<31}"]
    if "threads" in row:
        told = row["threads"]
        parts.append(f"threads: {'fails, try' if told['fails'] else 'did not fail in'} {told['tries']:<7}")
    if "explore" in row:
        told = row["explore"]
        parts.append(f"explore: {'schedule' if told['found'] else told['verdict']} {told['schedules']:<6}")
    if "check" in row:
        told = row["check"]
        parts.append(f"check: {'found' if told['found'] else told['verdict']}")
    return " ".join(parts)


def show(result: dict[str, Any]) -> str:
    """The table as text."""
    counted = result["summary"]
    last = ", ".join(f"{way} {counted[f'by_{way}']}" for way in WAYS)
    return "\n".join([*map(line_of, result["rows"]), f"{counted['defects']} defects; shown by {last}"])
