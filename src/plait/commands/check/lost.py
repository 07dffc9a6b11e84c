"""How a check goes on when a worker dies or does not answer.

A chunk is tried once more: the machine may have been busy. If its worker is lost again, the methods that ran are left
out of the stream, which begins anew without them; a test of many methods does not tell which of them it was, so the
stream goes on without such tests first. With a budget of steps no stream learns from the others: which of them loses
its worker first depends on timing.
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

ALONE = -1  # stands for the stream that calls each method once, before the others begin
STALL = 3.0  # seconds that one test may take: they take milliseconds
LONGER = 3  # times as long for what seemed to have no end, before it is said to have none
_COLLECTS = ("list(", "tuple(", "sorted(", "set(", "dict(")


@dataclass(slots=True)
class LostWorkers:
    """What each stream goes on without, and how often it has begun anew."""

    name: str  # of the subject
    owner: str  # its class's own name, for findings
    totals: Totals
    methods: Collection[str] = ()  # of the class
    starters: Collection[str] = ()  # methods that start threads: to blame when one waits for something out of reach
    _excluded: dict[int, set[str]] = field(default_factory=dict)  # by stream: methods that have killed its worker
    _left_out: dict[int, set[str]] = field(default_factory=dict)  # by stream: those that it was begun without
    _next_attempt: dict[int, int] = field(default_factory=dict)  # of streams that begin anew: their next attempt
    _narrow: set[int] = field(default_factory=set)  # streams that go on without tests of many methods
    _stall: dict[int, float | None] = field(default_factory=dict)  # by stream, for its next task

    def left_out(self, number: int) -> set[str]:
        """Return the methods that a stream which begins now does without."""
        self._left_out[number] = found = self._without(number)
        return found

    def has_learned(self, number: int) -> bool:
        """Return whether more methods are known to kill workers than a stream was begun without."""
        return bool(self._without(number) - self._left_out[number])

    def is_wide(self, number: int) -> bool:
        """Return whether a stream may have tests of many methods."""
        return number not in self._narrow

    def stall(self, number: int) -> float | None:
        """Return how long the next task of a stream may be without a sign of life; None: as long as it takes."""
        return self._stall.pop(number, STALL)

    def next_attempt(self, number: int) -> int | None:
        """Return the attempt for which a stream begins anew; None if it does not."""
        return self._next_attempt.pop(number, None)

    def _without(self, number: int) -> set[str]:
        """Return the methods that a stream goes on without; what others have learned depends on timing."""
        if self.totals.budget.by_steps:
            return self._excluded.get(number, set()) | self._excluded.get(ALONE, set())
        return set().union(*self._excluded.values())

    def survive(
        self, error: WorkerCrashed | WorkerHung, number: int, stream: bytes | None, attempt: int
    ) -> tuple[bytes, int] | None:
        """Return the stream to try once more and the attempt; else name the culprit, and see to going on without it."""
        kind = "hang" if isinstance(error, WorkerHung) else "crash"
        note = getattr(error, "note", None) or {}
        alone = bool(note) and not note.get("suffixes")  # one thread was enough for it
        waits = isinstance(error, WorkerHung) and error.waits  # it will wait again
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
            self._next_attempt[number] = 1  # perhaps it only takes its time: nothing of the class was running
            self._stall[number] = None
            return None
        self._report(error, kind, note, culprits, endless=endless, waits=waits)
        if not endless and not waits and number not in self._narrow and is_wide(methods_of_finding(note).values()):
            self._narrow.add(number)  # too many to tell which of them it was: none is left out for it
            self._next_attempt[number] = 0
        elif culprits - self._left_out[number]:
            self._excluded.setdefault(number, set()).update(culprits)
            self._next_attempt[number] = 0
        return None

    def _report(
        self, error: WorkerCrashed | WorkerHung, kind: str, note: dict[str, Any], culprits: set[str], *, endless: bool,
        waits: bool,
    ) -> None:  # fmt: skip
        """Say what was lost: as a note where one thread is enough or plait cannot tell, else as a finding."""
        where = f" at {error.where}" if error.where else ""
        lines = [*note.get("prefix", ()), *(" | ".join(suffix) for suffix in note.get("suffixes", ()))]
        by_itself = " (one thread is enough)" if note and not note.get("suffixes") else ""
        summary = f"{self.name}: {error.reason}{where}, while running: {'; '.join(lines) or 'its import'}{by_itself}"
        methods = methods_of_finding(note)
        calls = [line for line in lines_of(note) if methods[line] in culprits] or [*lines_of(note)[-1:]]
        general = self.totals.notes.general
        if endless:
            # One thread is enough: whatever is wrong with it, it is no matter of thread safety.
            general.append(f"`{calls[-1]}` does not end{where}, in one thread and by itself: left out")
        elif waits and culprits:
            said = f"`{calls[-1]}` waits{where} for something that is not under control: left out"
            general += [said] if said not in general else []
        else:
            self.totals.take(Finding(kind, summary, sorted(f"{self.owner}.{name}" for name in culprits)))
        self.totals.lost.append({"kind": kind, "summary": summary})


def _walks_for_ever(error: WorkerCrashed | WorkerHung, note: dict[str, Any]) -> bool:
    """Return whether a worker ran out of memory while it collected what an iterator gives."""
    return error.reason == "out of memory" and any(line.startswith(_COLLECTS) for line in lines_of(note)[-1:])
