"""Adaptive generation by both metrics (ATG, section 5.4, Figure 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from plait.generate.datg import DynamicChoice
from plait.generate.satg import StaticChoice

if TYPE_CHECKING:
    from plait.generate.atg import Laboratory


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
            self.execute(test)
            self.count(discovered)
        self.judge()

    def judge(self) -> None:
        """The loop's three conditions (line 11)."""
        super().judge()
        if self.k >= self.threshold and self.saturated is None:
            self.saturated = f"{self.k} active tests in a row discovered no new interleaving instance"
