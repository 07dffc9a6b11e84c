"""Adaptive generation by the static metric (ATG, section 5.2, Figure 1)."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from plait.generate.atg import AdaptiveTests
from plait.generate.distance import ShapeSet, levenshtein, shape_of

if TYPE_CHECKING:
    from plait.generate.atg import Laboratory
    from plait.generate.atg_candidates import Candidate
    from plait.model.test import Test


class BestOfMany(AdaptiveTests):
    """New tests as function NewTestCase(m) of Figure 1 makes them: the best of m random candidates."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.m = self.threshold

    def draw(self) -> Candidate | None:
        """Lines 21 and 22; the figure leaves open which of equally good ones, here the first."""
        drawn = [self.candidates.draw() for _ in range(self.m)]
        found = [candidate for candidate in drawn if candidate is not None]
        return max(found, key=self.merit, default=None)

    @abstractmethod
    def merit(self, candidate: Candidate) -> tuple[float, ...]:
        """What candidates are compared by."""


class StaticChoice(BestOfMany):
    """The best candidate is the most distant one."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        levenshtein()  # complains now, not after the first test
        super().__init__(*arguments, **options)
        self.k = 0
        self._shapes = ShapeSet()

    def merit(self, candidate: Candidate) -> tuple[float, ...]:
        """See `BestOfMany.merit`: the static distance to T."""
        return (self._shapes.nearest(candidate.shape),)

    def execute(self, test: Test) -> None:
        """The test joins T."""
        self.executed.append(test)
        self._shapes.add(shape_of(test))

    def count(self, discovered: frozenset[str]) -> None:
        """Lines 11 to 18 of Figure 1, lines 21 to 28 of Figure 3: search wider while nothing new is discovered."""
        if discovered <= self.discovered:
            self.k += 1
            self.m += self.threshold
        else:
            self.discovered |= discovered
            self.k = 0
            self.m = self.threshold


class StaticallyDiverseTests(StaticChoice):
    """S-ATG: every test is the most distant one of a growing number of random ones, and is tested actively."""

    name: ClassVar[str] = "s-atg"

    def iterate(self, laboratory: Laboratory) -> None:
        """Lines 6 to 18."""
        test = self.new_test()
        if test is None:
            self.run_out()
            return
        profile = laboratory.profile(test)
        self.memory.learn(profile)
        self.memory.learn(laboratory.expose(test, self.memory))
        self.execute(test)
        self.count(profile.discovered)
        if self.k >= self.threshold:
            self.saturated = f"{self.k} tests in a row, each unlike all before, discovered no new interleaving instance"
