"""How long a performance test must be: SpeedGun's Algorithm 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 1_000_000
_MARGIN = 1.5
"""Times vary: a length that just fits now would later be found too long."""


@dataclass(frozen=True, slots=True)
class Limits:
    """``t_min``: what can be measured well. ``r_min``: repetitions that a measurement of ``t_s`` seconds must hold."""

    t_min: float = 0.005
    t_s: float = 0.5
    r_min: int = 6
    max_tries: int = 20


class Tried(NamedTuple):
    """The mean time of one execution of a random test, with each version; infinite if it did not end in time."""

    old: float
    new: float


class NoLengthError(Exception):
    """No length is right for both versions; ``nearest`` is the one to fall back on."""

    def __init__(self, reason: str, nearest: int) -> None:
        super().__init__(reason)
        self.nearest = nearest


def find_length(attempt: Callable[[int], Tried], limits: Limits, longest: int = LONGEST) -> int:
    """The length of suffixes for a class (Algorithm 1, lines 1 to 20). ``attempt`` runs a random test of a length.

    The search halves the ratio of the bounds and not their difference: lengths differ by orders of magnitude between
    classes. A time tells how often the test fits into ``t_s`` (equation (1)), so ``attempt`` may measure for less.
    Raises `NoLengthError` by either abort rule (lines 11 and 20).
    """
    low, high = 1, longest + 1  # the lengths that are left: from low to below high
    length = 1
    for _ in range(limits.max_tries):
        if low >= high:
            break
        length = min(max(low, math.isqrt(low * high)), high - 1)
        old, new = attempt(length)
        too_short = min(old, new) <= limits.t_min
        too_long = max(old, new) * limits.r_min * _MARGIN >= limits.t_s
        if too_short and too_long:
            raise NoLengthError(
                f"{length} calls are too short for one version ({min(old, new) * 1e3:.1f} ms) "
                f"and too long for the other ({max(old, new) * 1e3:.1f} ms)", length
            )  # fmt: skip
        if not too_short and not too_long:
            return length
        low, high = (length + 1, high) if too_short else (low, length)
    raise NoLengthError(f"no length is right; the last one tried was {length} calls", length)


def split(length: int) -> tuple[int, int]:
    """Calls to generate, and how often to repeat them: the square root of the length each (section 3.3)."""
    calls = max(1, math.isqrt(length))
    return calls, max(1, round(length / calls))
