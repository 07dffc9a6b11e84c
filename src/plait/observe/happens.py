"""Happens-before of an execution, kept step by step so that executions with a common prefix share it.

Each step has its past: which steps precede it. A *race* is a pair of dependent steps of two
threads that nothing else orders: the pairs whose reversal leads to a different class of executions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from plait.run.engine import Entry
from plait.run.operations import (
    ACQUIRE,
    COMMUTE,
    DEPENDS,
    KEY_INSERT,
    KEY_READ,
    KEY_WRITE,
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

_LOOKED_AT = 64  # accesses of a location from which on they are looked up by thread and key
_KEYED = frozenset({KEY_READ, KEY_WRITE})  # these depend, if at all, on the same key: see `_BY_KEY`
_BY_KEY = frozenset(
    mode for mode in range(len(DEPENDS)) if all(DEPENDS[other][mode] in (COMMUTE, SAME_KEY) for other in _KEYED)
)
_NEVER_WAITING = frozenset({READ, WRITE, KEY_READ, KEY_WRITE, KEY_INSERT})
_AWAITED = frozenset(
    mode for mode in range(len(DEPENDS)) if any(DEPENDS[mode][other] in (ORDERED, WAITS) for other in _NEVER_WAITING)
)  # what even one of these may have to wait for

_NONE: tuple[_Accesses, _Accesses] = ([], [])
_Positioned = tuple[int, tuple[int, int, int, int]]  # where an access is in its list
_NOTHING: list[_Positioned] = []
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


class _Index:
    """The accesses in one list by thread and key, with their positions, and those that all earlier ones precede.

    It follows the list: what was appended there is taken in when it is asked for, what is taken away there is taken
    away here.
    """

    __slots__ = ("awaited", "by_key", "by_thread", "lasts", "length", "others")

    def __init__(self) -> None:
        self.length = 0  # accesses taken in
        self.awaited = 0  # how many of them others may have to wait for
        self.lasts: list[_Positioned] = []
        self.by_thread: dict[int, list[_Positioned]] = {}
        self.by_key: dict[tuple[int, int], list[_Positioned]] = {}  # of a thread and a key: those in `_KEYED`
        self.others: dict[int, list[_Positioned]] = {}  # of a thread: those that are not

    def follow(self, accesses: _Accesses) -> None:
        """Take in what was appended."""
        for position in range(self.length, len(accesses)):
            _number, thread, mode, loc = access = accesses[position]
            entry = (position, access)
            self.by_thread.setdefault(thread, []).append(entry)
            if mode in _KEYED:
                self.by_key.setdefault((thread, loc), []).append(entry)
            else:
                self.others.setdefault(thread, []).append(entry)
            if mode in _LAST:
                self.lasts.append(entry)
            self.awaited += mode in _AWAITED
        self.length = len(accesses)

    def forget(self, access: tuple[int, int, int, int]) -> None:
        """Follow a list whose last access is taken away."""
        _number, thread, mode, loc = access
        self.by_thread[thread].pop()
        (self.by_key[thread, loc] if mode in _KEYED else self.others[thread]).pop()
        if mode in _LAST:
            self.lasts.pop()
        self.awaited -= mode in _AWAITED
        self.length -= 1

    def end(self, thread: int, mode: int) -> int:
        """Return the position of the last access that all earlier ones precede; -1 if there is none."""
        for position, (_number, other, other_mode, _loc) in reversed(self.lasts):
            if other == thread or DEPENDS[other_mode][mode] != WAITS:
                return position
        return -1

    def lists(self, thread: int, loc: int, mode: int) -> Iterator[list[_Positioned]]:
        """Yield the lists, each of one other thread, in which accesses can be that the operation depends on."""
        for other, entries in self.by_thread.items():
            if other == thread:
                continue
            if mode in _BY_KEY:
                yield self.others.get(other, _NOTHING)  # before the others: what waited is known then
                yield self.by_key.get((other, loc), _NOTHING)
            else:
                yield entries


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
        self._indexes: dict[tuple[int, bool], _Index] = {}  # of roots with many accesses, and if of their changes only

    def truncate(self, length: int) -> None:
        """Forget all steps from ``length`` on."""
        steps, of_thread, accesses = self.steps, self.of_thread, self._accesses
        if self._indexes:
            self._forget(length)
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

    def _forget(self, length: int) -> None:
        """Take away from the indexes what belongs to steps from ``length`` on."""
        for (root, changes), index in self._indexes.items():
            accesses = self._accesses[root][changes]
            index.follow(accesses)  # so that both have the same end
            for access in reversed(accesses):
                if access[0] < length:
                    break
                index.forget(access)

    def past_of(self, thread: int, after: Sequence[int] | None) -> int:
        """Return what precedes the next step of a thread before its own dependences are looked at."""
        mine = self.of_thread.get(thread)
        pasts = self.pasts
        # Three reasons why a step comes before another one whatever it touches: the same thread, what started or woke
        # the thread (``after``), and the last advance of the clock, before which everything had to stand still.
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
            # The races are looked for before the step's own accesses are entered: it must not race with itself.
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
                            look = self._races_of_one if len(before) < _LOOKED_AT else self._races_among_many
                            races, past = look(thread, operations[0], before, past)
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
        root, _loc, mode = operations[0]
        every, _changes = self._accesses.get(root, _NONE)
        return [] if not every or mode == LOCAL else self._races_of_one(thread, operations[0], every, past)[0]

    def _races_of_one(self, thread: int, operation: Operation, accesses: _Accesses, past: int) -> tuple[list[int], int]:
        """Return the races of a step of one operation, and what precedes it, its own dependences included."""
        _root, loc, mode = operation
        found = []
        # What the step had to wait for (the release before an acquisition) is ordered and no race: in the other order
        # it was not possible. It joins the past last, because what comes before it, such as the acquisition that the
        # release belongs to, does race with this step: with that one it can change places.
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
            # All accesses before such a one precede it, so they are in the past by now: there is nothing more to find.
            if other_mode in _LAST:
                break
        if awaited >= 0:
            past |= pasts[awaited] | 1 << awaited
        return found, past

    def _races_among_many(
        self, thread: int, operation: Operation, accesses: _Accesses, past: int
    ) -> tuple[list[int], int]:
        """Return what `_races_of_one` does, without accesses of no interest; not where there is any waiting."""
        root, loc, mode = operation
        index = self._index(root, mode, accesses)
        if mode not in _NEVER_WAITING or index.awaited:
            return self._races_of_one(thread, operation, accesses, past)
        end = index.end(thread, mode)
        latest = []  # of each list the one that brings all that lies before it
        for entries in index.lists(thread, loc, mode):
            for position, (number, _other, other_mode, other_loc) in reversed(entries):
                if position < end or past >> number & 1:
                    break
                relation = DEPENDS[other_mode][mode]
                if relation and (relation != SAME_KEY or other_loc == loc):
                    latest.append(position)
                    break
        return self._races_of_one(thread, operation, [accesses[position] for position in sorted(latest)], past)

    def _index(self, root: int, mode: int, accesses: _Accesses) -> _Index:
        index = self._indexes.setdefault((root, mode in _READS), _Index())
        index.follow(accesses)
        return index

    def _races_of_many(self, thread: int, operations: Sequence[Operation], past: int) -> tuple[list[int], int]:
        """Return what `_races_of_one` does, for several operations: such a step may block or end early after the first.

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
            if len(before) >= _LOOKED_AT:
                known = self._index(root, mode, before)
                end = known.end(thread, mode)
                for entries in known.lists(thread, loc, mode):
                    _note_concurrent(entries, index, loc, mode, end, past, direct, awaited, blocked)
                continue
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
        return self._races_in_order(direct, awaited, blocked, past)

    def _races_in_order(
        self, direct: set[int], awaited: dict[int, bool], blocked: set[int], past: int
    ) -> tuple[list[int], int]:
        """Return which of the steps that a step depends on race with it, latest first, and its whole past."""
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
        """Return whether ``thread`` can begin the steps after ``first`` that do not depend on it, followed by ``step``.

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


def _note_concurrent(
    entries: list[_Positioned], index: int, loc: int, mode: int, end: int, past: int, direct: set[int],
    awaited: dict[int, bool], blocked: set[int],
) -> None:  # fmt: skip
    """Note of one other thread's accesses those that an operation depends on, the latest first.

    Its steps follow each other, so what lies before one that the past knows is known, too; and what lies before one
    that is a race will be when the races are told, latest first.
    """
    raced = -1
    for position, (number, _other, other_mode, other_loc) in reversed(entries):
        if position < end or past >> number & 1 or (number < raced and raced not in blocked):
            return
        relation = DEPENDS[other_mode][mode]
        if not relation or (relation == SAME_KEY and other_loc != loc):
            continue
        if relation in (ORDERED, WAITS):
            awaited[number] = awaited.get(number, False) or index > 0 or relation == WAITS
            if index == 0:
                blocked.add(number)
        else:
            direct.add(number)
        if number in direct:
            raced = number


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
