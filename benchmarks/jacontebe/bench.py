"""The faults of JaConTeBe that make sense in Python: found by `check`, by `explore` and by `diff`, silent when mended?

``check`` is given a class and nothing else, ``explore`` the test that is known to show the fault, ``diff`` the mended
class beside the faulty one. Beside it stands what all public generators of concurrent tests found of the 47 faults of
the suite. ``ask`` names the commands (``check``, ``explore``, ``diff``, with commas), or ``mended`` for the silent
half alone; ``subject`` some faults; a ``resume`` file keeps what was measured.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept, checked, compared, explored, names
from benchmarks.jacontebe.catalogue import BY_GENERATORS, FAULTS, FAULTY, KNOWN, MENDED, NOT_PORTABLE, SERIAL, TOTAL
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.jacontebe.catalogue import Fault

COMMANDS = ("check", "explore", "diff")
GOALS = {"check": 24, "explore": 0.9}  # faults by the class name alone, and a share of the portable ones


def run(
    *, seconds: float = 60.0, progress: Callable[[str], None] = lambda _line: None, seed: int = 0,
    ask: str | None = None, subject: str | None = None, sample: int | None = None, max_tests: int | None = None,
    resume: Path | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Measure; a row per fault and command, for the faulty and for the mended class."""
    limits = {"seconds": seconds, "max_tests": max_tests, "seed": seed}
    kept = Kept(resume, limits)
    rows = []
    for fault in _chosen(subject, sample):
        for command, version in _asked(ask):
            key = f"{fault.name} {command} {version}"
            one = (fault, command, version, limits)
            answer = kept.get(key, lambda one=one: said(*one))
            rows.append({"subject": fault.name, "fault": fault.kind, "search": command, "version": version, **answer})
            progress(_line(rows[-1]))
    return {"rows": rows, "summary": {**limits, **_summary(rows)}}


def _chosen(subject: str | None, sample: int | None) -> list[Fault]:
    wanted = names(subject)
    for name in wanted:
        if name not in {fault.name for fault in FAULTS}:
            raise UsageError(f"there is no port of {name!r}: {NOT_PORTABLE.get(name, 'no fault of the suite')}")
    found = [fault for fault in FAULTS if not wanted or fault.name in wanted]
    return found if sample is None else found[:: max(1, len(found) // sample)][:sample]


def _asked(ask: str | None) -> list[tuple[str, str]]:
    wanted = names(ask) or (*COMMANDS, "mended")
    for name in wanted:
        if name not in (*COMMANDS, "mended"):
            raise UsageError(f"there is no command {name!r} here; there are {', '.join((*COMMANDS, 'mended'))}")
    asked = [(command, "faulty") for command in COMMANDS if command in wanted]
    return asked + ([("check", "mended"), ("explore", "mended")] if "mended" in wanted else [])


def said(fault: Fault, command: str, version: str, limits: dict[str, Any]) -> dict[str, Any]:
    """What a command says of one version of a fault's class."""
    folder = {"faulty": FAULTY, "mended": MENDED}[version]
    if command == "check":
        return checked(fault.module, fault.cls, folder, limits)
    if command == "diff":
        return compared(fault.module, fault.cls, MENDED, folder, limits)
    with tempfile.TemporaryDirectory(prefix="plait-jacontebe-") as name:
        for file in (folder / f"{fault.module}.py", KNOWN / "crew.py", KNOWN / f"test_{fault.module}.py"):
            shutil.copy(file, name)
        return explored(fault.test, Path(name), limits)


def _summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    faulty = [row for row in rows if row["version"] == "faulty"]
    mended = [row for row in rows if row["version"] == "mended"]
    found = {name: [row["subject"] for row in faulty if row["search"] == name and row["found"]] for name in COMMANDS}
    return {
        "faults": TOTAL, "portable": len(FAULTS), "not_portable": NOT_PORTABLE, "serial": SERIAL,
        "by_all_generators": BY_GENERATORS, "goals": GOALS,
        "asked": {name: sum(row["search"] == name for row in faulty) for name in COMMANDS},
        "found": {name: len(those) for name, those in found.items()},
        "warned": sum(bool(row.get("sequential")) for row in faulty),
        "missed": {
            name: [row["subject"] for row in faulty if row["search"] == name and not row["found"]] for name in COMMANDS
        },
        "mended": len(mended), "silent": sum(_silent(row) for row in mended),
        "not_silent": [f"{row['subject']} {row['search']}: {row['said']}" for row in mended if not _silent(row)],
    }  # fmt: skip


def _silent(row: dict[str, Any]) -> bool:
    return not row["found"] and row["verdict"] in ("none", "pass")


def _line(row: dict[str, Any]) -> str:
    told = "found" if row["found"] else "one thread" if row.get("sequential") else row["verdict"]
    return (
        f"{row['subject']:<13}{row['search']:<9}{row['version']:<8}{told:<12}{row['schedules']:>7} schedules"
        f"{row['seconds']:>7.1f} s  {row['said'][:90]}"
    )


def show(result: dict[str, Any]) -> str:
    """A line per fault, what was missed, what has no Python form and why."""
    rows, summary = result["rows"], result["summary"]
    lines = [f"{'fault':<13}{'kind':<13}" + "".join(f"{name:>22}" for name in COMMANDS) + f"{'mended':>12}"]
    for name in dict.fromkeys(row["subject"] for row in rows):
        mine = [row for row in rows if row["subject"] == name]
        faulty = [row for row in mine if row["version"] == "faulty"]
        cells = [_cell([row for row in faulty if row["search"] == each]) for each in COMMANDS]
        mended = [row for row in mine if row["version"] == "mended"]
        quiet = "-" if not mended else "silent" if all(map(_silent, mended)) else "NOT SILENT"
        lines.append(f"{name:<13}{mine[0]['fault']:<13}" + "".join(f"{cell:>22}" for cell in cells) + f"{quiet:>12}")
    for name in COMMANDS:
        if summary["asked"][name]:
            lines.append(f"{name}: {summary['found'][name]} of {summary['asked'][name]} found")
    if summary["mended"]:
        lines.append(f"mended: {summary['silent']} of {summary['mended']} silent")
    lines.append(
        f"all public generators together: {summary['by_all_generators']} of {summary['faults']} from the class name"
    )
    lines += [f"not silent: {each}" for each in summary["not_silent"]]
    lines += [f"an order of whole calls shows {name} as well: {why}" for name, why in summary["serial"].items()]
    lines += [f"no Python form of {name}: {why}" for name, why in summary["not_portable"].items()]
    return "\n".join(lines)


def _cell(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "-"
    row = rows[0]
    if not row["found"]:
        return "one thread" if row.get("sequential") else "MISSED"
    return f"{row['schedules']} in {row['seconds']:.1f} s"
