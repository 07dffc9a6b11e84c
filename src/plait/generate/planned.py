"""Tests that are planned all at once, when first asked for, and handed out one now and then."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from random import Random
from typing import TYPE_CHECKING, ClassVar

from plait.generate.seen import Seen

if TYPE_CHECKING:
    from plait.generate.sequence import Sequences
    from plait.model.test import Test


class PlannedTests(ABC):
    """A strategy asks it for each test; most times it is the turn of another one.

    Planning waits for the first test that is wanted, since it runs calls alone and learns from those before.
    """

    first: ClassVar[int]
    """Which of the strategy's tests is the first such test: none at the very beginning,"""
    every: ClassVar[int]
    """and how many there are from one to the next."""

    def __init__(self, sequences: Sequences, random: Random) -> None:
        self._sequences = sequences
        self._random = random
        self._planned: list[Test] | None = None
        self._asked = 0

    @abstractmethod
    def _plan(self) -> Iterable[Test]:
        """Return the tests, in the order in which they are handed out."""

    def next_test(self) -> Test | None:
        """Return such a test now and then; None means that it is somebody else's turn."""
        self._asked += 1
        if self._asked < self.first or (self._asked - self.first) % self.every:
            return None
        return next(iter(self.take(1, lambda _test: True)), None)

    def take(self, count: int, wanted: Callable[[Test], bool]) -> list[Test]:
        """Return up to so many new tests that are wanted."""
        if self._planned is None:
            seen = Seen()
            self._planned = [test for test in self._plan() if seen.is_new(test)]
        found = [test for test in self._planned if wanted(test)][:count]
        self._planned = [test for test in self._planned if test not in found]
        return found
