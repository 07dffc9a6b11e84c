"""Wide tests: each covers several pairs of methods that have never run concurrently.

A class of twenty methods has two hundred pairs. One test for each of them takes minutes; four calls against four are
sixteen pairs at once. Wide tests do not replace the short ones, whose schedules can be explored completely. They show
which methods interact, and they are judged like any other test. They have two threads: with more of them, so many calls
would have too many orders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.generate.pairs import pair

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from plait.generate.pairs import PairTable
    from plait.generate.sequence import Sequences
    from plait.model.test import Test

_WIDTH = 4
"""Calls in each thread. Eight calls have 70 orders, few enough to run them all as the specification."""
_LONG = (2, 16)
"""Calls of the two threads for a class of many methods: 32 pairs at once, 153 orders."""
_WORTH = 3
"""Fewest uncovered pairs that are worth a wide test; for fewer, tests of single pairs are as good. Each stream has a
part of the pairs only, so that this is a sixth of those of a class of twenty methods."""
_MANY = 40
"""Uncovered pairs above which wide tests are longer and come more often."""
_TRIES = 3
"""Wide tests made for a pair; if it is still uncovered then, it is left to the short tests."""
_EVERY, _OFTEN = 3, 2
"""Requests from one wide test to the next: usually, and while many pairs are uncovered."""
_FIRST = 8
"""Requests before the first wide test: short tests find more, so they come first."""
_PREFIX = 4


def is_wide(methods: Iterable[str]) -> bool:
    """Return whether a test that calls these methods is a wide one."""
    return len(set(methods)) > _WIDTH


class MixedTests:
    """A source of wide tests, one every second or third time, while enough pairs are uncovered."""

    def __init__(self, sequences: Sequences, random: Random, pairs: PairTable) -> None:
        self._sequences = sequences
        self._random = random
        self._pairs = pairs
        self._asked = 0
        self._many = False
        self._tried: dict[tuple[str, str], int] = {}

    def next_test(self) -> Test | None:
        """Return a wide test, or None if another strategy should make the next test."""
        self._asked += 1
        if self._asked <= _FIRST or self._asked % (_OFTEN if self._many else _EVERY):
            return None
        unmet = self._unmet()
        self._many = len(unmet) > _MANY
        if len(unmet) < _WORTH:
            return None
        names = self._chosen(unmet, _LONG if self._many else (_WIDTH, _WIDTH))
        for one in names[0]:
            for two in names[1]:
                self._tried[pair(one, two)] = self._tried.get(pair(one, two), 0) + 1
        catalogue = self._sequences.catalogue
        patterns = [[catalogue.method(name) for name in side] for side in names]
        return self._sequences.compose(self._random.choice((0, _PREFIX)), patterns)

    def _unmet(self) -> set[tuple[str, str]]:
        """Return the pairs that have never run concurrently, without those that a wide test cannot cover."""
        tried, hopeless = self._tried, self._hopeless
        known: dict[str, bool] = {}  # `hopeless` by method: there are many more pairs than methods
        found = set()
        for each, record in self._pairs.records.items():
            if record.covered or tried.get(each, 0) >= _TRIES:
                continue
            for name in each:
                if name not in known:
                    known[name] = hopeless(name)
            if not (known[each[0]] or known[each[1]]):
                found.add(each)
        return found

    def _hopeless(self, name: str) -> bool:
        record = self._sequences.knowledge.of(name)
        return record.uncallable or record.blocks

    def _chosen(self, unmet: set[tuple[str, str]], widths: tuple[int, int]) -> tuple[list[str], list[str]]:
        """Return the methods of two threads, chosen greedily to cover many pairs; ties are broken at random."""
        first, second = self._random.choice(sorted(unmet))
        sides: tuple[list[str], list[str]] = ([first], [second])
        partners: dict[str, set[str]] = {}
        for one, two in unmet:
            partners.setdefault(one, set()).add(two)
            partners.setdefault(two, set()).add(one)
        names = sorted(partners)
        self._random.shuffle(names)
        while len(sides[0]) < widths[0] or len(sides[1]) < widths[1]:
            growing = 0 if len(sides[0]) * widths[1] <= len(sides[1]) * widths[0] else 1
            other = sides[1 - growing]
            gains = {name: len(partners[name].intersection(other)) for name in names}
            best = max((name for name in names if name not in sides[growing]), key=gains.__getitem__, default=None)
            if best is None or not gains[best]:
                break
            sides[growing].append(best)
        # Methods that wait for another thread come last: calls after them could not be tried in a single thread.
        for side in sides:
            side.sort(key=lambda name: self._sequences.knowledge.of(name).blocked > 0)
        return sides
