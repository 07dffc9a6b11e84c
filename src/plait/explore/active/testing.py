"""Active testing: makes predicted interleaving instances happen (ATG, Definition 3; the second phase of Maple).

`profile` runs a test without steering it; `ActiveTest` takes what this has shown and orchestrates one execution per
attempt until each wanted instance has happened or its attempts are used up. Everything else that an attempt shows
counts, too: instances that happen along the way are exposed, and accesses that profiling has not seen lead to further
predictions.

`plait.explore.active.force.force` does the same for two lines that a person names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from plait.explore.active.plan import DELAY, FIRST_WAITS, MEET, SECOND_WAITS, STRAIGHT, ActiveAim, Orchestrated
from plait.explore.pos import Pos
from plait.explore.strategy import Strategy, run_on
from plait.observe.iroots import Hint, IRoot, Sighting
from plait.run.engine import Engine
from plait.run.vthread import VThread

ATTEMPTS = 6
"""Executions spent on one instance in one test."""
PATIENCE = 1
"""Executions in a row without a new instance after which profiling ends."""
MOST = 20
"""The most executions of a profile, not counting the first one for each thread."""
_COUPLE = 2
"""Executions of a native profile (ATG, section 5.2: "a couple of times")."""
_CLOSE = 2
_FIRST, _THEN = (MEET, DELAY), (STRAIGHT, FIRST_WAITS, SECOND_WAITS)

Execute = Callable[[Strategy, bool], Sighting | None]
"""Runs the test once with a strategy and returns what it showed, with predictions if asked; None ends the test."""


@dataclass(slots=True)
class ProfiledTest:
    """What the executions of one test have shown so far: instances that happened, and hints how others could."""

    happened: set[IRoot] = field(default_factory=set)
    close: set[IRoot] = field(default_factory=set)
    hints: dict[IRoot, list[tuple[Hint, Sequence[int]]]] = field(default_factory=dict)

    @property
    def discovered(self) -> set[IRoot]:
        """iRoots(t): instances that happened, and instances that could."""
        return self.happened | self.hints.keys()

    def add(self, sighting: Sighting) -> bool:
        """Learn from another execution; return whether it discovered an instance."""
        before = len(self.happened) + len(self.hints)
        self.happened |= sighting.happened
        self.close |= sighting.close
        for iroot, hints in sighting.possible.items():
            if iroot not in self.hints:
                self.hints[iroot] = [(hint, sighting.order) for hint in hints]
        return len(self.happened) + len(self.hints) > before


def profile(execute: Execute, *, threads: int, seed: int = 0, patience: int = PATIENCE) -> ProfiledTest:
    """Run a test without steering it until ``patience`` executions in a row discover nothing.

    On real threads, short tests run almost one thread after the other; so do the first executions, each beginning with
    another thread. The others switch at random where threads race (`Pos`).
    """
    found = ProfiledTest()
    sample = Pos(seed)
    idle = 0
    for number in range(1, threads + MOST + 1):
        leads = number <= threads
        sighting = execute(Leading(number) if leads else sample, True)
        if sighting is None:
            break
        idle = 0 if found.add(sighting) or leads else idle + 1
        if idle == patience:
            break
    return found


def native_profile(execute: Execute, *, threads: int, seed: int = 0) -> ProfiledTest:
    """Run a test a couple of times as short tests run on real threads: in any order of threads, without interruption.

    The orders are drawn from the seed and not left to the machine, so that a profile can be reproduced.
    """
    found, chance = ProfiledTest(), Random(seed)
    for first in sorted({chance.randint(1, threads) for _ in range(_COUPLE)}):  # repeating an order shows nothing new
        sighting = execute(Leading(first), True)
        if sighting is None:
            break
        found.add(sighting)
    return found


class Leading:
    """A strategy that runs one thread whenever it is enabled, and the others in order after it."""

    name = "leading"

    def __init__(self, thread: int) -> None:
        self.exhausted = False
        self.free = False
        self._thread = thread

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix."""
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the leading thread if it is enabled, else make the choice without a preemption."""
        return self._thread if self._thread in engine.enabled else run_on(engine, current)

    def executed(self, engine: Engine) -> None:
        """Do nothing: there is nothing to learn."""


@dataclass(slots=True)
class Exposure:
    """The result of an active test: attempts for each instance that was aimed at, and whether it was stopped early."""

    attempts: dict[IRoot, int] = field(default_factory=dict)
    executions: int = 0
    stopped: bool = False


class ActiveTest:
    """One active test: tries to make every wanted instance that the profile predicts happen.

    Wanted instances come first. Then, instances that have happened, but never while the second thread was already
    standing before its access, are made to happen once in that way: threads act on a value they read too early there,
    and this leads to code that profiling seldom reaches. Without ``learn``, an active test is what the paper describes:
    it aims at what profiling has predicted and at nothing else.
    """

    def __init__(
        self, execute: Execute, profile: ProfiledTest, wanted: Callable[[IRoot], bool], *, attempts: int = ATTEMPTS,
        met: Collection[IRoot] = (), learn: bool = True,
    ) -> None:  # fmt: skip
        self._execute = execute
        self._profile = profile
        self._wanted = wanted
        self._attempts = attempts
        self._met = met
        self._learn = learn
        self._tried: set[IRoot] = set()
        self.done = Exposure()

    def run(self) -> Exposure:
        """Run all attempts and return them; the profile learns from each."""
        while not self.done.stopped:
            targets = self._targets()
            if targets:
                for iroot in targets:
                    self._expose(iroot)
                continue
            early = self._early() if self._learn else None
            if early is None:
                break
            self._approach(early)
        return self.done

    def _targets(self) -> list[IRoot]:
        profile, attempts = self._profile, self.done.attempts
        return sorted(
            iroot for iroot in profile.hints
            if iroot not in profile.happened and iroot not in attempts and self._wanted(iroot)
        )  # fmt: skip

    def _expose(self, iroot: IRoot) -> None:
        for aim in aims(self._profile.hints[iroot], self._attempts):
            if iroot in self._profile.happened or self.done.stopped:
                return
            self.done.attempts[iroot] = self.done.attempts.get(iroot, 0) + 1
            self._once(aim)

    def _early(self) -> IRoot | None:
        profile = self._profile
        return min(
            (iroot for iroot, hints in profile.hints.items()
             if iroot in profile.happened and iroot not in profile.close and iroot not in self._tried
             and iroot not in self._met and not hints[0][0].locked),
            default=None,
        )  # fmt: skip

    def _approach(self, iroot: IRoot) -> None:
        self._tried.add(iroot)
        for hint, order in self._profile.hints[iroot][:_CLOSE]:
            if iroot in self._profile.close or self.done.stopped:
                return
            self._once(ActiveAim(hint, MEET, order))

    def _once(self, aim: ActiveAim) -> None:
        self.done.executions += 1
        sighting = self._execute(Orchestrated(aim), self._learn)
        if sighting is None:
            self.done.stopped = True
        else:
            self._profile.add(sighting)


def aims(hints: Sequence[tuple[Hint, Sequence[int]]], attempts: int) -> Iterator[ActiveAim]:
    """Yield the attempts for one instance, the most promising one first."""
    found = [ActiveAim(hint, plan, order) for hint, order in hints for plan in _FIRST]
    found += [ActiveAim(hint, plan, order) for hint, order in hints for plan in _THEN]
    best = found[:2] + found[2 * len(hints) :][:1] + found[2 : 2 * len(hints)] + found[2 * len(hints) + 1 :]
    yield from best[:attempts]
