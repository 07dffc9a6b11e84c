"""The base of the adaptive strategies: candidates, known interleaving instances, and when to stop (ATG, section 5).

A strategy decides which test comes next. A `Laboratory`, which is given to it, profiles tests and tests them actively.
The method `iterate` is one iteration of the loop in the paper's figures. Instances are opaque strings here;
`plait.observe.iroots` makes them from executions.

*Exposed* means exposed by any execution, even by profiling a candidate that was never chosen: an instance that has
happened needs no active test. (The paper's Table 4 has fewer than one active test per run for its ninth class, which is
possible only with this reading.) *Discovered* means discovered by profiling (Definition 3): an instance that an active
test happens to expose in addition does not count as discovered by that test. An instance that an active test aimed at,
and missed in all its attempts, is taken to be infeasible and attracts no further tests.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

from plait.generate.atg.candidates import PREFIX_LENGTH, SUFFIX_LENGTH, Candidate, RandomCandidates

if TYPE_CHECKING:
    from random import Random

    from plait.generate.pairs import Pair, PairTable
    from plait.generate.sequence import Sequences
    from plait.model.test import Test

_SATURATION = 6
"""N: how often in a row nothing new must be found before the search stops (section 6)."""
GIVE_UP = 1
"""Active tests (of several attempts each) that must miss an instance before it counts as infeasible. In the paper's
Table 5, a run of the eighth class has one active test, so the number cannot be greater."""
_TRIES = 60


@dataclass(frozen=True, slots=True)
class SeenInstances:
    """The interleaving instances that profiling a test, or testing it actively, has shown (Definition 3)."""

    discovered: frozenset[str]
    exposed: frozenset[str]
    close: frozenset[str] = frozenset()  # exposed while the second thread was already right before its access
    missed: frozenset[str] = frozenset()  # an active test aimed at them and did not expose them


class Laboratory(Protocol):
    """The interface through which a strategy executes tests."""

    def profile(self, test: Test) -> SeenInstances:
        """Execute the test without forcing an order, and return the instances that happened or could happen."""
        ...

    def expose(self, test: Test, known: InstanceMemory) -> SeenInstances:
        """Test actively: execute the test under schedules that force instances which are not exposed yet."""
        ...


@dataclass(slots=True)
class InstanceMemory:
    """All instances known so far; one that ``give_up`` active tests have missed counts as infeasible."""

    discovered: set[str] = field(default_factory=set)
    exposed: set[str] = field(default_factory=set)
    close: set[str] = field(default_factory=set)
    missed: dict[str, int] = field(default_factory=dict)
    infeasible: set[str] = field(default_factory=set)  # missed ``give_up`` times; they may have been exposed since
    give_up: int = GIVE_UP

    def learn(self, seen: SeenInstances) -> bool:
        """Add what was seen; return whether an instance was exposed for the first time."""
        before = len(self.exposed)
        self.discovered |= seen.discovered
        self.exposed |= seen.exposed
        self.close |= seen.close
        for instance in seen.missed:
            self.missed[instance] = self.missed.get(instance, 0) + 1
            if self.missed[instance] >= self.give_up:
                self.infeasible.add(instance)
        return len(self.exposed) > before

    def is_open(self, instance: str) -> bool:
        """Return whether the instance has neither been exposed nor counts as infeasible."""
        return instance not in self.exposed and instance not in self.infeasible

    def distance(self, instances: Collection[str]) -> int:
        """Return the dynamic distance of a test with these instances: how many are still open (Definition 5)."""
        return len(set(instances) - self.exposed - self.infeasible)


class AdaptiveTests(ABC):
    """The base class of MRT, S-ATG, D-ATG and SD-ATG.

    ``saturated`` is None until the strategy has come to its end, then a sentence that says why. Without a laboratory,
    `next_test` still returns tests, which are chosen without executing any.
    """

    name: ClassVar[str]

    def __init__(
        self, sequences: Sequences, random: Random, *, threads: int, repeat: bool = False,
        saturation: int = _SATURATION, suffix_length: int = SUFFIX_LENGTH, prefix_length: int = PREFIX_LENGTH,
    ) -> None:  # fmt: skip
        del repeat  # to test the same test actively again would show nothing new
        self.candidates = RandomCandidates(
            sequences, random, threads=threads, suffix_length=suffix_length, prefix_length=prefix_length
        )
        self.pairs: PairTable = self.candidates.pairs
        self.memory = InstanceMemory()
        self.threshold = saturation
        self.saturated: str | None = None
        self.executed: list[Test] = []
        self.discovered: set[str] = set()  # Z: instances discovered by the executed tests

    @abstractmethod
    def iterate(self, laboratory: Laboratory) -> None:
        """Run one iteration of the strategy's loop; set `saturated` if it was the last one."""

    def next_test(self) -> Test | None:
        """See `GenerationStrategy.next_test`."""
        return self.new_test()

    def feedback(self, test: Test, coverage: Mapping[Pair, int]) -> None:
        """Add to the coverage, which is used for statistics only."""
        self.pairs.add_coverage(coverage)

    def new_test(self) -> Test | None:
        """Return a test that was not made before, or None if no new one was found."""
        for _ in range(_TRIES):
            candidate = self.draw()
            test = None if candidate is None else self.candidates.write(candidate)
            if test is not None:
                return test
        return None

    def draw(self) -> Candidate | None:
        """Return the next candidate; here, a random one."""
        return self.candidates.draw()

    def run_out(self) -> None:
        """Stop because no new test was found."""
        self.saturated = f"no new test turns up after {len(self.executed)} tests"
