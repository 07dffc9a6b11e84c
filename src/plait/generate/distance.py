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
            "s-atg and sd-atg compare tests with rapidfuzz, which is not installed: pip install 'plait[atg]'"
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
    """The shapes of the executed tests T, and the distance of others to them."""

    def __init__(self) -> None:
        self._shapes: set[Shape] = set()
        self._columns: list[dict[Calls, None]] = []

    def __len__(self) -> int:
        return len(self._shapes)

    def add(self, shape: Shape) -> None:
        """A test with this shape was executed."""
        self._shapes.add(shape)
        while len(self._columns) < len(shape.columns):
            self._columns.append({})
        for known, column in zip(self._columns, shape.columns, strict=True):
            known[column] = None

    def nearest(self, shape: Shape) -> int:
        """The static distance to the set: that to its nearest member, or to a test without calls while there is none.

        Each distinct sequence is compared once, however many tests have it.
        """
        if not self._shapes:
            return sum(map(len, shape.columns))
        edits = levenshtein()
        tables = [
            {theirs: edits(mine, theirs) for theirs in known}
            for mine, known in zip(shape.columns, self._columns, strict=True)
        ]
        prefix, *rest = tables
        if len(rest) == 2:
            first, second = rest
            return min(prefix[p] + first[s[0]] + second[s[1]] for p, s in self._shapes)
        return min(
            prefix[p] + sum(table[column] for table, column in zip(rest, s, strict=True)) for p, s in self._shapes
        )
