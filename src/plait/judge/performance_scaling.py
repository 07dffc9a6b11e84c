"""Slower alone, or slower under contention: what the numbers of threads say (open in SpeedGun's section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from plait.judge.performance import CONFIDENCE, DELTA, Series, winner
from plait.judge.performance_stats import Interval, median

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
    """The point of a curve, from a series of seconds per call."""
    return Point(
        threads, 1 / median(series.old), 1 / median(series.new), series.speedup(confidence),
        winner(series, delta, confidence),
    )  # fmt: skip


def nature(alone: Point, together: Point, delta: float = DELTA) -> Nature:
    """Where a difference comes from, given the points for one thread and for many.

    One that a single thread shows as well is sequential. It is ``both`` when threads make it larger by more than the
    threshold, with intervals that do not overlap.
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
