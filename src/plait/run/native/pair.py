"""Two measuring processes, one per version, that take turns.

This file imports nothing but the standard library: the script that repeats a measurement without plait contains it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plait.run.native.machine import other_processes
from plait.run.native.process import NativeError, Process

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

SIDES = ("old", "new")
START_S = 60.0
"""Limit for the start of a process, which may import a large package on a busy machine."""
PATIENCE_S = 20.0
"""Limit for a test that takes less than a second on an idle machine."""
TURN_S = 0.01
"""Length of a turn: one execution of a test, or as many as take about so long."""


@dataclass(frozen=True)
class Place:
    """A version, as a measuring process imports it.

    ``root`` is the first entry of the path and ``extra`` the last ones; ``modules`` are imported at the start.
    ``python`` is the interpreter, ``allowed`` names what the code may do besides computing.
    """

    root: str
    modules: tuple[str, ...]
    extra: tuple[str, ...] = ()
    python: str = sys.executable
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """A test and how to run it: each suffix makes its calls ``repeat`` times, all of it ``repetitions`` times."""

    name: str
    source: str = field(repr=False)
    threads: int = 8
    repeat: int = 1
    repetitions: int = 10
    warmup: int = 2
    turn: int = 1


class SideError(NativeError):
    """An error of one of the two processes, with its version."""

    def __init__(self, side: str, cause: NativeError) -> None:
        super().__init__(str(cause), cause.kind)
        self.side = side
        self.cause = cause


class Pair:
    """The processes of one round. Both have the same hash seed and the same CPUs; while one works, the other waits.

    ``check`` and ``until`` are those of `Process`.
    """

    def __init__(
        self, places: dict[str, Place], script: str, *, hash_seed: int = 0, cpus: list[int] | None = None,
        profile: str | None = None, kernel: str | None = None,
        check: Callable[[str, dict[str, Any]], dict[str, Any]] | None = None, until: float = float("inf"),
    ) -> None:  # fmt: skip
        self.interpreters: dict[str, dict[str, Any]] = {}
        self.others: list[float] = []
        """How busy others kept the machine, looked up between turns (`native_machine.other_processes`)."""
        self._sides: dict[str, Process] = {}
        self._loaded: set[str] = set()
        try:
            for side in SIDES:
                place = places[side]
                try:
                    self._sides[side] = Process(
                        [place.python], script=script, hash_seed=hash_seed, allowed=place.allowed, check=check,
                        until=until,
                    )  # fmt: skip
                except NativeError as error:
                    raise SideError(side, error) from None
                self.interpreters[side] = self.ask(
                    side, "open", START_S, root=place.root, extra=list(place.extra), modules=list(place.modules),
                    allowed=list(place.allowed), folder=self._sides[side].work, cpus=cpus, profile=profile,
                    kernel=kernel,
                )  # fmt: skip
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Pair:  # typing.Self is younger than the oldest interpreter measured
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End both processes."""
        for process in self._sides.values():
            process.close()

    def ask(self, side: str, do: str, timeout: float = PATIENCE_S + 10, **arguments: Any) -> dict[str, Any]:
        """Send a command to one of the two; `SideError` says which one failed."""
        try:
            return self._sides[side].ask(do, timeout, **arguments)
        except NativeError as error:
            raise SideError(side, error) from None

    def load(self, name: str, source: str) -> None:
        """Send the source of a test to both."""
        if name not in self._loaded:
            for side in SIDES:
                self.ask(side, "load", name=name, source=source)
            self._loaded.add(name)

    def run(
        self, side: str, job: Job, repetitions: int, seconds: float = 1e9, patience: float = PATIENCE_S
    ) -> dict[str, list[float]]:
        """Execute a test; return the times of both scopes in seconds. An execution may take up to ``patience``."""
        patience = self._sides[side].left(patience)
        answer = self.ask(
            side, "measure", patience * repetitions + 10, name=job.name, threads=job.threads, repeat=job.repeat,
            repetitions=repetitions, seconds=seconds, patience=patience,
        )  # fmt: skip
        return {scope: [each / 1e9 for each in answer[scope]] for scope in ("whole", "suffix")}

    def alternate(self, job: Job, chance: Random) -> dict[str, dict[str, list[float]]]:
        """Return times of both versions after a warm-up, in turns; chance decides which one is first (section 4)."""
        self.load(job.name, job.source)
        times: dict[str, dict[str, list[float]]] = {side: {"whole": [], "suffix": []} for side in SIDES}
        for side in SIDES:
            self.run(side, job, job.warmup)
        for _ in range(-(-job.repetitions // job.turn)):
            busy = other_processes()
            self.others += [] if busy is None else [busy]
            for side in chance.sample(SIDES, 2):
                for scope, found in self.run(side, job, job.turn).items():
                    times[side][scope] += found
        return times
