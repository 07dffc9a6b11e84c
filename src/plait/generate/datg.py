"""Adaptive generation by the dynamic metric (ATG, section 5.3, Figure 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from plait.generate.atg import AdaptiveTests

if TYPE_CHECKING:
    from plait.generate.atg import Laboratory, Seen
    from plait.model.test import Test


class DynamicChoice(AdaptiveTests):
    """A set R of N profiled candidates, of which the one with the most unexposed instances is executed."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.l = 0
        self.u = 0
        self.profiled: dict[Test, Seen] = {}  # R, and what profiling each of its tests has shown

    def fill(self, laboratory: Laboratory) -> bool:
        """Line 5, and lines 23 and 24: R has N tests, each profiled; False if no new test turns up for an empty R."""
        while len(self.profiled) < self.threshold:
            test = self.new_test()
            if test is None:
                break
            self.keep(test, laboratory.profile(test))
        if not self.profiled:
            self.run_out()
        return bool(self.profiled)

    def keep(self, test: Test, profile: Seen) -> None:
        """The test joins R."""
        self.memory.learn(profile)
        self.profiled[test] = profile

    def choose(self) -> tuple[Test, int]:
        """Line 7: the test of R with the greatest dynamic distance, which leaves R; the first of equal ones."""
        distances = {test: self.memory.distance(profile.discovered) for test, profile in self.profiled.items()}
        best = max(distances, key=lambda test: distances[test])
        return best, distances[best]

    def execute_best(self, laboratory: Laboratory) -> tuple[Test, frozenset[str]] | None:
        """Lines 7 to 24 but for the counters of others: the best test and iRoots of it; None if none are left open."""
        best, distance = self.choose()
        profile = self.profiled.pop(best)
        if distance == 0:
            self.l += 1
            return None
        self.l = 0
        self.u = 0 if self.exposes_more(laboratory, best) else self.u + 1
        return best, profile.discovered

    def exposes_more(self, laboratory: Laboratory, test: Test) -> bool:
        """Lines 14 to 16: the active test, and whether more is exposed than before."""
        return self.memory.learn(laboratory.expose(test, self.memory))

    def judge(self) -> None:
        """The loop's condition (line 6)."""
        if self.l >= self.threshold:
            self.saturated = f"{self.l} tests in a row, the best of those profiled, had no instance left to expose"
        elif self.u >= self.threshold:
            self.saturated = f"{self.u} active tests in a row exposed no new interleaving instance"


class DynamicallyDiverseTests(DynamicChoice):
    """D-ATG: random candidates are profiled; only the most promising one is tested actively."""

    name: ClassVar[str] = "d-atg"

    def iterate(self, laboratory: Laboratory) -> None:
        """Lines 7 to 24."""
        if not self.fill(laboratory):
            return
        done = self.execute_best(laboratory)
        if done is not None:
            test, discovered = done
            self.discovered |= discovered
            self.executed.append(test)
        self.judge()
