"""ConDiff's main loop (Figure 3): generate, compare one after another, filter, check, until a difference is proven.

Tests are made on the new version in batches; while the old version observes one batch, the next is made. Results are
taken in the order of the tests, so what is found does not depend on which worker was faster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from plait.campaign import diff_tasks
from plait.campaign.diff_check import Checks, Revealed
from plait.campaign.diff_sides import Sides
from plait.campaign.diff_tasks import Batch, Generation
from plait.campaign.workers import Answer, WorkerError
from plait.generate.condiff import Round
from plait.judge.difference_filter import Decision, Filter
from plait.judge.difference_outcome import View
from plait.judge.difference_sequential import (
    SequentialDifference,
    agreeing_probes,
    different_call,
    one_sided,
    same,
    same_states,
    undetermined,
)
from plait.judge.difference_serial import Observation
from plait.model.test import Call, Test

BATCH = 80  # tests
BATCH_SECONDS = 0.8
EXAMPLES = 5  # sequential differences that are kept as examples
RESTARTS = 3  # generators that may be lost with their workers


@dataclass(slots=True)
class Counts:
    """The figures of Tables III and IV, and what else was counted; times are seconds of work, in all processes."""

    tests: int = 0  # #CT
    filtered: int = 0
    repeated: int = 0  # of the filtered ones: the same pair of traces came before
    sequential: int = 0
    generate_s: float = 0.0
    filter_s: float = 0.0


@dataclass(slots=True)
class Sequential:
    """A test on which the versions differ although its calls run one after another."""

    test: Test
    difference: SequentialDifference


@dataclass(slots=True)
class Search:
    """One campaign's search. ``over`` is asked between tests whether the budget is used up."""

    sides: Sides
    generation: Generation
    filter: Filter | None  # None is the paper's BASELINE
    view: View
    probes: tuple[Call, ...]
    checks: Checks
    over: Callable[[], bool]
    max_tests: int | None = None
    counts: Counts = field(default_factory=Counts)
    sequential: list[Sequential] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    recent: list[Test] = field(default_factory=list)
    exhausted: bool = False
    _avoid: set[str] = field(default_factory=set)
    _bad_prefixes: set[tuple[Call, ...]] = field(default_factory=set)
    _settled: bool = False  # states cannot be compared: probes stand for them

    def run(self) -> Revealed | None:
        """Search until a difference is proven, or nothing new comes, or the budget is used up."""
        for batch, observed in self._batches():
            started = time.perf_counter()
            kept = list(self._kept(batch, observed))
            self.counts.filter_s += time.perf_counter() - started
            found = self.checks.first_difference(kept, self.over)
            if found is not None:
                return found
            if self.over():
                return None
        return None

    # -- generation -----------------------------------------------------------------------------------------------

    def _batches(self) -> Iterator[tuple[Batch, tuple[tuple[Observation, ...], ...]]]:
        """Batches with what the old version did with their tests."""
        lost = 0
        state = self._begin(lost)
        ahead: Future[Answer] | None = self._generate(state)
        made = 0
        while ahead is not None and not self.over():
            try:
                state, batch = ahead.result().value
            except WorkerError as error:
                lost += 1
                self._lost(error)
                if lost > RESTARTS:
                    return
                ahead = self._generate(self._begin(lost))
                continue
            made += sum(len(each.tests) for each in batch.rounds)
            self.counts.generate_s += batch.generate_s
            self._count_observing(batch.observe_s)
            self.exhausted = batch.over
            enough = batch.over or (self.max_tests is not None and made >= self.max_tests)
            ahead = None if enough else self._generate(state)
            try:
                observed, seconds = self.sides.on(
                    "old", diff_tasks.observe, batch.rounds, self.view, self.filter is not None
                ).result().value  # fmt: skip
            except WorkerError as error:
                self._lost(error)
                continue
            self._count_observing(seconds)
            yield batch, observed

    def _begin(self, lost: int) -> bytes:
        generation = replace(self.generation, seed=self.generation.seed + 7919 * lost)
        state: bytes = self.sides.on("new", diff_tasks.begin, generation).result().value
        return state

    def _generate(self, state: bytes) -> Future[Answer]:
        return self.sides.on(
            "new", diff_tasks.generate, state, self.view, BATCH, BATCH_SECONDS, frozenset(self._avoid),
            self.filter is not None,
        )  # fmt: skip

    def _count_observing(self, seconds: float) -> None:
        if self.filter is not None:
            self.counts.filter_s += seconds
        else:
            self.counts.generate_s += seconds

    def _lost(self, error: WorkerError) -> None:
        where = f" at {error.where}" if error.where else ""
        lines = (error.note or {}).get("suffixes", ())
        doing = f" while running {' | '.join('; '.join(calls) for calls in lines)}" if lines else ""
        self.notes.append(f"a worker was lost: {error.reason}{where}{doing}")

    # -- sequential check and filter ------------------------------------------------------------------------------

    def _kept(
        self, batch: Batch, observed: tuple[tuple[Observation, ...], ...]
    ) -> Iterator[tuple[Test, View, Decision | None]]:
        """The tests of a batch that go on to behavioural checking (lines 6-7, 12-17)."""
        for each, before, after in zip(batch.rounds, observed, batch.observed, strict=True):
            yield from self._kept_of_round(each, before, after)

    def _kept_of_round(
        self, each: Round, before: tuple[Observation, ...], after: tuple[Observation, ...]
    ) -> Iterator[tuple[Test, View, Decision | None]]:
        for test, old, new in zip(each.tests, before, after, strict=True):
            if self.max_tests is not None and self.counts.tests >= self.max_tests:
                return
            if test.prefix in self._bad_prefixes:
                continue
            view = self.view if same(old, new) else self._settle(test, old, new)
            if view is None:
                self.counts.sequential += 1
                continue
            self.counts.tests += 1
            self._remember(test)
            decision = self.filter.decide(old, new) if self.filter is not None else None
            if decision is None or decision.keep:
                yield test, view, decision
            else:
                self.counts.filtered += 1
                self.counts.repeated += decision.repeated

    def _remember(self, test: Test) -> None:
        self.recent.append(test)
        if len(self.recent) > 40:
            self.recent.pop(0)

    def _settle(self, test: Test, old: Observation, new: Observation) -> View | None:
        """The versions seem to differ sequentially. The view in which they do not, or None if they really do."""
        if old.beginning.results != new.beginning.results:
            self._report(test, old, new, frozenset())
            return None
        view = self.view
        while True:
            try:
                (first, again), (second, once_more) = self.sides.both(diff_tasks.repeat, test, view).values()
            except WorkerError as error:
                self._lost(error)
                return None
            masked = undetermined(first, again) | undetermined(second, once_more)
            if different_call(test, first, second, masked) is not None:
                self._report(test, first, second, masked)
                return None
            if not view.state or same_states(first, second):
                self.view = view
                return replace(view, masked=masked)
            ignored = view.ignored | one_sided(first, second)
            if ignored == view.ignored:
                return self._probe(test, replace(view, masked=masked))
            view = replace(view, ignored=ignored)

    def _probe(self, test: Test, view: View) -> View | None:
        """The versions keep their state in different forms: from now on, what further calls answer stands for it."""
        asked = replace(view, state=False, probes=self.probes)
        try:
            (first, _), (second, _) = self.sides.both(diff_tasks.repeat, test, asked).values()
        except WorkerError as error:
            self._lost(error)
            return None
        theirs = dict(second.orders)
        asked = agreeing_probes(asked, [(each, theirs[order]) for order, each in first.orders if order in theirs])
        if not self._settled:
            self._settled = True
            how = "what further calls answer" if asked.probes else "results alone"
            self.notes.append(f"the versions represent their state differently; it is compared by {how}")
        self.probes = asked.probes
        self.view = replace(asked, masked=frozenset())
        return asked

    def _report(self, test: Test, old: Observation, new: Observation, masked: frozenset[int]) -> None:
        found = different_call(test, old, new, masked)
        if found is None:
            return
        if found.in_prefix:
            self._bad_prefixes.add(test.prefix)
            self._avoid.add(found.method)
        known = {(each.difference.method, each.difference.old[:2], each.difference.new[:2]) for each in self.sequential}
        if (found.method, found.old[:2], found.new[:2]) not in known and len(self.sequential) < EXAMPLES:
            self.sequential.append(Sequential(test, found))
