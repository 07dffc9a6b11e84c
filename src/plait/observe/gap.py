"""Where a thread was interrupted in the middle of what should be one step, and in which function that is.

Two accesses may race in helpers that many methods share. What has to become atomic is the function that calls them: the
innermost one under way both before and after the other thread got in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from plait.observe.racing import RacingPair
from plait.observe.recording import Frame, Moment


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


def gap(moments: Sequence[Moment], pairs: Sequence[RacingPair]) -> Gap | None:
    """The narrowest gap of the execution, the earliest among equals; None if no function was interrupted between races.

    A thread is in one where an access of its own had to come before another thread's, and a later one after it: no
    order of whole functions allows both.
    """
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
    for pair in pairs:
        start, thread = numbers[id(pair.first)], pair.first.thread
        later = [
            number for each in pairs
            if each.second.thread == thread and (number := numbers[id(each.second)]) > start
            and any(moment.thread != thread for moment in moments[start:number])
        ]  # fmt: skip
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
