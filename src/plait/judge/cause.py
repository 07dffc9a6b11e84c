"""Which findings are one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plait.model.finding import Finding


def cause(finding: Finding) -> str:
    """Findings with the same racing places, or the same methods, have one cause; the same text in every process.

    Where places are in helpers that several methods share, it is the function interrupted between them that counts.
    """
    if finding.race:
        half_way = () if finding.gap is None else (finding.gap["function"],)
        return repr((finding.kind, finding.exception, sorted({_place(row) for row in finding.race}), *half_way))
    return repr((finding.kind, finding.exception, finding.methods))


def _place(row: dict[str, Any]) -> tuple[str, str, str]:
    """Where an access is, whatever else moves: lines of an old version carry its name, which each commit changes."""
    file = str(row["file"]).removeprefix(f"{row.get('version')}:")
    return Path(file).name, str(row["function"]), str(row["code"])
