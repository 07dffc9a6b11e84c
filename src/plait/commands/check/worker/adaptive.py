"""Runs adaptive strategies in a stream: every execution of a profile or an active test is judged like any other."""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plait.errors import UsageError
from plait.explore.active.laboratory import ActiveLaboratory
from plait.explore.runner import execute
from plait.explore.strategy import Strategy
from plait.generate.atg.adaptive import AdaptiveTests, InstanceMemory, SeenInstances
from plait.judge.oracle.evidence import Evidence
from plait.judge.oracle.examine import Examined
from plait.judge.oracle.safety import Examination, Violation
from plait.model.test import Test
from plait.observe.iroots import Sighting, sight
from plait.observe.overlap import overlaps
from plait.observe.places import PLACES
from plait.observe.recording import count_preemptions, schedule_of
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed

if TYPE_CHECKING:
    from plait.commands.check.worker.stream import Chunk, Stream

_NOTHING = SeenInstances(frozenset(), frozenset())


@dataclass(slots=True)
class Gain:
    """What a chunk of an adaptive strategy has added: names of instances, counts of executions, why it is saturated."""

    discovered: set[str] = field(default_factory=set)
    exposed: set[str] = field(default_factory=set)
    profiles: int = 0
    active_tests: int = 0
    saturated: str | None = None


@dataclass(slots=True)
class Tally:
    """The gains of all streams."""

    discovered: set[str] = field(default_factory=set)
    exposed: set[str] = field(default_factory=set)
    profiles: int = 0
    active_tests: int = 0
    saturated: list[str] = field(default_factory=list)

    def add(self, gain: Gain | None) -> None:
        """Add the gain of one chunk; None for a strategy that is not adaptive."""
        if gain is not None:
            self.discovered |= gain.discovered
            self.exposed |= gain.exposed
            self.profiles += gain.profiles
            self.active_tests += gain.active_tests
            if gain.saturated is not None:
                self.saturated.append(gain.saturated)

    def sentences(self, streams: int) -> list[str]:
        """Return a note on what was reached, if some strategies are saturated."""
        if not self.saturated:
            return []
        ended = len(self.saturated)
        which = "saturated" if ended >= streams else f"{ended} of {streams} streams saturated"
        exposed = f"{len(self.exposed)} of {len(self.discovered)} interleaving instances discovered were exposed"
        return [f"{which}: {exposed}; {', and '.join(dict.fromkeys(self.saturated))}"]


def advance_adaptively(
    stream: Stream, strategy: AdaptiveTests, chunk: Chunk, count: int, deadline: float, on_test: Callable[[Test], None]
) -> None:
    """Run the strategy's loop until ``count`` tests were profiled, the deadline passes, or it is saturated."""
    laboratory = JudgingLaboratory(stream, on_test, deadline)
    begun = stream.schedules
    discovered, exposed = set(strategy.memory.discovered), set(strategy.memory.exposed)
    while (
        laboratory.profiles < count
        and time.monotonic() < deadline
        and strategy.saturated is None
        and not stream.is_done
    ):
        strategy.iterate(laboratory)
        for test, examined in laboratory.taken():
            stream.schedules = begun + examined.executions  # as many as had run when the violation was found
            for violation, schedule in examined.violations:
                stream.found(test, violation, schedule, chunk, on_test)
        stream.schedules = begun + laboratory.executions
    chunk.tests = laboratory.profiles
    chunk.schedules = laboratory.executions
    chunk.unusable += laboratory.unusable
    chunk.evidence.add(laboratory.evidence)
    chunk.over = strategy.saturated is not None
    chunk.gain = Gain(
        strategy.memory.discovered - discovered, strategy.memory.exposed - exposed, laboratory.profiles,
        laboratory.active_tests, strategy.saturated,
    )  # fmt: skip


class JudgingLaboratory(ActiveLaboratory):
    """A laboratory that judges executions. It stops a test at its first violation, and keeps that."""

    def __init__(self, stream: Stream, on_test: Callable[[Test], None], deadline: float) -> None:
        super().__init__(PLACES, seed=stream.options.seed)
        self.unusable: list[str] = []
        self.evidence = Evidence()
        self._stream = stream
        self._on_test = on_test
        self._deadline = deadline
        self._public: Container[str] = {method.name for method in stream.interface.methods}
        self._examinations: dict[Test, Examination] = {}
        self._conflicts: set[Test] = set()
        self._covered: set[Test] = set()
        self._violations: list[tuple[Test, Examined]] = []

    def taken(self) -> list[tuple[Test, Examined]]:
        """Return the violations since the last call."""
        taken, self._violations = self._violations, []
        return taken

    def profile(self, test: Test) -> SeenInstances:
        """Profile a test as `Laboratory.profile` does; a test that cannot be written as code shows nothing."""
        self._on_test(test)
        self._stream.tests += 1
        self._stream.remember(test)
        try:
            return super().profile(test)
        except UsageError as error:
            self.unusable.append(str(error))
            return _NOTHING

    def expose(self, test: Test, known: InstanceMemory) -> SeenInstances:
        """Test actively as `Laboratory.expose` does."""
        self._on_test(test)
        return super().expose(test, known)

    def bed(self, test: Test) -> Testbed:
        """Return the test bed of the test's examination."""
        examination = Examination(test, PLACES, self._stream.probes, self._stream.options.rules)
        self._examinations[test] = examination
        return examination.bed

    def run(self, test: Test, bed: Testbed, strategy: Strategy, predict: bool) -> Sighting | None:
        """Execute once. Judge only after threads have touched something in common: nothing can go wrong before."""
        if time.monotonic() > self._deadline:
            return None
        examination = self._examinations[test]
        judged = test in self._conflicts
        if judged:
            _ = examination.specification
        sightings: list[Sighting] = []
        verdicts: list[Violation | None] = []

        def finish() -> None:
            sightings.append(sight(ENGINE, bed, predict=predict))
            if strategy.name == "pos" and test not in self._covered:
                self._covered.add(test)
                self._stream.strategy.feedback(test, overlaps(ENGINE, bed, self._public))
                self.evidence.see(ENGINE, bed)
            if judged:
                verdicts.append(examination.judge())

        self.executions += 1
        execute(bed.prepare, strategy.next_prefix() or (), strategy, free=strategy.free, finish=finish)
        strategy.executed(ENGINE)
        sighting = sightings[0]
        if sighting.happened or sighting.possible or ENGINE.pending:
            self._conflicts.add(test)
        violation = verdicts[0] if verdicts else None
        if violation is not None and self._is_violation(test, examination, violation):
            return None
        return sighting

    def _is_violation(self, test: Test, examination: Examination, violation: Violation) -> bool:
        schedule, cost = schedule_of(ENGINE), count_preemptions(ENGINE.trace)
        confirmed = examination.confirm(violation)
        if confirmed is None:
            return False
        found: Any = Examined(self.executions, conflicts=True, violation=confirmed, schedule=schedule, preemptions=cost)
        self._violations.append((test, found))
        return True
