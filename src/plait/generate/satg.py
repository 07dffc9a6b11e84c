"""Adaptive generation by the static metric (ATG, section 5.2, Figure 1)."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from plait.generate.atg import AdaptiveTests
from plait.generate.distance import ShapeSet, levenshtein, shape_of
from plait.generate.encounters import Encounters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.generate.atg import Laboratory
    from plait.generate.atg_candidates import Candidate
    from plait.generate.distance import Shape
    from plait.model.test import Test


class BestOfMany(AdaptiveTests):
    """New tests as function NewTestCase(m) of Figure 1 makes them: the best of m random candidates."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.m = self.threshold

    def draw(self) -> Candidate | None:
        """Lines 21 and 22."""
        drawn = [self.candidates.draw() for _ in range(self.m)]
        found = [candidate for candidate in drawn if candidate is not None]
        return self.best(found) if found else None

    @abstractmethod
    def best(self, candidates: Sequence[Candidate]) -> Candidate:
        """The one to profile."""


class StaticChoice(BestOfMany):
    """The best candidate is the one most distant from all that were selected before.

    The figure leaves open which of equally distant ones: the one that brings most calls together that no selected test
    has (`plait.generate.encounters`).
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        levenshtein()  # complains now, not after the first test
        super().__init__(*arguments, **options)
        self.k = 0
        self._selected = ShapeSet()
        self._encounters = Encounters()

    def new_test(self) -> Test | None:
        """See `AdaptiveTests.new_test`; later ones are to be unlike it."""
        test = super().new_test()
        if test is not None:
            self.select(shape_of(test))
        return test

    def select(self, shape: Shape) -> None:
        """A test of this shape was selected."""
        self._selected.add(shape)
        self._encounters.add(shape)

    def best(self, candidates: Sequence[Candidate]) -> Candidate:
        """See `BestOfMany.best`: by the static distance (Definition 4)."""
        shapes = [candidate.shape for candidate in candidates]
        distances = [self._selected.nearest(shape) for shape in shapes]
        greatest = max(distances)
        farthest = [number for number, distance in enumerate(distances) if distance == greatest]
        return candidates[max(farthest, key=lambda number: self._encounters.count(shapes[number]))]

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
        self.executed.append(test)
        self.count(profile.discovered)
        if self.k >= self.threshold:
            self.saturated = f"{self.k} tests in a row, each unlike all before, discovered no new interleaving instance"
