"""How unlike two tests are by their shape: the static diversity metric (ATG, section 4.1, Definition 4)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from plait.errors import UsageError
from plait.generate.draft import ARGUMENT

if TYPE_CHECKING:
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
    """The shape of a test; the making of arguments does not count."""
    prefix = tuple(call.method for call in test.prefix if call.method != ARGUMENT)
    return Shape(prefix, tuple(tuple(call.method for call in suffix) for suffix in test.suffixes))


def levenshtein() -> Callable[[Sequence[Hashable], Sequence[Hashable]], int]:
    """The edit distance of two sequences: insertions, deletions and substitutions."""
    try:
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - an extra that only some strategies need
    except ImportError:
        raise UsageError(
            "s-atg and sd-atg need rapidfuzz, which is not installed: pip install 'plait[atg]'"
        ) from None
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
        """There is a test with this shape."""
        spelt = self._spelt(shape)
        self._shapes.add(spelt)
        while len(self._columns) < len(spelt):
            self._columns.append(set())
        for known, column in zip(self._columns, spelt, strict=True):
            known.add(column)

    def nearest(self, shape: Shape) -> int:
        """The static distance to the set: that to its nearest member; to a test without calls while there is none."""
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
        return min(
            sum(table[column] for table, column in zip(tables, spelt, strict=True)) for spelt in self._shapes
        )
