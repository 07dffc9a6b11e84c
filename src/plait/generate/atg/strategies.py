"""The adaptive strategies S-ATG, D-ATG and SD-ATG, and the random baseline MRT (ATG, sections 5 and 6).

They differ in how the next test is chosen; all test it actively. N, m, k, l and u are the names of the paper's figures:
N is the threshold of saturation, m the number of candidates, and k, l, u count tests in a row that bring nothing new.
"""

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
    """MRT: every random test is profiled and tested actively, until N in a row discover nothing new.

    As in Maple, active tests do not aim at instances that any earlier test has exposed.
    """

    name: ClassVar[str] = "mrt"
    k = 0

    def iterate(self, laboratory: Laboratory) -> None:
        """Generate one test, profile it and test it actively."""
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
    """A strategy whose new tests are the best of m random candidates (function NewTestCase(m) of Figure 1)."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.m = self.threshold

    def draw(self) -> Candidate | None:
        """Return the best of m random candidates (lines 21 and 22)."""
        drawn = [self.candidates.draw() for _ in range(self.m)]
        found = [candidate for candidate in drawn if candidate is not None]
        return self.best(found) if found else None

    @abstractmethod
    def best(self, candidates: Sequence[Candidate]) -> Candidate:
        """Return the candidate to profile."""


class StaticChoice(BestOfMany):
    """A strategy whose best candidate is the one most distant from all tests that were selected before.

    The figure does not say which of several equally distant ones to take: here, the one with most new encounters
    (`plait.generate.atg.diversity`).
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        levenshtein()  # if rapidfuzz is missing, raise now and not after the first test
        super().__init__(*arguments, **options)
        self.k = 0
        self._selected = ShapeSet()
        self._encounters = Encounters()

    def new_test(self) -> Test | None:
        """See `AdaptiveTests.new_test`; the test counts as selected from now on."""
        test = super().new_test()
        if test is not None:
            self.select(shape_of(test))
        return test

    def select(self, shape: Shape) -> None:
        """Record that a test of this shape was selected."""
        self._selected.add(shape)
        self._encounters.add(shape)

    def best(self, candidates: Sequence[Candidate]) -> Candidate:
        """Return the candidate with the greatest static distance (Definition 4)."""
        shapes = [candidate.shape for candidate in candidates]
        distances = [self._selected.nearest(shape) for shape in shapes]
        greatest = max(distances)
        farthest = [number for number, distance in enumerate(distances) if distance == greatest]
        return candidates[max(farthest, key=lambda number: self._encounters.count(shapes[number]))]

    def count(self, discovered: frozenset[str]) -> None:
        """Update k, and increase m if nothing new was discovered (lines 11-18 of Figure 1, 21-28 of Figure 3)."""
        if discovered <= self.discovered:
            self.k += 1
            self.m += self.threshold
        else:
            self.discovered |= discovered
            self.k = 0
            self.m = self.threshold


class StaticallyDiverseTests(StaticChoice):
    """S-ATG: each test is the most distant of m random candidates, and all are tested actively."""

    name: ClassVar[str] = "s-atg"

    def iterate(self, laboratory: Laboratory) -> None:
        """Run one iteration (lines 6 to 18)."""
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
    """A strategy that keeps a set R of N profiled tests, and tests actively the one with most unexposed instances."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.l = 0
        self.u = 0
        self.profiled: dict[Test, SeenInstances] = {}  # R: each test with the result of profiling it

    def fill(self, laboratory: Laboratory) -> bool:
        """Profile new tests until R has N of them (lines 5, 23 and 24); return whether R has any."""
        while len(self.profiled) < self.threshold:
            test = self.new_test()
            if test is None:
                break
            self.keep(test, laboratory.profile(test))
        if not self.profiled:
            self.run_out()
        return bool(self.profiled)

    def keep(self, test: Test, profile: SeenInstances) -> None:
        """Add a profiled test to R."""
        self.memory.learn(profile)
        self.profiled[test] = profile

    def choose(self) -> tuple[Test, int]:
        """Return the first test of R with the greatest dynamic distance, and that distance (line 7)."""
        distances = {test: self.memory.distance(profile.discovered) for test, profile in self.profiled.items()}
        best = max(distances, key=lambda test: distances[test])
        return best, distances[best]

    def execute_best(self, laboratory: Laboratory) -> tuple[Test, frozenset[str]] | None:
        """Remove the best test from R and test it actively; update l and u (lines 7 to 24).

        Returns the test and the instances that its profile discovered, or None if all of them are exposed: then the
        test was not executed.
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
        """Test actively; return whether this exposed a new instance (lines 14 to 16)."""
        return self.memory.learn(laboratory.expose(test, self.memory))

    def judge(self) -> None:
        """Set `saturated` if the loop's condition no longer holds (line 6)."""
        if self.l >= self.threshold:
            self.saturated = f"{self.l} tests in a row, the best of those profiled, had no instance left to expose"
        elif self.u >= self.threshold:
            self.saturated = f"{self.u} active tests in a row exposed no new interleaving instance"


class DynamicallyDiverseTests(DynamicChoice):
    """D-ATG: random candidates are profiled; only the most promising one is tested actively."""

    name: ClassVar[str] = "d-atg"

    def iterate(self, laboratory: Laboratory) -> None:
        """Run one iteration (lines 7 to 24)."""
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
# The loop and its counters are the figure's. Where the figure and the paper's text differ, the code follows the text:
# the figure alone reaches less than the paper reports (docs/atg.md has the numbers).
#
# - A new test is compared with "all previously selected test cases" (section 1), not only with those that were tested
#   actively, of which there are fewer than three (Table 5).
# - "the i-th profiled test case is selected from iN random candidate test cases" (section 5.4): m grows with every test
#   that is profiled and with every active test that discovers nothing (line 23), and is reset by one that does
#   (line 27).


class DiverseTests(StaticChoice, DynamicChoice):
    """SD-ATG: the static metric chooses the tests to profile, the dynamic metric those of them to test actively."""

    name: ClassVar[str] = "sd-atg"

    def iterate(self, laboratory: Laboratory) -> None:
        """Run one iteration (lines 12 to 37); the first one also fills R (lines 7 to 10)."""
        if not self.fill(laboratory):
            return
        done = self.execute_best(laboratory)
        if done is not None:
            test, discovered = done
            self.executed.append(test)
            self.count(discovered)
        self.judge()

    def keep(self, test: Test, profile: SeenInstances) -> None:
        """See `DynamicChoice.keep`; the next test is chosen from more candidates."""
        super().keep(test, profile)
        self.m += self.threshold

    def judge(self) -> None:
        """Set `saturated` if one of the loop's three conditions no longer holds (line 11)."""
        super().judge()
        if self.k >= self.threshold and self.saturated is None:
            self.saturated = f"{self.k} active tests in a row discovered no new interleaving instance"


# -- sdatg all ---------------------------------------------------------------------------------------------------------
# Adaptive generation by both metrics, a variant of Figure 3 that exposes more.
#
# Figure 3 (ATG, section 5.4) compares a candidate with the tests that were tested actively, which are few, and tests
# the best of N actively. Here:
#
# - A candidate is compared with every test that was profiled, as the paper's introduction says ("all previously
#   selected test cases"). The measure is not the edit distance, but the number of new encounters
#   (`plait.generate.atg.diversity`) per call.
# - m grows with every profile that discovers nothing new and is reset by one that does, and profiling ends after N such
#   profiles in a row, both as in Figure 1.
# - Active testing begins only then. Each time the test with the greatest dynamic distance is taken, until no test has
#   an open instance: an instance that one test exposes need not be aimed at in the others. For the sake of large
#   classes a test is also taken whenever N * N are profiled, the number of profiles that the paper allows for one
#   active test (section 5.4).
# - If an active test exposes an instance that no profile has discovered, the profiles were not complete: profiling
#   starts again.


class WidelyDiverseTests(BestOfMany, DynamicChoice):
    """A variant of SD-ATG that profiles until nothing new is found, and then tests the best of all profiled tests."""

    name: ClassVar[str] = "sd-atg-all"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.k = 0  # profiles in a row that discovered nothing new
        self.surprised = False  # an active test has exposed an instance that no profile has discovered
        self._encounters = Encounters()

    def best(self, candidates: Sequence[Candidate]) -> Candidate:
        """Return the candidate with most new encounters per call, the longest of equal ones."""
        return max(candidates, key=self._merit)

    def _merit(self, candidate: Candidate) -> tuple[float, int]:
        shape = candidate.shape
        return self._encounters.promise(shape), sum(map(len, shape.suffixes))

    def iterate(self, laboratory: Laboratory) -> None:
        """Profile one test or test one actively."""
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
        """See `DynamicChoice.keep`; also update k and m (lines 11 to 18 of Figure 1)."""
        is_new = not profile.discovered <= self.memory.discovered
        super().keep(test, profile)
        self._encounters.add(shape_of(test))
        self.k = 0 if is_new else self.k + 1
        self.m = self.threshold if is_new else self.m + self.threshold

    def exposes_more(self, laboratory: Laboratory, test: Test) -> bool:
        """See `DynamicChoice.exposes_more`; also record whether an undiscovered instance was exposed."""
        self.executed.append(test)
        seen = laboratory.expose(test, self.memory)
        self.surprised |= not seen.exposed <= self.memory.discovered
        return self.memory.learn(seen)
