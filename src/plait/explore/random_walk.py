"""Random walks: every enabled thread is equally likely, at every step or only where threads synchronise."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from plait.run.engine import Engine
from plait.run.operations import ACQUIRE, HAND_OVER, RELEASE, TAKE, TICK, TIME, TRY, TRY_FAILED
from plait.run.primitives.condition import Condition
from plait.run.primitives.event import Event
from plait.run.primitives.lock import BaseLock
from plait.run.primitives.semaphore import Semaphore
from plait.run.primitives.simple_queue import SimpleQueue
from plait.run.vthread import VThread

_SYNC = frozenset({ACQUIRE, RELEASE, TRY, TRY_FAILED, TAKE, HAND_OVER, TICK, TIME})
_PRIMITIVES = (
    BaseLock,
    Condition,
    Event,
    Semaphore,
    SimpleQueue,
    VThread,
)  # the clock is a location of the main thread


def synchronises(engine: Engine, loc: int, mode: int) -> bool:
    """Return whether a step concerns locks, waiting, time, or the start or end of threads, and not data."""
    return mode in _SYNC or issubclass(type(engine.heap.locs[loc][0]), _PRIMITIVES)


class RandomWalk:
    """A random walk. It never ends; the same seed gives the same executions."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.exhausted = False
        self.free = False
        self._random = Random(seed)

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix; there is always another execution."""
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return any enabled thread."""
        enabled = engine.enabled
        return enabled[0] if len(enabled) == 1 else self._random.choice(enabled)

    def executed(self, engine: Engine) -> None:
        """Do nothing: each execution is independent of the others."""


class InStretches(RandomWalk):
    """A random walk that switches only where threads synchronise; the steps in between are not interleaved."""

    name = "stretches"

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the running thread until it synchronises; then any enabled one."""
        goes_on = current is not None and current.enabled and current.loc
        if current is not None and goes_on and not synchronises(engine, current.loc, current.mode):
            return current.id
        return super().choose(engine, current)
