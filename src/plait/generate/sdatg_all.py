"""Adaptive generation by both metrics, each against all that is known: a departure from Figure 3 that exposes more.

Figure 3 (ATG, section 5.4) compares a candidate with the tests that were executed actively, which are few, and executes
the best of N. Here:

- a candidate is compared with every test that was profiled, as the paper's introduction has it ("all previously
  selected test cases"), and by what it could add instead of by edits: how many calls it brings together that those
  have not (`plait.generate.encounters`), for each call that it costs;
- m grows with every profile that discovers nothing new and falls back with one that does, and N such profiles in a row
  are the end of profiling, both as in Figure 1;
- only then the tests are executed, each time the one of all that has the greatest dynamic distance, until none has an
  instance left to expose: what one of them exposes need not be aimed at in the others. So that large classes need not
  wait for ever, one is executed as well whenever N * N are waiting, the number of profiles that the paper allows for an
  active test (section 5.4);
- when an active test comes upon an instance that no profile has discovered, the profiles have not seen all yet: the
  search goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from plait.generate.datg import DynamicChoice
from plait.generate.distance import shape_of
from plait.generate.encounters import Encounters
from plait.generate.satg import BestOfMany

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.generate.atg import Laboratory, Seen
    from plait.generate.atg_candidates import Candidate
    from plait.model.test import Test


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
        """One profile or one active test."""
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

    def keep(self, test: Test, profile: Seen) -> None:
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
