"""What lacks a lock, and which one, as far as the locks held in an execution say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plait.model.finding import AccessStep, Gap, RaisedAt, function_shown

OF_LOCKS = ("acquire", "release", "find busy", "wait", "notify")
"""Verbs of steps that touch no data."""
TEST_AGAIN = "Test it again when wait() returns: `while`, not `if`."


@dataclass(frozen=True, slots=True)
class Protection:
    """The lines that lack a lock, and its name; empty where no lock of the execution is the obvious one.

    With ``waits``, the line waits for a notification, and what was tested before it is not tested again.
    """

    file: str
    function: str
    first: int
    last: int
    lock: str
    sentence: str
    waits: bool = False


def protection(
    gap: Gap, race: Sequence[AccessStep], interleaving: Sequence[AccessStep], raised: RaisedAt | None = None
) -> Protection:
    """Return what lacks a lock: what was interrupted, or the access that did not respect the lock held meanwhile.

    ``raised`` is where an exception was raised: behind a wait whose condition was not tested again, that is the reason.
    """
    wait = _raised_behind_a_wait(raised, interleaving) or _wait_not_tested_again(gap, race, interleaving)
    if wait is not None:
        where = f"wait() at {_place(wait.own_file, wait.function, wait.line, wait.line)}"
        said = f"Not tested again: {where}, lets other threads change what was tested before it. {TEST_AGAIN}"
        return Protection(wait.own_file, wait.function, wait.line, wait.line, "", said, waits=True)
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


def _raised_behind_a_wait(raised: RaisedAt | None, interleaving: Sequence[AccessStep]) -> AccessStep | None:
    """Return the wait that a thread went on from, without a step back to an earlier line, to where it raised."""
    if raised is None or not raised.file:
        return None
    for number, wait in enumerate(interleaving):
        if wait.verb != "wait" or Path(wait.own_file).name != raised.file or not wait.line < raised.line:
            continue
        own = [step for step in interleaving[number + 1 :] if step.thread == wait.thread]
        here = [step.line for step in own if (step.own_file, step.function) == (wait.own_file, wait.function)]
        behind = here[: here.index(raised.line)] if raised.line in here else None
        if behind is not None and min(behind, default=wait.line) >= wait.line:
            return wait
    return None


def _wait_not_tested_again(
    gap: Gap, race: Sequence[AccessStep], interleaving: Sequence[AccessStep]
) -> AccessStep | None:
    """Return the wait for a notification that the interrupted thread was in, and did not test again after."""
    if not any(step.verb in OF_LOCKS for step in race):
        return None
    waits = (step for step in interleaving if step.verb == "wait")
    return next((step for step in waits if (step.thread, step.line) == (gap.thread, gap.line)), None)


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
