"""Tests for two versions of a class: every pair of methods of which one changed (ConDiff, Figure 3, lines 4-15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.generate.draft import ARGUMENT
from plait.generate.sequence import Prefix

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from plait.generate.sequence import Sequences
    from plait.model.test import Test
    from plait.subject.interface import Method

PREFIX_LENGTH = 10
"""l of section V-C."""
COMBINATIONS = 5
"""k of section V-C."""
SLICE = 12
"""Pairs that share a prefix. Figure 3 runs all pairs behind one prefix; with a thousand pairs a prefix that reaches no
interesting state would cost a whole sweep. Up to this many pairs the two are the same."""
_FRUITLESS = 6
"""Sweeps over all pairs in a row without a new test after which the generator has nothing more to say."""
_DRAWS = 3
"""Draws for each combination of arguments that is to differ from those before."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Round:
    """Tests that share a prefix but for the calls that make their arguments."""

    tests: tuple[Test, ...]
    pairs: tuple[Pair, ...]


class ChangedPairTests:
    """Sweeps over the changed method pairs (CMP), k combinations of arguments for each, one call per suffix.

    ``avoid`` are methods that prefixes do without, because they behave differently already when one thread is alone.
    """

    def __init__(
        self,
        sequences: Sequences,
        random: Random,
        pairs: Sequence[Pair],
        *,
        threads: int = 2,
        length: int = PREFIX_LENGTH,
        combinations: int = COMBINATIONS,
    ) -> None:
        self.avoid: set[str] = set()
        self.sweeps = 0
        self._sequences = sequences
        self._random = random
        forbidden = {frozenset(each) for each in sequences.catalogue.not_parallel}
        self._pairs = [each for each in pairs if frozenset(each) not in forbidden]
        self._threads = threads
        self._length = length
        self._combinations = combinations
        self._left: list[Pair] = []
        self._seen: set[Test] = set()
        self._fresh = False
        self._fruitless = 0

    def next_round(self) -> Round | None:
        """The tests of the next prefix; None when several sweeps have brought nothing new.

        Raises `UsageError` when the subject cannot be built at all.
        """
        while self._pairs:
            if not self._left:
                if self._fruitless >= _FRUITLESS:
                    return None
                self._begin_sweep()
            chosen, self._left = self._left[:SLICE], self._left[SLICE:]
            found = self._behind(self._prefix(), chosen)
            if found.tests:
                self._fresh = True
                return found
        return None

    def _begin_sweep(self) -> None:
        self._fruitless = 0 if self._fresh or not self.sweeps else self._fruitless + 1
        self._fresh = False
        self.sweeps += 1
        self._left = list(self._pairs)
        self._random.shuffle(self._left)

    def _prefix(self) -> Prefix:
        """A constructor call and up to l more (line 5); every second one consists of calls that change the state."""
        length = self._random.randint(0, self._length)
        prefix = self._sequences.prefix(length, eager=length > 0 and self._random.random() < 0.5)
        if self.avoid:
            kept = [each for each in prefix.drafts if each.call.method not in self.avoid]
            if len(kept) < len(prefix.drafts) and kept and kept[0] is prefix.drafts[0]:
                names = {each.call.result for each in prefix.drafts if each not in kept and each.call.result}
                if not any(names.intersection((*each.call.args, *dict(each.call.kwargs).values())) for each in kept):
                    prefix.keep(kept)
        return prefix

    def _behind(self, prefix: Prefix, pairs: Sequence[Pair]) -> Round:
        """For each pair the combinations of arguments that are new (lines 8-15)."""
        tests: list[Test] = []
        knowledge = self._sequences.knowledge
        for pair in pairs:
            if any(knowledge.of(name).uncallable for name in pair):
                continue
            fixed = not any(self._method(name).parameters for name in pair)
            for _ in range(1 if fixed else self._combinations):
                test = self._test(prefix, pair, 1 if fixed else _DRAWS)
                if test is not None:
                    tests.append(test)
        return Round(tuple(tests), tuple(pairs))

    def _test(self, prefix: Prefix, pair: Pair, draws: int) -> Test | None:
        for _ in range(draws):
            own = Prefix(list(prefix.drafts), prefix.scene.copy())
            patterns = [[self._method(pair[thread % 2])] for thread in range(self._threads)]
            suffixes = self._sequences.suffixes(own, patterns)
            if suffixes is None:
                return None
            test = self._sequences.test(own, suffixes)
            if test not in self._seen:
                self._seen.add(test)
                return test
        return None

    def _method(self, name: str) -> Method:
        return self._sequences.catalogue.method(name)


def prefix_methods(test: Test) -> list[str]:
    """The methods that a test's prefix calls, without the constructor and the calls that make arguments."""
    return [call.method for call in test.prefix[1:] if call.method != ARGUMENT]
