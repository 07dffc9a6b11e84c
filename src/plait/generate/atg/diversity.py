"""The static diversity metric: how different the methods that two tests call are (ATG, section 4.1, Definition 4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from plait.errors import UsageError
from plait.generate.draft import ARGUMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.model.test import Test


Calls = tuple[str, ...]


class Shape(NamedTuple):
    """The methods that a test calls: in its prefix, and thread by thread."""

    prefix: Calls
    suffixes: tuple[Calls, ...]

    @property
    def columns(self) -> tuple[Calls, ...]:
        """The sequences that are compared one by one: the prefix, then each suffix."""
        return (self.prefix, *self.suffixes)


def shape_of(test: Test) -> Shape:
    """Return the shape of a test, without the calls that only make arguments."""
    prefix = tuple(call.method for call in test.prefix if call.method != ARGUMENT)
    return Shape(prefix, tuple(tuple(call.method for call in suffix) for suffix in test.suffixes))


def levenshtein() -> Callable[[Sequence[Hashable], Sequence[Hashable]], int]:
    """Return the function that computes the Levenshtein distance; `UsageError` if rapidfuzz is not installed."""
    try:
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - an extra that only some strategies need
    except ImportError:
        raise UsageError("s-atg and sd-atg need rapidfuzz, which is not installed: pip install 'plait[atg]'") from None
    return Levenshtein.distance


def distance(one: Shape, other: Shape) -> int:
    """Return d(t1, t2): the sum of the edit distances of the prefixes and of each thread's suffixes (Definition 4).

    Threads are compared in order, as in the definition. So a test differs from the same test with its threads swapped,
    which costs at most one execution that discovers nothing (section 5.2 on symmetric tests).
    """
    edits = levenshtein()
    return sum(edits(mine, theirs) for mine, theirs in zip(one.columns, other.columns, strict=True))


class ShapeSet:
    """The shapes of earlier tests, which finds the distance of a new one to the nearest of them.

    Sequences are kept as strings with one letter per method, which are fastest to compare. A sequence that several
    tests share is compared once.
    """

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}
        self._shapes: set[tuple[str, ...]] = set()
        self._columns: list[set[str]] = []

    def __len__(self) -> int:
        return len(self._shapes)

    def _spelt(self, shape: Shape) -> tuple[str, ...]:
        letters = self._letters
        return tuple(
            "".join([letters.setdefault(name, chr(len(letters))) for name in column]) for column in shape.columns
        )

    def add(self, shape: Shape) -> None:
        """Add the shape of a test."""
        spelt = self._spelt(shape)
        self._shapes.add(spelt)
        while len(self._columns) < len(spelt):
            self._columns.append(set())
        for known, column in zip(self._columns, spelt, strict=True):
            known.add(column)

    def nearest(self, shape: Shape) -> int:
        """Return the distance to the nearest member; if the set is empty, to a test without calls."""
        if not self._shapes:
            return sum(map(len, shape.columns))
        edits = levenshtein()
        tables = [
            {theirs: edits(mine, theirs) for theirs in known}
            for mine, known in zip(self._spelt(shape), self._columns, strict=True)
        ]
        if len(tables) == 3:  # the usual case, two threads, without the overhead of a general sum
            prefixes, firsts, seconds = tables
            return min([prefixes[p] + firsts[f] + seconds[s] for p, f, s in self._shapes])
        return min(sum(table[column] for table, column in zip(tables, spelt, strict=True)) for spelt in self._shapes)


# -- encounters --------------------------------------------------------------------------------------------------------
# Which pairs of calls the tests so far have run in different threads, and how many of a new test's pairs are new.
#
# An interleaving instance lies between a call of one thread and a call of another, and what a call does depends on the
# state that earlier calls have left. So the *encounters* of a test estimate what it can add: each pair of methods that
# two of its threads call, and each such pair together with the method called right before either.


_Side = frozenset[int]


class Encounters:
    """The set of encounters of all tests that were added."""

    def __init__(self) -> None:
        self._numbers: dict[str | tuple[str, str], int] = {}  # for a method, and for a method with the one before it
        self._sides: dict[tuple[str, Calls], tuple[_Side, _Side]] = {}
        self._met: defaultdict[int, set[int]] = defaultdict(set)

    def add(self, shape: Shape) -> None:
        """Add the encounters of a test of this shape."""
        for one, other in self._facing(shape):
            for number in one:
                self._met[number] |= other
            for number in other:
                self._met[number] |= one

    def count(self, shape: Shape) -> float:
        """Return how many encounters of a test of this shape are new."""
        met = self._met
        found = 0.0
        for one, other in self._facing(shape):
            found += sum([len(other - met[number]) for number in one])
            both = one & other  # pairs of these are counted from both sides: subtract half
            found -= sum([len(both - met[number] - {number}) for number in both]) / 2
        return found

    def promise(self, shape: Shape) -> float:
        """Return the number of new encounters per call in the test's threads."""
        return self.count(shape) / sum(map(len, shape.suffixes))

    def _facing(self, shape: Shape) -> Iterator[tuple[_Side, _Side]]:
        """Yield, for every two threads, their methods (as numbers), then their methods with the one before each."""
        before = shape.prefix[-1] if shape.prefix else ""
        for one, other in combinations([self._side(before, calls) for calls in shape.suffixes], 2):
            yield from zip(one, other, strict=True)

    def _side(self, before: str, calls: Calls) -> tuple[_Side, _Side]:
        """Return the numbers of a thread's methods, and of its methods with the one called before each."""
        known = self._sides.get((before, calls))
        if known is None:
            numbers = self._numbers
            contexts = zip((before, *calls), calls, strict=False)
            known = self._sides[before, calls] = (
                frozenset([numbers.setdefault(call, len(numbers)) for call in calls]),
                frozenset([numbers.setdefault(pair, len(numbers)) for pair in contexts]),
            )
        return known
