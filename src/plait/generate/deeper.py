"""More tests for pairs of methods whose calls conflicted, beyond those that CovCon makes for a pair."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from plait.generate.mixing import MixedTests
from plait.generate.raising import RaisingTests
from plait.generate.seen import Seen
from plait.generate.sequence import LATER
from plait.generate.waiting import WaitingTests

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.generate.pairs import Pair, PairTable
    from plait.generate.planned import PlannedTests
    from plait.generate.registry import GenerationStrategy
    from plait.generate.sequence import Sequences
    from plait.model.test import Test
    from plait.subject.interface.members import Method

_SHARE = 0.5
"""Fraction of the tests for pairs of methods whose calls conflicted, once there are such pairs."""
_SHARE_LATER = 0.85
"""The same after the other strategy has begun to make long tests, which cost as much as dozens of short ones."""
_SHORT = 2
"""Longest suffix of a short test."""
_THIRD = 0.6
"""Fraction of those tests that have a third call: some faults need one that changes the state between two others."""
_AGAIN = 0.5
"""Fraction of third calls that are of one of the two methods again: what a call sees of several others may be right
for each of them, and wrong for all of them together."""
_UNGUARDED = 0.7
"""Fraction of those tests that go to pairs that were seen to use no common lock."""
_TELLING = 4
"""Most calls in a test that shows which pair uses no common lock; a longer test has too many pairs."""
TWINS, APART, ANYHOW = "twins", "apart", "anyhow"
_SELF = (0.5, 0.15, 0.35)
"""How often a method runs concurrently with itself with the same arguments (what should happen once may happen twice),
with different ones (values that belong together may be mixed up), and with any."""
_GENEROUS = 0.2
"""How often calls are given all their optional arguments."""
_CHANGER = 3
"""Weight of a method that has changed the receiver when a third method is chosen; others have 1."""
_LONGEST_PREFIX = 4


class DeeperTests:
    """A strategy that mixes its own tests with those of another one.

    Its tests are for pairs of methods whose tests had conflicting steps. They are short (one call against one or two),
    so that all their schedules can be explored, and each has new arguments and another prefix. Pairs with few such
    tests come first. A third method is chosen at random; methods that have changed the receiver have a higher weight.

    At the beginning each method runs concurrently with itself on a fresh object (with the same arguments, with others,
    with any): there are few such pairs, and methods that are not safe against themselves are common.

    Special tests are mixed in: if the class waits, tests that make calls wait (`plait.generate.waiting`); a few with
    calls that raise (`plait.generate.raising`); those that are ``planned``; and, while many pairs have never run
    concurrently, tests of many methods (`plait.generate.mixing`).
    """

    def __init__(
        self, inner: GenerationStrategy, sequences: Sequences, random: Random, planned: Sequence[PlannedTests], *,
        threads: int, wide: bool = True,
    ) -> None:  # fmt: skip
        self.pairs: PairTable = inner.pairs
        self._inner = inner
        self._sequences = sequences
        self._random = random
        self._own = Random(0)  # chooses third calls that repeat one of the two methods
        self._threads = threads
        self._made: dict[Pair, int] = {}
        self._unguarded: dict[Pair, int] = {}
        self._seen = Seen()
        self._long = False
        self._alone: list[tuple[Pair, str]] | None = None
        self._waiting = WaitingTests(sequences, random)
        self._raising = RaisingTests(sequences, random)
        self._planned = tuple(planned)
        self._mixed = MixedTests(sequences, random, inner.pairs) if wide else None

    def next_test(self) -> Test | None:
        """See `GenerationStrategy.next_test`."""
        if self._alone is None:
            itself = [pair for pair in self.pairs.records if pair[0] == pair[1]]
            self._alone = [(pair, how) for pair in itself for how in (TWINS, APART, ANYHOW)]
            self._random.shuffle(self._alone)
        special = self._mixed.next_test() if self._mixed is not None else None
        special = special or self._raising.next_test() or self._waiting.next_test()
        for each in self._planned if special is None else ():
            special = special or each.next_test()
        if special is not None:
            return special
        if self._alone and self._random.random() < _SHARE:
            pair, how = self._alone.pop()
            while self._alone and self._sequences.knowledge.of(pair[0]).uncallable:
                pair, how = self._alone.pop()
            test = self._of(pair, 0, third=False, how=how)
            if test is not None:
                return test
        if self._made and self._random.random() < (_SHARE_LATER if self._long else _SHARE):
            deeper = self._deeper()
            if deeper is not None:
                return deeper
        test = self._inner.next_test()
        self._long = self._long or (test is not None and max(map(len, test.suffixes)) > _SHORT)
        return test or self._deeper()

    def feedback(self, test: Test, coverage: Mapping[Pair, int]) -> None:
        """See `GenerationStrategy.feedback`."""
        self._inner.feedback(test, coverage)

    def conflicted(self, test: Test, *, unguarded: bool) -> None:
        """Record that the threads of the test conflict: its pairs of methods get more tests.

        If they conflict without a common lock (``unguarded``), its pairs get most of them.
        """
        for each in self._planned:
            each.conflicted(test)
        if len(test.calls) > _TELLING:
            unguarded = False  # too many pairs to say which one is unguarded
        first = {call.method for call in test.suffixes[0]}
        for other in test.suffixes[1:]:
            for one in first:
                for two in {call.method for call in other}:
                    pair = (one, two) if one <= two else (two, one)
                    if pair in self.pairs.records:
                        self._made.setdefault(pair, 0)
                        if unguarded:
                            self._unguarded.setdefault(pair, 0)

    def _deeper(self) -> Test | None:
        for _ in range(8 if self._made else 0):
            table = self._unguarded if self._unguarded and self._random.random() < _UNGUARDED else self._made
            least = min(table.values())
            chosen = self._random.choice([pair for pair, made in table.items() if made <= least + 1])
            table[chosen] += 1
            length = self._random.randint(0, _LONGEST_PREFIX)
            how = self._random.choices((TWINS, APART, ANYHOW), _SELF)[0] if chosen[0] == chosen[1] else ANYHOW
            test = self._of(chosen, length, third=self._random.random() < _THIRD, how=how)
            if test is not None:
                return test
        return None

    def _of(self, chosen: Pair, length: int, *, third: bool, how: str) -> Test | None:
        later = self._sequences.catalogue.timed and self._random.random() < LATER
        again = third and how == ANYHOW and self._own.random() < _AGAIN
        patterns = self._patterns(chosen, third=third and how != APART, again=again)
        generous = how == APART or self._random.random() < _GENEROUS
        apart = how == APART or (again and self._own.random() < _AGAIN)
        test = self._sequences.compose(length, patterns, later=later, generous=generous, apart=apart)
        if test is not None and how == TWINS and not any(each.of for each in patterns[0]):
            test = replace(test, suffixes=test.suffixes[:1] * self._threads)
        return test if test is not None and self._seen.is_new(test) else None

    def _patterns(self, chosen: Pair, *, third: bool, again: bool = False) -> list[list[Method]]:
        catalogue = self._sequences.catalogue
        one, two = self._random.sample([catalogue.method(name) for name in chosen], 2)
        patterns = [[one] if number % 2 == 0 else [two] for number in range(self._threads)]
        forbidden = {frozenset(each) for each in catalogue.not_parallel}
        if again:
            extra = two if frozenset({one.name}) in forbidden else self._own.choice((one, two))
            patterns[1].insert(self._own.randint(0, 1), extra)
        elif third:
            others = [
                each for each in catalogue.methods
                if each.name not in chosen and frozenset((each.name, one.name)) not in forbidden
                and not self._sequences.knowledge.of(each.name).uncallable
            ]  # fmt: skip
            if others:
                known = [self._sequences.knowledge.of(each.name).changes_state for each in others]
                extra = self._random.choices(others, [_CHANGER if changes else 1 for changes in known])[0]
                patterns[1].insert(self._random.randint(0, 1), extra)
        return patterns
