"""How a check continues when a worker dies or hangs.

A chunk is tried once more, because the machine may have been busy. If its worker is lost again, the stream restarts
without the methods that ran. A test of many methods does not show which of them is to blame, so the stream first
restarts without such tests. With a budget of steps, streams do not learn from each other: which of them loses its
worker first depends on timing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from plait.commands.check.causes import culprits_of, lines_of, methods_of_finding
from plait.commands.check.totals import Totals
from plait.generate.mixing import is_wide
from plait.model.finding import Finding
from plait.workers.failures import WorkerCrashed, WorkerHung

ALONE = -1  # the number of the pseudo-stream that calls each method once, before the others begin
STALL = 3.0  # seconds for one test, which normally takes milliseconds
LONGER = 3  # this many times as long for a test that seemed endless, before it is reported to be so
_COLLECTS = ("list(", "tuple(", "sorted(", "set(", "dict(")


@dataclass(slots=True)
class LostWorkers:
    """The methods that each stream does without, and the attempts of streams that restart."""

    name: str  # of the subject
    owner: str  # the name of its class, for findings
    totals: Totals
    methods: Collection[str] = ()  # of the class
    # Methods that start threads, suspected first if one waits for something outside of plait's control.
    starters: Collection[str] = ()
    _excluded: dict[int, set[str]] = field(default_factory=dict)  # by stream: methods that have killed its worker
    # By stream: methods that were left out when it last began.
    _left_out: dict[int, set[str]] = field(default_factory=dict)
    _next_attempt: dict[int, int] = field(default_factory=dict)  # by stream that restarts: its next attempt
    _narrow: set[int] = field(default_factory=set)  # streams without tests of many methods
    _stall: dict[int, float | None] = field(default_factory=dict)  # by stream: limit for its next task

    def left_out(self, number: int) -> set[str]:
        """Return the methods that a stream which begins now leaves out, and remember them."""
        self._left_out[number] = found = self._without(number)
        return found

    def has_learned(self, number: int) -> bool:
        """Return whether more methods are known to kill workers than the stream was begun without."""
        return bool(self._without(number) - self._left_out[number])

    def is_wide(self, number: int) -> bool:
        """Return whether a stream may have tests of many methods."""
        return number not in self._narrow

    def stall(self, number: int) -> float | None:
        """Return the seconds that the stream's next task may go without a sign of life; None for no limit."""
        return self._stall.pop(number, STALL)

    def next_attempt(self, number: int) -> int | None:
        """Return the attempt as which a stream restarts; None if it does not."""
        return self._next_attempt.pop(number, None)

    def _without(self, number: int) -> set[str]:
        """Return the methods that a stream leaves out; those of other streams only if timing may matter."""
        if self.totals.budget.by_steps:
            return self._excluded.get(number, set()) | self._excluded.get(ALONE, set())
        return set().union(*self._excluded.values())

    def survive(
        self, error: WorkerCrashed | WorkerHung, number: int, stream: bytes | None, attempt: int
    ) -> tuple[bytes, int] | None:
        """Return the stream and attempt to try once more; otherwise report the culprit and restart without it."""
        kind = "hang" if isinstance(error, WorkerHung) else "crash"
        note = getattr(error, "note", None) or {}
        alone = _is_alone(note)
        waits = isinstance(error, WorkerHung) and error.waits  # it would wait again
        culprits = culprits_of(
            note, self._without(number), error.where, set(self.methods), self.starters if waits else ()
        )
        endless = alone and not waits and (kind == "hang" or _walks_for_ever(error, note))
        if attempt == 0 and not waits and not endless and not culprits & self._without(number):
            self._stall[number] = LONGER * STALL
            if stream is not None:
                return stream, 1
            if alone:
                self._next_attempt[number] = 1
                return None
        if stream is None and attempt == 0 and not note:
            self._next_attempt[number] = 1  # perhaps it is only slow: no method of the class was running
            self._stall[number] = None
            return None
        self._report(error, kind, note, culprits, endless=endless, waits=waits)
        if not endless and not waits and number not in self._narrow and is_wide(methods_of_finding(note).values()):
            self._narrow.add(number)  # too many methods to tell which one it was, so none of them is left out
            self._next_attempt[number] = 0
        elif culprits - self._left_out[number]:
            self._excluded.setdefault(number, set()).update(culprits)
            self._next_attempt[number] = 0
        return None

    def _report(
        self, error: WorkerCrashed | WorkerHung, kind: str, note: dict[str, Any], culprits: set[str], *, endless: bool,
        waits: bool,
    ) -> None:  # fmt: skip
        """Report a lost worker: as a note if one thread is enough or plait cannot judge it, otherwise as a finding."""
        where = f" at {error.where}" if error.where else ""
        lines = [*note.get("prefix", ()), *(" | ".join(suffix) for suffix in note.get("suffixes", ()))]
        by_itself = " (one thread is enough)" if _is_alone(note) else ""
        summary = f"{self.name}: {error.reason}{where}, while running: {'; '.join(lines) or 'its import'}{by_itself}"
        methods = methods_of_finding(note)
        calls = [line for line in lines_of(note) if methods[line] in culprits] or [*lines_of(note)[-1:]]
        general = self.totals.notes.general
        if endless:
            # A single thread is enough, so this is not a matter of thread safety.
            general.append(f"`{calls[-1]}` does not end{where}, in one thread and by itself: left out")
        elif waits and (culprits or by_itself):  # plait cannot say whether it would ever go on
            said = f"`{calls[-1]}` waits{where} for something that is not under control: left out"
            general += [said] if said not in general else []
        else:
            self.totals.take(Finding(kind, summary, sorted(f"{self.owner}.{name}" for name in culprits)))
        self.totals.lost.append({"kind": kind, "summary": summary})


def _is_alone(note: dict[str, Any]) -> bool:
    """Return whether a single thread was enough; a note without calls may be forged by code under test."""
    return bool(lines_of(note)) and not note.get("suffixes")


def _walks_for_ever(error: WorkerCrashed | WorkerHung, note: dict[str, Any]) -> bool:
    """Return whether a worker ran out of memory while it collected the items of an iterator."""
    return error.reason == "out of memory" and any(line.startswith(_COLLECTS) for line in lines_of(note)[-1:])
