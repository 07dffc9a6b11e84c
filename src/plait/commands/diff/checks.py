"""Behavioural checking of tests on both versions at once (ConDiff, Figure 3, lines 18-24)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from plait.commands.diff import worker
from plait.commands.diff.evidence import CallCounts
from plait.commands.diff.explored_sides import ExploredSide
from plait.commands.diff.sides import Sides, awaited
from plait.commands.diff.stages import Compared, Comparisons
from plait.errors import own_error
from plait.explore.capp.partition import Aim
from plait.judge.difference.behaviour import Difference, Explored, compare, passing_difference
from plait.judge.difference.filter import Decision
from plait.judge.difference.outcome import Outcome, View
from plait.model.test import Test
from plait.subject.changes.change import Side
from plait.workers.failures import WorkerFailed
from plait.workers.pool import Answer, WorkerError

FIRST = 150  # executions per version at first; they are enough for most tests
EXECUTIONS = 1500
SECONDS = 4.0  # processor time for one exploration
LONGER = 6  # factor for the limits if only one version still has to be explored exhaustively
SAMPLED = 300
_PASSING = 400  # executions on both versions up to which the states at the end of calls are compared, too


@dataclass(slots=True)
class _Exploration:
    """A test to be explored on both versions, or on one of them if everything that the other shows is ``known``."""

    asked: tuple[Any, ...]  # the task with its arguments
    known: dict[Side, ExploredSide]
    pending: dict[Side, Future[Answer]] = field(default_factory=dict)

    @property
    def sides(self) -> list[Side]:
        """The versions on which it has to be explored."""
        both: tuple[Side, ...] = ("old", "new")
        return [side for side in both if side not in self.known]


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
            begun = self._planned(test, view, comparisons)
            begun.pending = self.sides.each(begun.sides, *begun.asked)
            running.append((test, view, decision, begun))
        for test, view, decision, begun in running:
            if over():
                break
            self.checks += 1
            before = (self.schedules + self.recalled, self.inconclusive, self.lost + self.diverged)
            found = self._conclude(test, view, begun, comparisons)
            if found is not None:
                if not is_wanted(found):
                    continue
                self.sides.drop()
                return found._replace(decision=decision)
            if comparisons is not None and self.lost + self.diverged == before[2]:
                inconclusive = self.inconclusive > before[1]
                repeated = decision is not None and decision.repeated
                schedules = self.schedules + self.recalled - before[0]
                comparisons.keep(test, view, Compared(False, repeated, inconclusive, schedules))
        for *_, begun in running:
            for future in begun.pending.values():
                future.cancel()
        return None

    def check(self, test: Test, view: View) -> Revealed | None:
        """Compare the outcomes of one test."""
        return self._conclude(test, view, self._planned(test, view, None), None)

    def _asked(
        self, test: Test, view: View, limit: int, *, sampled: int = 0, share: float = 1.0,
        allowed: frozenset[Outcome] | None = None,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the task that explores a test, with its arguments."""
        seconds = SECONDS * share if self.timed else 1e6
        return worker.outcomes, test, view, limit, sampled, seconds, allowed, self.gil, self.order, self.aim

    def _planned(
        self, test: Test, view: View, comparisons: Comparisons | None, limit: int = FIRST, share: float = 1.0
    ) -> _Exploration:
        known = {} if comparisons is None else comparisons.side(test, view)
        return _Exploration(self._asked(test, view, limit, share=share), known)

    def _explored(
        self, test: Test, view: View, begun: _Exploration, comparisons: Comparisons | None, *, passing: bool = False
    ) -> tuple[Explored, Explored]:
        """Return what both versions show, and keep what of it is complete.

        If one version is known to show the same as the other one, what that has shown stands for both. ``passing``
        means that only what callers can read is compared.
        """
        pending = begun.pending or self.sides.each(begun.sides, *begun.asked)
        found = {side: self._awaited(future) for side, future in pending.items()}
        explored = dict(found)
        for side, known in begun.known.items():
            ((other, shown),) = found.items()
            if not shown.exhausted and not shown.diverged:  # as large as what is known: that had an end
                limit = min(EXECUTIONS * LONGER, 2 * known.executions)
                shown = self._awaited(self.sides.on(other, *self._asked(test, view, limit, share=2.0)))
                found[other] = explored[other] = shown
            if known.is_like(shown, passing=passing):
                self.recalled += known.executions
                explored[side] = replace(shown, executions=known.executions)
            else:
                explored[side] = self._awaited(self.sides.on(side, *begun.asked))
        for side, one in found.items():
            _keep(test, view, side, one, comparisons)
        return explored["old"], explored["new"]

    def _awaited(self, future: Future[Answer]) -> Explored:
        explored, seconds = awaited(future, self.sides.until)
        self._count(explored, seconds)
        return explored  # type: ignore[no-any-return]

    def _conclude(
        self, test: Test, view: View, begun: _Exploration, comparisons: Comparisons | None
    ) -> Revealed | None:
        try:
            first = self._explored(test, view, begun, comparisons)
            self.calls.see(test, first[0].outcomes, first[1].outcomes)
            old, new = self._decided(test, view, *first)
            if old is not first[0]:
                _keep(test, view, "old", old, comparisons)
            if new is not first[1]:
                _keep(test, view, "new", new, comparisons)
            difference = compare(old, new)
            if difference:
                return Revealed(test, view, old, new, difference)
            self.diverged += old.diverged or new.diverged
            if not (old.exhausted and new.exhausted):
                self.inconclusive += 1
                return None
            return self._passing(test, view, comparisons) if old.executions + new.executions <= _PASSING else None
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
            old, new = self._explored(test, view, self._planned(test, view, None, EXECUTIONS), None)
        if compare(old, new) or old.exhausted == new.exhausted:
            return old, new
        if old.exhausted:
            return old, self._longer("new", test, view, frozenset(old.outcomes))
        return self._longer("old", test, view, frozenset(new.outcomes)), new

    def _longer(self, side: Side, test: Test, view: View, allowed: frozenset[Outcome]) -> Explored:
        asked = self._asked(test, view, EXECUTIONS * LONGER, sampled=SAMPLED, share=2.0, allowed=allowed)
        return self._awaited(self.sides.on(side, *asked))

    def _passing(self, test: Test, view: View, comparisons: Comparisons | None) -> Revealed | None:
        """Compare the states that callers can read while other calls run; results and final states are equal."""
        if not view.state:
            return None
        asked = replace(view, exits="after")
        planned = self._planned(test, asked, comparisons, EXECUTIONS, 0.5)
        old, new = self._explored(test, asked, planned, comparisons, passing=True)
        difference = passing_difference(old, new)
        return Revealed(test, asked, old, new, difference) if difference else None

    def _count(self, explored: Explored, seconds: float) -> None:
        self.schedules += explored.executions
        self.check_s += seconds


def _keep(test: Test, view: View, side: Side, explored: Explored, comparisons: Comparisons | None) -> None:
    shown = None if comparisons is None else ExploredSide.of(explored)
    if comparisons is not None and shown is not None:
        comparisons.keep_side(test, view, side, shown)
