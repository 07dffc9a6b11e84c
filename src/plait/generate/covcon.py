"""Coverage-guided tests: CovCon, section IV-C to IV-E, Algorithm 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.generate.pairs import PairTable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from plait.generate.pairs import Pair
    from plait.generate.sequence import Sequences
    from plait.model.test import Test
    from plait.subject.interface import Method

PREFIX_LENGTHS = (0, 5)
"""Section IV-D: one prefix without calls, for faults of fresh objects, and one with up to five."""
SHORT_SUFFIX, LONG_SUFFIX = 2, 5
SHORT_TESTS = 5
"""Section IV-D: a pair's first five tests have short suffixes, which are quick to check."""
_FRUITLESS = 4
"""Selections of a pair in a row that gave no new test, after which it is left out."""


class CoverageGuidedTests:
    """Each test focuses on one pair of methods, chosen by the score of Definition 2.

    The tried count R goes up once per selection (Algorithm 2, line 7), and each selection makes a test for each
    prefix length (line 8). Pairs of the lowest score are computed once and used up in random order before the scores
    are looked at again (section IV-E, P_prio). Beyond the paper: a test is not given out twice unless ``repeat``, and
    a pair that yields nothing new several times in a row is left out.
    """

    def __init__(self, sequences: Sequences, random: Random, *, threads: int, repeat: bool) -> None:
        catalogue = sequences.catalogue
        self.pairs = PairTable((each.name for each in catalogue.methods), not_parallel=catalogue.not_parallel)
        self._sequences = sequences
        self._random = random
        self._threads = threads
        self._seen: set[Test] | None = None if repeat else set()
        self._fruitless: dict[Pair, int] = {}
        self._prioritised: list[Pair] = []
        self._pending: list[Test] = []

    def next_test(self) -> Test | None:
        """See `Strategy.next_test`."""
        while not self._pending:
            chosen = self._prioritise()
            if chosen is None:
                return None
            self.pairs.records[chosen].tried += 1
            self._pending = self._generate(chosen)
            self._fruitless[chosen] = 0 if self._pending else self._fruitless.get(chosen, 0) + 1
        return self._pending.pop(0)

    def feedback(self, test: Test, coverage: Mapping[Pair, int]) -> None:  # the contract's argument
        """Update the covered counts C (Algorithm 2, line 13)."""
        self.pairs.add_coverage(coverage)

    def _prioritise(self) -> Pair | None:
        if not any(map(self._worthwhile, self._prioritised)):
            self._prioritised = self.pairs.lowest(each for each in self.pairs.records if self._worthwhile(each))
        while self._prioritised:
            chosen = self._prioritised.pop(self._random.randrange(len(self._prioritised)))
            if self._worthwhile(chosen):
                return chosen
        return None

    def _worthwhile(self, candidate: Pair) -> bool:
        knowledge = self._sequences.knowledge
        callable_ = not any(knowledge.of(name).uncallable for name in candidate)
        return callable_ and self._fruitless.get(candidate, 0) < _FRUITLESS

    def _generate(self, chosen: Pair) -> list[Test]:
        found = []
        for length in PREFIX_LENGTHS:
            record = self.pairs.records[chosen]
            patterns = self._alternating(chosen, SHORT_SUFFIX if record.tests < SHORT_TESTS else LONG_SUFFIX)
            test = self._sequences.compose(length, patterns)
            if test is None:
                continue
            if self._seen is not None:
                if test in self._seen:
                    continue
                self._seen.add(test)
            record.tests += 1
            found.append(test)
        return found

    def _alternating(self, chosen: Pair, length: int) -> list[list[Method]]:
        """m1, m2, m1... in one thread and m2, m1, m2... in the next, so that the two meet (section IV-D)."""
        both = [self._sequences.catalogue.method(name) for name in chosen]
        return [[both[(thread + step) % 2] for step in range(length)] for thread in range(self._threads)]
