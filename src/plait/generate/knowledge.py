"""What sequential runs have shown about each method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.generate.outcome import PLAIN_RESULTS

if TYPE_CHECKING:
    from plait.generate.outcome import CallOutcome

_GIVE_UP = 12
"""Failed calls, none having returned, after which a method counts as uncallable. (Half as many for one that waits.)"""
_ENDLESS = 3
"""Calls that did not end, after which a method counts as uncallable even if other calls of it returned."""


@dataclass(slots=True)
class MethodRecord:
    """Counts of the outcomes of one method's calls."""

    succeeded: int = 0
    changed: int = 0
    raised: int = 0
    misused: int = 0
    blocked: int = 0
    endless: int = 0
    result: str | None = None
    makes_names: bool = False  # it has returned a text or number of its own making
    last_error: str = ""
    lacking: str = ""  # the last AttributeError
    prepared: bool = False  # calls are known after which it returns (`Catalogue.prepared`)

    @property
    def called(self) -> int:
        """How many calls of it have ended or blocked."""
        return self.succeeded + self.raised + self.misused + self.blocked

    @property
    def uncallable(self) -> bool:
        """True if there is no point in calling it: all calls failed as with wrong arguments, or did not end."""
        if self.prepared:
            return False
        if self.endless >= _ENDLESS or (self.endless and not self.succeeded):
            return True
        return self.misused >= _GIVE_UP and not self.succeeded and not self.blocked and not self.raised

    @property
    def blocks(self) -> bool:
        """True if all calls waited for another thread, and there were enough of them to say so."""
        return self.blocked >= _GIVE_UP // 2 and not self.succeeded

    @property
    def changes_state(self) -> bool:
        """True if at least one call changed the receiver."""
        return self.changed > 0

    @property
    def interesting_result(self) -> bool:
        """True if what it returns is worth keeping for later calls."""
        return self.makes_names or (self.result is not None and self.result not in PLAIN_RESULTS)


@dataclass(slots=True)
class Knowledge:
    """The records of all methods, by name."""

    records: dict[str, MethodRecord] = field(default_factory=dict)

    def of(self, method: str) -> MethodRecord:
        """Return the record of a method; make an empty one if there is none."""
        record = self.records.get(method)
        if record is None:
            record = self.records[method] = MethodRecord()
        return record

    def learn(self, method: str, outcome: CallOutcome) -> None:
        """Count the outcome of one more call."""
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
            # A method that is not implemented is as useless as one without arguments that fit.
            hopeless = outcome.misuse or outcome.exception == "NotImplementedError"
            record.misused += hopeless
            record.raised += not hopeless
            record.last_error = f"{outcome.exception}: {outcome.message}".rstrip(": ")
            record.lacking = record.last_error if outcome.exception == "AttributeError" else record.lacking
