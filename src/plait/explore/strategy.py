"""The interface between a search and the engine.

A strategy serves one exploration. ``next_prefix`` returns the thread numbers with which the next execution begins, or
None when the search has ended. After this prefix, ``choose`` picks the thread for each step; if the strategy is
``free``, the running thread continues while it is enabled, and ``choose`` is called only when it cannot.
``executed`` receives the finished execution. Strategies see operations, never code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from plait.model.counted import counted
from plait.run.engine import Engine
from plait.run.vthread import VThread


class Strategy(Protocol):
    """A search over the schedules of one program."""

    name: str
    exhausted: bool
    free: bool  # after the prefix the running thread continues while it can, without a call of `choose`

    def next_prefix(self) -> Sequence[int] | None:
        """Return the schedule that the next execution begins with, or None to end the exploration."""
        ...

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread of ``engine.enabled`` that performs the next step."""
        ...

    def executed(self, engine: Engine) -> None:
        """Learn from an execution that has ended; ``engine.trace`` and ``engine.threads`` are still available."""
        ...


def run_on(engine: Engine, current: VThread | None) -> int:
    """Return the choice without a preemption: the running thread if it is enabled, else the first enabled one."""
    if current is not None and current.enabled:
        return current.id
    return engine.enabled[0]


def preemptions(number: int) -> str:
    """Return the number of preemptions in words."""
    return counted(number, "preemption")


def choices(engine: Engine) -> list[int]:
    """Return the schedule that was executed: one thread number per step."""
    return [entry[0] for entry in engine.trace if entry[4] is not None]
