"""Partial-order reduction whose executions continue with the threads that a CAPP heuristic prefers.

After a branching point, `plait.explore.dpor` may continue with any thread that does not sleep. The heuristic does not
change which classes of schedules are explored; those that preempt at impacted code points come earlier.
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
    """The search of `Dpor` directed by a heuristic; complete when `next_prefix` returns None."""

    def __init__(self, priority: Prioritizer) -> None:
        super().__init__()
        self.name = f"dpor+{priority.name}"
        self.free = False
        self._priority = priority

    def next_prefix(self) -> Sequence[int] | None:
        """See `Dpor.next_prefix`; after the prefix `choose` is called at every step."""
        prefix = super().next_prefix()
        self._priority.begin()
        return prefix

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread that the heuristic prefers among those that do not sleep."""
        number = super().choose(engine, current)
        if number == STOP:
            return STOP
        last = engine.trace[-1][0] if engine.step else -1
        awake = [thread for thread in engine.enabled if thread not in self._sleep]
        if last not in awake or len(awake) == 1:
            return number
        return self._priority.partition(engine, [last, *(thread for thread in awake if thread != last)], last)[0]
