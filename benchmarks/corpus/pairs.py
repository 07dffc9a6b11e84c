"""What `plait diff` says of two releases: a known defect in one of them, or no change that threads could notice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from benchmarks.corpus.cases import cases, entries, group
from benchmarks.corpus.command import ask, pin
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


def compare(
    which: str, seconds: float, progress: Callable[[str], None], only: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """A row for each pair of a set; the mended release is the old one."""
    rows = []
    for row, versions, config in _pairs(which):
        if only and row["case"] not in only:
            continue
        if "trouble" not in row:
            old, new = versions
            row |= _said(ask(["diff", row["subject"], "--old", old, "--new", new], seconds, config))
        row["found"] = row.get("verdict") == row["expected"]
        rows.append(row)
        progress(line(row))
    return rows


def _pairs(which: str) -> Iterator[tuple[dict[str, Any], tuple[str, str], Path | None]]:
    for case in cases(which=which, command="diff"):
        if case.good is None or (case.config is not None and not case.config.is_file()):
            continue
        row: dict[str, Any] = {
            "subject": case.subject, "case": case.name, "level": case.group, "command": "diff",
            "expected": "difference",
        }  # fmt: skip
        try:
            for number in (case.good, case.buggy):
                pin(case, number)
        except UsageError as error:
            row["trouble"] = str(error)
        yield row, (case.release(case.good), case.release(case.buggy)), case.config
    for of, each in entries(which):
        if each["role"] != "negative":
            continue
        module = ""
        for path in re.split(r"\s*[,/]\s*", each["class_path"]):
            found, _, name = path.rpartition(".")
            module = found or module
            row = {
                "subject": f"{module}:{name}", "case": each["id"], "level": group(of, "negative"), "command": "diff",
                "expected": "none",
            }  # fmt: skip
            versions = tuple(f"pypi:{each['package']}=={each[side]}" for side in ("old_version", "new_version"))
            yield row, (versions[0], versions[1]), None


def _said(result: dict[str, Any]) -> dict[str, Any]:
    if "trouble" in result:
        return {"verdict": "none", "seconds": result["seconds"], "trouble": result["trouble"]}
    return {
        "verdict": result["verdict"], "seconds": result["seconds"], "stopped_by": result["stopped_by"],
        "findings": [each["summary"] for each in result["findings"]],
        "reachable": [each["reachable"] for each in result["findings"]],
    }  # fmt: skip


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many comparisons gave the expected verdict, by level."""
    compared = [row for row in rows if row["command"] == "diff"]
    levels = dict.fromkeys(row["level"] for row in compared)
    return {
        level: {
            "pairs": sum(row["level"] == level for row in compared),
            "right": sum(row["level"] == level and row["found"] for row in compared),
        }
        for level in levels
    }


def line(row: dict[str, Any]) -> str:
    """One pair as text."""
    said = row.get("trouble") or "; ".join(row.get("findings", ())) or row["verdict"]
    mark = "" if row["found"] else f"EXPECTED {row['expected']}: "
    return f"{row['level']:18}{row['case']:30}{row.get('seconds', 0.0):6.1f} s  {mark}{said:.140}"


def told(figures: dict[str, Any]) -> list[str]:
    """The summary as text."""
    return [f"diff, {level}: {each['right']} of {each['pairs']} as expected" for level, each in figures.items()]
