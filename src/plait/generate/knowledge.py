"""What sequential runs have taught about each method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.generate.outcome import CallOutcome

_GIVE_UP = 12
"""Calls without one success after which a method counts as one that cannot be called, or that always waits."""
_ENDLESS = 3
"""Calls without an end after which a method is not called, though it has returned."""

PLAIN_RESULTS = frozenset({"NoneType", "bool", "int", "float", "str", "bytes", "NotImplementedType"})
"""Result types that the pools have values for anyway."""


@dataclass(slots=True)
class MethodRecord:
    """How the calls of one method went."""

    succeeded: int = 0
    changed: int = 0
    raised: int = 0
    misused: int = 0
    blocked: int = 0
    endless: int = 0
    result: str | None = None
    last_error: str = ""
    lacking: str = ""  # the last error that is about a missing attribute
    prepared: bool = False  # it is known behind which calls it returns

    @property
    def called(self) -> int:
        """Return how often it was called."""
        return self.succeeded + self.raised + self.misused + self.blocked

    @property
    def uncallable(self) -> bool:
        """Whether every call failed in the way that wrong arguments do, or had no end in one thread."""
        if self.prepared:
            return False
        if self.endless >= _ENDLESS or (self.endless and not self.succeeded):
            return True
        return self.misused >= _GIVE_UP and not self.succeeded and not self.blocked and not self.raised

    @property
    def blocks(self) -> bool:
        """Whether it has never done anything but wait for another thread."""
        return self.blocked >= _GIVE_UP // 2 and not self.succeeded

    @property
    def changes_state(self) -> bool:
        """Whether a call has been seen to change the receiver."""
        return self.changed > 0

    @property
    def interesting_result(self) -> bool:
        """Whether what it returns is worth keeping for later calls."""
        return self.result is not None and self.result not in PLAIN_RESULTS


@dataclass(slots=True)
class Knowledge:
    """One record per method name."""

    records: dict[str, MethodRecord] = field(default_factory=dict)

    def of(self, method: str) -> MethodRecord:
        """Return the record of a method, empty at first."""
        record = self.records.get(method)
        if record is None:
            record = self.records[method] = MethodRecord()
        return record

    def learn(self, method: str, outcome: CallOutcome) -> None:
        """Count one more call."""
        record = self.of(method)
        if outcome.status == "ok":
            record.succeeded += 1
            record.changed += outcome.changed
            record.result = outcome.result
        elif outcome.status == "blocked":
            record.blocked += 1
        elif outcome.status == "endless":
            record.endless += 1
        else:
            # What says that it is not implemented is as good as not there.
            hopeless = outcome.misuse or outcome.exception == "NotImplementedError"
            record.misused += hopeless
            record.raised += not hopeless
            record.last_error = f"{outcome.exception}: {outcome.message}".rstrip(": ")
            record.lacking = record.last_error if outcome.exception == "AttributeError" else record.lacking
