"""How unlike two tests are by their shape: the static diversity metric (ATG, section 4.1, Definition 4)."""

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
        """The sequences that are compared one by one."""
        return (self.prefix, *self.suffixes)


def shape_of(test: Test) -> Shape:
    """Return the shape of a test; the making of arguments does not count."""
    prefix = tuple(call.method for call in test.prefix if call.method != ARGUMENT)
    return Shape(prefix, tuple(tuple(call.method for call in suffix) for suffix in test.suffixes))


def levenshtein() -> Callable[[Sequence[Hashable], Sequence[Hashable]], int]:
    """Return the edit distance of two sequences: insertions, deletions and substitutions."""
    try:
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - an extra that only some strategies need
    except ImportError:
        raise UsageError("s-atg and sd-atg need rapidfuzz, which is not installed: pip install 'plait[atg]'") from None
    return Levenshtein.distance


def distance(one: Shape, other: Shape) -> int:
    """d(t1, t2): the edit distances of the prefixes and of the suffixes thread by thread, added up (Definition 4).

    The threads are compared in their order, as the definition has it: a test and its mirror image are different, which
    costs at most one execution that discovers nothing (section 5.2 on symmetric tests).
    """
    edits = levenshtein()
    return sum(edits(mine, theirs) for mine, theirs in zip(one.columns, other.columns, strict=True))


class ShapeSet:
    """The shapes of earlier tests, and the distance of others to them.

    Sequences are kept as strings with one letter per method: those are compared fastest, and each one only once however
    many tests have it.
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
        """Note that there is a test with this shape."""
        spelt = self._spelt(shape)
        self._shapes.add(spelt)
        while len(self._columns) < len(spelt):
            self._columns.append(set())
        for known, column in zip(self._columns, spelt, strict=True):
            known.add(column)

    def nearest(self, shape: Shape) -> int:
        """Return the distance to the nearest member of the set; to a test without calls while it is empty."""
        if not self._shapes:
            return sum(map(len, shape.columns))
        edits = levenshtein()
        tables = [
            {theirs: edits(mine, theirs) for theirs in known}
            for mine, known in zip(self._spelt(shape), self._columns, strict=True)
        ]
        if len(tables) == 3:  # two threads: the usual case, and the fastest form
            prefixes, firsts, seconds = tables
            return min([prefixes[p] + firsts[f] + seconds[s] for p, f, s in self._shapes])
        return min(sum(table[column] for table, column in zip(tables, spelt, strict=True)) for spelt in self._shapes)


# -- encounters --------------------------------------------------------------------------------------------------------
# Which calls the tests so far have brought together, and how much of that is new in another test.
#
# An interleaving instance lies between a call of one thread and a call of another, and what a call does depends on the
# state that the calls before it have left. So what a test can add is seen in its *encounters*: each pair of methods
# that two of its threads call, and each such pair together with the call right before either.


_Side = frozenset[int]


class Encounters:
    """The encounters of all tests that were added."""

    def __init__(self) -> None:
        self._numbers: dict[str | tuple[str, str], int] = {}  # of methods, and of calls with the one before
        self._sides: dict[tuple[str, Calls], tuple[_Side, _Side]] = {}
        self._met: defaultdict[int, set[int]] = defaultdict(set)

    def add(self, shape: Shape) -> None:
        """Note that a test of this shape was run."""
        for one, other in self._facing(shape):
            for number in one:
                self._met[number] |= other
            for number in other:
                self._met[number] |= one

    def count(self, shape: Shape) -> float:
        """Return how many encounters of a test are new."""
        met = self._met
        found = 0.0
        for one, other in self._facing(shape):
            found += sum([len(other - met[number]) for number in one])
            both = one & other  # which meet in two ways
            found -= sum([len(both - met[number] - {number}) for number in both]) / 2
        return found

    def promise(self, shape: Shape) -> float:
        """Return how many encounters of a test are new, for each call of its threads."""
        return self.count(shape) / sum(map(len, shape.suffixes))

    def _facing(self, shape: Shape) -> Iterator[tuple[_Side, _Side]]:
        """Return, for each two threads, the pairs of methods and of calls in context that face each other."""
        before = shape.prefix[-1] if shape.prefix else ""
        for one, other in combinations([self._side(before, calls) for calls in shape.suffixes], 2):
            yield from zip(one, other, strict=True)

    def _side(self, before: str, calls: Calls) -> tuple[_Side, _Side]:
        """Return a thread's methods, and its calls with the one before each, as numbers."""
        known = self._sides.get((before, calls))
        if known is None:
            numbers = self._numbers
            contexts = zip((before, *calls), calls, strict=False)
            known = self._sides[before, calls] = (
                frozenset([numbers.setdefault(call, len(numbers)) for call in calls]),
                frozenset([numbers.setdefault(pair, len(numbers)) for pair in contexts]),
            )
        return known
