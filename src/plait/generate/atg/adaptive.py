"""What the adaptive strategies share: candidates, the memory of instances, and when to stop (ATG, section 5).

A strategy decides which test comes next; profiling and active testing are done by a laboratory that it is given. Its
`iterate` is one turn of the loop in the paper's figure. Instances are texts here: what they mean is known where
executions are observed (`plait.observe.iroots`).

*Exposed* means exposed by anything that ran, also by profiling a candidate that was never chosen: an instance that
happened needs no active test any more. (The paper's Table 4 has fewer than one active test per run for its ninth
class, which is only possible so.) *Discovered* means discovered by profiling (Definition 3): what an active test comes
across besides is exposed, but does not count as a discovery of its test. An instance that an active test has aimed at
in vain, with all its attempts, is taken to be infeasible and attracts no further tests.
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

SATURATION = 6
"""N: how often in a row nothing new must turn up (section 6)."""
GIVE_UP = 1
"""Active tests (of several attempts) that may miss an instance before it counts as infeasible; the paper's Table 5 has
one active test in a run of its eighth class, which leaves room for no more."""
_TRIES = 60


@dataclass(frozen=True, slots=True)
class SeenInstances:
    """What profiling a test, or testing it actively, has shown (Definition 3)."""

    discovered: frozenset[str]
    exposed: frozenset[str]
    close: frozenset[str] = frozenset()  # exposed while the second thread was already there
    missed: frozenset[str] = frozenset()  # aimed at in vain


class Laboratory(Protocol):
    """Executes tests for a strategy."""

    def profile(self, test: Test) -> SeenInstances:
        """Run the test on its own."""
        ...

    def expose(self, test: Test, known: InstanceMemory) -> SeenInstances:
        """Run the test under orchestrated schedules, to expose what it can of what is not exposed yet."""
        ...


@dataclass(slots=True)
class InstanceMemory:
    """All instances known so far; ``give_up`` is how many active tests may miss one before it counts as infeasible."""

    discovered: set[str] = field(default_factory=set)
    exposed: set[str] = field(default_factory=set)
    close: set[str] = field(default_factory=set)
    missed: dict[str, int] = field(default_factory=dict)
    infeasible: set[str] = field(default_factory=set)  # missed too often, if never exposed
    give_up: int = GIVE_UP

    def learn(self, seen: SeenInstances) -> bool:
        """Take in what was seen; returns whether an instance was exposed for the first time."""
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
        """Return whether it has not been exposed and may still be."""
        return instance not in self.exposed and instance not in self.infeasible

    def distance(self, instances: Collection[str]) -> int:
        """Return the dynamic distance of a test with these instances: how many it can still expose (Definition 5)."""
        return len(set(instances) - self.exposed - self.infeasible)


class AdaptiveTests(ABC):
    """The base of MRT, S-ATG, D-ATG and SD-ATG; ``saturated`` becomes a sentence when the strategy has come to its end.

    Without a laboratory, `next_test` still gives tests, chosen by what needs no execution.
    """

    name: ClassVar[str]

    def __init__(
        self, sequences: Sequences, random: Random, *, threads: int, repeat: bool = False, saturation: int = SATURATION,
        suffix_length: int = SUFFIX_LENGTH, prefix_length: int = PREFIX_LENGTH,
    ) -> None:  # fmt: skip
        del repeat  # a test that was executed actively has nothing more to give
        self.candidates = RandomCandidates(
            sequences, random, threads=threads, suffix_length=suffix_length, prefix_length=prefix_length
        )
        self.pairs: PairTable = self.candidates.pairs
        self.memory = InstanceMemory()
        self.threshold = saturation
        self.saturated: str | None = None
        self.executed: list[Test] = []
        self.discovered: set[str] = set()  # Z: by the executed tests

    @abstractmethod
    def iterate(self, laboratory: Laboratory) -> None:
        """Take one turn of the loop; do nothing when saturated."""

    def next_test(self) -> Test | None:
        """See `Strategy.next_test`."""
        return self.new_test()

    def feedback(self, test: Test, coverage: Mapping[Pair, int]) -> None:
        """Count the test, for the statistics only."""
        self.pairs.add_coverage(coverage)

    def new_test(self) -> Test | None:
        """Return a test that was not made before; None when no new one turns up."""
        for _ in range(_TRIES):
            candidate = self.draw()
            test = None if candidate is None else self.candidates.write(candidate)
            if test is not None:
                return test
        return None

    def draw(self) -> Candidate | None:
        """Return the next candidate: any."""
        return self.candidates.draw()

    def run_out(self) -> None:
        """Note that no new test turns up any more."""
        self.saturated = f"no new test turns up after {len(self.executed)} tests"
