"""Random candidates: shapes first, tests only for those that are chosen (ATG, section 5.1).

The static metric looks at the methods alone, so a candidate needs no arguments until it has been chosen.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from plait.generate.atg_sequence import ReusingSequences
from plait.generate.distance import Shape
from plait.generate.draft import ARGUMENT
from plait.generate.pairs import PairTable, pair
from plait.generate.sequence import Prefix

if TYPE_CHECKING:
    from random import Random

    from plait.generate.sequence import Sequences
    from plait.model.test import Test
    from plait.subject.interface import Method

SUFFIX_LENGTH = 4
"""Section 6: at most four calls per thread."""
PREFIX_LENGTH = 5
_PREFIXES = 12
"""Different beginnings that are kept; candidates share them."""
_FRESH = 0.3
_TRIES = 60


class Candidate(NamedTuple):
    """The beginning of a test and the methods that its threads will call."""

    prefix: Prefix
    patterns: tuple[tuple[Method, ...], ...]

    @property
    def shape(self) -> Shape:
        """What the static metric sees."""
        before = tuple(draft.call.method for draft in self.prefix.drafts if draft.call.method != ARGUMENT)
        return Shape(before, tuple(tuple(method.name for method in pattern) for pattern in self.patterns))


class Candidates:
    """Draws shapes and writes tests, none of them twice."""

    def __init__(
        self, sequences: Sequences, random: Random, *, threads: int, suffix_length: int = SUFFIX_LENGTH,
        prefix_length: int = PREFIX_LENGTH,
    ) -> None:  # fmt: skip
        catalogue = sequences.catalogue
        self.pairs = PairTable((each.name for each in catalogue.methods), not_parallel=catalogue.not_parallel)
        self._allowed = frozenset(self.pairs.records)
        names = [each.name for each in catalogue.methods]
        self._all_allowed = self._allowed >= {pair(one, other) for one, other in product(names, names)}
        self._sequences = ReusingSequences.like(sequences)
        self._random = random
        self._threads = threads
        self._suffix_length = suffix_length
        self._prefix_length = prefix_length
        self._prefixes: list[Prefix] = []
        self._written: set[Test] = set()

    def draw(self) -> Candidate | None:
        """A random candidate; None if no method can be called, or none beside another."""
        knowledge = self._sequences.knowledge
        methods = [each for each in self._sequences.catalogue.methods if not knowledge.of(each.name).uncallable]
        if not methods:
            return None
        prefix = self._prefix()
        for _ in range(_TRIES):
            patterns = tuple(
                tuple(self._random.choices(methods, k=self._random.randint(1, self._suffix_length)))
                for _ in range(self._threads)
            )
            if self._all_allowed or self._met(patterns) <= self._allowed:
                return Candidate(prefix, patterns)
        return None

    def write(self, candidate: Candidate) -> Test | None:
        """The candidate with arguments; None if it cannot be called so, or if the test was written before."""
        prefix = Prefix(list(candidate.prefix.drafts), candidate.prefix.scene.copy())
        suffixes = self._sequences.suffixes(prefix, candidate.patterns)
        if suffixes is None:
            return None
        test = self._sequences.test(prefix, suffixes)
        if test in self._written:
            return None
        self._written.add(test)
        for each in self._met(candidate.patterns) & self.pairs.records.keys():
            self.pairs.records[each].tried += 1
            self.pairs.records[each].tests += 1
        return test

    def _prefix(self) -> Prefix:
        if not self._prefixes or (len(self._prefixes) < _PREFIXES and self._random.random() < _FRESH):
            length = self._random.randint(0, self._prefix_length)
            self._prefixes.append(self._sequences.prefix(length))
        return self._random.choice(self._prefixes)

    @staticmethod
    def _met(patterns: tuple[tuple[Method, ...], ...]) -> set[tuple[str, str]]:
        return {
            pair(one.name, other.name)
            for index, pattern in enumerate(patterns)
            for later in patterns[index + 1 :]
            for one, other in product(pattern, later)
        }
