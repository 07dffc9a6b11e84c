"""What lacks a lock, and which one, as far as the locks held in an execution say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plait.model.finding import AccessStep, Gap, function_shown

OF_LOCKS = ("acquire", "release", "find busy", "wait", "notify")
"""Verbs of steps that touch no data."""


@dataclass(frozen=True, slots=True)
class Protection:
    """The lines that lack a lock, and its name; empty where no lock of the execution is the obvious one."""

    file: str
    function: str
    first: int
    last: int
    lock: str
    sentence: str


def protection(gap: Gap, race: Sequence[AccessStep], interleaving: Sequence[AccessStep]) -> Protection:
    """Return what lacks a lock: what was interrupted, or the access that did not respect the lock held meanwhile."""
    others = [step for step in race if step.thread != gap.thread]
    theirs = _common(others)
    ends = [_locks_at(gap, line, interleaving) for line in (gap.line, gap.end)]
    inside = _common([step for step in race if step.thread == gap.thread])
    throughout = [] if None in ends else [lock for lock in ends[0] or () if lock in (ends[1] or ())]
    who = f"(thread {gap.thread} is interrupted there)"
    where = _place(gap.file, gap.function, gap.line, gap.end)
    left_out = next((lock for lock in throughout if lock not in theirs), None)
    if left_out is not None and others and not theirs and others[0].is_in_a_file:
        other = others[0]
        there = _place(other.own_file, other.function, other.line, other.line)
        lines = _lines(gap.line, gap.end)
        held = f"`{left_out}`, which is held at {lines} in `{function_shown(gap.function)}`"
        said = f"Not under the lock: {there}, must run under {held} {who}."
        return Protection(other.own_file, other.function, other.line, other.line, left_out, said)
    lock, how = "", "one lock"
    both = [each for each in theirs if each in inside]
    one = next(iter(theirs), "") if len(theirs) == 1 else ""
    if both:
        lock, how = both[0], f"`{both[0]}` as a whole: each access takes it for itself"
    elif one:
        lock, how = one, f"`{one}`, as the other access does"
    else:
        once = [locks for locks in ends if locks]
        if len(once) == 1 and len(once[0]) == 1 and None not in ends:
            lock = once[0][0]
            how = f"`{lock}`, which is held at line {gap.end if ends[1] else gap.line} only"
    said = f"Not atomic: {where}, must run under {how} {who}."
    return Protection(gap.file, gap.function, min(gap.line, gap.end), max(gap.line, gap.end), lock, said)


def _common(steps: Sequence[AccessStep]) -> list[str]:
    """Return the locks that are held at all of these accesses."""
    return [lock for lock in steps[0].locks if all(lock in step.locks for step in steps)] if steps else []


def _locks_at(gap: Gap, line: int, interleaving: Sequence[AccessStep]) -> list[str] | None:
    """Return the locks that the interrupted thread holds at every access of a line; None if it makes none there."""
    here = [
        step for step in interleaving
        if (step.thread, step.own_file, step.line) == (gap.thread, gap.file, line) and step.verb not in OF_LOCKS
    ]  # fmt: skip
    return _common(here) if here else None


def _place(file: str, function: str, line: int, end: int) -> str:
    return f"{_lines(line, end)} of {Path(file).name}, in `{function_shown(function)}`"


def _lines(line: int, end: int) -> str:
    # The end of a `with` is at its first line, that of a round at the head of its loop.
    return f"line {line}" if line == end else f"lines {min(line, end)} and {max(line, end)}"
