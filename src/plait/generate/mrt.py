"""Random tests with active testing: what the adaptive strategies are measured against (ATG, section 6, MRT)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from plait.generate.atg import AdaptiveTests

if TYPE_CHECKING:
    from plait.generate.atg import Laboratory


class RandomActiveTests(AdaptiveTests):
    """Every random test is profiled and tested actively, until N in a row discover nothing new.

    As Maple does, the active tests remember what is exposed already, whichever test it was.
    """

    name: ClassVar[str] = "mrt"
    k = 0

    def iterate(self, laboratory: Laboratory) -> None:
        """One test."""
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
