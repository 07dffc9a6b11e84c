"""Rounds of measurements until the answer is clear (SpeedGun, Algorithm 2), the scaling curve, and the locks."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.judge.performance.result import Contention, Measured
from plait.judge.performance.statistics import mean, median, undisturbed
from plait.judge.performance.verdict import Point, Series, is_decided, point
from plait.run.native.machine import HEAVY, other_processes
from plait.run.native.pair import PATIENCE_S, SIDES, TURN_S, Job, SideError
from plait.run.native.process import NativeError, Stuck

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from plait.run.native.pair import Pair

_ROUND_S = 0.6  # what starting the processes of a round takes
_PROFILE_S = 0.05
_PROFILES = 5
_POINT_S = 0.15
_LEAST_REPETITIONS = 6
_HEAVY_ROUNDS = 3
"""After so many measurements of each test under heavy load, and fewer quiet ones, measuring ends."""
_MARGIN = 0.9
"""The share of the remaining time that is planned, because rounds do not take the same time."""
_WAIT_S = 3.0
_LOOKS = 10


@dataclass(frozen=True, slots=True)
class MeasureRules:
    """When to stop (Algorithm 2): thresholds for the spread of the times, and numbers of rounds."""

    delta: float = 0.05
    confidence: float = 0.98
    sigma_stop: float = 0.01
    sigma_acceptable: float = 0.03
    m_min: int = 6
    m_max: int = 24
    t_s: float = 0.5
    heavy: float = HEAVY


class Rounds:
    """Measures tests in rounds: fresh processes for each, both versions in turns, who begins is left to chance."""

    def __init__(
        self, open_pair: Callable[[int], Pair], rules: MeasureRules, chance: Random, *, threads: int, scope: str,
        stop: Callable[[], bool] = lambda: False, say: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self.rounds = 0
        self.quiet = self.heavy = 0
        """Measurements that count, and those that do not because others kept the machine busy."""
        self.loads: list[float] = []
        self.left_out: list[Measured] = []
        """Tests that there was no time for."""
        self._pace = 1.0
        self._open_pair = open_pair
        self._rules = rules
        self._chance = chance
        self._threads = threads
        self._scope = scope
        self._stop = stop
        self._say = say

    def measure(self, tests: list[Measured], deadline: float) -> str:
        """Go on until each test is decided; says what ended it: ``exhausted``, ``budget``, ``load``, ``interrupt``."""
        self._share_time([each for each in tests if each.reason is None], deadline)
        took, many = 0.0, len(tests)
        while tests := [each for each in tests if self._is_open(each) and each not in self.left_out]:
            if self._stop():
                return "interrupt"
            began = time.monotonic()
            if began + took > deadline:
                return "budget"
            if self.heavy >= _HEAVY_ROUNDS * many and self.heavy > self.quiet:
                return "load"
            chosen = self.affordable(tests, deadline - began)
            self._say(f"round {self.rounds + 1}: {len(chosen)} tests open, {deadline - began:.0f} s left")
            self._round(chosen)
            took = time.monotonic() - began
            self._pace = max(1.0, took / (_ROUND_S + sum(map(self._cost, chosen))))
        return "exhausted"

    def affordable(self, tests: list[Measured], left: float) -> list[Measured]:
        """Return the tests of the next round: as many as have time for the least number of rounds, at least one.

        Few tests with an answer say more than many without. Those nearest to it come first; the others are left out
        for good, and tests that have their rounds wait meanwhile.
        """
        least = self._rules.m_min
        missing = {each.name: least - len(each.series(self._scope)) for each in tests}
        found = [each for each in tests if missing[each.name] <= 0]
        short = sorted((each for each in tests if missing[each.name] > 0), key=lambda each: missing[each.name])
        counted = self.quiet / (self.quiet + self.heavy) if self.quiet else 1.0
        left *= _MARGIN * counted / self._pace
        chosen: list[Measured] = []
        for each in short:
            needed = missing[each.name] * (_ROUND_S + self._cost(each))
            needed += sum(missing[other.name] * self._cost(other) for other in chosen)
            if needed <= left or not (found or chosen):
                chosen.append(each)
            else:
                self.left_out.append(each)
        return chosen if chosen and len(chosen) < len(short) else [*found, *chosen]

    def _cost(self, measured: Measured) -> float:
        """Return the seconds of a test in one round."""
        job = self._job(measured)
        return len(SIDES) * (job.repetitions + job.warmup) * measured.seconds

    def _share_time(self, tests: list[Measured], deadline: float) -> None:
        """Measure less per round where the least number of rounds would not fit otherwise."""
        each = (deadline - time.monotonic()) / (2 * len(SIDES) * self._rules.m_min * max(1, len(tests)))
        for measured in tests:
            fitting = int(each / measured.seconds)
            measured.repetitions = min(measured.repetitions, max(fitting, _LEAST_REPETITIONS))

    def _is_open(self, measured: Measured) -> bool:
        """Algorithm 2, lines 6 to 16; a test whose interval is clear of the threshold needs no small spread."""
        series = measured.series(self._scope)
        if measured.reason is not None or len(series) >= self._rules.m_max:
            return False
        if len(series) < self._rules.m_min:
            return True
        clear = is_decided(series, self._rules.delta, self._rules.confidence)
        return not clear and series.spread() > self._rules.sigma_stop

    def _round(self, tests: list[Measured]) -> None:
        self._await_quiet()
        number = self.rounds
        self.rounds += 1
        pair = self._open_pair(number)
        try:
            for measured in self._chance.sample(tests, len(tests)):
                try:
                    times = pair.alternate(self._job(measured), self._chance)
                except SideError as error:
                    measured.refuse(_reason(error))
                    pair.close()
                    pair = self._open_pair(number)
                    continue
                if self._is_quiet(pair):
                    for scope in ("whole", "suffix"):
                        measured.series(scope).add(*(undisturbed(times[side][scope]) for side in SIDES))
                    measured.means.add(*(mean(times[side]["whole"]) for side in SIDES))
        finally:
            pair.close()

    def _await_quiet(self) -> None:
        """Wait until the machine is quiet: other processes often need it for a moment only."""
        end = time.monotonic() + _WAIT_S
        while time.monotonic() < end and not self._stop():
            seen = []
            for _ in range(_LOOKS):
                seen.append(other_processes() or 0.0)
                time.sleep(0.02)
            if mean(seen) <= self._rules.heavy:
                break

    def _is_quiet(self, pair: Pair) -> bool:
        """Return whether the last measurement counts.

        One that was taken while others kept the machine busy does not.
        """
        busy, pair.others = pair.others, []
        if busy:
            self.loads.append(mean(busy))
        quiet = not busy or self.loads[-1] <= self._rules.heavy
        self.quiet += quiet
        self.heavy += not quiet
        return quiet

    def _job(self, measured: Measured) -> Job:
        turn = max(1, min(measured.repetitions, round(TURN_S / measured.seconds)))
        warmup = max(2, measured.repetitions // 4)
        return Job(measured.name, measured.source, self._threads, measured.repeat, measured.repetitions, warmup, turn)

    def curve(self, tests: list[Measured], counts: list[int], rounds: int, deadline: float) -> list[Point]:
        """Return both versions at each number of threads, over the tests together.

        As many rounds as there is time for.
        """
        series = {count: Series() for count in counts}
        jobs: dict[tuple[str, int], Job] = {}
        for number in range(rounds):
            began = time.monotonic()
            with self._open_pair(number) as pair:
                for count in self._chance.sample(counts, len(counts)):
                    with contextlib.suppress(NativeError):  # at this number of threads a test says nothing
                        times = self._together(pair, tests, count, jobs)
                        if self._is_quiet(pair):
                            series[count].add(*times)
            if self._stop() or 2 * time.monotonic() - began > deadline:
                break
        return [
            point(count, series[count], self._rules.delta, self._rules.confidence)
            for count in sorted(counts)
            if len(series[count]) > 1
        ]

    def _together(
        self, pair: Pair, tests: list[Measured], threads: int, jobs: dict[tuple[str, int], Job]
    ) -> tuple[float, float]:
        """Return seconds per call of the old and the new version: the geometric mean over the tests."""
        logs = []
        for measured in tests:
            key = (measured.name, threads)
            if key not in jobs:
                jobs[key] = self._sized(pair, measured, threads)
            times = pair.alternate(jobs[key], self._chance)
            calls = measured.calls(threads) * jobs[key].repeat
            logs.append([math.log(undisturbed(times[side][self._scope]) / calls) for side in SIDES])
        old, new = (math.exp(mean(column)) for column in zip(*logs, strict=True))
        return old, new

    def _sized(self, pair: Pair, measured: Measured, threads: int) -> Job:
        """Return the test for another number of threads, as long as a turn."""
        base = Job(measured.name, measured.source, threads, measured.repeat)
        pair.load(base.name, base.source)
        slow = max(median(pair.run(side, base, 2)["whole"]) for side in SIDES)
        repeat = max(1, round(measured.repeat * min(2 * TURN_S / slow, self._threads)))
        slow *= repeat / measured.repeat
        return dataclasses.replace(base, repeat=repeat, repetitions=max(5, min(12, int(_POINT_S / slow))), warmup=1)


def contention(open_pair: Callable[[], Pair], tests: list[Measured], threads: int) -> list[Contention]:
    """Return what happened at each lock while the tests ran with watched locks, the longest waits first.

    Who meets whom is left to chance, so shares are medians over some executions.
    """
    found: dict[str, dict[str, list[tuple[float, float]]]] = {side: {} for side in SIDES}
    executions = 0
    with open_pair() as pair:
        for measured in tests:
            pair.load(measured.name, measured.source)
            base = Job(measured.name, measured.source, threads, measured.repeat)
            slow = max(median(pair.run(side, base, 1)["whole"]) for side in SIDES)
            repeat = max(1, round(measured.repeat * max(1.0, _PROFILE_S / slow)))
            calls = measured.calls(threads) * repeat
            for _ in range(_PROFILES):
                executions += 1
                for side in SIDES:
                    answer = pair.ask(
                        side, "profile", name=measured.name, threads=threads, repeat=repeat, patience=PATIENCE_S
                    )
                    for lock in answer["locks"]:
                        shares = (lock["wait_ns"] / answer["thread_ns"], lock["acquired"] / calls)
                        found[side].setdefault(lock["lock"], []).append(shares)
    names = dict.fromkeys([*found["old"], *found["new"]])

    def typical(name: str, side: str, which: int) -> float:
        seen = [shares[which] for shares in found[side].get(name, [])]
        return median(seen + [0.0] * (executions - len(seen)))

    locks = [Contention(name, *(typical(name, side, which) for which in (0, 1) for side in SIDES)) for name in names]
    return sorted(locks, key=lambda each: -max(each.old_wait, each.new_wait))


def _reason(error: SideError) -> str:
    kind = "deadlock" if isinstance(error.cause, Stuck) else "exception"
    return f"{kind} with the {error.side} version: {error}"
