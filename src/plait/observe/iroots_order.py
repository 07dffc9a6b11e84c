"""What the order of an execution owes to its synchronization: critical sections, and orders that cannot be changed."""

from __future__ import annotations

from collections.abc import Sequence

from plait.run.engine import Entry
from plait.run.operations import ACQUIRE, HAND_OVER, RELEASE, TRY

_END = 1 << 60


class Order:
    """Locks held and forced orders, by positions in a trace."""

    def __init__(self, trace: Sequence[Entry]) -> None:
        self._held: list[dict[int, int]] = []  # per entry: each lock held by its thread, and where it was taken
        self._released: dict[tuple[int, int], int] = {}
        self._follow_locks(trace)
        self._clocks: list[dict[int, int]] | None = None
        self._numbers: list[int] = []
        if any(entry[5] for entry in trace):
            self._follow_threads(trace)
        self._threads = [entry[0] for entry in trace]

    def _follow_locks(self, trace: Sequence[Entry]) -> None:
        held: dict[int, dict[int, int]] = {}
        for index, (thread, loc, mode, _site, _enabled, _after) in enumerate(trace):
            locks = held.setdefault(thread, {})
            self._held.append(locks)
            if mode in (ACQUIRE, TRY):
                held[thread] = {**locks, loc: index}
            elif mode == RELEASE:
                self._drop(held, thread, loc, index)
            elif mode == HAND_OVER:
                for other in list(held):
                    self._drop(held, other, loc, index)

    def _drop(self, held: dict[int, dict[int, int]], thread: int, lock: int, index: int) -> None:
        taken = held[thread].get(lock)
        if taken is not None:
            self._released[taken, lock] = index
            held[thread] = {other: start for other, start in held[thread].items() if other != lock}

    def common_locks(self, first: int, second: int) -> tuple[int, ...]:
        """The locks held at both entries."""
        held = self._held[second]
        return tuple(lock for lock in self._held[first] if lock in held)

    def section(self, index: int, lock: int) -> tuple[int, int]:
        """Where the critical section around an entry begins and ends."""
        start = self._held[index][lock]
        return start, self._released.get((start, lock), _END)

    def _follow_threads(self, trace: Sequence[Entry]) -> None:
        """Vector clocks over what threads owe each other by starts, joins and notifications, and over nothing else."""
        steps: list[dict[int, int]] = []
        latest: dict[int, dict[int, int]] = {}
        self._clocks = []
        for thread, _loc, _mode, _site, enabled, after in trace:
            clock = dict(latest.get(thread, {}))
            for step in after or ():
                for other, count in steps[step].items():
                    clock[other] = max(clock.get(other, 0), count)
            clock[thread] = clock.get(thread, 0) + 1
            latest[thread] = clock
            self._clocks.append(clock)
            self._numbers.append(clock[thread])
            if enabled is None:
                steps[-1] = clock
            else:
                steps.append(clock)

    def forces(self, earlier: int, later: int) -> bool:
        """Whether the first entry comes before the second in every execution that makes these steps."""
        if self._clocks is None:
            return False
        return earlier < later and self._clocks[later].get(self._threads[earlier], 0) >= self._numbers[earlier]
