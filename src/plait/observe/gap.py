"""Where a thread was interrupted in the middle of what should be one step, and in which function that is.

Two accesses may race in helpers that many methods share. What has to become atomic is the function that calls them: the
innermost one under way both before and after the other thread got in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from plait.observe.racing import RacingPair, conflict
from plait.observe.recording import Frame, Moment

_MOST = 300


class Gap(NamedTuple):
    """Between which lines of a function another thread got in."""

    thread: int  # its number for people
    file: str
    function: str
    first: int
    last: int

    def as_row(self) -> dict[str, Any]:
        """As the result file has it."""
        return {
            "thread": self.thread, "file": self.file, "function": self.function, "line": self.first, "end": self.last
        }  # fmt: skip


def gap(moments: Sequence[Moment], pairs: Sequence[RacingPair], shown: RacingPair) -> Gap | None:
    """The narrowest gap around the race that is shown, the earliest among equals; None if no function was interrupted.

    A thread is in one where an access of its own had to come before another thread's, and a later one after it: no
    order of whole functions allows both. Best if both touch what is raced for; else a part of the same container; else
    any two that race.
    """
    loc, root = shown.first.loc, shown.first.root
    return (
        _narrowest(moments, _conflicts([moment for moment in moments if moment.loc == loc]))
        or _narrowest(moments, _conflicts([moment for moment in moments if moment.root == root]))
        or _narrowest(moments, pairs)
    )


def _conflicts(moments: Sequence[Moment]) -> list[RacingPair]:
    """All pairs of them whose order matters; of very many the last ones, where the race that is shown is."""
    moments = moments[-_MOST:]
    return [
        RacingPair(first, second) for number, first in enumerate(moments) for second in moments[number + 1 :]
        if first.thread != second.thread and conflict(first, second)
    ]  # fmt: skip


def _narrowest(moments: Sequence[Moment], pairs: Sequence[RacingPair]) -> Gap | None:
    numbers = {id(moment): number for number, moment in enumerate(moments)}
    best: tuple[int, int] | None = None
    found = None
    for start, end in _interrupted(moments, pairs, numbers):
        if best is None or (end - start, start) < best:
            common = _common(moments[start].stack, moments[end].stack)
            if common is not None:
                best = (end - start, start)
                found = Gap(moments[start].shown, common[0].file, common[0].function, common[0].line, common[1].line)
    return found


def _interrupted(
    moments: Sequence[Moment], pairs: Sequence[RacingPair], numbers: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """Each access that another thread's had to follow, with the next one of its thread that had to follow another's."""
    entered: dict[int, list[int]] = {}
    for pair in pairs:
        entered.setdefault(pair.second.thread, []).append(numbers[id(pair.second)])
    for start, thread in sorted({(numbers[id(pair.first)], pair.first.thread) for pair in pairs}):
        away = next((number for number in range(start, len(moments)) if moments[number].thread != thread), len(moments))
        later = [number for number in entered.get(thread, ()) if number > away]
        if later:
            yield start, min(later)


def _common(one: Sequence[Frame], other: Sequence[Frame]) -> tuple[Frame, Frame] | None:
    """The innermost call that both stacks are in, and where it stands in each."""
    found = None
    for here, there in zip(one, other, strict=False):
        if (here.file, here.function) != (there.file, there.function):
            break
        found = (here, there)
        if here.line != there.line:
            break
    return found
