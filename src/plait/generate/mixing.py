"""Wide tests: each covers several pairs of methods that have never run concurrently.

A class of twenty methods has two hundred pairs. One test for each of them takes minutes; two calls against twenty-six
are fifty-two pairs at once. Wide tests do not replace the short ones, whose schedules can be explored completely. They
show which methods interact, and they are judged like any other test. They have two threads: with more of them, so many
calls would have too many orders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from plait.generate.pairs import pair

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from plait.generate.pairs import PairTable
    from plait.generate.sequence import Sequences
    from plait.model.test import Test

_WIDE = 4
"""More different methods than in any short test."""
_WORTH = 3
"""Fewest uncovered pairs that are worth a wide test; for fewer, tests of single pairs are as good. Each stream has a
part of the pairs only, so that this is a sixth of those of a class of twenty methods."""
_TRIES = 3
"""Wide tests made for a pair; if it is still uncovered then, it is left to the short tests."""
_PREFIX = 4
_ATTEMPTS = 3
"""Choices of methods that are tried for one wide test: one that cannot be called is known for it afterwards."""


class _Plan(NamedTuple):
    """How wide tests are made while more than ``unmet`` pairs are uncovered.

    ``shapes`` has the calls of each thread: as many pairs as their product, and few enough orders to run them all as
    the specification. ``first`` and ``every`` count requests. Short tests find more, so they come first; but those of a
    large class would cover a small part of its pairs.
    """

    unmet: int
    shapes: tuple[tuple[int, int], ...]
    first: int
    every: int


_PLANS = (
    _Plan(160, ((1, 60), (2, 26)), 2, 2), _Plan(40, ((2, 26), (3, 10)), 4, 2), _Plan(0, ((4, 4), (2, 10)), 8, 4),
)  # fmt: skip


def is_wide(methods: Iterable[str]) -> bool:
    """Return whether a test that calls these methods is a wide one."""
    return len(set(methods)) > _WIDE


class MixedTests:
    """A source of wide tests, one now and then, while enough pairs are uncovered."""

    def __init__(self, sequences: Sequences, random: Random, pairs: PairTable) -> None:
        self._sequences = sequences
        self._random = random
        self._pairs = pairs
        self._asked = 0
        self._tried: dict[tuple[str, str], int] = {}

    def next_test(self) -> Test | None:
        """Return a wide test, or None if another strategy should make the next test."""
        self._asked += 1
        if all(not _is_due(each, self._asked) for each in _PLANS):
            return None
        for _ in range(_ATTEMPTS):
            unmet = self._unmet()
            plan = next((each for each in _PLANS if len(unmet) > each.unmet), _PLANS[-1])
            if len(unmet) < _WORTH or not _is_due(plan, self._asked):
                return None
            test = self._covering(unmet, plan)
            if test is not None:
                return test
        return None

    def _covering(self, unmet: set[tuple[str, str]], plan: _Plan) -> Test | None:
        """Return a test of the shape that has the most of these pairs."""
        chosen = [self._chosen(unmet, shape) for shape in plan.shapes]
        names = max(chosen, key=lambda sides: len(unmet & _across(sides)))
        for each in _across(names):
            self._tried[each] = self._tried.get(each, 0) + 1
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


def _is_due(plan: _Plan, asked: int) -> bool:
    return asked >= plan.first and (asked - plan.first) % plan.every == 0


def _across(sides: tuple[list[str], list[str]]) -> set[tuple[str, str]]:
    return {pair(one, two) for one in sides[0] for two in sides[1]}
