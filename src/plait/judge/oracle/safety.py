"""The thread-safety verdict on one execution: whether whole calls in some order could have done the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from plait.errors import STOPPED
from plait.explore.runner import execute, model
from plait.explore.scripted import Scripted
from plait.explore.serial import Serial
from plait.judge.oracle.half_done import NO_LOOKS, Looks, extend_by_looks, looks_of, read_two_changes
from plait.judge.oracle.probes import filled
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.specification import (
    ENDLESS,
    PROBE_S,
    UNFINISHED,
    CallResult,
    Observed,
    Specification,
    explains,
    extend,
    extend_by_time,
    observe,
    positions,
    probe,
    specify,
    whole_calls,
)
from plait.judge.words import plain, shown_result
from plait.model.finding import HOLDS_ITSELF
from plait.model.foreign import Canonical, exception_text, is_a
from plait.model.schedule import Schedule
from plait.model.site import Site
from plait.model.test import Call, Test
from plait.run.engine import DEADLOCK, ENGINE, FINISHED_RUN, HANG
from plait.run.operations import ACQUIRE, HAND_OVER, RELEASE, TAKE, TRY, WRITE
from plait.run.testbed import Done, Testbed
from plait.run.vthread import VThread

ITSELF = HOLDS_ITSELF
KEPT = "a call has raised and kept what another one waits for"
CYCLE = "the call waits for a thread of the class that waits for a lock which the call holds"
LOCKED_OUT = "the call waits for another one, and holds the lock that this one needs"
INEXCUSABLE = frozenset({ITSELF, KEPT, CYCLE, LOCKED_OUT})  # wrong in an order of whole calls, too
NEVER_STUCK = "no order of whole calls ends in a deadlock"
STUCK = "started behind the calls that have ended, these would not wait for ever"
NO_ORDER = "no order of whole calls gives these results"
_SUSPECT = "state"
_TORN = "torn"
INVARIANT = "the invariant does not hold afterwards"
TWO_OBJECTS = "the calls return different objects where in every order of whole calls it is one, or the reverse"


@dataclass(frozen=True, slots=True)
class Violation:
    """Why no order of whole calls explains an execution."""

    # exception, deadlock, hang, wrong-result; or `_SUSPECT` and `_TORN`, which `Examination.confirm` resolves
    kind: str
    exception: str | None
    calls: tuple[int, ...]  # positions of the calls that show it
    seen: Observed
    detail: str
    # What shows the final state: expression, result, results in orders of whole calls.
    probe: tuple[str, CallResult, tuple[CallResult, ...]] | None = None
    answers: tuple[Canonical, ...] = ()  # of further calls, if the final state is suspect
    helped: bool = False  # threads of the class took part
    looks: Looks = NO_LOOKS  # calls that wrote nothing while others waited
    instants: tuple[float, ...] = ()  # values that the clock showed after time had passed, if any thread read it

    @property
    def is_probed(self) -> bool:
        """True if calls made after the test show it."""
        return self.probe is not None or self.detail == INVARIANT

    @property
    def cause(self) -> tuple[Any, ...]:
        """A key that is equal for violations that look the same; racing places are compared in addition."""
        return (self.kind, self.exception)


@dataclass(slots=True)
class _KnownOrders:
    """What is known about a test under one rule for time-outs."""

    specification: Specification
    probed: dict[tuple[Any, ...], set[tuple[Any, ...]]] | None = None
    probe_mask: set[int] = field(default_factory=set)
    # By final state: the answers, if a further call did not end.
    endless: dict[Any, tuple[Any, ...]] = field(default_factory=dict)
    probe_timed_out: bool = False  # a further call after an order did not end although it had its full time
    right: set[tuple[Any, ...]] = field(default_factory=set)  # keys of executions that fit
    extended: bool = False  # by orders in which threads of the class run in the middle of calls
    instants: set[tuple[float, ...]] = field(default_factory=set)  # and by time that passes up to these instants
    # Looks with which orders have been run, and whether these were all such orders.
    looked: dict[Looks, bool] = field(default_factory=dict)
    timeless: bool = False  # time can pass in more ways than were tried: an execution that fits no order proves nothing


class Examination:
    """One test with its specification, and the judgement of its executions."""

    def __init__(
        self, test: Test, sites: dict[int, Site], probes: Sequence[Call] = (), rules: Rules | None = None
    ) -> None:
        self.bed = Testbed(test, sites)
        self.sites = sites
        self.probes = filled(probes, test)
        self.rules = rules
        self._by_rule: dict[bool, _KnownOrders] = {}  # by whether time-outs may fire at any moment

    @property
    def specification(self) -> Specification:
        """All serial executions, run when first needed. Time-outs fire in them when they may in executions."""
        known = self._by_rule.get(ENGINE.any_timeouts)
        if known is None:
            with model(gil=False):
                known = self._by_rule[ENGINE.any_timeouts] = _KnownOrders(specify(self.bed, self.rules))
        return known.specification

    @property
    def undetermined(self) -> set[int]:
        """Return the calls whose results differ by themselves; empty if no orders had to be run."""
        known = self._by_rule.get(ENGINE.any_timeouts)
        return set() if known is None else known.specification.undetermined

    @property
    def _known(self) -> _KnownOrders:
        """What is known under the current rule; the specification must have been run before the execution to judge."""
        return self._by_rule[ENGINE.any_timeouts]

    def orders(
        self, *, any_timeouts: bool
    ) -> tuple[Specification, dict[tuple[Any, ...], set[tuple[Any, ...]]], set[int]]:
        """Return the specification, the answers of further calls by its results, and which of these tell nothing."""
        with model(any_timeouts=any_timeouts):
            found, known = self.specification, self._known
            if known.probed is None:
                known.probed = self._probe_orders(known)
            return found, known.probed, known.probe_mask

    @property
    def has_probed(self) -> bool:
        """True if further calls were needed to distinguish final states."""
        return any(known.probed is not None for known in self._by_rule.values())

    def judge(self) -> Violation | None:
        """Return the verdict on the execution that has just ended. Call this from the engine's ``finish``."""
        if ENGINE.status not in (FINISHED_RUN, DEADLOCK, HANG):
            return None
        # Most executions of a test look like one that was judged before, so everything that a verdict depends on is
        # compared first.
        known = self._known
        seen = known.specification.mask(observe(self.bed, self.rules))
        key = _key_of(seen)
        if key in known.right:
            return None
        found = self._judge(seen, known.specification)
        if found is None:
            known.right.add(key)
        else:
            read = any(thread.clock_reads for thread in ENGINE.threads)
            instants = tuple(sorted(set(ENGINE.time.instants))) if read else ()
            found = replace(found, helped=bool(ENGINE.class_threads()), instants=instants)
        return found

    def _judge(self, seen: Observed, specification: Specification) -> Violation | None:
        # The order of these checks matters. First comes what is certain without any order of calls (locks), then what
        # names its cause (exceptions), then results, then the final state. Users see the first answer, and each check
        # relies on the ones before it. An incomplete specification never proves a violation.
        if not specification.complete or self._was_stopped(specification):
            return None
        if seen.status in (DEADLOCK, HANG) and (found := self._judge_locks(seen, specification)) is not None:
            return found
        if seen.status == HANG:
            if HANG in specification.statuses():  # it polls for ever in some order as well
                return None
            return Violation(HANG, None, _unfinished(seen), seen, "no order of whole calls ends in a hang")
        if (found := self._judge_exceptions(seen, specification)) is not None:
            return found
        if not seen.holds and all(other.holds for other in specification.observed):
            return Violation("wrong-result", None, (), seen, INVARIANT)
        # An order counts only if it agrees with the execution: a call that ended before another one began comes first
        # there as well (linearisability, not mere serialisability).
        matching, looks = specification.matching(seen), NO_LOOKS
        if not matching and (looks := looks_of(self.bed, seen, self.rules)).calls:
            matching = specification.matching(seen, without=looks.calls)
            if any(other.state == seen.state for other in matching) and self._may_be_torn(seen, looks):
                return Violation(_TORN, None, self._odd(seen, specification), seen, NO_ORDER, looks=looks)
        if not matching and seen.status == DEADLOCK:
            return None if self._gave_up_a_lock(seen, specification) else _stuck(seen, specification, looks)
        if not matching and self._gave_way() and any(
            other.status == seen.status and other.results == seen.results for other in specification.observed
        ):  # fmt: skip
            return None
        if not matching and specification.matching(seen, identity=False):
            return Violation("wrong-result", None, self._strange(seen), seen, TWO_OBJECTS)
        if not matching:
            return Violation("wrong-result", None, self._odd(seen, specification), seen, NO_ORDER)
        # A final state that no order leaves may still be correct (another layout of a table). It is suspect until
        # further calls show a difference, see `confirm`.
        if specification.state_undetermined or seen.state is None:
            return None
        if any(other.state == seen.state for other in matching):
            return None
        return self._judge_state(seen)

    def _may_be_torn(self, seen: Observed, looks: Looks) -> bool:
        """Return whether it can be proven that looks saw what no call leaves to be seen.

        Nobody knows that if threads of the class or passing time had a part in it.
        """
        known = seen.status == FINISHED_RUN and not ENGINE.class_threads() and not ENGINE.time.instants
        return known and read_two_changes(self.bed, looks)

    def _was_stopped(self, specification: Specification) -> bool:
        """Return whether a call did something that plait forbids, and does so in no order of whole calls.

        Then the error comes from plait, and nobody knows what the call would have done.
        """
        where = positions(self.bed)
        stopped = [where[done.thread, done.index] for done in self.bed.done if _is_forbidden(done.error)]
        return any(
            all(other.results[position] != ("raised", "PermissionError") for other in specification.observed)
            for position in stopped
        )

    def _judge_locks(self, seen: Observed, specification: Specification) -> Violation | None:
        """Judge threads that are blocked for ever by the locks that they wait for: no order of calls excuses these."""
        alone = self._waits_for_itself()
        if alone is not None:
            return Violation(DEADLOCK, None, (alone,), seen, ITSELF)
        kept = self._kept()
        if kept is not None:
            return Violation(DEADLOCK, None, kept, seen, KEPT)
        cycle = self._cycle()
        if cycle:
            return Violation(DEADLOCK, None, cycle, seen, CYCLE)
        shut = self._locked_out(seen, specification)
        return Violation(DEADLOCK, None, shut, seen, LOCKED_OUT) if shut else None

    @staticmethod
    def _judge_exceptions(seen: Observed, specification: Specification) -> Violation | None:
        """Judge exceptions of calls, and of threads that the class has started."""
        known = {name for other in specification.observed for name in other.thread_errors}
        for name in seen.thread_errors:
            if name not in known:
                return Violation("exception", name, (), seen, f"a thread of the class dies of {name}")
        for position, result in enumerate(seen.results):
            if result[0] == "raised" and all(other.results[position] != result for other in specification.observed):
                text = f"no order of whole calls makes this call raise {result[1]}"
                return Violation("exception", result[1], (position,), seen, text)
        return None

    @staticmethod
    def _strange(seen: Observed) -> tuple[int, ...]:
        return tuple(position for position, identity in enumerate(seen.identity) if identity is not None)

    def _waits_for_itself(self) -> int | None:
        """Return the position of a call that waits for a lock which it has taken itself. No order excuses that.

        There are two exceptions. If the object was made a part of itself, the test is to blame. And a lock that the
        call has created itself may be taken twice so that others release it, as `threading.Condition.wait` does.
        """
        if self._part_of_itself():
            return None
        for pending in ENGINE.pending:
            holder = getattr(pending.blocked_on, "holder", None)
            running = self.bed.running.get(pending.thread)
            if running is None or not isinstance(holder, VThread) or holder.id != pending.thread:
                continue
            lock = pending.blocked_on
            if lock.maker is holder and lock.made >= running.start:
                continue
            if self._taken_meanwhile(pending.thread, pending.loc):
                return positions(self.bed)[running.thread, running.index]
        return None

    def _gave_up_a_lock(self, seen: Observed, specification: Specification) -> bool:
        """Return whether a stuck call began with a lock of its caller, and whole calls are stuck in the same way.

        Such a call (`wait` after `acquire`) releases the lock while it waits, and only because of that others can end.
        So no order lets them end before it begins. It cannot be started afresh either, because its caller still needs
        it.
        """
        held = {running.number: self._held_before(running) for running in self.bed.running.values()}
        if held and all(self._kept_by_a_caller(number, roots) for number, roots in held.items()):
            return True
        alike = any(other.status == DEADLOCK and other.results == seen.results for other in specification.observed)
        return alike and any(held.values())

    def _gave_way(self) -> bool:
        """Return whether a call released a lock that its caller had taken: that is meant to let others in."""
        for done in self.bed.done:
            own = [entry for entry in ENGINE.trace[done.start : done.end] if entry[0] == done.number]
            given = {ENGINE.heap.roots[entry[1]] for entry in own if entry[2] == RELEASE}
            taken = {ENGINE.heap.roots[entry[1]] for entry in own if entry[2] in (ACQUIRE, TRY)}
            if given & taken & self._held_before(done):
                return True
        return False

    @staticmethod
    def _held_before(running: Done) -> set[int]:
        """Return the locks, by their roots, that a thread held when its current call began."""
        held: set[int] = set()
        for entry in ENGINE.trace[: running.start]:
            if entry[0] == running.number:
                root = ENGINE.heap.roots[entry[1]]
                if entry[2] == ACQUIRE:
                    held.add(root)
                elif entry[2] == RELEASE:
                    held.discard(root)
        return held

    def _kept_by_a_caller(self, number: int, held: set[int]) -> bool:
        """Return whether a thread waits to retake a lock that its call released, and another caller keeps it.

        The lock was taken by a call that has ended. Its caller would have to release it, and the test does not do so.
        """
        for pending in ENGINE.pending:
            holder = getattr(pending.blocked_on, "holder", None)
            if pending.thread == number and isinstance(holder, VThread):
                wanted = ENGINE.heap.roots[pending.loc] in held
                return wanted and holder.id != number and not self._taken_meanwhile(holder.id, pending.loc)
        return False

    def _part_of_itself(self) -> bool:
        """Return whether a call gets the object under test as an argument."""
        given = [
            value
            for call in (*self.bed.test.prefix, *self.bed.test.calls)
            for value in (*call.args, *(value for _name, value in call.kwargs))
        ]
        return bool(self.bed.variables) and self.bed.variables[0] in given

    def _taken_meanwhile(self, thread: int, loc: int) -> bool:
        """Return whether the thread's current call has taken the lock, rather than a call before it."""
        running, root = self.bed.running.get(thread), ENGINE.heap.roots[loc]
        taken = [
            number for number, entry in enumerate(ENGINE.trace)
            if entry[0] == thread and entry[2] in (ACQUIRE, TRY) and ENGINE.heap.roots[entry[1]] == root
        ]  # fmt: skip
        return running is not None and bool(taken) and taken[-1] >= running.start

    def _cycle(self) -> tuple[int, ...]:
        """Return the calls that wait in a cycle that contains a thread of the class; empty if there is no cycle.

        The cycle consists of locks that are held and threads that are joined, so nobody else can end it. No order
        excuses it: a call that joins a thread of the class must not hold what that thread needs. There are two
        exceptions: a lock that a call has left locked for its caller to release, and a cycle of calls alone. For the
        latter, the orders of whole calls say whether it may happen.
        """
        if self._part_of_itself():
            return ()
        class_threads = {each.id for each in ENGINE.class_threads()}
        awaited: dict[int, int] = {}
        for pending in ENGINE.pending:
            joined, thread = pending.blocked_on, pending.thread
            other = joined if isinstance(joined, VThread) else getattr(joined, "holder", None)
            if not isinstance(other, VThread) or ENGINE.threads[thread].deadline is not None:
                continue
            if other is joined or other.id in class_threads or self._taken_meanwhile(other.id, pending.loc):
                awaited[thread] = other.id
        where = positions(self.bed)
        for number in self.bed.running:
            way = [number]
            while awaited.get(way[-1]) is not None and awaited[way[-1]] not in way:
                way.append(awaited[way[-1]])
            again = awaited.get(way[-1])
            circle = way[way.index(again) :] if again is not None else []
            if class_threads.intersection(circle):
                stuck = [self.bed.running[each] for each in circle if each in self.bed.running]
                stuck = stuck or [self.bed.running[number]]
                return tuple(sorted(where[each.thread, each.index] for each in stuck))
        return ()

    def _locked_out(self, seen: Observed, specification: Specification) -> tuple[int, ...]:
        """Return a call that waits while it holds a lock, and the one that needs the lock and would end the wait.

        That it would is shown by an order of whole calls: there the second call comes first, nothing but it and calls
        that have ended, and the waiting call ends. No order excuses that: `wait` of a condition releases the
        condition's own lock, but not one around it. A call that would not end the wait may be kept out: a reader by a
        writer that waits for earlier readers, a receiver by another one that waits for an item.
        """
        where, count = positions(self.bed), len(seen.results)
        ended = {position for position, result in enumerate(seen.results) if result != UNFINISHED}
        on_locks = {
            each.thread for each in ENGINE.pending if isinstance(getattr(each.blocked_on, "holder", None), VThread)
        }
        for pending in ENGINE.pending:
            holder = getattr(pending.blocked_on, "holder", None)
            needs = self.bed.running.get(pending.thread)
            waits = self.bed.running.get(holder.id) if isinstance(holder, VThread) else None
            if needs is None or waits is None or waits is needs or waits.number in on_locks:
                continue
            if not self._taken_meanwhile(waits.number, pending.loc):
                continue
            one, two = where[needs.thread, needs.index], where[waits.thread, waits.index]
            # Other calls of the order come behind the one that waits: it must not be they who end its wait.
            rest = [each for each in range(count) if each not in (*ended, one, two)]
            for other in specification.observed:
                alike = all(other.results[each] == seen.results[each] for each in ended)
                alone = other.before >> (one * count + two) & 1 and all(
                    other.before >> (two * count + each) & 1 for each in rest
                )
                if alike and alone and other.results[two] != UNFINISHED:
                    return tuple(sorted((one, two)))
        return ()

    def _kept(self) -> tuple[int, int] | None:
        """Return a call that raised and kept a lock or a permit, and a call that waits for it; None if there is none.

        No order excuses that: in an order of whole calls, too, a call after the one that raised waits for ever.
        """
        where, roots = positions(self.bed), ENGINE.heap.roots
        for pending in ENGINE.pending:
            waiting = self.bed.running.get(pending.thread)
            holder = getattr(pending.blocked_on, "holder", None)
            if waiting is None or pending.mode not in (ACQUIRE, TAKE):
                continue
            for done in self.bed.done:
                if done.error is None or (pending.mode == ACQUIRE and getattr(holder, "id", None) != done.number):
                    continue
                modes = [
                    entry[2] for entry in ENGINE.trace[done.start : done.end]
                    if entry[0] == done.number and roots[entry[1]] == roots[pending.loc]
                ]  # fmt: skip
                taken = sum(mode in (ACQUIRE, TRY, TAKE) for mode in modes)
                given = sum(mode in (RELEASE, HAND_OVER, WRITE) for mode in modes)
                if taken > given:
                    return where[done.thread, done.index], where[waiting.thread, waiting.index]
        return None

    @staticmethod
    def _odd(seen: Observed, specification: Specification) -> tuple[int, ...]:
        """Return the calls whose own result occurs in no order; all calls if each result alone is possible."""
        odd = tuple(
            position
            for position, result in enumerate(seen.results)
            if all(other.results[position] != result for other in specification.observed)
        )
        return odd or tuple(range(len(seen.results)))

    def _judge_state(self, seen: Observed) -> Violation | None:
        """Return a suspicion about a final state that no order leaves: it is a fault only if further calls differ."""
        endless = self._known.endless
        mine = endless.get(seen.state) or probe(self.bed, self.probes)
        if ENDLESS in mine:
            endless[seen.state] = mine
        return Violation(_SUSPECT, None, (), seen, "", answers=mine)

    def confirm(self, violation: Violation) -> Violation | None:
        """Return the final form of a violation, or None if it turns out to be none.

        A suspect final state is compared with the final states of all orders, by the same further calls. If threads of
        the class took part, orders are added in which they run in the middle of calls; if time has passed, orders in
        which it passes. This runs executions, so do not call it during one.
        """
        known = self._known
        if violation.kind == _TORN:
            return self._confirm_torn(violation, known)
        found = self._confirm_state(violation) if violation.kind == _SUSPECT else violation
        if violation.looks.calls and self._stuck_without(violation):
            found = None
        if found is not None and violation.detail not in INEXCUSABLE and self._extend(violation, known):
            again = self._judge_again(violation, known)
            found = self._confirm_state(again) if again is not None and again.kind == _SUSPECT else again
        if known.timeless and violation.instants and violation.detail not in INEXCUSABLE:
            found = None
        if found is None:
            known.right.add(_key_of(violation.seen))
        return found

    def _confirm_torn(self, violation: Violation, known: _KnownOrders) -> Violation | None:
        """Return the violation if no order explains it in which its looks take effect in the middle of calls."""
        looks, orders = violation.looks, known.specification
        if looks not in known.looked:
            with model(gil=False):
                known.looked[looks] = extend_by_looks(self.bed, orders, self.rules, looks)
        if not known.looked[looks] or orders.matching(violation.seen):
            known.right.add(_key_of(violation.seen))
            return None
        return replace(violation, kind="wrong-result", looks=NO_LOOKS)

    def _stuck_without(self, violation: Violation) -> bool:
        """Return whether the calls are stuck in some order as well if the calls that wrote nothing are not made.

        Such a call may have ended only because others waited: a second caller is turned away while the first one waits.
        No order lets it end before the waiting call begins, but nothing was lost.
        """
        test, left = self.bed.test, violation.looks.calls
        used = {name for call in test.calls for name in (call.receiver, *call.args, *(text for _, text in call.kwargs))}
        if any(call.result in used for position, call in enumerate(test.calls) if position in left):
            return False
        numbers = iter(range(len(test.calls)))
        suffixes = [tuple(call for call in suffix if next(numbers) not in left) for suffix in test.suffixes]
        smaller = Examination(replace(test, suffixes=tuple(filter(None, suffixes))), self.sites, (), self.rules)
        kept = [position for position in range(len(test.calls)) if position not in left]
        return explains(smaller.specification, violation.seen, kept)

    def _extend(self, violation: Violation, known: _KnownOrders) -> bool:
        """Add the orders that threads of the class, or passing time, make possible; return False if there are none."""
        by_threads = violation.helped and not known.extended
        by_time = bool(violation.instants) and violation.instants not in known.instants
        if not by_threads and not by_time:
            return False
        probed = known.probed = self._probe_orders(known) if known.probed is None else known.probed

        def look(seen: Observed) -> None:
            # A deadlock leaves no state to ask for.
            answers = self._answers(known) if seen.status == FINISHED_RUN else ()
            probed.setdefault(seen.results, set()).add(answers)

        with model(gil=False):
            if by_threads:
                known.extended = True
                extend(self.bed, known.specification, self.rules, look)
            if by_time:
                known.instants.add(violation.instants)
                rules, orders = self.rules, known.specification
                known.timeless |= not extend_by_time(self.bed, orders, rules, violation.instants, look)
        return True

    def _judge_again(self, violation: Violation, known: _KnownOrders) -> Violation | None:
        """Return the verdict by the extended specification."""
        seen, more = violation.seen, known.specification
        if violation.kind in (DEADLOCK, HANG):
            return None if more.matching(seen) else violation
        if violation.exception is not None and not violation.calls:
            return None if any(violation.exception in other.thread_errors for other in more.observed) else violation
        if violation.exception is not None:
            result, position = ("raised", violation.exception), violation.calls[0]
            return None if any(other.results[position] == result for other in more.observed) else violation
        if violation.detail == INVARIANT:
            return None if any(not other.holds for other in more.observed) else violation
        matching = more.matching(seen)
        if not matching:
            return violation
        if any(other.state == seen.state for other in matching) or not violation.answers:
            return None
        return violation

    def _confirm_state(self, violation: Violation) -> Violation | None:
        """Compare the answers of further calls with those after all orders, which are run again for it."""
        seen, mine, known = violation.seen, violation.answers, self._known
        if known.probed is None:
            known.probed = self._probe_orders(known)
        theirs = known.probed.get(seen.results, set())
        telling = [number for number in range(len(mine)) if number not in known.probe_mask]
        # If no order gives these results again, or no probe can distinguish states, nothing is proven.
        if not theirs or not telling or any(self._alike(mine, other) for other in theirs):
            return None
        beside, position, usual = _odd_answer(
            mine, [_aligned(mine, each) for each in sorted(theirs, key=repr)], telling
        )
        text = f"afterwards {self._shown(mine, position)}, as after no order of whole calls"
        source = self._source(mine, position)
        if beside is not None:
            source = f"{self._shown(mine, beside)} while {source}"
        shown = (source, mine[position], tuple(sorted(usual, key=repr)))
        return Violation("wrong-result", None, tuple(range(len(seen.results))), violation.seen, text, shown)

    def _source(self, mine: Sequence[Any], position: int) -> str:
        """Return the attribute or further call that shows a violation."""
        if mine[position][0] == "attribute":
            return f"`{mine[position][1]}`"
        return f"`{self.probes[position - (len(mine) - len(self.probes))].expression}`"

    def _shown(self, mine: Sequence[Any], position: int) -> str:
        """Return the text for the answer that shows a violation."""
        result = mine[position]
        if result[0] == "attribute":
            return f"`{result[1]}` is {plain(result[2])}"
        call = self.probes[position - (len(mine) - len(self.probes))].expression
        return f"`{call}` {shown_result(result)}"

    def _alike(self, first: Sequence[Any], second: Sequence[Any]) -> bool:
        mask = self._known.probe_mask
        return len(first) == len(second) and all(
            number in mask or one == other for number, (one, other) in enumerate(zip(first, second, strict=True))
        )

    def _probe_orders(self, known: _KnownOrders) -> dict[tuple[Any, ...], set[tuple[Any, ...]]]:
        found: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
        rounds = [self._orders_with_probes(known) for _ in range(2)]
        for (_seen, one), (_again, other) in zip(*rounds, strict=False):
            known.probe_mask |= {number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b}
            known.probe_mask |= {number for number in range(len(one)) if ENDLESS in one[: number + 1]}  # or just slow
        for seen, probed in rounds[0]:
            found.setdefault(known.specification.mask(seen).results, set()).add(probed)
        return found

    def _orders_with_probes(self, known: _KnownOrders) -> list[tuple[Observed, tuple[Any, ...]]]:
        """Return all orders of the specification, each with the answers of further calls after it."""
        found: list[tuple[Observed, tuple[Any, ...]]] = []

        def finish() -> None:
            seen = observe(self.bed)
            found.append((seen, self._answers(known) if seen.status == FINISHED_RUN else ()))

        with whole_calls(self.bed):
            for order in known.specification.orders:
                serial = Serial(order)
                serial.next_prefix()
                execute(self.bed.prepare, (), serial, finish=finish)
        return found

    def _answers(self, known: _KnownOrders) -> tuple[Any, ...]:
        """Return the answers of further calls after an order. Once one of them did not end, they get less time.

        They get the full time before that. Otherwise a call that a busy machine has slowed down would count as endless,
        and hide the violation.
        """
        answers = probe(self.bed, self.probes, PROBE_S / 10 if known.probe_timed_out else PROBE_S)
        known.probe_timed_out |= ENDLESS in answers
        return answers

    def replay(self, schedule: Schedule, *, backend: str = "auto") -> tuple[Violation | None, str | None]:
        """Run and judge one schedule; the second part of the result says where the schedule was lost, or is None."""
        strategy = Scripted(schedule)
        strategy.next_prefix()
        found: list[Violation | None] = []
        with model(schedule=schedule):
            _ = self.specification
            execute(self.bed.prepare, (), strategy, finish=lambda: found.append(self.judge()), backend=backend)
            lost, violation = strategy.lost, found[0] if found else None
            if violation is not None:
                violation = self.confirm(violation)
        return violation, lost


def _stuck(seen: Observed, specification: Specification, looks: Looks) -> Violation:
    """Return the violation that calls are stuck, with the calls that may be left out (`Examination.confirm`)."""
    never = not any(other.status == DEADLOCK and other.last for other in specification.observed)
    if any(entry[2] == HAND_OVER for entry in ENGINE.trace):  # releasing another's lock is no mere look
        looks = NO_LOOKS
    reason = NEVER_STUCK if never else STUCK
    return Violation(DEADLOCK, None, _unfinished(seen), seen, reason, looks=looks)


def _is_forbidden(error: BaseException | None) -> bool:
    return error is not None and is_a(error, PermissionError) and STOPPED in exception_text(error)


def _unfinished(seen: Observed) -> tuple[int, ...]:
    return tuple(position for position, result in enumerate(seen.results) if result == UNFINISHED)


def _key_of(seen: Observed) -> tuple[Any, ...]:
    """Return everything that a verdict depends on."""
    return (seen.status, seen.results, seen.state, seen.spans, seen.thread_errors, seen.holds, seen.identity)


def _aligned(mine: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """Return the answers after another order in the positions of ``mine``; None where an answer is missing.

    Attributes come first and are matched by name: an attribute that is plain data in only some states is missing in the
    others. The further calls after them are always the same.
    """
    named = {answer[1]: answer for answer in other if answer[0] == "attribute"}
    calls = (answer for answer in other if answer[0] != "attribute")
    return [named.get(answer[1]) if answer[0] == "attribute" else next(calls, None) for answer in mine]


def _odd_answer(
    mine: Sequence[Any], theirs: Sequence[Sequence[Any]], telling: Sequence[int]
) -> tuple[int | None, int, set[Any]]:
    """Return the answer that shows a wrong final state, and what it is after whole calls; ``theirs`` are `_aligned`.

    Each answer alone may be possible, but not all together. Then the first part of the result is an answer with which
    the second is impossible. So an answer that is always the same is never blamed.
    """

    def differs(other: Sequence[Any], number: int) -> bool:
        return len(other) <= number or bool(other[number] != mine[number])

    def given(others: Sequence[Sequence[Any]], number: int) -> set[Any]:
        return {other[number] for other in others if len(other) > number and other[number] is not None}

    for number in telling:
        if all(differs(other, number) for other in theirs):
            return None, number, given(theirs, number)
    for beside in telling:
        same = [other for other in theirs if not differs(other, beside)]
        for number in telling:
            if all(differs(other, number) for other in same):
                return beside, number, given(same, number)
    nearest = min(theirs, key=lambda other: sum(differs(other, number) for number in telling))
    number = next((number for number in telling if differs(nearest, number)), telling[0])
    return None, number, given([nearest], number)
