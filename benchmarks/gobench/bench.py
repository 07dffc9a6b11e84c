"""GoBench's kernels over locks, conditions, channels, once, wait groups and contexts: found, and silent when mended?

Each kernel is a plain test that starts threads. ``explore`` is given the faulty one (by its default search and by
others, ``search``) and the mended one. ``ask`` is ``explore`` or ``mended``, ``subject`` names some kernels, a
``resume`` file keeps what was measured.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept, explored, names
from benchmarks.gobench.catalogue import BLOCKING, FAULTY, HERE, KINDS, MENDED, NOT_PORTABLE, OTHERS, kernels
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ASKED = ("explore", "mended")
SEARCHES = ("default", "random")
GOAL = 0.9


def run(
    *, seconds: float = 30.0, progress: Callable[[str], None] = lambda _line: None, seed: int = 0,
    ask: str | None = None, subject: str | None = None, sample: int | None = None, resume: Path | None = None,
    searches: Sequence[str] = SEARCHES,
) -> dict[str, Any]:  # fmt: skip
    """Measure; a row per kernel and search."""
    limits = {"seconds": seconds, "max_tests": None, "seed": seed}
    kept = Kept(resume, limits)
    wanted = names(ask) or ASKED
    for name in wanted:
        if name not in ASKED:
            raise UsageError(f"there is nothing to ask called {name!r} here; there are {', '.join(ASKED)}")
    asked = [("faulty", search) for search in searches if "explore" in wanted]
    asked += [("mended", "default")] if "mended" in wanted else []
    rows = []
    for name, file in _chosen(subject, sample).items():
        for version, search in asked:
            one = (name, file, version, search, limits)
            answer = kept.get(f"{name} {version} {search}", lambda one=one: said(*one))
            rows.append({"subject": name, "fault": KINDS[file], "search": search, "version": version, **answer})
            progress(_line(rows[-1]))
    return {"rows": rows, "summary": {**limits, **_summary(rows, searches)}}


def _chosen(subject: str | None, sample: int | None) -> dict[str, str]:
    every = kernels()
    for name in names(subject):
        if name not in every:
            raise UsageError(f"there is no port of {name!r}: {NOT_PORTABLE.get(name, 'no kernel of the suite')}")
    found = {name: file for name, file in every.items() if not subject or name in names(subject)}
    few = list(found) if sample is None else list(found)[:: max(1, len(found) // sample)][:sample]
    return {name: found[name] for name in few}


def said(name: str, file: str, version: str, search: str, limits: dict[str, Any]) -> dict[str, Any]:
    """What `plait explore` says of one version of a kernel."""
    folder = {"faulty": FAULTY, "mended": MENDED}[version]
    with tempfile.TemporaryDirectory(prefix="plait-gobench-") as place:
        shutil.copy(HERE / "golang.py", place)
        shutil.copy(folder / f"{file}.py", place)
        return explored(f"{file}.py::test_{name}", Path(place), limits, None if search == "default" else search)


def _summary(rows: Sequence[dict[str, Any]], searches: Sequence[str]) -> dict[str, Any]:
    faulty = [row for row in rows if row["version"] == "faulty"]
    mended = [row for row in rows if row["version"] == "mended"]
    by_search = {search: [row for row in faulty if row["search"] == search] for search in searches}
    return {
        "blocking": BLOCKING, "non_blocking": OTHERS, "not_portable": NOT_PORTABLE, "goal": GOAL,
        "asked": {search: len(those) for search, those in by_search.items()},
        "found": {search: sum(row["found"] for row in those) for search, those in by_search.items()},
        "schedules": {
            search: median([row["schedules"] for row in those if row["found"]] or [0])
            for search, those in by_search.items()
        },
        "missed": {
            search: [row["subject"] for row in those if not row["found"]] for search, those in by_search.items()
        },
        "mended": len(mended), "silent": sum(_silent(row) for row in mended),
        "not_silent": [f"{row['subject']}: {row['said']}" for row in mended if not _silent(row)],
    }  # fmt: skip


def _silent(row: dict[str, Any]) -> bool:
    return not row["found"] and row["verdict"] == "pass"


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['subject']:<18}{row['search']:<9}{row['version']:<8}{'found' if row['found'] else row['verdict']:<9}"
        f"{row['schedules']:>7} schedules{row['seconds']:>7.1f} s  {row['said'][:80]}"
    )


def show(result: dict[str, Any]) -> str:
    """A line per kernel, then what was missed and what has no Python form."""
    rows, summary = result["rows"], result["summary"]
    searches = [search for search, count in summary["asked"].items() if count]
    lines = [f"{'kernel':<18}{'blocks on':<14}" + "".join(f"{name:>10}" for name in searches) + f"{'mended':>12}"]
    for name in dict.fromkeys(row["subject"] for row in rows):
        mine = [row for row in rows if row["subject"] == name]
        mended = [row for row in mine if row["version"] == "mended"]
        quiet = "-" if not mended else "silent" if all(map(_silent, mended)) else "NOT SILENT"
        cells = {row["search"]: row["schedules"] if row["found"] else "MISSED" for row in mine if row not in mended}
        lines.append(
            f"{name:<18}{mine[0]['fault']:<14}" + "".join(f"{cells[each]!s:>10}" for each in searches) + f"{quiet:>12}"
        )
    for search in searches:
        found, asked, cost = (summary[each][search] for each in ("found", "asked", "schedules"))
        lines.append(f"{search}: {found} of {asked} found, after {cost:g} schedules in the median")
    if summary["mended"]:
        lines.append(f"mended: {summary['silent']} of {summary['mended']} silent")
    lines += [f"not silent: {each}" for each in summary["not_silent"]]
    lines += [f"no Python form of {name}: {why}" for name, why in summary["not_portable"].items()]
    return "\n".join(lines)
