"""Coverage-guided tests: CovCon, sections IV-C to IV-E, Algorithm 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.generate.pairs import PairTable
from plait.generate.seen import Seen
from plait.model.test import judged_lengths

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from plait.generate.pairs import Meetings, Pair
    from plait.generate.sequence import Prefix, Sequences
    from plait.model.test import Test
    from plait.subject.interface.members import Method

_PREFIX_LENGTHS = (0, 5)
"""Section IV-D: one prefix without calls, for faults of fresh objects, and one with up to five calls."""
_SHORT_SUFFIX, _LONG_SUFFIX = 2, 5
_SHORT_TESTS = 5
"""Section IV-D: a pair's first five tests have short suffixes, which are quick to check."""
_LOOKS = (0, 5, 5)
"""Lengths of the prefixes after which each method is called alone, to predict which methods can disturb each other."""
_ASIDE = 4
"""Every fourth selection goes to a pair that was put aside, because the prediction rests on few calls."""
_FRUITLESS = 4
"""Selections of a pair in a row without a new test, after which the pair is left out."""


class CoverageGuidedTests:
    """A strategy in which each test focuses on one pair of methods, chosen by the score of Definition 2.

    The tried count R grows once per selection (Algorithm 2, line 7), and each selection makes a test for each prefix
    length (line 8). The pairs with the lowest score are computed once and used up in random order before the scores
    are computed again (section IV-E, P_prio).

    Beyond the paper: a test is not returned twice unless ``repeat`` is set; a pair that gives no new test several times
    in a row is left out; and with ``meetings``, pairs whose methods cannot disturb each other, judging by calls in a
    single thread, are put aside: together they get one selection in four.
    """

    def __init__(
        self, sequences: Sequences, random: Random, *, threads: int, repeat: bool, meetings: Meetings | None = None
    ) -> None:
        catalogue = sequences.catalogue
        self.pairs = PairTable((each.name for each in catalogue.methods), not_parallel=catalogue.not_parallel)
        self._sequences = sequences
        self._random = random
        self._threads = threads
        self._meetings = meetings
        self._looks: list[Prefix] = []
        self._seen = None if repeat else Seen()
        self._fruitless: dict[Pair, int] = {}
        self._aside: dict[Pair, None] = {}
        self._others: list[Pair] | None = None
        self._prioritised: dict[bool, list[Pair]] = {False: [], True: []}  # P_prio, by whether a pair is put aside
        self._selections = 0
        self._pending: list[Test] = []

    def next_test(self) -> Test | None:
        """See `GenerationStrategy.next_test`."""
        while not self._pending:
            chosen = self._prioritise()
            if chosen is None:
                return None
            self.pairs.records[chosen].tried += 1
            self._pending = self._generate(chosen)
            self._fruitless[chosen] = 0 if self._pending else self._fruitless.get(chosen, 0) + 1
        return self._pending.pop(0)

    def feedback(self, test: Test, coverage: Mapping[Pair, int]) -> None:  # signature of the protocol
        """Update the covered counts C (Algorithm 2, line 13)."""
        self.pairs.add_coverage(coverage)

    def _prioritise(self) -> Pair | None:
        self._selections += 1
        aside = self._selections % _ASIDE == 0
        return self._lowest(aside=aside) or self._lowest(aside=not aside)

    def _lowest(self, *, aside: bool) -> Pair | None:
        """Return a pair with the lowest score among those put aside, or among the others; None if there is none."""
        prioritised = self._prioritised[aside]
        while True:
            if not prioritised:
                prioritised += self.pairs.lowest(filter(self._worthwhile, self._aside if aside else self._not_aside()))
                if not prioritised:
                    return None
            chosen = prioritised.pop(self._random.randrange(len(prioritised)))
            if self._worthwhile(chosen) and (aside or not self._put_aside(chosen)):
                return chosen

    def _not_aside(self) -> list[Pair]:
        self._others = [each for each in self._others or self.pairs.records if each not in self._aside]
        return self._others

    def _put_aside(self, chosen: Pair) -> bool:
        """Put the pair aside if its methods cannot disturb each other; return whether it is put aside."""
        if self._meetings is None or self.pairs.records[chosen].tried:
            return False
        for name in chosen:
            if not self._meetings.knows(name):
                self._meetings.look(name, self._alone(name))
        if not self._meetings.may_meet(*chosen):
            self._aside[chosen] = None
        return chosen in self._aside

    def _alone(self, name: str) -> list[Test]:
        """Return tests in which the method runs alone, each after a prefix that all methods share."""
        sequences = self._sequences
        if not self._looks:
            self._looks = [sequences.prefix(length) for length in _LOOKS]
        written = [(prefix, sequences.suffixes(prefix, [[sequences.catalogue.method(name)]])) for prefix in self._looks]
        return [sequences.test(prefix, suffixes) for prefix, suffixes in written if suffixes is not None]

    def _worthwhile(self, candidate: Pair) -> bool:
        knowledge = self._sequences.knowledge
        callable_ = not any(knowledge.of(name).uncallable for name in candidate)
        return callable_ and self._fruitless.get(candidate, 0) < _FRUITLESS

    def _generate(self, chosen: Pair) -> list[Test]:
        found = []
        for length in _PREFIX_LENGTHS:
            record = self.pairs.records[chosen]
            patterns = self._alternating(chosen, _SHORT_SUFFIX if record.tests < _SHORT_TESTS else _LONG_SUFFIX)
            test = self._sequences.compose(length, patterns)
            if test is None:
                continue
            if self._seen is not None and not self._seen.is_new(test):
                continue
            record.tests += 1
            found.append(test)
        return found

    def _alternating(self, chosen: Pair, length: int) -> list[list[Method]]:
        """Return m1, m2, m1... for one thread and m2, m1, m2... for the next, so that both overlap (section IV-D)."""
        both = [self._sequences.catalogue.method(name) for name in chosen]
        lengths = judged_lengths(length, self._threads)
        return [[both[(thread + step) % 2] for step in range(lengths[thread])] for thread in range(self._threads)]
