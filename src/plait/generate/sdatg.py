"""Adaptive generation by both metrics (ATG, section 5.4, Figure 3).

The loop and its counters are the figure's. Where its lines and the paper's sentences differ, the sentences count: the
lines alone show less than the paper reports (docs/atg.md has the figures).

- a new test is to be unlike "all previously selected test cases" (section 1), not only unlike those of them that were
  executed actively, of which there are fewer than three (Table 5);
- "the i-th profiled test case is selected from iN random candidate test cases" (section 5.4): m grows with every test
  that is profiled and with every active test that discovers nothing (line 23), and falls back with one that does
  (line 27).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from plait.generate.datg import DynamicChoice
from plait.generate.satg import StaticChoice

if TYPE_CHECKING:
    from plait.generate.atg import Laboratory, Seen
    from plait.model.test import Test


class DiverseTests(StaticChoice, DynamicChoice):
    """SD-ATG: the static metric chooses what is profiled, the dynamic one what of it is tested actively."""

    name: ClassVar[str] = "sd-atg"

    def iterate(self, laboratory: Laboratory) -> None:
        """Lines 12 to 37; the first turn also fills R (lines 7 to 10)."""
        if not self.fill(laboratory):
            return
        done = self.execute_best(laboratory)
        if done is not None:
            test, discovered = done
            self.executed.append(test)
            self.count(discovered)
        self.judge()

    def keep(self, test: Test, profile: Seen) -> None:
        """See `DynamicChoice.keep`; the next test is chosen from more."""
        super().keep(test, profile)
        self.m += self.threshold

    def judge(self) -> None:
        """The loop's three conditions (line 11)."""
        super().judge()
        if self.k >= self.threshold and self.saturated is None:
            self.saturated = f"{self.k} active tests in a row discovered no new interleaving instance"
