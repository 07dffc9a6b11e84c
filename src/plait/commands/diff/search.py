"""ConDiff's main loop (Figure 3): generate tests, compare them sequentially, filter, check, until one differs.

The search ends with behaviour that only the new version has, because that is what users look for. Behaviour that only
the old version had is remembered, and the search continues.

Tests are generated on the new version in batches. While one batch is observed on the old version, the next one is
generated. Results are used in the order of the tests, so findings do not depend on which worker was faster.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random

from plait.commands.diff import worker
from plait.commands.diff.apart import Apart, Broken
from plait.commands.diff.checks import Checks, Revealed
from plait.commands.diff.replay_stages import StageReplay, joined
from plait.commands.diff.sides import LateError, Sides, awaited
from plait.commands.diff.stages import Compared, Comparisons, Ready, Row
from plait.commands.diff.worker import Generation, Solo
from plait.errors import own_error
from plait.generate.condiff import Pair, Stage
from plait.generate.seen import Seen
from plait.judge.difference.filter import Decision, Filter
from plait.judge.difference.outcome import View
from plait.judge.difference.sequential import (
    SequentialDifference,
    agreeing_probes,
    alike_alone,
    alike_but_for_objects,
    different_attribute,
    different_call,
    one_sided,
    same,
    same_states,
    undetermined,
)
from plait.judge.difference.serial import Observation
from plait.model.test import Call, Test
from plait.workers.failures import WorkerFailed
from plait.workers.pool import Answer, WorkerError

_PORTION = 12  # tests in the first batch that is filtered
_MOST_AT_ONCE = 100
FEW = 30  # tests without a promising access that are filtered by their traces, per stage
_CLOSER = 6  # comparisons of a test that seems to differ sequentially, each ignoring what was found to be irrelevant
EXAMPLES = 5  # sequential differences kept as examples
_HOPELESS = 4  # calls of a method that make prefixes differ, after which prefixes do not call it any more
_RESTARTS = 3  # generators that may be lost with their worker
LONGER = 4  # pairs of calls per stage that are extended by a third call
APART = 6  # tests per stage that are judged on each version by itself
_FIRST_SHARE = 0.5  # part of the budget in which only tests whose traces differ are checked,
# And the same if no such test has come: then the change may be in a branch that needs an interleaving.
_QUIET_SHARE = 0.1
_LATER_SHARE = 0.3  # part of the time for tests whose traces do not differ
_FRUITLESS = 25  # consecutive prefixes without a new test, after which the search is exhausted


@dataclass(slots=True)
class Counts:
    """The figures of Tables III and IV, and others. Times are seconds of work in all processes."""

    tests: int = 0  # #CT
    filtered: int = 0
    repeated: int = 0  # tests with a pair of traces seen before
    unchecked: int = 0  # tests that the filter keeps, but that were not checked for lack of time
    sequential: int = 0
    known: int = 0  # tests compared by an earlier run
    generate_s: float = 0.0
    filter_s: float = 0.0


@dataclass(slots=True)
class Sequential:
    """A test on which the versions differ although its calls run one after another."""

    test: Test
    difference: SequentialDifference


@dataclass(slots=True)
class DiffSearch:
    """The search of one campaign. ``over`` is called between tests; it returns whether the budget is used up."""

    sides: Sides
    generation: Generation
    pairs: tuple[Pair, ...]
    filter: Filter | None  # None is the paper's BASELINE
    view: View
    probes: tuple[Call, ...]
    checks: Checks
    apart: Apart
    over: Callable[[], bool]
    threads: int = 2
    max_tests: int | None = None
    known: tuple[Test, ...] = ()  # tests to check before any is generated
    comparisons: Comparisons | None = None  # the comparisons of earlier runs
    budget: float = 0.0  # seconds; not used by a search limited by ``max_tests``
    counts: Counts = field(default_factory=Counts)
    sequential: list[Sequential] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)  # notes on lost workers
    left_out: dict[str, None] = field(default_factory=dict)  # notes on methods that are not called any more
    recent: list[Test] = field(default_factory=list)
    exhausted: bool = False
    vanished: Revealed | Broken | None = None  # the first difference without new behaviour
    revealing: set[Test] = field(default_factory=set)  # tests that have shown a difference of either kind
    found_at: float | None = None  # the time of the first of them
    avoid: set[str] = field(default_factory=set)  # source of calls, and names of methods
    _bad: dict[str, int] = field(default_factory=dict)
    _seen: Seen = field(default_factory=Seen)
    _fruitless: int = 0
    _settled: bool = False  # states cannot be compared, so the answers of probes are compared instead
    _interleaving: set[Test] = field(default_factory=set)  # tests that the filter has kept since the last stage
    # Tests that the filter has kept but that rarely differ.
    _waiting: deque[tuple[Test, Decision]] = field(default_factory=deque)
    _waited_s: float = 0.0  # seconds spent on these tests
    _promised: bool = False  # a test whose traces differ has come
    _started: float = field(default_factory=time.monotonic)

    def run(self) -> Revealed | Broken | None:
        """Search until new behaviour is proven, there are no new tests, or the budget is used up."""
        with suppress(LateError):
            for test in self.known:
                found = self._check([(test, self.view, None)]) or self._judged_apart([test])
                if found is not None:
                    return found
            for ready in self._stages():
                before = self.counts.tests
                found = self._behind(ready) or self._catch_up(self._has_share)
                if found is not None:
                    return found
                self._fruitless = 0 if self.counts.tests > before else self._fruitless + 1
                self.exhausted = self._fruitless >= _FRUITLESS
                if self.exhausted or self._enough() or self.over():
                    break
            return self._catch_up(lambda: True)
        return None

    def _has_share(self) -> bool:
        """Return whether it is time to check tests that can wait.

        They get no time at first, later a share of the budget, and all time that is left when there are no new tests.
        If nothing else is checked, only these tests can show the effect of the change, so the first period is short.
        """
        if self.max_tests is not None:
            return False
        passed = time.monotonic() - self._started
        begins = (_FIRST_SHARE if self._promised else _QUIET_SHARE) * self.budget
        return passed > begins and self._waited_s < _LATER_SHARE * passed

    def _catch_up(self, may_go_on: Callable[[], bool]) -> Revealed | Broken | None:
        """Check tests that could wait."""
        found: Revealed | Broken | None = None
        self._leave("")
        while found is None and self._waiting and not self.over() and may_go_on():
            begun = time.monotonic()
            tests = [self._waiting.popleft() for _ in range(min(_PORTION, len(self._waiting)))]
            found = self._check([(test, self.view, decision) for test, decision in tests])
            self._save()
            self._waited_s += time.monotonic() - begun
        self.counts.unchecked = len(self._waiting)
        return found

    def _enough(self) -> bool:
        return self.max_tests is not None and self.counts.tests >= self.max_tests

    # -- stages: a prefix and its suffixes (lines 5-7 and 10-14) ----------------------------------------------------

    def _stages(self) -> Iterator[Ready]:
        """Yield stages whose prefix and suffixes do the same on both versions; the next is made while one is used."""
        lost = 0
        state, position = self._begin(lost)
        yield from (replay := StageReplay(self, position)).known()
        try:
            for _ in range(replay.passed):  # the generator has not made the stages of the recording
                state = awaited(self._next(state, frozenset()), self.sides.until)[0]
        except WorkerError as error:
            lost += 1
            self.lose(error)
            replay.leave()
            state, _position = self._begin(lost)
        ahead: Future[Answer] = self._next(state)
        while not self.over():
            try:
                state, stage, asked, left_out, seconds = awaited(ahead, self.sides.until)
                self.left_out.update(dict.fromkeys(left_out))
                pending = self.sides.both(worker.observe_alone, stage, self.view)
                leaving = replay.state_left(stage)
                ahead = self._next(state)
                (old, old_s), (new, new_s) = pending.values()
                left = "" if leaving is None else joined(leaving)
            except WorkerError as error:
                lost += 1
                self.lose(error)
                if lost > _RESTARTS:
                    return
                replay.leave()
                ahead = self._next(self._begin(lost)[0])
                continue
            self.counts.generate_s += seconds + old_s + new_s
            ready = self._compared(stage, old, new, left)
            replay.keep(ready, asked)
            yield ready

    def _begin(self, lost: int) -> tuple[bytes, str]:
        generation = replace(self.generation, seed=self.generation.seed + 7919 * lost)
        begun: tuple[bytes, str] = awaited(self.sides.on("new", worker.begin_generation, generation), self.sides.until)
        return begun

    def _next(self, state: bytes, avoid: frozenset[str] | None = None) -> Future[Answer]:
        return self.sides.on("new", worker.next_stage, state, frozenset(self.avoid) if avoid is None else avoid)

    def _compared(self, stage: Stage, before: tuple[Solo, ...], after: tuple[Solo, ...], left: str) -> Ready:
        usable: set[int] = set()
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            old, new = one.observation, other.observation
            self.checks.calls.see(stage.test((number,)), old.outcomes, new.outcomes)
            if not same(old, new) and not self._settle(stage.test((number,)), old, new):
                self.counts.sequential += 1
                if old.beginning.results != new.beginning.results:
                    break  # the prefix itself differs, and so does every suffix
            elif not old.beginning.failed:
                usable.add(number)
        both = enumerate(zip(before, after, strict=True))
        return Ready(stage, [self.row(*each, usable=number in usable) for number, each in both], left)

    def row(self, old: Solo, new: Solo, *, usable: bool) -> Row:
        """Return what a suffix touches on each version."""
        impacts = None if self.filter is None else self.filter.impacts(old.touched, new.touched)
        runnable = not old.observation.beginning.failed and not new.observation.beginning.failed
        return Row(usable, runnable, (old.touched.footprint, new.touched.footprint), impacts)

    def lose(self, error: WorkerError, stage: str = "generating", test: Test | None = None) -> None:
        """Add a note on a lost worker, or on an internal error in a worker."""
        if isinstance(error, WorkerFailed):
            self.notes.append(own_error(stage, error, test, kept="the search went on without it"))
            return
        where = f" at {error.where}" if error.where else ""
        lines = (error.note or {}).get("suffixes", ())
        doing = f" while running {' | '.join('; '.join(calls) for calls in lines)}" if lines else ""
        self.losses.append(f"a worker was lost: {error.reason}{where}{doing}")

    # -- tests: pairs of suffixes (lines 8-9 and 15-24) -------------------------------------------------------------

    def _behind(self, ready: Ready) -> Revealed | Broken | None:
        """Filter and check all tests of a stage, batch by batch."""
        found: Revealed | Broken | None = None
        for portion in self._portions(ready):
            found = self._check(self._filtered(portion))
            self._save()
            if found is not None or self.over() or self._enough():
                break
        if found is None and not self.over() and not self._enough():
            found = self._check(self._filtered([each for test in self._longer(ready) for each in self._counted(test)]))
        self._save()
        quiet = ready.quiet if self.max_tests is None else min(ready.quiet, max(0, self.max_tests - self.counts.tests))
        self.counts.tests += quiet
        self.counts.filtered += quiet
        return found or self._judged_apart(self._differing(ready))

    def _portions(self, ready: Ready) -> Iterator[list[tuple[Test, View]]]:
        """Yield the tests of a stage in batches of growing size: the first are checked soon, the others efficiently.

        Tests in which calls are made to wait come first; they have their own prefixes.
        """
        self._leave("")
        if waiting := [each for test in ready.stage.whole for each in self._counted(test)]:
            yield waiting
        self._save()
        self._leave(ready.left)
        tests = self._tests(ready)
        size = _PORTION
        while portion := list(itertools.islice(tests, size)):
            yield portion
            size = min(2 * size, _MOST_AT_ONCE)

    def _leave(self, left: str) -> None:
        """Set the state that the prefix of the next tests leaves."""
        if self.comparisons is not None:
            self.comparisons.left = left

    def _save(self) -> None:
        if self.comparisons is not None:
            self.comparisons.save()

    def _differing(self, ready: Ready) -> Iterator[Test]:
        """Yield promising tests of a stage whose calls, or whose prefix, differ sequentially between the versions."""
        if ready.usable == ready.runnable:
            return
        random = Random(f"{self.generation.seed} {ready.stage.number} apart")
        left = APART
        for chosen in ready.stage.combinations(self.pairs, random, threads=self.threads):
            if not left or self._enough():
                return
            differs = ready.runnable.issuperset(chosen) and not ready.usable.issuperset(chosen)
            if differs and all(ready.meet(chosen)):
                for test, _view in self._made(ready, chosen):
                    left -= 1
                    yield test

    def _tests(self, ready: Ready) -> Iterator[tuple[Test, View]]:
        """Yield the tests of a stage that are to be filtered by their traces; without a filter, all tests.

        Tests whose calls cannot influence each other are discarded here, as ``quiet``. Promising tests come first. The
        others rarely pass the filter, so each stage contributes only some of them.
        """
        random = Random(f"{self.generation.seed} {ready.stage.number}")
        promising: list[tuple[int, ...]] = []
        others: list[tuple[int, ...]] = []
        for chosen in ready.stage.combinations(self.pairs, random, threads=self.threads):
            if not ready.usable.issuperset(chosen):
                continue
            if self.filter is None:
                yield from self._made(ready, chosen)
                continue
            promises, interferes = ready.meet(chosen)
            if promises:
                promising.append(chosen)
            elif interferes:
                others.append(chosen)
            else:
                ready.quiet += 1
        for chosen in (*promising, *others[: max(FEW, len(promising))]):
            yield from self._made(ready, chosen)

    def _longer(self, ready: Ready) -> Iterator[Test]:
        """Yield tests with a third call, before or after one of two calls that conflict.

        What one call sees of another may be correct by itself, and wrong only together with what the same thread did
        just before or sees next. Pairs come first that interleave in ways which are not equivalent to orders of whole
        calls.
        """
        if self.filter is None:
            return
        forbidden = {frozenset(each) for each in self.generation.hints.not_parallel}
        names = [each.call.method for each in ready.stage.suffixes]
        random = Random(f"{self.generation.seed} {ready.stage.number} longer")
        every = sorted(set(map(tuple, map(sorted, ready.stage.combinations(self.pairs, random)))))
        meeting = [each for each in every if len(each) == 2 and ready.usable.issuperset(each) and ready.meet(each)[1]]
        random.shuffle(meeting)
        meeting.sort(key=lambda each: (ready.stage.test(each) not in self._interleaving, not ready.meet(each)[0]))
        self._interleaving.clear()
        for chosen in meeting[:LONGER]:
            alone, one = random.sample(chosen, 2)
            others = [
                each for each in sorted(ready.usable)
                if ready.meet((alone, each))[1] and frozenset((names[alone], names[each])) not in forbidden
            ]  # fmt: skip
            if others:
                method = random.choice(sorted({names[each] for each in others}))
                other = random.choice([each for each in others if names[each] == method])
                yield ready.stage.longer([(alone,), (one, other)])
                yield ready.stage.longer([(alone,), (other, one)])

    def _made(self, ready: Ready, chosen: tuple[int, ...]) -> Iterator[tuple[Test, View]]:
        yield from self._counted(ready.stage.test(chosen))

    def _counted(self, test: Test) -> Iterator[tuple[Test, View]]:
        """Yield the test and its view, if the test is new and was not compared by an earlier run."""
        if self._enough() or not self._seen.is_new(test):
            return
        self.counts.tests += 1
        self._remember(test)
        if not self._is_known(test):
            yield test, self.view

    def _is_known(self, test: Test) -> bool:
        """Return whether an earlier run has compared the test; if so, count it as if this run had."""
        known = None if self.comparisons is None else self.comparisons.find(test, self.view)
        if known is not None:
            self.counts.known += 1
            self.counts.filtered += known.filtered
            self.counts.repeated += known.repeated
            self.checks.recall(known)
            if not known.filtered:  # the filter kept it, so that longer tests are made from it as in the earlier run
                self._interleaving.add(test)
        return known is not None

    def _filtered(self, portion: list[tuple[Test, View]]) -> list[tuple[Test, View, Decision | None]]:
        """Return the tests to check; those that can wait are kept for later."""
        if self.filter is None:
            return [(test, view, None) for test, view in portion]
        kept: list[tuple[Test, View, Decision | None]] = []
        try:
            (old, old_s), (new, new_s) = self.sides.both(
                worker.observe_tests, tuple(test for test, _view in portion), self.view
            ).values()
        except WorkerError as error:
            # One test is to blame: filter the others without it.
            if isinstance(error, WorkerFailed) and len(portion) > 1:
                middle = len(portion) // 2
                return [*self._filtered(portion[:middle]), *self._filtered(portion[middle:])]
            self.lose(error, "tracing", portion[0][0])
            return []
        for (test, view), before, after in zip(portion, old, new, strict=True):
            decision = self.filter.decide(before, after)
            self.counts.repeated += decision.repeated
            if decision.keep:
                self._interleaving.add(test)
                if decision.can_wait:
                    self._waiting.append((test, decision))
                    if self.comparisons is not None:
                        self.comparisons.wait(test)
                else:
                    kept.append((test, view, decision))
            else:
                self.counts.filtered += 1
                self.checks.calls.see(test, before.outcomes, after.outcomes)
                if self.comparisons is not None and view == self.view:
                    self.comparisons.keep(test, view, Compared(filtered=True))
        self.counts.filter_s += old_s + new_s
        self._promised = self._promised or bool(kept)
        return kept

    def _check(self, kept: list[tuple[Test, View, Decision | None]]) -> Revealed | Broken | None:
        """Check tests; a difference that orders of whole calls show as well is a sequential one, and does not count."""
        while kept:
            revealed = self.checks.first_difference(kept, self.over, self.comparisons, self._is_wanted)
            if revealed is None:
                return None
            if not self._sequentially_alike(revealed):
                broken = self._judged_apart([revealed.test])
                if broken is not None:
                    return broken
            elif self._is_new(revealed):
                return revealed
            position = next(index for index, each in enumerate(kept) if each[0] == revealed.test)
            objects = self.view.objects
            kept = [(test, replace(view, objects=objects), why) for test, view, why in kept[position + 1 :]]
        return None

    def _is_wanted(self, revealed: Revealed) -> bool:
        """Return whether a difference is new behaviour, or the first difference of the other kind."""
        self.revealing.add(revealed.test)
        return bool(revealed.difference.only_new) or self.vanished is None

    def _is_new(self, found: Revealed | Broken) -> bool:
        """Return whether only the new version shows the behaviour; remember the first that only the old one shows."""
        if self.found_at is None:
            self.found_at = time.monotonic()
        self.revealing.add(found.test)
        new = found.side == "new" if isinstance(found, Broken) else bool(found.difference.only_new)
        if not new and self.vanished is None:
            self.vanished = found
        return new

    def _judged_apart(self, tests: Iterable[Test]) -> Broken | None:
        """Return the first of the tests that is broken on the new version only."""
        left = iter(tests)
        while (found := self.apart.first(left, self.over)) is not None:
            if self._is_new(found):
                return found
        return None

    def _sequentially_alike(self, revealed: Revealed) -> bool:
        try:
            (old, _), (new, _) = self.sides.both(worker.observe_twice, revealed.test, revealed.view).values()
        except WorkerError as error:
            self.lose(error, "repeating", revealed.test)
            # The versions agreed when the test was made, so the difference is kept.
            return isinstance(error, WorkerFailed)
        if alike_alone(old, new):
            return True
        self.counts.sequential += 1
        # One version keeps an object that the other makes each time: no race is needed for that.
        if alike_but_for_objects(old, new):
            self.view = replace(self.view, objects=False)
        self._report(revealed.test, old, new)
        return False

    def _remember(self, test: Test) -> None:
        self.recent.append(test)
        if len(self.recent) > 40:
            self.recent.pop(0)

    # -- sequential differences -------------------------------------------------------------------------------------

    def _settle(self, test: Test, old: Observation, new: Observation) -> bool:
        """Examine versions that seem to differ sequentially. Return False if they do; this may replace the view."""
        view = replace(self.view, ignored=self.view.ignored | one_sided(old, new))
        for _ in range(_CLOSER):
            try:
                (first, again), (second, once_more) = self.sides.both(worker.observe_twice, test, view).values()
            except WorkerError as error:
                self.lose(error)
                return False
            masked = view.masked | undetermined(test, first, again) | undetermined(test, second, once_more)
            asked = replace(view, ignored=view.ignored | one_sided(first, second), masked=masked)
            if asked != view:
                view = asked
                continue
            if different_call(test, first, second) is not None:
                self._report(test, first, second)
                return False
            self.view = view
            if not view.state or same_states(first, second):
                return True
            self._keep(test, different_attribute(test, first, second))
            return self._probe(test)
        return False

    def _probe(self, test: Test) -> bool:
        """Compare answers of further calls from now on, because the versions represent their state differently."""
        asked = replace(self.view, state=False, probes=self.probes)
        try:
            (first, _), (second, _) = self.sides.both(worker.observe_twice, test, asked).values()
        except WorkerError as error:
            self.lose(error)
            return False
        theirs = dict(second.orders)
        asked = agreeing_probes(asked, [(each, theirs[order]) for order, each in first.orders if order in theirs])
        if not self._settled:
            self._settled = True
            how = "what further calls answer" if asked.probes else "results alone"
            self.notes.append(f"the versions represent their state differently; it is compared by {how}")
        self.probes = asked.probes
        self.view = asked
        return True

    def _report(self, test: Test, old: Observation, new: Observation) -> None:
        found = different_call(test, old, new)
        if found is None:
            return
        if found.in_prefix:
            self.avoid.add(found.call)
            self._bad[found.method] = self._bad.get(found.method, 0) + 1
            if self._bad[found.method] >= _HOPELESS:
                self.avoid.add(found.method)
        self._keep(test, found)

    def _keep(self, test: Test, found: SequentialDifference | None) -> None:
        """Keep an example of a sequential difference, unless there is a similar one."""
        if found is None:
            return
        known = {(each.difference.method, each.difference.old[:2], each.difference.new[:2]) for each in self.sequential}
        if (found.method, found.old[:2], found.new[:2]) not in known and len(self.sequential) < EXAMPLES:
            self.sequential.append(Sequential(test, found))
