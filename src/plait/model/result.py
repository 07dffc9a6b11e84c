"""The result of a command, in the form that programs outside rely on."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from plait import __version__
from plait.model.finding import Finding

SCHEMA = 1


@dataclass(slots=True)
class Result:
    """Common fields of all commands; fields may be added here, never renamed."""

    command: str
    subject: str
    verdict: str
    versions: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    model: str = "both"
    findings: list[Finding] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    elapsed_s: float = 0.0
    stopped_by: str = "budget"
    notes: list[str] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "schema": SCHEMA, "tool": f"plait {__version__}", "command": self.command, "subject": self.subject,
            "seed": self.seed, "versions": self.versions, "python": sys.version.split()[0], "model": self.model,
            "verdict": self.verdict, "findings": [finding.as_json() for finding in self.findings],
            "stats": self.stats, "elapsed_s": round(self.elapsed_s, 3), "stopped_by": self.stopped_by,
            "notes": self.notes, **self.more,
        }  # fmt: skip
