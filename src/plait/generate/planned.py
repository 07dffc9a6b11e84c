"""The base class of strategies that plan all their tests at once and hand out one now and then."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from random import Random
from typing import TYPE_CHECKING, ClassVar

from plait.generate.seen import Seen

if TYPE_CHECKING:
    from plait.generate.sequence import Sequences
    from plait.model.test import Test


class PlannedTests(ABC):
    """A list of tests that is planned when the first one is requested.

    The enclosing strategy calls `next_test` for each test it makes, and mostly gets None: then another source is next.
    Planning is put off because it makes sequential runs, and uses what earlier ones have shown.
    """

    first: ClassVar[int]
    """Number of the request that gets the first planned test, counted from 1."""
    every: ClassVar[int]
    """Number of requests from one planned test to the next."""

    def __init__(self, sequences: Sequences, random: Random) -> None:
        self._sequences = sequences
        self._random = random
        self._planned: list[Test] | None = None
        self._asked = 0

    @abstractmethod
    def _plan(self) -> Iterable[Test]:
        """Return the tests in the order in which they are to be handed out."""

    def next_test(self) -> Test | None:
        """Return a planned test now and then, else None: another source should make the next test."""
        return next(iter(self.take(1, lambda _test: True)), None) if self._is_due() else None

    def _is_due(self) -> bool:
        """Count a request; return whether it gets a planned test."""
        self._asked += 1
        return self._asked >= self.first and (self._asked - self.first) % self.every == 0

    def conflicted(self, test: Test) -> None:  # noqa: B027 - a hook for the few plans that depend on it
        """Learn that the threads of a test conflict."""

    def take(self, count: int, wanted: Callable[[Test], bool]) -> list[Test]:
        """Remove and return up to ``count`` planned tests for which ``wanted`` is true."""
        if self._planned is None:
            seen = Seen()
            self._planned = [test for test in self._plan() if seen.is_new(test)]
        found = [test for test in self._planned if wanted(test)][:count]
        self._planned = [test for test in self._planned if test not in found]
        return found


def in_turn(rows: Iterable[Iterable[Test]]) -> Iterator[Test]:
    """Yield the first test of each row, then the second of each, and so on."""
    return (test for turn in zip_longest(*rows) for test in turn if test is not None)
