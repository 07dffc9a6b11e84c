"""The contract between a search and the engine.

A strategy lives for one exploration. ``next_prefix`` is asked for the next execution: a list of thread numbers that the
engine follows before it asks anything else, or None when the search is over. While an execution runs behind its
prefix, ``choose`` picks the next thread; a strategy that is ``free`` lets the running thread go on while it can, and is
asked only who comes after it.
``executed`` sees the finished execution. Strategies see operations, never code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from plait.run.engine import Engine
from plait.run.vthread import VThread


class Strategy(Protocol):
    """One search order."""

    name: str
    exhausted: bool
    free: bool  # behind the prefix the running thread goes on while it can, and `choose` is not asked before

    def next_prefix(self) -> Sequence[int] | None:
        """Return the schedule to begin the next execution with; None ends the exploration."""
        ...

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread of ``engine.enabled`` that performs the next step."""
        ...

    def executed(self, engine: Engine) -> None:
        """Take in an execution that has ended; ``engine.trace`` and ``engine.threads`` are still there."""
        ...


def run_on(engine: Engine, current: VThread | None) -> int:
    """Return the choice without preemption: the running thread while it can, else the first that can."""
    if current is not None and current.enabled:
        return current.id
    return engine.enabled[0]


def preemptions(number: int) -> str:
    """Return the number of preemptions in words."""
    return f"{number} preemption{'s' if number != 1 else ''}"


def choices(engine: Engine) -> list[int]:
    """Return the schedule that was executed: one thread number per step."""
    return [entry[0] for entry in engine.trace if entry[4] is not None]
