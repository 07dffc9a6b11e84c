"""Which of two versions is faster: SpeedGun's test oracle (section 4.3), for measurements taken in rounds.

A round measures both versions in turns, a few milliseconds each. A disturbance that lasts longer than that (other
processes, clock frequency, a busy sibling core) changes both times of a round alike, and on a shared machine it is
larger than the differences in question. So each round is normalised by its *level*, the geometric mean of its two
times, and equations (4) and (5) are applied to the normalised times. The two intervals then are disjoint exactly when
the interval of the ratio of the two times excludes one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from plait.judge.performance.statistics import (
    Interval,
    deviation,
    interval,
    mean,
    median,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


# ruff: noqa: B905 - Python 3.8, which a repeated measurement may run on, has no zip(strict=...)


CONFIDENCE = 0.98
DELTA = 0.05
"""The smallest difference that is worth a report (section 5.4)."""


@dataclass
class Series:
    """The times of one test in seconds, one per round and version: the sets M_old and M_new of the paper."""

    old: list[float] = field(default_factory=list)
    new: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.old)

    def add(self, old: float, new: float) -> None:
        """Add the times of one round."""
        self.old.append(old)
        self.new.append(new)

    def levelled(self) -> tuple[list[float], list[float]]:
        """Return both sets of times, each round scaled to the geometric mean of all levels."""
        levels = [(math.log(old) + math.log(new)) / 2 for old, new in zip(self.old, self.new)]
        common = mean(levels)
        factors = [math.exp(common - level) for level in levels]
        return (
            [time * factor for time, factor in zip(self.old, factors)],
            [time * factor for time, factor in zip(self.new, factors)],
        )

    def spread(self) -> float:
        """Return the larger relative standard deviation of the two sets (Algorithm 2's sigma)."""
        return max(deviation(times) / mean(times) for times in self.levelled())

    def speedup(self, confidence: float = CONFIDENCE) -> Interval:
        """Return old time divided by new time, with its interval. Above 1, the new version is faster."""
        ratios = interval([math.log(old / new) for old, new in zip(self.old, self.new)], confidence)
        return Interval(*(math.exp(min(each, 700.0)) for each in ratios))


def winner(series: Series, delta: float = DELTA, confidence: float = CONFIDENCE) -> str:
    """Return ``old``, ``new`` or ``none`` by equations (4) and (5): the faster version, if there is one."""
    if len(series) < 2:
        return "none"
    old, new = (interval(times, confidence) for times in series.levelled())
    if old.high < new.low and new.mean / old.mean - 1 > delta:
        return "old"
    if new.high < old.low and old.mean / new.mean - 1 > delta:
        return "new"
    return "none"


def is_decided(series: Series, delta: float = DELTA, confidence: float = CONFIDENCE) -> bool:
    """Return whether the speed-up's interval crosses no threshold, so that more rounds would not change the winner."""
    _, low, high = series.speedup(confidence)
    fast, slow = 1 + delta, 1 / (1 + delta)
    return low > fast or high < slow or (slow < low and high < fast)


def verdict(winners: Sequence[str]) -> str:
    """Return ``regression``, ``improvement`` or ``none`` by the majority rules (6) and (7).

    Inconclusive tests do not count; but if at least half of the tests are inconclusive, so is the verdict.
    """
    old, new, none = (winners.count(each) for each in ("old", "new", "none"))
    if not winners or 2 * (old + new + none) <= len(winners):
        return "inconclusive"
    if old >= none and old > new:
        return "regression"
    if new >= none and new > old:
        return "improvement"
    return "none"


def rounds_needed(series: Series, width: float, confidence: float = CONFIDENCE) -> int:
    """Return how many rounds are probably needed until the speed-up's interval has the half-width ``width``."""
    _, low, high = series.speedup(confidence)
    half = math.log(high / low) / 2
    return math.ceil(len(series) * (half / width) ** 2)


# -- scaling with the number of threads --------------------------------------------------------------------------------
# Whether a version is slower by itself or only under contention (left open in SpeedGun's section 6).


Nature = Literal["sequential", "contention", "both", "unclear"]


@dataclass(frozen=True)
class Point:
    """Both versions at one number of threads: calls per second, and the speed-up with its interval."""

    threads: int
    old_rate: float
    new_rate: float
    speedup: Interval
    winner: str


def point(threads: int, series: Series, delta: float = DELTA, confidence: float = CONFIDENCE) -> Point:
    """Return one point of the curve from times in seconds per call."""
    return Point(
        threads, 1 / median(series.old), 1 / median(series.new), series.speedup(confidence),
        winner(series, delta, confidence),
    )  # fmt: skip


def nature(alone: Point, together: Point, delta: float = DELTA) -> Nature:
    """Return where a difference comes from, given the points for one thread and for many.

    It is ``sequential`` if one thread alone shows the same winner, and ``both`` if more threads enlarge it by more than
    the threshold, with intervals that do not overlap.
    """
    if together.winner == "none":
        return "unclear"
    if alone.winner != together.winner:
        return "contention" if not _overlap(alone.speedup, together.speedup) else "unclear"
    growth = abs(math.log(together.speedup.mean)) - abs(math.log(alone.speedup.mean))
    grows = growth > math.log1p(delta) and not _overlap(alone.speedup, together.speedup)
    return "both" if grows else "sequential"


def _overlap(one: Interval, other: Interval) -> bool:
    return one.low <= other.high and other.low <= one.high
