"""The result of a command, in the documented form of result files."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plait import __version__
from plait.errors import BUG
from plait.model.finding import Finding
from plait.model.fingerprint import fingerprint_of

SCHEMA = 1
_GOOD = ("none", "pass", "clean", "improvement")


@dataclass(slots=True)
class Result:
    """Common fields of all commands; fields may be added here, never renamed.

    ``stats`` and ``more`` have the keys of their command: `plait.model.command_results` says which.
    """

    command: str
    subject: str
    verdict: str
    versions: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    model: str = "both"
    findings: list[Finding] = field(default_factory=list)
    stats: Mapping[str, Any] = field(default_factory=dict)
    elapsed_s: float = 0.0
    stopped_by: str = "budget"
    notes: list[str] = field(default_factory=list)
    more: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""  # why there is no conclusion
    baseline: dict[str, Any] | None = None  # what is accepted, where there is a file of that
    stories: list[dict[str, Any]] = field(default_factory=list)  # failing tests for the terminal; no part of the file

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "schema": SCHEMA, "tool": f"plait {__version__}", "command": self.command, "subject": self.subject,
            "seed": self.seed, "versions": self.versions, "python": sys.version.split()[0], "model": self.model,
            "verdict": self.verdict, "findings": [self._as_json(finding) for finding in self.findings],
            "stats": self.stats, "elapsed_s": round(self.elapsed_s, 3), "stopped_by": self.stopped_by,
            "notes": self.notes, "confinement": confinement(), **({"reason": self.reason} if self.reason else {}),
            **self.more, **({} if self.baseline is None else {"baseline": self.baseline}),
        }  # fmt: skip

    @property
    def is_good(self) -> bool:
        """True if nothing bad was found and something was tested."""
        return self.verdict in _GOOD

    @property
    def own_errors(self) -> list[str]:
        """Notes about failures of plait itself: another run may succeed."""
        return [note for note in self.notes if note.startswith(BUG)]

    def _as_json(self, finding: Finding) -> dict[str, Any]:
        return {**finding.as_json(), "fingerprint": fingerprint_of(finding, self.subject)}


# -- confinement -------------------------------------------------------------------------------------------------------
# The kernel's layers that confined code under test (`plait.run.native.kernel`), in all processes of a command.


_ENFORCING = ("landlock", "seccomp")
_told: list[dict[str, dict[str, str]]] = []


def note_confinement(told: Any) -> None:
    """Record the layers of a process: those ``in_force`` with what they cover, the ``missing`` ones with the reason."""
    if isinstance(told, dict) and all(isinstance(told.get(key), dict) for key in ("in_force", "missing")):
        plain = {key: {str(name): str(why) for name, why in told[key].items()} for key in ("in_force", "missing")}
        if plain not in _told:
            _told.append(plain)


def confinement() -> dict[str, Any]:
    """Return the layers that were in force in every process, with what they cover, and the others with the reason."""
    missing = {name: why for each in _told for name, why in each["missing"].items()}
    held = {name: text for each in _told for name, text in each["in_force"].items() if name not in missing}
    return {"audit_hook": True, "in_force": held, "missing": missing}


def confinement_note() -> str:
    """Return a note for users about missing layers; empty if the kernel enforces all."""
    missing = {name: why for name, why in confinement()["missing"].items() if name in _ENFORCING}
    if not missing:
        return ""
    why = "; ".join(f"{name}: {reason}" for name, reason in missing.items())
    return f"code under test was behind guard rails, not in a sandbox: the kernel does not enforce everything ({why})"
