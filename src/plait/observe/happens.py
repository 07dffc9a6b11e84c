"""Happens-before of an execution, kept step by step so that executions with a common prefix share it.

Each step has its past: which steps precede it. A *race* is a pair of dependent steps of two
threads that nothing else orders: the pairs whose reversal leads to a different class of executions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from plait.run.engine import Entry
from plait.run.operations import (
    ACQUIRE,
    DEPENDS,
    KEY_READ,
    LOCAL,
    ORDERED,
    READ,
    SAME_KEY,
    TAKE,
    TIME,
    TRY,
    WAITS,
    WRITE,
)

Operation = tuple[int, int, int]  # root location, location, mode
Step = tuple[int, tuple[Operation, ...], tuple[int, ...], list[int] | None]  # thread, operations, enabled, predecessors

_Accesses = list[tuple[int, int, int, int]]  # step, thread, mode, location

_NONE: tuple[_Accesses, _Accesses] = ([], [])
_READS = frozenset({READ, KEY_READ})
_LAST = frozenset({WRITE, TAKE, ACQUIRE, TRY})  # whatever touched the location before one of these precedes it


def steps_of(trace: Sequence[Entry], roots: Sequence[int], start: int = 0) -> list[Step]:
    """Group a trace's entries into steps (a step is one access, or all between two possible switches).

    What a step does again, as a loop may a thousand times, says nothing new; only its first operation is apart.
    """
    steps: list[Step] = []
    further: list[Operation] = []
    for thread, loc, mode, _site, enabled, after in trace[start:] if start else trace:
        if enabled is None:
            further.append((roots[loc], loc, mode))
            continue
        if further:
            steps[-1] = _longer(steps[-1], further)
            further = []
        steps.append((thread, ((roots[loc], loc, mode),), enabled, after))
    if further:
        steps[-1] = _longer(steps[-1], further)
    return steps


def _longer(step: Step, further: Sequence[Operation]) -> Step:
    thread, operations, enabled, after = step
    return (thread, (*operations, *dict.fromkeys(further)), enabled, after)


class HappensBefore:
    """The pasts of the steps pushed so far; `truncate` goes back to a shorter prefix.

    A past is a set of steps as the bits of one number, so that joining two and asking for a step are single operations.

    Invariants:

    - `pasts[n]` is closed: with a step it has all that happens before that step. So one bit answers
      "is ordered before".
    - Two steps race if they are dependent, of different threads, and nothing in between orders them: the earlier one
      is not yet in the past of the later one when its own dependences are looked at. Earlier accesses are therefore
      looked at from the latest to the first, and each that is found adds its past: what it covers is no race any more.
    - Per root there are two lists, of all accesses and of those that are no reading. A reading looks only at the second
      one, because readings commute: that keeps loops over shared data linear.
    - `truncate` undoes `extend` exactly. Searches share prefixes, and most of an execution was pushed before.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.pasts: list[int] = []  # which steps happen before each step
        self.of_thread: dict[int, list[int]] = {}  # the numbers of each thread's steps
        self._accesses: dict[int, tuple[_Accesses, _Accesses]] = {}  # of each root: all, and those that are no reading
        self._ticks: list[int] = []  # the steps in which the clock advanced

    def truncate(self, length: int) -> None:
        """Forget all steps from ``length`` on."""
        steps, of_thread, accesses = self.steps, self.of_thread, self._accesses
        for thread, operations, _enabled, _after in steps[length:]:
            of_thread[thread].pop()
            if thread != -1:
                for root, _loc, mode in operations:
                    if mode != LOCAL:
                        every, changes = accesses[root]
                        every.pop()
                        if mode != READ and mode != KEY_READ:  # noqa: PLR1714 - the faster form
                            changes.pop()
        del steps[length:], self.pasts[length:]

    def past_of(self, thread: int, after: Sequence[int] | None) -> int:
        """Return what precedes the next step of a thread before its own dependences are looked at."""
        mine = self.of_thread.get(thread)
        pasts = self.pasts
        past = pasts[mine[-1]] | 1 << mine[-1] if mine else 0
        for step in after or ():
            past |= pasts[step] | 1 << step
        return past | (2 << self._ticks[-1]) - 1 if self._ticks else past

    def push(self, step: Step) -> list[int]:
        """Add a step; returns the earlier steps it races with, latest first."""
        return [race for race, _number in self.extend((step,))]

    def extend(self, steps: Sequence[Step]) -> list[tuple[int, int]]:  # noqa: PLR0912 - the inner loop of every search, kept in one piece
        """Add steps; returns which of them (second) race with which earlier ones (first), in order, latest first."""
        found: list[tuple[int, int]] = []
        pasts, of_thread, accesses_of, ticks = self.pasts, self.of_thread, self._accesses, self._ticks
        number = len(pasts)
        for step in steps:
            thread, operations, _enabled, after = step
            mine = of_thread.get(thread)
            if mine is None:
                mine = of_thread[thread] = ticks if thread == -1 else []
            if after or ticks or not mine:
                past = self.past_of(thread, after)
            else:
                last = mine[-1]
                past = pasts[last] | 1 << last
            races: Sequence[int] = ()
            if len(operations) > 1:
                races, past = self._races_of_many(thread, operations, past)
                for root, loc, mode in operations:
                    if mode != LOCAL:
                        every, changes = accesses_of.setdefault(root, ([], []))
                        every.append((number, thread, mode, loc))
                        if mode != READ and mode != KEY_READ:  # noqa: PLR1714
                            changes.append((number, thread, mode, loc))
            elif thread == -1:  # an advance of the clock: after everything before it, before everything behind it
                past = (1 << number) - 1
            else:
                root, loc, mode = operations[0]
                if mode != LOCAL:
                    accesses = accesses_of.get(root)
                    if accesses is None:
                        accesses = accesses_of[root] = ([], [])
                    every, changes = accesses
                    reads = mode == READ or mode == KEY_READ  # noqa: PLR1714
                    before = changes if reads else every  # readings commute
                    if before:
                        _number, other, other_mode, _loc = before[-1]
                        if other != thread or other_mode not in _LAST:  # else it knows all that came before
                            races, past = self._races_of_one(thread, loc, mode, before, past)
                    every.append((number, thread, mode, loc))
                    if not reads:
                        changes.append((number, thread, mode, loc))
            mine.append(number)
            pasts.append(past)
            if races:
                found += [(race, number) for race in races]
            number += 1
        self.steps += steps
        return found

    def races(self, thread: int, operations: Sequence[Operation], past: int) -> list[int]:
        """Earlier steps that race with a step by ``thread`` that has this past, latest first."""
        if len(operations) > 1:
            return self._races_of_many(thread, operations, past)[0]
        root, loc, mode = operations[0]
        every, _changes = self._accesses.get(root, _NONE)
        return [] if not every or mode == LOCAL else self._races_of_one(thread, loc, mode, every, past)[0]

    def _races_of_one(self, thread: int, loc: int, mode: int, accesses: _Accesses, past: int) -> tuple[list[int], int]:
        """Also what precedes the step, its own dependences included."""
        found = []
        awaited = -1
        pasts = self.pasts
        for number, other, other_mode, other_loc in reversed(accesses):
            if other != thread:
                relation = DEPENDS[other_mode][mode]
                if relation and (relation != SAME_KEY or other_loc == loc):
                    if relation == ORDERED or relation == WAITS:  # noqa: PLR1714, SIM109 - the faster form
                        if awaited < 0:
                            awaited = number
                        if relation == WAITS:
                            if not past >> number & 1:
                                found.append(number)
                            continue
                    elif not past >> number & 1:
                        found.append(number)
                        past |= pasts[number] | 1 << number
            if other_mode in _LAST:
                break
        if awaited >= 0:
            past |= pasts[awaited] | 1 << awaited
        return found, past

    def _races_of_many(self, thread: int, operations: Sequence[Operation], past: int) -> tuple[list[int], int]:
        """As `_races_of_one`, for a step of several operations, which may block or end early at each but the first.

        So whatever one of the further operations waited for is a race: without it the step is a shorter one.
        """
        direct: set[int] = set()
        awaited: dict[int, bool] = {}  # whether it is a race all the same
        blocked: set[int] = set()  # steps before which the step could not even begin
        for index, (root, loc, mode) in enumerate(operations):
            if mode == LOCAL:
                continue
            every, changes = self._accesses.get(root, _NONE)
            before = changes if mode in _READS else every  # readings commute
            for number, other, other_mode, other_loc in reversed(before):
                if other != thread:
                    relation = DEPENDS[other_mode][mode]
                    if relation and (relation != SAME_KEY or other_loc == loc):
                        if relation == ORDERED or relation == WAITS:  # noqa: PLR1714, SIM109 - the faster form
                            awaited[number] = awaited.get(number, False) or index > 0 or relation == WAITS
                            if index == 0:
                                blocked.add(number)
                            if relation == WAITS:
                                continue
                        else:
                            direct.add(number)
                if other_mode in _LAST:
                    break
        found = []
        for number in sorted(direct.union(awaited), reverse=True):
            if not past >> number & 1:
                if number in direct and number not in blocked:
                    found.append(number)
                    past |= self.pasts[number] | 1 << number
                elif awaited[number]:
                    found.append(number)
        for number in awaited:
            past |= self.pasts[number] | 1 << number
        return found, past

    def can_begin(self, thread: int, first: int, second: int, step: Step) -> bool:
        """Whether ``thread`` can begin the steps behind ``first`` that do not depend on it, followed by ``step``.

        ``step`` has the number ``second`` (which may be one more than there are). Of each thread only the next step
        behind ``first`` comes into question; it can begin if nothing else in the sequence precedes it.
        """
        if thread == self.steps[first][0] or thread < 0:
            return False
        numbers = self.of_thread.get(thread, ())
        index = bisect_left(numbers, first)
        if index < len(numbers) and numbers[index] < second:
            return not self.pasts[numbers[index]] >> first
        return thread == step[0] and self._needs_nothing(first, second, step)

    def _needs_nothing(self, first: int, second: int, step: Step) -> bool:
        """Return whether ``step`` depends on no step between the two numbers that does not depend on ``first`` itself.

        What its own past says does not count: it came to know much of that through ``first``.
        """
        if len(self.of_thread) < 3:
            return True
        pasts = self.pasts
        thread, operations, _enabled, after = step
        for awaited in after or ():
            past = pasts[awaited] | 1 << awaited
            for number in range(first + 1, awaited + 1):
                if past >> number & 1 and not pasts[number] >> first & 1:
                    return False
        for root, loc, mode in operations:
            every, changes = self._accesses.get(root, _NONE)
            before = changes if mode in _READS else every  # readings commute
            for number, other, other_mode, other_loc in reversed(before):
                if number <= first:
                    break
                if number < second and other != thread and not pasts[number] >> first & 1:
                    relation = DEPENDS[other_mode][mode]
                    if relation and (relation != SAME_KEY or other_loc == loc):
                        return False
        return True

    def precedes(self, earlier: int, later: int) -> bool:
        """Return whether step ``earlier`` happens before step ``later``."""
        return bool(self.pasts[later] >> earlier & 1)


def dependent_steps(first: Sequence[Operation], second: Sequence[Operation]) -> bool:
    """Return whether two steps of different threads may not be swapped."""
    for root, loc, mode in first:
        if mode == TIME:
            return True
        for other_root, other_loc, other_mode in second:
            if root == other_root:
                relation = DEPENDS[mode][other_mode]
                if relation and (relation != SAME_KEY or loc == other_loc):
                    return True
    return False
