"""Profiles and active tests, for a generator that decides which tests get them (see `plait.generate.atg.adaptive`)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import replace

from plait.explore.active.testing import ActiveTest, ProfiledTest, native_profile, profile
from plait.explore.runner import execute
from plait.explore.strategy import Strategy
from plait.generate.atg.adaptive import InstanceMemory, SeenInstances
from plait.model.site import Site
from plait.model.test import Test
from plait.observe.iroots import Sighting, sight
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed

_KEPT = 64  # profiles of tests that may be tested actively later


class ActiveLaboratory:
    """Executes generated tests in this process. A subclass may judge each execution (`run`).

    A test is profiled once; a profile that was dropped is made again in the same way. ``native`` selects the paper's
    setting: profiles as on real threads, and only instances that profiles have discovered are aimed at and count as
    exposed (Definition 3). Otherwise profiles also switch threads where they race, and active tests learn as they run.
    """

    def __init__(self, sites: dict[int, Site], *, seed: int = 0, native: bool = False) -> None:
        self.sites = sites
        self.profiles = 0
        self.active_tests = 0
        self.orchestrated = 0  # active tests that had something to orchestrate
        self.executions = 0
        self.attempts: dict[str, int] = {}
        self._seed = seed
        self._native = native
        self._profiles: dict[Test, tuple[Testbed, ProfiledTest]] = {}

    def profile(self, test: Test) -> SeenInstances:
        """See `plait.generate.atg.adaptive.Laboratory.profile`."""
        self.profiles += 1
        _, found = self._profiled(test)
        return _seen(found)

    def expose(self, test: Test, known: InstanceMemory) -> SeenInstances:
        """See `plait.generate.atg.adaptive.Laboratory.expose`."""
        self.active_tests += 1
        bed, found = self._profiled(test)

        def execute(strategy: Strategy, predict: bool) -> Sighting | None:
            return self.run(test, bed, strategy, predict)

        done = ActiveTest(execute, found, known.is_open, met=known.close, learn=not self._native).run()
        self.orchestrated += done.executions > 0
        for instance, attempts in done.attempts.items():
            self.attempts[instance] = self.attempts.get(instance, 0) + attempts
        missed = () if done.stopped else (each for each in done.attempts if each not in found.happened)
        seen = _seen(found, missed)
        if not self._native:
            return seen
        return replace(seen, discovered=seen.discovered & known.discovered, exposed=seen.exposed & known.discovered)

    def bed(self, test: Test) -> Testbed:
        """Return the test bed for a test."""
        return Testbed(test, self.sites)

    def run(self, test: Test, bed: Testbed, strategy: Strategy, predict: bool) -> Sighting | None:
        """Run one execution and return its sighting; a subclass may return None to end the active test."""
        found: list[Sighting] = []
        self.executions += 1
        execute(
            bed.prepare, strategy.next_prefix() or (), strategy, free=strategy.free,
            finish=lambda: found.append(sight(ENGINE, bed, predict=predict)),
        )  # fmt: skip
        strategy.executed(ENGINE)
        return found[0]

    def _profiled(self, test: Test) -> tuple[Testbed, ProfiledTest]:
        known = self._profiles.get(test)
        if known is None:
            bed = self.bed(test)
            seed = self._seed ^ zlib.crc32(repr(test.as_lines()).encode())

            def execute(strategy: Strategy, predict: bool) -> Sighting | None:
                return self.run(test, bed, strategy, predict)

            make = native_profile if self._native else profile
            known = (bed, make(execute, threads=len(test.suffixes), seed=seed))
            if len(self._profiles) >= _KEPT:
                self._profiles.pop(next(iter(self._profiles)))
            self._profiles[test] = known
        return known


def _seen(found: ProfiledTest, missed: Iterable[str] = ()) -> SeenInstances:
    return SeenInstances(
        frozenset(found.discovered), frozenset(found.happened), frozenset(found.close), frozenset(missed)
    )
