"""Random concurrent tests as ConTeGe makes them (CovCon, section III): the baseline that uses no coverage.

The figures are those of its publication: two calls in each thread, a prefix of up to five calls, and every new suffix
concurrently with itself and with all earlier suffixes of the same prefix. It starts over with new prefixes after a
number of suffixes that grows (`SUFFIXES`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from plait.generate.pairs import PairTable, pair
from plait.generate.seen import Seen
from plait.model.test import judged_lengths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from plait.generate.draft import Draft
    from plait.generate.pairs import Pair
    from plait.generate.sequence import Prefix, Sequences
    from plait.model.test import Test

PREFIX_LENGTH = 5
SUFFIX_LENGTH = 2
SUFFIXES = (10, 20, 50, 200, 500)
"""Suffixes that are tried before it starts over: each figure for ten rounds, the last one for all later rounds."""
ROUNDS = 10
_SUFFIXES_PER_PREFIX = 20
_TRIES = 60


@dataclass(slots=True)
class _Prepared:
    """A prefix and the suffixes written for it."""

    prefix: Prefix
    suffixes: list[Sequence[Draft]] = field(default_factory=list)


class RandomTests:
    """A strategy whose suffixes are two random calls, each combined with every suffix of its prefix and itself."""

    def __init__(self, sequences: Sequences, random: Random, *, threads: int, repeat: bool) -> None:
        catalogue = sequences.catalogue
        self.pairs = PairTable((each.name for each in catalogue.methods), not_parallel=catalogue.not_parallel)
        self._sequences = sequences
        self._random = random
        self._threads = threads
        self._lengths = judged_lengths(SUFFIX_LENGTH, threads)
        self._seen = None if repeat else Seen()
        self._forbidden = {pair(*each) for each in catalogue.not_parallel}
        self._round = 0
        self._tried = 0  # suffixes in this round
        self._prepared: list[_Prepared] = []
        self._pending: list[Test] = []

    def next_test(self) -> Test | None:
        """See `GenerationStrategy.next_test`."""
        for _ in range(_TRIES):
            while self._pending:
                test = self._pending.pop(0)
                if self._seen is not None and not self._seen.is_new(test):
                    continue
                for each in _met(test) & self.pairs.records.keys():  # other streams count the other pairs
                    self.pairs.records[each].tried += 1
                    self.pairs.records[each].tests += 1
                return test
            self._pending = self._with_another_suffix()
        return None

    def feedback(self, test: Test, coverage: Mapping[Pair, int]) -> None:  # signature of the protocol
        """Add to the coverage, which is used for statistics only."""
        self.pairs.add_coverage(coverage)

    def _with_another_suffix(self) -> list[Test]:
        knowledge = self._sequences.knowledge
        methods = [each for each in self._sequences.catalogue.methods if not knowledge.of(each.name).uncallable]
        if not methods:
            return []
        prepared = self._prepare()
        pattern = self._random.choices(methods, k=SUFFIX_LENGTH)
        written = self._sequences.suffixes(prepared.prefix, [pattern])
        if written is None or any(_calls(each) == _calls(written[0]) for each in prepared.suffixes):
            return []
        prepared.suffixes.append(written[0])
        found = []
        for other in prepared.suffixes:
            more = self._random.choices(prepared.suffixes, k=self._threads - 2)
            suffixes = zip([written[0], other, *more], self._lengths, strict=True)
            test = self._sequences.test(prepared.prefix, [suffix[:length] for suffix, length in suffixes])
            if not _met(test) & self._forbidden:
                found.append(test)
        return found

    def _prepare(self) -> _Prepared:
        """Return a new prefix, or one of those of this round if they are enough for its number of suffixes."""
        suffixes = SUFFIXES[min(self._round // ROUNDS, len(SUFFIXES) - 1)]
        if self._tried >= suffixes:
            self._round, self._tried, self._prepared = self._round + 1, 0, []
        self._tried += 1
        if len(self._prepared) < max(1, suffixes // _SUFFIXES_PER_PREFIX):
            self._prepared.append(_Prepared(self._sequences.prefix(PREFIX_LENGTH)))
            return self._prepared[-1]
        return self._random.choice(self._prepared)


def _calls(suffix: Sequence[Draft]) -> list[str]:
    return [draft.call.source for draft in suffix]


def _met(test: Test) -> set[Pair]:
    """Return the pairs of methods that different threads of the test call."""
    return {
        pair(one.method, other.method)
        for number, suffix in enumerate(test.suffixes)
        for later in test.suffixes[number + 1 :]
        for one, other in product(suffix, later)
    }
