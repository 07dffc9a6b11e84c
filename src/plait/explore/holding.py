"""Holds one thread in the midst of one of its calls while the others run as far as they can.

Two calls that share nothing have one class of schedules, in which they may come one after the other. Whether they were
under way together, as calls of threads are, takes an execution that is made for it: this one shows it for a call and
all calls of the other threads at once.
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
    """One execution: a thread of the test runs into its call at ``index``, and is held after so many accesses.

    It goes on when nobody else can.
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
        """Return no choices: each is made when it is due."""
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread that is to be held until it is where it shall be, then the others."""
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
        """Learn nothing."""
