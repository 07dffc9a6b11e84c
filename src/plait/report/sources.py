"""The lines of source that a report shows beside an interleaving, taken while the version's files are still there."""

from __future__ import annotations

import difflib
import linecache
import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from plait.model.command_results import ShownSource
from plait.model.finding import AccessStep, Finding

AROUND = 8  # lines above and below each step
_LARGEST = 1 << 23  # bytes of a file of source


def sources(
    steps: Iterable[AccessStep],
    root: Path | None = None,
    *,
    before: Path | None = None,
    changed: Mapping[str, Collection[int]] | None = None,
) -> dict[str, ShownSource]:
    """Return, by file, the ``lines`` near every step, by number, and which of them are ``changed``.

    ``root`` is where relative names start. ``before`` is the same place in the version compared with: ``removed`` then
    holds what stood there, by the number of the line it stood before.
    """
    found: dict[str, dict[str, Any]] = {}
    for step in steps:
        file, here = step.file, step.own_file
        if file not in found:
            found[file] = {"lines": {}, "text": _text(_path(here, root)), "changed": (changed or {}).get(here, ())}
            if before is not None:
                found[file]["removed"] = _removed(_text(_path(here, before)), found[file]["text"])
        text, lines = found[file]["text"], found[file]["lines"]
        for number in range(max(1, step.line - AROUND), min(len(text), step.line + AROUND) + 1):
            lines[str(number)] = text[number - 1]
    return {file: _beside(held) for file, held in found.items() if held["lines"]}


def steps_of_finding(findings: Iterable[Finding]) -> list[AccessStep]:
    """Return the steps of all interleavings."""
    return [step for finding in findings for step in finding.interleaving]


def name_from(root: Path, findings: Iterable[Finding]) -> None:
    """Name the files of findings as seen from ``root``, and show whole lines; what lies elsewhere keeps its name.

    A result must not contain paths of this machine, such as the folder of an unpacked version.
    """
    top = f"{root}{os.sep}"
    for finding in findings:
        finding.interleaving = [_named(step, top) for step in finding.interleaving]
        if finding.race:
            finding.race = [_named(step, top) for step in finding.race]
        if finding.gap is not None:
            finding.gap = replace(finding.gap, file=_below(finding.gap.file, top))
        if finding.guard is not None:
            places = tuple(_below(place, top) for place in finding.guard.unguarded)
            finding.guard = replace(finding.guard, unguarded=places)
        finding.waiting = [line.replace(top, "") for line in finding.waiting]


def _named(step: AccessStep, top: str) -> AccessStep:
    if not step.file.startswith(top):
        return step
    line = source_line(step.file, step.line)
    return replace(step, file=_below(step.file, top), code=line or step.code)


def _below(file: str, top: str) -> str:
    return Path(file.removeprefix(top)).as_posix() if file.startswith(top) else file


def _path(file: str, root: Path | None) -> Path:
    return root / file if root is not None else Path(file)


def source_line(file: str, line: int) -> str:
    """Return a line as it stands in a file, without its indentation; empty if there is none."""
    return linecache.getline(file, line).strip() if file.startswith("<") or _is_source(file) else ""


def _is_source(file: str | Path) -> bool:
    """Return whether a file can be read to its end: code under test chooses its name, and may say ``/dev/zero``."""
    try:
        found = Path(file).stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= _LARGEST


def _text(path: Path) -> list[str]:
    if not _is_source(path):
        return []
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError):  # the lines of a test itself, of a frozen module
        return []


def _removed(old: Sequence[str], new: Sequence[str]) -> dict[str, list[str]]:
    """Return what the old text has and the new one has not, by the number of the line that follows in the new one."""
    if not old or not new:
        return {}
    match = difflib.SequenceMatcher(None, old, new)
    return {
        str(start + 1): list(old[first:last])
        for kind, first, last, start, _end in match.get_opcodes()
        if kind in ("delete", "replace")
    }


def _beside(held: dict[str, Any]) -> ShownSource:
    """Return only what is next to lines that are shown."""
    lines = held["lines"]
    found: ShownSource = {"lines": lines}
    if changed := sorted(number for number in held["changed"] if str(number) in lines):
        found["changed"] = changed
    if removed := {number: gone for number, gone in held.get("removed", {}).items() if number in lines}:
        found["removed"] = removed
    return found
