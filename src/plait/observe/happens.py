"""Happens-before of an execution, kept step by step so that executions with a common prefix share it.

Each step gets a vector clock: how many steps of every thread precede it. A *race* is a pair of dependent steps of two
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

_LAST = frozenset({WRITE, TAKE, ACQUIRE, TRY})  # whatever touched the location before one of these precedes it


def steps_of(trace: Sequence[Entry], roots: Sequence[int], start: int = 0) -> list[Step]:
    """Group a trace's entries into steps (a step is one access, or all between two possible switches)."""
    steps: list[Step] = []
    for thread, loc, mode, _site, enabled, after in trace[start:] if start else trace:
        if enabled is None:
            number, operations, were, before = steps[-1]
            steps[-1] = (number, (*operations, (roots[loc], loc, mode)), were, before)
        else:
            steps.append((thread, ((roots[loc], loc, mode),), enabled, after))
    return steps


class HappensBefore:
    """The clocks of the steps pushed so far; `truncate` goes back to a shorter prefix."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.clocks: list[list[int]] = []
        self.positions: list[int] = []
        self.of_thread: dict[int, list[int]] = {}  # the numbers of each thread's steps
        self._accesses: dict[int, list[tuple[int, int, int, int]]] = {}
        self._ticks: list[int] = []  # the steps in which the clock advanced
        self._width = 4

    def truncate(self, length: int) -> None:
        """Forget all steps from ``length`` on."""
        steps, of_thread, accesses = self.steps, self.of_thread, self._accesses
        for thread, operations, _enabled, _after in steps[length:]:
            of_thread[thread].pop()
            if thread != -1:
                for root, _loc, mode in operations:
                    if mode != LOCAL:
                        accesses[root].pop()
        del steps[length:], self.clocks[length:], self.positions[length:]

    def clock_of(self, thread: int, after: Sequence[int] | None) -> list[int]:
        """What precedes the next step of a thread before its own dependences are looked at."""
        mine = self.of_thread.get(thread)
        clock = self.clocks[mine[-1]].copy() if mine else [0] * self._width
        if after:
            for step in after:
                _join(clock, self.clocks[step])
        if self._ticks:
            _join(clock, self.clocks[self._ticks[-1]])
        return clock

    def push(self, step: Step) -> list[int]:
        """Add a step; returns the earlier steps it races with, latest first."""
        thread, operations, _enabled, after = step
        number = len(self.steps)
        if thread == -1:
            return self._push_time(step)
        if thread >= self._width:
            self._widen(thread + 1)
        mine = self.of_thread.get(thread)
        if mine is None:
            mine = self.of_thread[thread] = []
        clock = self.clocks[mine[-1]].copy() if mine and not after and not self._ticks else self.clock_of(thread, after)
        if len(operations) == 1:
            root, loc, mode = operations[0]
            if mode == LOCAL:
                races: list[int] = []
            else:
                accesses = self._accesses.get(root)
                if accesses is None:
                    races = []
                    self._accesses[root] = [(number, thread, mode, loc)]
                else:
                    races = self._races_of_one(thread, loc, mode, accesses, clock) if accesses else []
                    accesses.append((number, thread, mode, loc))
        else:
            races = self._races_of_many(thread, operations, clock)
            for root, loc, mode in operations:
                if mode != LOCAL:
                    self._accesses.setdefault(root, []).append((number, thread, mode, loc))
        mine.append(number)
        clock[thread] = position = len(mine)
        self.steps.append(step)
        self.clocks.append(clock)
        self.positions.append(position)
        return races

    def _push_time(self, step: Step) -> list[int]:
        """An advance of the clock: after everything before it, before everything behind it."""
        clock = [0] * self._width
        for steps in self.of_thread.values():
            if steps:
                _join(clock, self.clocks[steps[-1]])
        mine = self.of_thread[-1] = self._ticks
        mine.append(len(self.steps))
        self.steps.append(step)
        self.clocks.append(clock)
        self.positions.append(len(mine))
        return []

    def races(self, thread: int, operations: Sequence[Operation], clock: list[int]) -> list[int]:
        """Earlier steps that race with a step by ``thread``, latest first; joins what precedes it into ``clock``."""
        if len(operations) > 1:
            return self._races_of_many(thread, operations, clock)
        root, loc, mode = operations[0]
        accesses = self._accesses.get(root)
        return [] if not accesses or mode == LOCAL else self._races_of_one(thread, loc, mode, accesses, clock)

    def _races_of_one(
        self, thread: int, loc: int, mode: int, accesses: Sequence[tuple[int, int, int, int]], clock: list[int]
    ) -> list[int]:
        found = []
        awaited = None
        row = DEPENDS
        positions, clocks = self.positions, self.clocks
        for number, other, other_mode, other_loc in reversed(accesses):
            if other != thread:
                relation = row[other_mode][mode]
                if relation and (relation != SAME_KEY or other_loc == loc):
                    if relation == ORDERED or relation == WAITS:  # noqa: PLR1714, SIM109 - the faster form
                        awaited = number if awaited is None else awaited
                        if relation == WAITS:
                            if clock[other] < positions[number]:
                                found.append(number)
                            continue
                    elif clock[other] < positions[number]:
                        found.append(number)
                        _join(clock, clocks[number])
            elif other_loc == loc and other_mode == mode and (mode == READ or mode == KEY_READ):  # noqa: PLR1714, SIM109
                break  # what precedes the thread's own earlier reading precedes this one: a loop reads often
            if other_mode in _LAST:
                break
        if awaited is not None:
            _join(clock, clocks[awaited])
        return found

    def _races_of_many(self, thread: int, operations: Sequence[Operation], clock: list[int]) -> list[int]:
        """As `races`, for a step of several operations, which may block or end early at each but the first.

        So whatever one of the further operations waited for is a race: without it the step is a shorter one.
        """
        direct: set[int] = set()
        awaited: dict[int, bool] = {}  # whether it is a race all the same
        blocked: set[int] = set()  # steps before which the step could not even begin
        for index, (root, loc, mode) in enumerate(operations):
            if mode == LOCAL:
                continue
            for number, other, other_mode, other_loc in reversed(self._accesses.get(root, ())):
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
            if clock[self.steps[number][0]] < self.positions[number]:
                if number in direct and number not in blocked:
                    found.append(number)
                    _join(clock, self.clocks[number])
                elif awaited[number]:
                    found.append(number)
        for number in awaited:
            _join(clock, self.clocks[number])
        return found

    def can_begin(self, thread: int, first: int, second: int, step: Step) -> bool:
        """Whether ``thread`` can begin the steps behind ``first`` that do not depend on it, followed by ``step``.

        ``step`` has the number ``second`` (which may be one more than there are). Of each thread only the next step
        behind ``first`` comes into question; it can begin if nothing else in the sequence precedes it.
        """
        owner, position = self.steps[first][0], self.positions[first]
        if thread == owner or thread < 0:
            return False
        of_thread, clocks = self.of_thread, self.clocks
        numbers = of_thread.get(thread, ())
        index = bisect_left(numbers, first)
        next_step = numbers[index] if index < len(numbers) else second
        if next_step >= second:
            return next_step == second and thread == step[0] and self._needs_nothing(first, second, step)
        mine = clocks[next_step]
        if mine[owner] >= position:
            return False
        if len(of_thread) > 2:
            for other, others in of_thread.items():
                if other not in (thread, owner, -1) and mine[other] > bisect_left(others, first):
                    return False
        return True

    def _needs_nothing(self, first: int, second: int, step: Step) -> bool:
        """Whether ``step`` depends on no step between the two numbers that does not depend on ``first`` itself.

        What its own clock says does not count: it came to know much of that through ``first``.
        """
        if len(self.of_thread) < 3:
            return True
        owner, position = self.steps[first][0], self.positions[first]
        thread, operations, _enabled, after = step
        for number in after or ():
            if number > first:
                for other, others in self.of_thread.items():
                    count = bisect_left(others, first)
                    if other not in (thread, owner, -1) and self.clocks[number][other] > count and (
                        self.clocks[others[count]][owner] < position
                    ):
                        return False
        for root, loc, mode in operations:
            for number, other, other_mode, other_loc in reversed(self._accesses.get(root, ())):
                if number <= first:
                    break
                if number < second and other != thread and self.clocks[number][owner] < position:
                    relation = DEPENDS[other_mode][mode]
                    if relation and (relation != SAME_KEY or other_loc == loc):
                        return False
        return True

    def precedes(self, earlier: int, later: int) -> bool:
        """Whether step ``earlier`` happens before step ``later``."""
        return self.clocks[later][self.steps[earlier][0]] >= self.positions[earlier]

    def _widen(self, width: int) -> None:
        extra = width - self._width
        self._width = width
        for clock in self.clocks:
            clock.extend([0] * extra)


def _join(clock: list[int], other: list[int]) -> None:
    for index, value in enumerate(other):
        if value > clock[index]:  # noqa: PLR1730 - the faster form
            clock[index] = value


def dependent_steps(first: Sequence[Operation], second: Sequence[Operation]) -> bool:
    """Whether two steps of different threads may not be swapped."""
    for root, loc, mode in first:
        if mode == TIME:
            return True
        for other_root, other_loc, other_mode in second:
            if root == other_root:
                relation = DEPENDS[mode][other_mode]
                if relation and (relation != SAME_KEY or loc == other_loc):
                    return True
    return False
