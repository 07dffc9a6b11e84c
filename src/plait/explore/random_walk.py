"""The random walk: every enabled thread is as likely as any other, at every step."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from plait.run.engine import Engine
from plait.run.vthread import VThread


class RandomWalk:
    """Endless; the same seed gives the same executions."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.exhausted = False
        self.free = False
        self._random = Random(seed)

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix: there is always one more."""
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose anybody."""
        enabled = engine.enabled
        return enabled[0] if len(enabled) == 1 else self._random.choice(enabled)

    def executed(self, engine: Engine) -> None:
        """Learn nothing."""
