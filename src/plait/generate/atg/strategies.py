"""Random tests with active testing: what the adaptive strategies are measured against (ATG, section 6, MRT)."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from plait.generate.atg.adaptive import AdaptiveTests
from plait.generate.atg.diversity import Encounters, ShapeSet, levenshtein, shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.generate.atg.adaptive import Laboratory, SeenInstances
    from plait.generate.atg.candidates import Candidate
    from plait.generate.atg.diversity import Shape
    from plait.model.test import Test


class RandomActiveTests(AdaptiveTests):
    """Every random test is profiled and tested actively, until N in a row discover nothing new.

    As Maple does, the active tests remember what is exposed already, whichever test it was.
    """

    name: ClassVar[str] = "mrt"
    k = 0

    def iterate(self, laboratory: Laboratory) -> None:
        """Generate one test and run it."""
        test = self.new_test()
        if test is None:
            self.run_out()
            return
        profile = laboratory.profile(test)
        self.memory.learn(profile)
        self.memory.learn(laboratory.expose(test, self.memory))
        self.executed.append(test)
        if profile.discovered <= self.discovered:
            self.k += 1
        else:
            self.discovered |= profile.discovered
            self.k = 0
        if self.k >= self.threshold:
            self.saturated = f"{self.k} random tests in a row discovered no new interleaving instance"


# -- satg --------------------------------------------------------------------------------------------------------------
# Adaptive generation by the static metric (ATG, section 5.2, Figure 1).


class BestOfMany(AdaptiveTests):
    """New tests as function NewTestCase(m) of Figure 1 makes them: the best of m random candidates."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.m = self.threshold

    def draw(self) -> Candidate | None:
        """Return lines 21 and 22."""
        drawn = [self.candidates.draw() for _ in range(self.m)]
        found = [candidate for candidate in drawn if candidate is not None]
        return self.best(found) if found else None

    @abstractmethod
    def best(self, candidates: Sequence[Candidate]) -> Candidate:
        """Return the one to profile."""


class StaticChoice(BestOfMany):
    """The best candidate is the one most distant from all that were selected before.

    The figure leaves open which of equally distant ones: the one that brings most calls together that no selected test
    has (`plait.generate.atg.diversity`).
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
        """Note that a test of this shape was selected."""
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
        """Widen the search while nothing new is discovered (lines 11-18 of Figure 1, 21-28 of Figure 3)."""
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
        """Take one turn (lines 6 to 18)."""
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


# -- datg --------------------------------------------------------------------------------------------------------------
# Adaptive generation by the dynamic metric (ATG, section 5.3, Figure 2).


class DynamicChoice(AdaptiveTests):
    """A set R of N profiled candidates, of which the one with the most unexposed instances is executed."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.l = 0
        self.u = 0
        self.profiled: dict[Test, SeenInstances] = {}  # R, and what profiling each of its tests has shown

    def fill(self, laboratory: Laboratory) -> bool:
        """Return line 5, and lines 23 and 24: R has N tests, each profiled.

        False if no new test turns up for an empty R.
        """
        while len(self.profiled) < self.threshold:
            test = self.new_test()
            if test is None:
                break
            self.keep(test, laboratory.profile(test))
        if not self.profiled:
            self.run_out()
        return bool(self.profiled)

    def keep(self, test: Test, profile: SeenInstances) -> None:
        """Add the test to R."""
        self.memory.learn(profile)
        self.profiled[test] = profile

    def choose(self) -> tuple[Test, int]:
        """Return line 7: the test of R with the greatest dynamic distance, which leaves R; the first of equal ones."""
        distances = {test: self.memory.distance(profile.discovered) for test, profile in self.profiled.items()}
        best = max(distances, key=lambda test: distances[test])
        return best, distances[best]

    def execute_best(self, laboratory: Laboratory) -> tuple[Test, frozenset[str]] | None:
        """Return lines 7 to 24 but for the counters of others: the best test and iRoots of it.

        None if none are left open.
        """
        best, distance = self.choose()
        profile = self.profiled.pop(best)
        if distance == 0:
            self.l += 1
            return None
        self.l = 0
        self.u = 0 if self.exposes_more(laboratory, best) else self.u + 1
        return best, profile.discovered

    def exposes_more(self, laboratory: Laboratory, test: Test) -> bool:
        """Return lines 14 to 16: the active test, and whether more is exposed than before."""
        return self.memory.learn(laboratory.expose(test, self.memory))

    def judge(self) -> None:
        """Evaluate the loop's condition (line 6)."""
        if self.l >= self.threshold:
            self.saturated = f"{self.l} tests in a row, the best of those profiled, had no instance left to expose"
        elif self.u >= self.threshold:
            self.saturated = f"{self.u} active tests in a row exposed no new interleaving instance"


class DynamicallyDiverseTests(DynamicChoice):
    """D-ATG: random candidates are profiled; only the most promising one is tested actively."""

    name: ClassVar[str] = "d-atg"

    def iterate(self, laboratory: Laboratory) -> None:
        """Take one turn (lines 7 to 24)."""
        if not self.fill(laboratory):
            return
        done = self.execute_best(laboratory)
        if done is not None:
            test, discovered = done
            self.discovered |= discovered
            self.executed.append(test)
        self.judge()


# -- sdatg -------------------------------------------------------------------------------------------------------------
# Adaptive generation by both metrics (ATG, section 5.4, Figure 3).
#
# The loop and its counters are the figure's. Where its lines and the paper's sentences differ, the sentences count: the
# lines alone show less than the paper reports (docs/atg.md has the figures).
#
# - a new test is to be unlike "all previously selected test cases" (section 1), not only unlike those of them that were
#   executed actively, of which there are fewer than three (Table 5);
# - "the i-th profiled test case is selected from iN random candidate test cases" (section 5.4): m grows with every test
#   that is profiled and with every active test that discovers nothing (line 23), and falls back with one that does
#   (line 27).


class DiverseTests(StaticChoice, DynamicChoice):
    """SD-ATG: the static metric chooses what is profiled, the dynamic one what of it is tested actively."""

    name: ClassVar[str] = "sd-atg"

    def iterate(self, laboratory: Laboratory) -> None:
        """Take one turn (lines 12 to 37); the first one also fills R (lines 7 to 10)."""
        if not self.fill(laboratory):
            return
        done = self.execute_best(laboratory)
        if done is not None:
            test, discovered = done
            self.executed.append(test)
            self.count(discovered)
        self.judge()

    def keep(self, test: Test, profile: SeenInstances) -> None:
        """See `DynamicChoice.keep`; the next test is chosen from more."""
        super().keep(test, profile)
        self.m += self.threshold

    def judge(self) -> None:
        """Evaluate the loop's three conditions (line 11)."""
        super().judge()
        if self.k >= self.threshold and self.saturated is None:
            self.saturated = f"{self.k} active tests in a row discovered no new interleaving instance"


# -- sdatg all ---------------------------------------------------------------------------------------------------------
# Adaptive generation by both metrics, each against all that is known: a departure from Figure 3 that exposes more.
#
# Figure 3 (ATG, section 5.4) compares a candidate with the tests that were executed actively, which are few, and
# executes the best of N. Here:
#
# - a candidate is compared with every test that was profiled, as the paper's introduction has it ("all previously
#   selected test cases"), and by what it could add instead of by edits: how many calls it brings together that those
#   have not (`plait.generate.atg.diversity`), for each call that it costs;
# - m grows with every profile that discovers nothing new and falls back with one that does, and N such profiles in a
# row   are the end of profiling, both as in Figure 1;
# - only then the tests are executed, each time the one of all that has the greatest dynamic distance, until none has an
#   instance left to expose: what one of them exposes need not be aimed at in the others. So that large classes need not
#   wait for ever, one is executed as well whenever N * N are waiting, the number of profiles that the paper allows
# for an   active test (section 5.4);
# - when an active test comes upon an instance that no profile has discovered, the profiles have not seen all yet: the
#   search goes on.


class WidelyDiverseTests(BestOfMany, DynamicChoice):
    """SD-ATG that profiles until nothing new turns up and then executes the best of all that were profiled."""

    name: ClassVar[str] = "sd-atg-all"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.k = 0  # profiles in a row that discovered nothing new
        self.surprised = False  # an active test has come upon what no profile has discovered
        self._encounters = Encounters()

    def best(self, candidates: Sequence[Candidate]) -> Candidate:
        """See `BestOfMany.best`; of equal ones the longest."""
        return max(candidates, key=self._merit)

    def _merit(self, candidate: Candidate) -> tuple[float, int]:
        shape = candidate.shape
        return self._encounters.promise(shape), sum(map(len, shape.suffixes))

    def iterate(self, laboratory: Laboratory) -> None:
        """Profile one test, or test one actively."""
        searches = self.k < self.threshold and len(self.profiled) < self.threshold**2
        test = self.new_test() if searches else None
        if test is not None:
            self.keep(test, laboratory.profile(test))
            return
        self.profiled = {test: seen for test, seen in self.profiled.items() if self.memory.distance(seen.discovered)}
        if self.profiled:
            self.execute_best(laboratory)
        elif searches:
            self.run_out()
        elif self.surprised:
            self.surprised = False
            self.k = 0
            self.m = self.threshold
        elif self.k >= self.threshold:
            nothing = f"{self.k} tests in a row discovered no new interleaving instance"
            self.saturated = f"{nothing}, and none is left to expose"
        self.judge()

    def keep(self, test: Test, profile: SeenInstances) -> None:
        """See `DynamicChoice.keep`; lines 11 to 18 of Figure 1."""
        is_new = not profile.discovered <= self.memory.discovered
        super().keep(test, profile)
        self._encounters.add(shape_of(test))
        self.k = 0 if is_new else self.k + 1
        self.m = self.threshold if is_new else self.m + self.threshold

    def exposes_more(self, laboratory: Laboratory, test: Test) -> bool:
        """See `DynamicChoice.exposes_more`."""
        self.executed.append(test)
        seen = laboratory.expose(test, self.memory)
        self.surprised |= not seen.exposed <= self.memory.discovered
        return self.memory.learn(seen)
