"""Behavioural checking of tests on both versions at once (ConDiff, Figure 3, lines 18-24)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from plait.commands.diff import worker
from plait.commands.diff.evidence import CallCounts
from plait.commands.diff.sides import PendingPair, Sides, awaited
from plait.commands.diff.stages import Compared, Comparisons
from plait.errors import own_error
from plait.explore.capp.partition import Aim
from plait.judge.difference.behaviour import Difference, Explored, compare, passing_difference
from plait.judge.difference.filter import Decision
from plait.judge.difference.outcome import Outcome, View
from plait.model.test import Test
from plait.subject.changes.change import Side
from plait.workers.failures import WorkerFailed
from plait.workers.pool import WorkerError

FIRST = 150  # executions per version at first; they are enough for most tests
EXECUTIONS = 1500
SECONDS = 4.0  # processor time for one exploration
LONGER = 6  # factor for the limits if only one version still has to be explored exhaustively
SAMPLED = 300
_PASSING = 400  # executions on both versions up to which the states at the end of calls are compared, too


class Revealed(NamedTuple):
    """A test whose outcomes differ: a proven difference."""

    test: Test
    view: View
    old: Explored
    new: Explored
    difference: Difference
    decision: Decision | None = None


@dataclass(slots=True)
class Checks:
    """Explores tests on both versions, compares the outcomes, and counts."""

    sides: Sides
    gil: bool = False
    timed: bool = True  # whether time limits an exploration; without such a limit, results are reproducible
    order: str = "dpor"  # the search that explores a test
    aim: Aim | None = None
    max_schedules: int | None = None
    checks: int = 0  # #BC
    inconclusive: int = 0
    lost: int = 0
    diverged: int = 0
    schedules: int = 0
    recalled: int = 0  # schedules of tests that earlier runs have compared; they count towards a limit as well
    check_s: float = 0.0
    calls: CallCounts = field(default_factory=CallCounts)
    notes: list[str] = field(default_factory=list)

    def recall(self, known: Compared) -> None:
        """Count a test that need not be explored again."""
        self.recalled += known.schedules
        self.inconclusive += known.inconclusive

    def first_difference(
        self, tests: Iterable[tuple[Test, View, Decision | None]], over: Callable[[], bool],
        comparisons: Comparisons | None = None, is_wanted: Callable[[Revealed], bool] = lambda _: True,
    ) -> Revealed | None:  # fmt: skip
        """Return the first test in the list with a difference for which ``is_wanted`` is true.

        All tests are explored in parallel. Tests before the result that show no difference are stored in
        ``comparisons``.
        """
        running = []
        for test, view, decision in tests:
            running.append((test, view, decision, self.sides.both(*self._asked(test, view, FIRST))))
        for test, view, decision, pending in running:
            if over():
                break
            self.checks += 1
            before = (self.schedules, self.inconclusive, self.lost + self.diverged)
            found = self._conclude(test, view, pending)
            if found is not None:
                if not is_wanted(found):
                    continue
                self.sides.drop()
                return found._replace(decision=decision)
            if comparisons is not None and self.lost + self.diverged == before[2]:
                inconclusive = self.inconclusive > before[1]
                repeated = decision is not None and decision.repeated
                comparisons.keep(
                    test, view, Compared(False, repeated, inconclusive, schedules=self.schedules - before[0])
                )
        for _test, _view, _decision, pending in running:
            pending.old.cancel()
            pending.new.cancel()
        return None

    def check(self, test: Test, view: View) -> Revealed | None:
        """Compare the outcomes of one test."""
        return self._conclude(test, view, self.sides.both(*self._asked(test, view, FIRST)))

    def _asked(
        self, test: Test, view: View, limit: int, *, sampled: int = 0, share: float = 1.0,
        allowed: frozenset[Outcome] | None = None,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the task that explores a test, with its arguments."""
        seconds = SECONDS * share if self.timed else 1e6
        return worker.outcomes, test, view, limit, sampled, seconds, allowed, self.gil, self.order, self.aim

    def _conclude(self, test: Test, view: View, pending: PendingPair) -> Revealed | None:
        try:
            (old, old_s), (new, new_s) = pending.values()
            self._count(old, old_s)
            self._count(new, new_s)
            self.calls.see(test, old.outcomes, new.outcomes)
            old, new = self._decided(test, view, old, new)
            difference = compare(old, new)
            if difference:
                return Revealed(test, view, old, new, difference)
            self.diverged += old.diverged or new.diverged
            if not (old.exhausted and new.exhausted):
                self.inconclusive += 1
                return None
            return self._passing(test, view) if old.executions + new.executions <= _PASSING else None
        except WorkerError as error:
            self.lost += 1
            self.inconclusive += 1
            if isinstance(error, WorkerFailed):
                self.notes.append(own_error("exploring", error, test, kept="the search went on without this test"))
            return None

    def _decided(self, test: Test, view: View, old: Explored, new: Explored) -> tuple[Explored, Explored]:
        """Explore versions further that were not explored exhaustively, until that is done or a difference is proven.

        If only one of them is left, its first outcome that the other version does not have is enough.
        """
        if compare(old, new) or (old.exhausted and new.exhausted):
            return old, new
        if not old.exhausted and not new.exhausted:
            (old, old_s), (new, new_s) = self.sides.both(*self._asked(test, view, EXECUTIONS)).values()
            self._count(old, old_s)
            self._count(new, new_s)
        if compare(old, new) or old.exhausted == new.exhausted:
            return old, new
        if old.exhausted:
            return old, self._longer("new", test, view, frozenset(old.outcomes))
        return self._longer("old", test, view, frozenset(new.outcomes)), new

    def _longer(self, side: Side, test: Test, view: View, allowed: frozenset[Outcome]) -> Explored:
        asked = self._asked(test, view, EXECUTIONS * LONGER, sampled=SAMPLED, share=2.0, allowed=allowed)
        found, seconds = awaited(self.sides.on(side, *asked), self.sides.until)
        self._count(found, seconds)
        explored: Explored = found
        return explored

    def _passing(self, test: Test, view: View) -> Revealed | None:
        """Compare the states that callers can read while other calls run; results and final states are equal."""
        if not view.state:
            return None
        asked = replace(view, exits="after")
        pending = self.sides.both(*self._asked(test, asked, EXECUTIONS, share=0.5))
        (old, old_s), (new, new_s) = pending.values()
        self._count(old, old_s)
        self._count(new, new_s)
        difference = passing_difference(old, new)
        return Revealed(test, asked, old, new, difference) if difference else None

    def _count(self, explored: Explored, seconds: float) -> None:
        self.schedules += explored.executions
        self.check_s += seconds
