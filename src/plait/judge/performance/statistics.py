"""Means, spreads and confidence intervals.

Uses only the standard library, because the script that repeats a measurement without plait contains this file.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_TINY = 1e-300


class Interval(NamedTuple):
    """A mean with its confidence interval."""

    mean: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean."""
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of a sample; infinite for fewer than two values."""
    if len(values) < 2:
        return math.inf
    middle = mean(values)
    return math.sqrt(math.fsum((each - middle) ** 2 for each in values) / (len(values) - 1))


def median(values: Sequence[float]) -> float:
    """Return the median."""
    return quantile(values, 0.5)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the quantile for a share between 0 and 1, interpolated linearly between the two nearest values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def undisturbed(times: Sequence[float]) -> float:
    """Return the lower quartile of repeated times, as an estimate of the undisturbed time.

    Disturbances of the machine only ever make a time longer. The lower quartile stays right until more than three in
    four executions are disturbed; the mean is wrong after the first.
    """
    return quantile(times, 0.25)


def interval(values: Sequence[float], confidence: float) -> Interval:
    """Return the mean with its confidence interval by Student's t (Georges et al.; SpeedGun, section 4.3)."""
    middle = mean(values)
    if len(values) < 2:
        return Interval(middle, -math.inf, math.inf)
    reach = t_quantile((1 + confidence) / 2, len(values) - 1) * deviation(values) / math.sqrt(len(values))
    return Interval(middle, middle - reach, middle + reach)


@functools.lru_cache(maxsize=None)  # noqa: UP033 - Python 3.8 has no functools.cache
def t_quantile(probability: float, freedom: int) -> float:
    """Return the quantile of Student's t with ``freedom`` degrees of freedom, for a ``probability`` above one half."""
    low, high = 0.0, 1.0
    while _t_below(high, freedom) < probability:
        low, high = high, high * 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _t_below(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _t_below(value: float, freedom: int) -> float:
    """Return the probability that Student's t is below ``value``, which must not be negative."""
    return 1 - _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + value * value)) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function by its continued fraction, where that converges quickly."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    numerator, denominator = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    fraction = denominator
    for step in range(1, 500):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        change = 1.0
        for term in (even, odd):
            denominator = 1 / _away(1 + term * denominator)
            numerator = _away(1 + term / numerator)
            change = numerator * denominator
            fraction *= change
        if abs(change - 1) < 1e-15:
            break
    return scale * fraction / a


def _away(value: float) -> float:
    """Return the value, or a tiny positive number if it is too close to zero to divide by."""
    return value if abs(value) > _TINY else _TINY
