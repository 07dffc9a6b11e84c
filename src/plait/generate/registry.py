"""The interface of the strategies that generate concurrent tests, and the registry that makes one by name."""

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
from plait.generate.publishing import PublishedTests
from plait.generate.sequence import Sequences
from plait.generate.siblings import SiblingTests
from plait.generate.states import StateTests
from plait.generate.telling import ToldTests

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.generate.catalogue import Catalogue
    from plait.generate.outcome import RunSequentially
    from plait.generate.pairs import Meetings, Pair, PairTable
    from plait.model.test import Test


class GenerationStrategy(Protocol):
    """A source of concurrent tests. The same seed and the same feedback give the same tests."""

    pairs: PairTable

    def next_test(self) -> Test | None:
        """Return a test that was not returned before, or None if no new one was found.

        Raises `UsageError` if no constructor call of the subject works.
        """
        ...

    def feedback(self, test: Test, coverage: Mapping[Pair, int]) -> None:
        """Record how often each pair of methods ran concurrently while ``test`` was executed (`observe.pairs`)."""
        ...


_ADAPTIVE = (
    RandomActiveTests, StaticallyDiverseTests, DynamicallyDiverseTests, DiverseTests, WidelyDiverseTests,
)  # fmt: skip
_STRATEGIES: dict[str, Callable[..., GenerationStrategy]] = {
    "random": RandomTests, "covcon": CoverageGuidedTests, **{each.name: each for each in _ADAPTIVE},
}  # fmt: skip


def make_generator(
    name: str, catalogue: Catalogue, run: RunSequentially, *, seed: int = 0, threads: int = 2, repeat: bool = False,
    deeper: bool = False, meetings: Meetings | None = None, wide: bool = True, part: tuple[int, int] = (0, 1),
) -> GenerationStrategy:  # fmt: skip
    """Return the strategy of that name.

    ``repeat`` allows the same test to be returned again: in uncontrolled runs it may do something else each time. With
    ``meetings``, ``covcon`` prefers pairs of methods that could disturb each other. ``deeper`` adds tests for pairs of
    methods whose calls were reported to conflict (`DeeperTests.conflicted`) and, if ``wide``, tests that call many
    methods. It has no effect on the adaptive strategies, which choose their tests by their own coverage. ``part`` is
    the number of this generator among those of a campaign, and how many there are; it is part of the ``seed``.
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
    # Separate sources: planned tests do not change the choices of the other strategies.
    crossing, changing = Random(0), Random(seed - part[0])
    publishing, siblings, telling = Random(0), Random(part[0]), Random(0)
    planned = (
        CrossedTests(Sequences(catalogue, run, crossing), crossing),
        StateTests(Sequences(catalogue, run, changing), changing, part=part),
        PublishedTests(Sequences(catalogue, run, publishing), publishing),
        SiblingTests(Sequences(catalogue, run, siblings), siblings, part=part),
        ToldTests(Sequences(catalogue, run, telling), telling),
    )
    return DeeperTests(strategy, sequences, random, planned, threads=threads, wide=wide)
