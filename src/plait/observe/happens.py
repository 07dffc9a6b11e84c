"""The happens-before relation of an execution, kept step by step so that executions with a common prefix share it.

Terminology
-----------
Two steps are *dependent* if their order matters (`plait.run.operations.DEPENDS`). The *past* of a step is the set of
steps that happen before it: the earlier steps of its thread, the steps that started or woke its thread, and the earlier
dependent steps, each with its own past. A *race* is a pair of dependent steps of two threads that nothing else orders.
To reverse a race leads to an execution of another equivalence class, so races are what partial-order reduction
(`plait.explore.dpor`) searches for.

Example: both threads write ``x`` under a lock (A is an acquisition, R a release)::

    step    0   1   2   3   4   5
    thread  1   1   1   2   2   2
            A   x   R   A   x   R

Step 3 had to wait for step 2, so this pair is *ordered* but no race: step 3 was impossible before step 2. Step 3 races
with step 0, because the threads could have taken the lock in the other order. Steps 1 and 4 are dependent but no race:
step 1 is in the past of step 3, and so in the past of step 4.
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

_LOOKED_AT = 64  # number of accesses to a root from which on they are looked up by thread and key
_KEYED = frozenset({KEY_READ, KEY_WRITE})  # accesses that depend, if at all, on those of the same key: see `_BY_KEY`
_BY_KEY = frozenset(
    mode for mode in range(len(DEPENDS)) if all(DEPENDS[other][mode] in (COMMUTE, SAME_KEY) for other in _KEYED)
)
_NEVER_WAITING = frozenset({READ, WRITE, KEY_READ, KEY_WRITE, KEY_INSERT})
_AWAITED = frozenset(
    mode for mode in range(len(DEPENDS)) if any(DEPENDS[mode][other] in (ORDERED, WAITS) for other in _NEVER_WAITING)
)  # modes for which even one of these may have to wait

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
    """An index of one list of accesses, by thread and key, with their positions in the list.

    The index follows the list lazily: new accesses are added at the next look-up (`follow`), removed ones at once
    (`forget`).
    """

    __slots__ = ("awaited", "by_key", "by_thread", "lasts", "length", "others")

    def __init__(self) -> None:
        self.length = 0  # indexed accesses
        self.awaited = 0  # how many of them another access may have to wait for
        self.lasts: list[_Positioned] = []  # those that all earlier accesses precede
        self.by_thread: dict[int, list[_Positioned]] = {}
        self.by_key: dict[tuple[int, int], list[_Positioned]] = {}  # of a thread and a key: those in `_KEYED`
        self.others: dict[int, list[_Positioned]] = {}  # of a thread: those that are not in `_KEYED`

    def follow(self, accesses: _Accesses) -> None:
        """Index the accesses that were appended."""
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
        """Remove the last access of the list from the index."""
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
        """Yield lists of accesses, each of one other thread, that contain all on which the operation may depend."""
        for other, entries in self.by_thread.items():
            if other == thread:
                continue
            if mode in _BY_KEY:
                yield self.others.get(other, _NOTHING)  # first, because these are the ones that waited
                yield self.by_key.get((other, loc), _NOTHING)
            else:
                yield entries


class HappensBefore:
    """The pasts of the steps pushed so far; `truncate` goes back to a shorter prefix.

    A past is a set of steps, kept as the bits of one integer: a union and a membership test are single operations.

    Invariants:

    - `pasts[n]` is transitively closed: with a step, it contains everything that happens before that step. So one bit
      says whether a step is ordered before step ``n``.
    - Two steps race if they are dependent, of different threads, and nothing in between orders them. So the earlier
      accesses are visited from the latest to the first. A dependent one that is not in the past yet is a race, and its
      past is added: everything in it is ordered by this step, and no race any more.
    - Each root has two lists, of all accesses and of those that are no reads. A read visits only the second one,
      because reads commute: this keeps loops over shared data linear.
    - `truncate` undoes `extend` exactly. Executions of a search share prefixes, so most steps need not be pushed again.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.pasts: list[int] = []  # which steps happen before each step
        self.of_thread: dict[int, list[int]] = {}  # the numbers of each thread's steps
        self._accesses: dict[int, tuple[_Accesses, _Accesses]] = {}  # of each root: all, and those that are no reads
        self._ticks: list[int] = []  # the steps in which the clock advanced
        self._indexes: dict[tuple[int, bool], _Index] = {}  # by root, and whether of its changes only; of long lists

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
        """Remove the accesses of steps from ``length`` on from the indexes."""
        for (root, changes), index in self._indexes.items():
            accesses = self._accesses[root][changes]
            index.follow(accesses)  # the last access of the list must be the last one of the index
            for access in reversed(accesses):
                if access[0] < length:
                    break
                index.forget(access)

    def past_of(self, thread: int, after: Sequence[int] | None) -> int:
        """Return the past of a thread's next step, without the steps on which its own accesses depend."""
        mine = self.of_thread.get(thread)
        pasts = self.pasts
        # Three kinds of steps precede it, whatever it accesses: those of its thread, those that started or woke the
        # thread (``after``), and the last advance of the clock with all before it, because no thread could run then.
        past = pasts[mine[-1]] | 1 << mine[-1] if mine else 0
        for step in after or ():
            past |= pasts[step] | 1 << step
        return past | (2 << self._ticks[-1]) - 1 if self._ticks else past

    def push(self, step: Step) -> list[int]:
        """Add a step; return the earlier steps it races with, latest first."""
        return [race for race, _number in self.extend((step,))]

    def extend(self, steps: Sequence[Step]) -> list[tuple[int, int]]:  # noqa: PLR0912 - the inner loop of every search, kept in one piece
        """Add steps; return their races as pairs (earlier step, added step), for each added step the latest first."""
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
            # Find its races before its own accesses are entered: a step does not race with itself.
            if len(operations) > 1:
                races, past = self._races_of_many(thread, operations, past)
                for root, loc, mode in operations:
                    if mode != LOCAL:
                        every, changes = accesses_of.setdefault(root, ([], []))
                        every.append((number, thread, mode, loc))
                        if mode != READ and mode != KEY_READ:  # noqa: PLR1714
                            changes.append((number, thread, mode, loc))
            elif thread == -1:  # an advance of the clock: everything earlier precedes it
                past = (1 << number) - 1
            else:
                root, loc, mode = operations[0]
                if mode != LOCAL:
                    accesses = accesses_of.get(root)
                    if accesses is None:
                        accesses = accesses_of[root] = ([], [])
                    every, changes = accesses
                    reads = mode == READ or mode == KEY_READ  # noqa: PLR1714
                    before = changes if reads else every  # reads commute
                    # All earlier ones are in the past already if the latest is one of `_LAST` by this thread.
                    if before and (before[-1][1] != thread or before[-1][2] not in _LAST):
                        if len(before) < _LOOKED_AT:
                            races, past = self._races_of_one(thread, operations[0], before, past)
                        else:
                            races, past = self._races_among_many(thread, operations[0], before, past)
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
        """Return the earlier steps that race with a step by ``thread`` that has this past, latest first."""
        if len(operations) > 1:
            return self._races_of_many(thread, operations, past)[0]
        root, _loc, mode = operations[0]
        every, _changes = self._accesses.get(root, _NONE)
        return [] if not every or mode == LOCAL else self._races_of_one(thread, operations[0], every, past)[0]

    def _races_of_one(self, thread: int, operation: Operation, accesses: _Accesses, past: int) -> tuple[list[int], int]:
        """Return the races of a step with one operation, and its complete past."""
        _root, loc, mode = operation
        found = []
        # The step that it had to wait for (the release before an acquisition) is ordered and no race: the other order
        # is impossible. It is added to the past last. Otherwise the steps before it, such as the acquisition that
        # belongs to the release, would be in the past already and not be found: but with that one, this step does race.
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
            # All earlier accesses precede this one, so they are in the past by now: there is nothing more to find.
            if other_mode in _LAST:
                break
        if awaited >= 0:
            past |= pasts[awaited] | 1 << awaited
        return found, past

    def _races_among_many(
        self, thread: int, operation: Operation, accesses: _Accesses, past: int
    ) -> tuple[list[int], int]:
        """Return what `_races_of_one` returns, skipping accesses that cannot race, if no access waits for another."""
        root, loc, mode = operation
        index = self._index(root, mode, accesses)
        if mode not in _NEVER_WAITING or index.awaited:
            return self._races_of_one(thread, operation, accesses, past)
        end = index.end(thread, mode)
        latest = []  # of each list, the latest dependent access: the earlier ones of its thread are in its past
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
        """Return the races of a step with several operations, and its complete past; see `_races_of_one`.

        In another order, such a step may block or end after its first operation. So a step for which a further
        operation waited is a race, too: reversed, it makes this step a shorter one.
        """
        direct: set[int] = set()
        awaited: dict[int, bool] = {}  # steps that were waited for, and whether they race all the same
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
        """Return the races among the steps on which a step depends, latest first, and its complete past."""
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

        ``step`` has the number ``second`` (which may be one more than there are). Of each thread, only its next step
        after ``first`` is a candidate; it can begin if nothing else in the sequence precedes it.
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

        Its own past does not count: much of that is in it because of ``first``.
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
    """Record, among the accesses of one other thread, those on which an operation depends, the latest first.

    The steps of a thread are ordered. So everything before an access that is in the past is in the past as well, and
    everything before a race will be, once the races are visited in order.
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
    """Return whether two steps of different threads do not commute."""
    for root, loc, mode in first:
        if mode == TIME:
            return True
        for other_root, other_loc, other_mode in second:
            if root == other_root:
                relation = DEPENDS[mode][other_mode]
                if relation and (relation != SAME_KEY or loc == other_loc):
                    return True
    return False
