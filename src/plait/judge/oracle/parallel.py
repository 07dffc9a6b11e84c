"""Decides whether threads that really run in parallel show a finding, by the specification of its test.

The orders of whole calls were run under control (`plait.judge.oracle.specification`). `Allowed` carries their results
to a process in which nothing is controlled. There the same orders run again. Whatever comes out in another form (a real
lock instead of a mirrored one, a random number) is left out of all comparisons, and whatever these runs show is allowed
as well.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from plait.judge.oracle.native import orders
from plait.judge.oracle.safety import INEXCUSABLE, INVARIANT, TWO_OBJECTS, Examination
from plait.judge.oracle.specification import MASKED, UNFINISHED, CallResult, Specification, holds, public_attributes
from plait.model.finding import SeenInParallel
from plait.model.foreign import Canonical
from plait.model.schedule import Schedule
from plait.model.test import Call, Test
from plait.observe.canonical import canonical, exception_name, identities
from plait.run.endings import OWN, RAISED
from plait.run.engine import DEADLOCK, FINISHED_RUN, HANG
from plait.run.native.parallel import ENDED, LOOPS, PATIENCE, WAITS, ParallelBed, Run, build, runs_in_parallel

TRIES, ENOUGH = 20_000, 20
"""How often a test is tried at most, and after how many sightings of the finding that is enough."""
SECONDS = 2.0  # of processor time for all tries of one finding
MOST_ORDERS, MOST_LEFT = 60, 24  # orders of whole calls; threads left behind, after which no more tries are made
ALONE, TOGETHER = 8, 32  # single tries in new threads first, then tries per set of threads
_STATUS = {ENDED: FINISHED_RUN, WAITS: DEADLOCK, LOOPS: HANG}


@dataclass(frozen=True, slots=True)
class ShownInParallel:
    """One execution, as far as it can be observed without control."""

    status: str
    results: tuple[CallResult, ...]
    identity: tuple[tuple[int, bool] | None, ...] = ()
    thread_errors: tuple[str, ...] = ()
    holds: bool = True
    answers: tuple[Canonical, ...] | None = None  # results of further calls; None if they were not made
    helped: bool = False  # threads of the class took part
    last: bool = True  # as in `Observed`: a deadlock is allowed only if this is true


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a finding shows and what its test may do: plain data for a process without control.

    ``calls`` are the positions of the calls that show the finding. ``undetermined`` are those whose results differ by
    themselves, ``unread`` those whose results are meant for people. ``mask`` numbers the further calls that tell
    nothing.
    """

    kind: str
    exception: str | None
    calls: tuple[int, ...]
    detail: str
    orders: tuple[ShownInParallel, ...]
    undetermined: frozenset[int]
    unread: frozenset[int]
    state: bool  # whether final states are compared
    mask: frozenset[int]
    probes: tuple[Call, ...]
    invariant: str | None
    waits: bool  # a call may wait, or threads of the class take part: then results alone prove nothing


def allowed(examination: Examination, schedule: Schedule, cause: tuple[Any, ...]) -> Allowed | None:
    """Return what a finding's test may do; None if the schedule does not show the finding."""
    violation, lost = examination.replay(schedule)
    if violation is None or lost is not None or violation.cause != cause:
        return None
    shown: list[ShownInParallel] = []
    undetermined: set[int] = set()
    unread: set[int] = set()
    mask: set[int] = set()
    state = True
    for at_any_moment in (False, True):  # real time-outs fire even while other threads can run
        found, probed, told_nothing = examination.orders(any_timeouts=at_any_moment)
        if not found.complete:
            return None
        undetermined |= found.undetermined
        unread |= found.unread
        mask |= told_nothing
        state = state and not found.state_undetermined
        shown += _orders(found, probed)
    waiting = examination.rules.waiting if examination.rules is not None else ()
    waits = violation.helped or any(call.method in waiting for call in examination.bed.test.calls)
    return Allowed(
        violation.kind, violation.exception, violation.calls, violation.detail, tuple(dict.fromkeys(shown)),
        frozenset(undetermined), frozenset(unread), state, frozenset(mask), tuple(examination.probes),
        examination.rules.invariant if examination.rules is not None else None,
        waits or any(each.status != FINISHED_RUN for each in shown),
    )  # fmt: skip


def _orders(found: Specification, probed: dict[tuple[Any, ...], set[tuple[Any, ...]]]) -> list[ShownInParallel]:
    shown = []
    for each in found.observed:
        plain = ShownInParallel(
            each.status, each.results, each.identity, each.thread_errors, each.holds, last=each.last
        )
        answers = probed.get(each.results)
        shown += [replace(plain, answers=given) for given in answers] if answers else [plain]
    return shown


class ParallelJudge:
    """Judges executions of one finding's test in this process."""

    def __init__(self, test: Test, wanted: Allowed) -> None:
        self.bed = ParallelBed(test)
        self.wanted = wanted
        self.left = 0  # threads left behind because they did not end
        self._orders = list(orders([len(suffix) for suffix in test.suffixes]))
        self._undetermined = set(wanted.undetermined)
        self._mask = set(wanted.mask)
        self._state = wanted.state and bool(wanted.probes or any(each.answers for each in wanted.orders))
        self._known = set(wanted.orders)
        self._under_control: Sequence[ShownInParallel] = wanted.orders

    def calibrate(self) -> str:
        """Run the orders of whole calls in this process; return why the test cannot be judged here, or ''."""
        if len(self._orders) > MOST_ORDERS:
            return "its test has too many orders of whole calls"
        for _ in range(2):  # random results differ the second time
            for seen in self._serially():
                self._compare(seen)
                self._known.add(seen)
            if self.left > MOST_LEFT:
                return "calls of its test wait for ever one after another"
        self._known = {self._masked(seen) for seen in self._known}
        return ""

    def still_as_before(self) -> bool:
        """Return whether the orders still give the same results; otherwise the code keeps state between executions."""
        return all(self._masked(seen) in self._known for seen in self._serially())

    def _serially(self) -> list[ShownInParallel]:
        seen = []
        left = self._orders
        while left and self.left <= MOST_LEFT:
            runs = self.bed.serial(left)
            seen += self.seen([run for run in runs if run.status == ENDED])
            if runs[-1].status != ENDED:  # it may continue once another call begins; the orders under control tell
                self.left += 1
            left = left[len(runs) :]
        return seen

    def _compare(self, seen: ShownInParallel) -> None:
        """Exclude from comparisons whatever no order showed under control: it has another form here."""
        theirs = self._under_control
        for position, result in enumerate(seen.results):
            plain = result if position not in self.wanted.unread or result[0] != "returned" else MASKED
            if all(plain != other.results[position] and other.results[position] != MASKED for other in theirs):
                self._undetermined.add(position)
        given = [other.answers for other in theirs if other.answers is not None]
        if seen.answers is None or not given or any(len(other) != len(seen.answers) for other in given):
            self._state = False
            return
        for number, answer in enumerate(seen.answers):
            if all(answer != other[number] for other in given):
                self._mask.add(number)

    def seen(self, runs: Sequence[Run]) -> list[ShownInParallel]:
        """Return what executions show, with the results of further calls after those that ended."""
        return [self._seen(run, answers) for run, answers in zip(runs, self._answers(runs), strict=True)]

    def _seen(self, run: Run, answers: tuple[Any, ...] | None) -> ShownInParallel:
        results: list[CallResult] = []
        values: list[Any] = []
        for suffix, made in zip(self.bed.test.suffixes, run.made, strict=True):
            done = list(made)
            results += [
                ("raised", exception_name(each.error)) if each.error is not None
                else ("returned", canonical(each.value, run.values)) for each in done
            ]  # fmt: skip
            values += [each.value for each in done]
            results += [UNFINISHED] * (len(suffix) - len(done))
            values += [None] * (len(suffix) - len(done))
        status = _STATUS.get(run.status, "")
        thread_errors = tuple(exception_name(error) for error in run.thread_errors)
        if status != FINISHED_RUN or run.helped:
            return ShownInParallel(status, tuple(results), thread_errors=thread_errors, helped=run.helped)
        held = [run.values[name] for name in self.bed.variables]
        kept = self.wanted.invariant is None or holds(self.wanted.invariant, self.bed.space, run.values)
        return ShownInParallel(status, tuple(results), identities(values, held), thread_errors, kept, answers)

    def _answers(self, runs: Sequence[Run]) -> list[tuple[Any, ...] | None]:
        """Make the further calls in a thread of their own, which is left behind if one of them does not end."""
        answers: list[tuple[Any, ...] | None] = []

        def ask() -> None:
            for run in runs:
                looks = self._state and run.status == ENDED and not run.helped
                answers.append(self._asked(run) if looks else None)

        if not self._state:
            return [None] * len(runs)
        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        given = -1
        while thread.is_alive() and len(answers) > given:
            given = len(answers)
            thread.join(4 * PATIENCE)
        if thread.is_alive():
            self.left += 1
        return [*answers, *[None] * len(runs)][: len(runs)]

    def _asked(self, run: Run) -> tuple[Any, ...]:
        answers: list[Any] = list(public_attributes(run.values, self.bed.variables))
        for call in self.wanted.probes:
            try:
                value = eval(call.expression, self.bed.space, dict(run.values))
                answers.append(("returned", canonical(value, run.values)))
            except SyntaxError:
                exec(call.expression, self.bed.space, dict(run.values))
                answers.append(("done",))
            except OWN:
                raise
            except RAISED as error:
                answers.append(("raised", exception_name(error)))
        return tuple(answers)

    def _masked(self, seen: ShownInParallel) -> ShownInParallel:
        results = tuple(
            MASKED
            if (position in self._undetermined and result != UNFINISHED)
            or (position in self.wanted.unread and result[0] == "returned")
            else result
            for position, result in enumerate(seen.results)
        )
        answers = None
        if self._state and seen.answers is not None:
            answers = tuple(None if number in self._mask else each for number, each in enumerate(seen.answers))
        identity = seen.identity if self.wanted.state and not self._undetermined else ()
        return replace(seen, results=results, answers=answers, identity=identity, helped=False)

    def shows(self, seen: ShownInParallel) -> bool:
        """Return whether an execution shows the finding, by the same rules as `plait.judge.oracle.safety`."""
        helped, seen = seen.helped, self._masked(seen)
        wanted, known = self.wanted, self._known
        if wanted.kind in (DEADLOCK, HANG):
            if seen.status != wanted.kind:
                return False
            if wanted.detail in INEXCUSABLE:  # no order excuses it
                return seen.results[wanted.calls[-1]] == UNFINISHED
            return not any(
                other.status == seen.status and other.last and other.results == seen.results for other in known
            )
        if seen.status not in (FINISHED_RUN, DEADLOCK):
            return False
        new = {
            result[1] for position, result in enumerate(seen.results)
            if result[0] == "raised" and all(other.results[position] != result for other in known)
        }  # fmt: skip
        if wanted.kind == "exception":
            if not wanted.calls:
                new = set(seen.thread_errors) - {name for other in known for name in other.thread_errors}
            return wanted.exception in new
        if wanted.kind != "wrong-result" or seen.status != FINISHED_RUN or new or helped:
            return False
        if wanted.detail == INVARIANT:
            return not seen.holds and all(other.holds for other in known)
        if wanted.waits:
            return False
        matching = [other for other in known if other.results == seen.results and other.status == FINISHED_RUN]
        if wanted.detail == TWO_OBJECTS:
            return bool(seen.identity) and bool(matching) and all(o.identity != seen.identity for o in matching)
        if not matching:
            return True
        theirs = {other.answers for other in matching if other.answers is not None}
        return seen.answers is not None and bool(theirs) and seen.answers not in theirs


def try_in_parallel(
    test: Test, wanted: Allowed, *, tries: int = TRIES, seconds: float = SECONDS, seed: int = 0
) -> SeenInParallel:
    """Run a finding's test on real threads until it has been seen often enough, or a limit is reached."""
    if not runs_in_parallel():
        return SeenInParallel(0, 0, build(), "the GIL is on in a process that has imported the code")
    if wanted.waits and wanted.kind == "wrong-result" and wanted.detail != INVARIANT:
        return SeenInParallel(0, 0, build(), "a call of its test may wait, and nobody knows when it did")
    judge = ParallelJudge(test, wanted)
    trouble = judge.calibrate()
    if trouble:
        return SeenInParallel(0, 0, build(), trouble)
    random = Random(seed)
    tried = seen = 0
    count = 1
    end = time.process_time() + seconds
    while tried < tries and seen < ENOUGH and judge.left <= MOST_LEFT and time.process_time() < end:
        runs = judge.bed.parallel(random, count)
        for run, shown in zip(runs, judge.seen(runs), strict=True):
            tried += 1
            if run.status != ENDED or run.helped:
                judge.left += 1
            if judge.shows(shown):
                seen += 1
                if run.status != ENDED:  # threads that wait for ever may hold what all further tries need
                    return SeenInParallel(tried, seen, build())
                if not judge.still_as_before():
                    return SeenInParallel(0, 0, build(), "the code keeps something from one execution to the next")
        if tried >= ALONE:
            count = 1 if judge.left else TOGETHER  # what threads of the class do must belong to one execution
    return SeenInParallel(tried, seen, build())
