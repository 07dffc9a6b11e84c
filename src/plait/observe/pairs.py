"""Which methods ran at the same time: concurrent method pairs (CovCon, section IV-A and IV-B, Algorithm 1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class MethodEvent:
    """A method of the subject begins or ends, called by a test or from inside another method (Definition 1).

    The position in the trace is the time stamp. ``receiver`` tells instances apart; None for static methods.
    """

    kind: Literal["start", "end"]
    method: str
    thread: int
    receiver: int | None = None


def covered_pairs(trace: Iterable[MethodEvent]) -> Counter[tuple[str, str]]:
    """How often each pair of methods was concurrent: Algorithm 1, lines 1 to 11, from empty counts.

    A start counts once for every method under way in every other thread. Pairs are sorted (line 7): (a, b) and
    (b, a) are the same. An end that has no start is ignored: the trace may begin in the middle of a call.
    """
    covered: Counter[tuple[str, str]] = Counter()
    current: dict[int, list[str]] = {}
    for event in trace:
        own = current.setdefault(event.thread, [])
        if event.kind == "end":
            if own:
                own.pop()
            continue
        for thread, stack in current.items():
            if thread != event.thread:
                covered.update(_pair(event.method, other) for other in stack)
        own.append(event.method)
    return covered


def _pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)
