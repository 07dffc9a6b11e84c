"""The contract of everything that makes concurrent tests, and the choice of one by name."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Protocol

from plait.errors import UsageError
from plait.generate.atg.adaptive import AdaptiveTests
from plait.generate.atg.strategies import (
    DiverseTests,
    DynamicallyDiverseTests,
    RandomActiveTests,
    StaticallyDiverseTests,
    WidelyDiverseTests,
)
from plait.generate.contege import RandomTests
from plait.generate.covcon import CoverageGuidedTests
from plait.generate.crossing import CrossedTests
from plait.generate.deeper import DeeperTests
from plait.generate.sequence import Sequences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.generate.catalogue import Catalogue
    from plait.generate.outcome import RunSequentially
    from plait.generate.pairs import Meetings, Pair, PairTable
    from plait.model.test import Test


class GenerationStrategy(Protocol):
    """Makes one test after another. The same seed and the same answers give the same tests."""

    pairs: PairTable

    def next_test(self) -> Test | None:
        """Return a test that was not given out before, or None when no new one turns up.

        Raises `UsageError` when the subject cannot be built at all.
        """
        ...

    def feedback(self, test: Test, coverage: Mapping[Pair, int]) -> None:
        """Learn how often each pair of methods ran concurrently while ``test`` was executed (`observe.pairs`)."""
        ...


_ADAPTIVE = (
    RandomActiveTests, StaticallyDiverseTests, DynamicallyDiverseTests, DiverseTests, WidelyDiverseTests,
)  # fmt: skip
_STRATEGIES: dict[str, Callable[..., GenerationStrategy]] = {
    "random": RandomTests, "covcon": CoverageGuidedTests, **{each.name: each for each in _ADAPTIVE},
}  # fmt: skip


def make_generator(
    name: str, catalogue: Catalogue, run: RunSequentially, *, seed: int = 0, threads: int = 2, repeat: bool = False,
    deeper: bool = False, meetings: Meetings | None = None, wide: bool = True,
) -> GenerationStrategy:  # fmt: skip
    """Return the strategy of that name. ``repeat`` allows a test to come again, for uncontrolled runs.

    With ``meetings``, ``covcon`` tries pairs of methods that could disturb each other before the others.

    ``deeper`` mixes in more tests for pairs of methods that were told to be in conflict (`DeeperTests.conflicted`), and
    if ``wide`` those of many methods at once; the
    adaptive strategies choose their tests by what they have seen themselves.
    """
    try:
        made = _STRATEGIES[name]
    except KeyError:
        raise UsageError(f"unknown way to generate tests: {name}; choose {' or '.join(sorted(_STRATEGIES))}") from None
    random = Random(seed)
    sequences = Sequences(catalogue, run, random)
    more = {"meetings": meetings} if name == "covcon" else {}
    strategy = made(sequences, random, threads=threads, repeat=repeat, **more)
    if not deeper or isinstance(strategy, AdaptiveTests):
        return strategy
    own = Random(0)  # what these tests take does not change the others
    crossed = CrossedTests(Sequences(catalogue, run, own), own)
    return DeeperTests(strategy, sequences, random, crossed, threads=threads, wide=wide)
