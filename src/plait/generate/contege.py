"""Random concurrent tests, as ConTeGe makes them (CovCon, section III): the base line that uses no coverage."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from plait.generate.pairs import PairTable, pair

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from plait.generate.pairs import Pair
    from plait.generate.sequence import Sequences
    from plait.model.test import Test

PREFIX_LENGTH = 5
SUFFIX_LENGTH = 5
_TRIES = 60


class RandomTests:
    """A prefix of up to five calls and, in each thread, up to five calls of methods chosen by chance."""

    def __init__(self, sequences: Sequences, random: Random, *, threads: int, repeat: bool) -> None:
        catalogue = sequences.catalogue
        self.pairs = PairTable((each.name for each in catalogue.methods), not_parallel=catalogue.not_parallel)
        self._sequences = sequences
        self._random = random
        self._threads = threads
        self._seen: set[Test] | None = None if repeat else set()

    def next_test(self) -> Test | None:
        """See `Strategy.next_test`."""
        for _ in range(_TRIES):
            knowledge = self._sequences.knowledge
            methods = [each for each in self._sequences.catalogue.methods if not knowledge.of(each.name).uncallable]
            if not methods:
                return None
            length = self._random.randint(1, SUFFIX_LENGTH)
            patterns = [self._random.choices(methods, k=length) for _ in range(self._threads)]
            met = {
                pair(one.name, other.name)
                for index, pattern in enumerate(patterns)
                for later in patterns[index + 1 :]
                for one, other in product(pattern, later)
            }
            if not met <= self.pairs.records.keys():  # it holds a pair that must not run in parallel
                continue
            test = self._sequences.compose(self._random.randint(0, PREFIX_LENGTH), patterns)
            if test is None:
                continue
            if self._seen is not None:
                if test in self._seen:
                    continue
                self._seen.add(test)
            for each in met:
                self.pairs.records[each].tried += 1
                self.pairs.records[each].tests += 1
            return test
        return None

    def feedback(self, test: Test, coverage: Mapping[Pair, int]) -> None:  # the contract's argument
        """Counted for the statistics only."""
        self.pairs.add_coverage(coverage)
