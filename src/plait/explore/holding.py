"""A strategy that holds one thread in the middle of a call while the other threads run as far as they can.

Two calls that share nothing have a single class of schedules, so a reduced search may execute them only one after the
other. To see whether calls overlap like calls of real threads, a special execution is needed: this strategy overlaps
one call with all calls of the other threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.strategy import run_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine
    from plait.run.testbed import Testbed
    from plait.run.vthread import VThread


class Holding:
    """A strategy for one execution: runs a thread into its call at ``index`` and holds it after some accesses.

    The thread continues when no other thread can.
    """

    name = "holding"

    def __init__(self, bed: Testbed, thread: int, index: int, accesses: int) -> None:
        self.exhausted = False
        self.free = False
        self._bed = bed
        self._thread = thread
        self._index = index
        self._accesses = accesses
        self._over = False

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix: all choices are made in `choose`."""
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread to be held until it is in the middle of its call, then the others."""
        own = engine.bodies[self._thread - 1]
        if self._over:
            return run_on(engine, current)
        if not self._is_there(engine, own):
            return own if own in engine.enabled else run_on(engine, current)
        others = [each for each in engine.enabled if each != own]
        self._over = not others
        return run_on(engine, current) if not others else current.id if current and current.id in others else others[0]

    def _is_there(self, engine: Engine, own: int) -> bool:
        done = self._bed.running.get(own)
        if done is None or done.index != self._index:
            return False
        return sum(entry[0] == own and entry[1] != 0 for entry in engine.trace[done.start :]) >= self._accesses

    def executed(self, engine: Engine) -> None:
        """Do nothing: there is only one execution."""
