"""Which calls the tests so far have brought together, and how much of that is new in another test.

An interleaving instance lies between a call of one thread and a call of another, and what a call does depends on the
state that the calls before it have left. So what a test can add is seen in its *encounters*: each pair of methods
that two of its threads call, and each such pair together with the call right before either.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.generate.distance import Calls, Shape

_Side = frozenset[int]


class Encounters:
    """The encounters of all tests that were added."""

    def __init__(self) -> None:
        self._numbers: dict[str | tuple[str, str], int] = {}  # of methods, and of calls with the one before
        self._sides: dict[tuple[str, Calls], tuple[_Side, _Side]] = {}
        self._met: defaultdict[int, set[int]] = defaultdict(set)

    def add(self, shape: Shape) -> None:
        """A test of this shape was run."""
        for one, other in self._facing(shape):
            for number in one:
                self._met[number] |= other
            for number in other:
                self._met[number] |= one

    def count(self, shape: Shape) -> float:
        """How many encounters of a test are new."""
        met = self._met
        found = 0.0
        for one, other in self._facing(shape):
            found += sum([len(other - met[number]) for number in one])
            both = one & other  # which meet in two ways
            found -= sum([len(both - met[number] - {number}) for number in both]) / 2
        return found

    def promise(self, shape: Shape) -> float:
        """How many encounters of a test are new, for each call of its threads."""
        return self.count(shape) / sum(map(len, shape.suffixes))

    def _facing(self, shape: Shape) -> Iterator[tuple[_Side, _Side]]:
        """For each two threads, what one of them calls and what the other one does: methods, then calls in context."""
        before = shape.prefix[-1] if shape.prefix else ""
        for one, other in combinations([self._side(before, calls) for calls in shape.suffixes], 2):
            yield from zip(one, other, strict=True)

    def _side(self, before: str, calls: Calls) -> tuple[_Side, _Side]:
        """A thread's methods, and its calls with the one before each, as numbers."""
        known = self._sides.get((before, calls))
        if known is None:
            numbers = self._numbers
            contexts = zip((before, *calls), calls, strict=False)
            known = self._sides[before, calls] = (
                frozenset([numbers.setdefault(call, len(numbers)) for call in calls]),
                frozenset([numbers.setdefault(pair, len(numbers)) for pair in contexts]),
            )
        return known
