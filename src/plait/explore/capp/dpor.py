"""Partial-order reduction whose executions go on as a heuristic of CAPP prefers.

Which thread goes on behind a branching point is free in `plait.explore.dpor`, as long as it does not sleep: so the
classes of schedules stay the same, and those that preempt at impacted code points come earlier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.dpor import Dpor
from plait.run.engine import STOP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.explore.capp.partition import Prioritizer
    from plait.run.engine import Engine
    from plait.run.vthread import VThread


class CappDpor(Dpor):
    """The search; complete when `next_prefix` returns None."""

    def __init__(self, priority: Prioritizer) -> None:
        super().__init__()
        self.name = f"dpor+{priority.name}"
        self.free = False
        self._priority = priority

    def next_prefix(self) -> Sequence[int] | None:
        """See `Dpor.next_prefix`; behind it this search is asked at every step."""
        prefix = super().next_prefix()
        self._priority.begin()
        return prefix

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose, among the threads that do not sleep, the one that the heuristic keeps."""
        number = super().choose(engine, current)
        if number == STOP:
            return STOP
        last = engine.trace[-1][0] if engine.step else -1
        awake = [thread for thread in engine.enabled if thread not in self._sleep]
        if last not in awake or len(awake) == 1:
            return number
        return self._priority.partition(engine, [last, *(thread for thread in awake if thread != last)], last)[0]
