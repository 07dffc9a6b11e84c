"""Adaptive generation by both metrics, each against all that is known: a departure from Figure 3 that exposes more.

In Figure 3 (ATG, section 5.4) a candidate is to be unlike the tests that were executed actively. Those are few, and
none while R is filled for the first time, so the tests that are only profiled repeat each other. Here:

- a candidate is to be unlike every test that was profiled before, as the paper's introduction has it ("all previously
  selected test cases"), and of equally distant candidates the one with the fewest calls is taken: it costs least;
- m grows with every profile that discovers nothing new and falls back with one that does, as in Figure 1;
- the dynamic distance is Definition 5 to the letter: what a test discovers counts as new until an *executed* test has
  exposed it. A test whose profile alone shows new instances is executed, which keeps the search going as a discovery
  does in Figure 1; there is an active test for it only if something is left to aim at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from plait.generate.distance import shape_of
from plait.generate.sdatg import DiverseTests

if TYPE_CHECKING:
    from plait.generate.atg import Laboratory, Seen
    from plait.generate.atg_candidates import Candidate
    from plait.model.test import Test


class WidelyDiverseTests(DiverseTests):
    """SD-ATG whose tests are unlike all that were profiled."""

    name: ClassVar[str] = "sd-atg-all"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.shown: set[str] = set()  # IRoots(T): exposed by the executed tests

    def merit(self, candidate: Candidate) -> tuple[int, ...]:
        """See `StaticChoice.merit`."""
        return (*super().merit(candidate), -sum(map(len, candidate.patterns)))

    def keep(self, test: Test, profile: Seen) -> None:
        """See `DynamicChoice.keep`."""
        is_new = not profile.discovered <= self.memory.discovered
        super().keep(test, profile)
        self._shapes.add(shape_of(test))
        self.m = self.threshold if is_new else self.m + self.threshold

    def count(self, discovered: frozenset[str]) -> None:
        """See `StaticChoice.count`; m was set when the test was profiled."""
        m = self.m
        super().count(discovered)
        self.m = m

    def distance(self, profile: Seen) -> int:
        """See `DynamicChoice.distance`; what no active test could bring about does not count."""
        return len(profile.discovered - self.shown - (self.memory.infeasible - self.memory.exposed))

    def exposes_more(self, laboratory: Laboratory, test: Test, profile: Seen) -> bool:
        """See `DynamicChoice.exposes_more`."""
        before = len(self.shown)
        self.shown |= profile.exposed
        if self.memory.distance(profile.discovered):
            seen = laboratory.expose(test, self.memory)
            self.memory.learn(seen)
            self.shown |= seen.exposed
        return len(self.shown) > before
