"""The sequential specification of a test: what its calls do in all orders of whole calls.

ConTeGe's oracle (CovCon, section II) reports a failure only if no linearisation of the test fails in the same way. Here
each linearisation is an execution that switches only between whole calls. Besides exceptions and deadlocks, their
results and final states are recorded, so that a wrong value counts too. Calls whose outcome differs between two runs of
the same order are not deterministic, and are left out of comparisons.

`plait.explore.serial` generates the orders and says when a waiting call continues. These rules decide which of them
count:

- **A call that waited may end only where it would also end if it were started afresh.** If several calls are released
  together and the first one takes what all were woken for, the others must wait again. An order in which another one
  ends nevertheless is not part of the specification: started afresh when it was released, the call would have ended;
  started afresh when it continued, it would wait. (A barrier or a pulse releases calls that would wait if they were
  started afresh at either moment: they were released themselves, and nothing was taken from them.) For the same reason,
  a time-out of a call does not count if the call, started afresh at that moment, would not wait: it has missed a
  wake-up.
- **A deadlock is correct only if it is explained**: the stuck calls would wait as well if they were started afresh
  after all calls that have ended. So an order that ends in a deadlock counts if the calls that did not end began last.
  If they would have ended when begun in another order, they must also wait again when they are woken for no reason: a
  reader keeps waiting for a writer that waits before it, but a receiver does not keep waiting for what a sender has
  already left for it. Calls that wrote nothing while others waited may have ended only because the others waited. So a
  deadlock is also explained if the others are stuck without them.
- **Threads of the class** take part, even in the middle of calls. If an execution fits no order and such threads ran in
  it, the schedules are explored in which calls exclude each other and only these threads run at any point (`extend`).
  None of these schedules may contain a lost update: such a thread reads something, a call changes it, and the thread
  overwrites it.
- **Time** stands still in an order of whole calls unless a call waits. In an execution it passes while other threads
  wait, and code that reads the clock sees that. If such an execution fits no order, orders count as well in which time
  passes before the clock is read (`extend_by_time`): an entry that expires, a deadline that has passed when its call
  begins.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from plait.explore.dpor import Dpor
from plait.explore.pos import Pos
from plait.explore.random_walk import InStretches
from plait.explore.runner import execute
from plait.explore.serial import Serial, StartedAfresh, StartedAtIdle, WithSpuriousWakeup
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.stale import acts_on_what_has_changed
from plait.model.foreign import Canonical, attributes_of, is_a, is_imported
from plait.model.test import MAX_ORDERS, Call
from plait.observe.canonical import canonical, canonical_all, exception_name, identities, with_state
from plait.run.endings import OWN, RAISED, EndlessError, SetupBlockedError, patience
from plait.run.engine import DEADLOCK, ENGINE, FINISHED_RUN, HANG, REDUNDANT, Entry
from plait.run.primitives.condition import wake_spuriously
from plait.run.testbed import Done, Testbed, is_nested

_CallId = tuple[int, int]  # thread, index
CallResult = tuple[Canonical, ...]
"""The result of one call: a value, an exception, or one of the marks below."""
MASKED: CallResult = ("not deterministic",)
UNFINISHED: CallResult = ("unfinished",)
ENDLESS: CallResult = ("endless",)
_UNASKED: CallResult = ("not asked",)
# Limit of an order after one was endless: at least so many steps, or so many times the longest that ended.
LEAST_STEPS, LONGER = 2000, 20
FEW_STEPS = 400  # the smaller minimum of a first attempt, which is enough if the order provably loops for ever
_RUNS_PER_ORDER = 3  # at most, including executions that do not count
# Executions in which threads of the class run in the middle of calls: the first half by DPOR, then samples.
_MAX_EXTENDED = 1_000
PROBE_S = 0.1  # of processor time for one probe of a final state; a longer one counts as endless


@dataclass(slots=True, unsafe_hash=True)
class Observed:
    """One execution as the oracle sees it. Treat it as immutable: frozen instances take three times as long to make."""

    status: str
    results: tuple[CallResult, ...]  # in the order of threads, then of calls
    state: Canonical  # None if the execution did not end, or if a thread of the class is still running
    spans: tuple[tuple[int, int], ...]  # the part of the trace for each call; (-1, -1) if it touched nothing
    thread_errors: tuple[str, ...] = ()  # exceptions of threads that the class has started
    holds: bool = True  # whether the user's invariant is true
    identity: tuple[tuple[int, bool] | None, ...] = ()  # which results are the same object
    before: int = 0  # one bit per pair of calls: set if the first ended before the second began
    behind: int = 0  # the same pairs, with the second call first
    last: bool = True  # the calls that did not end began after all others had ended


@dataclass(slots=True)
class Specification:
    """All serial executions of one test."""

    observed: list[Observed] = field(default_factory=list)
    orders: list[tuple[int, ...]] = field(default_factory=list)  # as `Serial` follows them
    complete: bool = True
    undetermined: set[int] = field(default_factory=set)  # positions of calls with nondeterministic results
    state_undetermined: bool = False
    # Positions of calls whose result is meant for people: only exceptions count.
    unread: set[int] = field(default_factory=set)

    def mask(self, seen: Observed) -> Observed:
        """Return the execution without everything that is undetermined."""
        if not self.undetermined and not self.state_undetermined and not self.unread:
            return seen
        results = tuple(
            MASKED
            if (position in self.undetermined and result != UNFINISHED)
            or (position in self.unread and result[0] == "returned")
            else result
            for position, result in enumerate(seen.results)
        )
        return replace(seen, results=results, state=None if self.state_undetermined else seen.state, identity=())

    def statuses(self) -> set[str]:
        """Return the statuses with which serial executions end."""
        return {seen.status for seen in self.observed}

    def matching(
        self, seen: Observed, *, identity: bool = True, without: frozenset[int] = frozenset()
    ) -> list[Observed]:
        """Return serial executions with the same results whose order agrees with that of the execution.

        With ``identity``, results that are the same object in one must be so in the other. ``without`` leaves calls
        out.
        """
        if without:
            return [other for other in self.observed if same_but(seen, other, without)]
        return [
            other
            for other in self.observed
            if not seen.before & other.behind and other.results == seen.results and other.status == seen.status
            and (not identity or other.identity == seen.identity) and (other.last or other.status != DEADLOCK)
        ]  # fmt: skip


def same_but(seen: Observed, other: Observed, without: frozenset[int]) -> bool:
    """Return whether an order agrees with an execution in everything but the results of the calls ``without``."""
    if other.status == DEADLOCK and not other.last:
        return False
    return (
        other.status == seen.status
        and not seen.before & other.behind
        and all(
            position in without or result == mine
            for position, (result, mine) in enumerate(zip(other.results, seen.results, strict=True))
        )
    )


def explains(smaller: Specification, seen: Observed, kept: Sequence[int]) -> bool:
    """Return whether an order of the ``kept`` calls alone ends in the same deadlock."""
    count, few = len(seen.results), len(kept)
    mine = smaller.mask(replace(seen, results=tuple([seen.results[position] for position in kept])))
    before = sum(
        1 << (one * few + two) for one, first in enumerate(kept) for two, second in enumerate(kept)
        if seen.before >> (first * count + second) & 1
    )  # fmt: skip
    return smaller.complete and any(
        other.status == DEADLOCK and other.last and other.results == mine.results and not before & other.behind
        for other in smaller.observed
    )


def positions(bed: Testbed) -> dict[_CallId, int]:
    """Return the position of each call in `Observed.results`."""
    return bed.positions


def _result_of(done: Done, bed: Testbed) -> CallResult:
    """Return a call's result as plain data.

    The test's own objects appear by name: their states are compared separately.
    """
    if done.error is not None:
        return ("raised", exception_name(done.error))
    return ("returned", canonical(done.value, bed.values))


def observe(bed: Testbed, rules: Rules | None = None) -> Observed:
    """Return the execution that has just ended. Call this from the engine's ``finish``."""
    where = positions(bed)
    results: list[CallResult] = [UNFINISHED] * len(where)
    spans: list[tuple[int, int]] = [(-1, -1)] * len(where)
    values: list[Any] = [None] * len(where)
    trace = ENGINE.trace
    for done in bed.done:
        position = where[done.thread, done.index]
        values[position] = done.value
        results[position] = _result_of(done, bed)
        spans[position] = _span(trace, done)
    # A state is final only if nothing is under way: not after a deadlock, nor while a thread of the class is running.
    finished = ENGINE.status == FINISHED_RUN
    held = [with_state(bed.values[name]) for name in bed.variables]
    state = canonical_all(held) if finished and not _under_way() else None
    alike = identities(values, held) if finished else ()
    others = ENGINE.class_threads()
    thread_errors = tuple([exception_name(each.error) for each in others if each.error is not None]) if others else ()
    invariant = rules.invariant if rules is not None and finished else None
    kept = invariant is None or holds(invariant, bed.space, bed.values)
    last = not bed.running or all(stuck.start >= done.end for stuck in bed.running.values() for done in bed.done)
    return Observed(
        ENGINE.status, tuple(results), state, tuple(spans), thread_errors, kept, alike, *_order(spans), last
    )


def _span(trace: Sequence[Entry], done: Done) -> tuple[int, int]:
    """Return the part of the trace (start, end) from a call's first access to its last; (-1, -1) without accesses."""
    start, end, thread = done.start, done.end, done.number
    while start < end and (trace[start][0] != thread or not trace[start][1]):
        start += 1
    while start < end and (trace[end - 1][0] != thread or not trace[end - 1][1]):
        end -= 1
    return (start, end) if start < end else (-1, -1)


def _under_way() -> bool:
    """Return whether a thread of the class has begun something and could continue: the state is not final then."""
    others = ENGINE.class_threads()
    could = {each.id for each in others if each.enabled} if others else ()
    return bool(could) and any(entry[0] in could for entry in ENGINE.trace)


def holds(invariant: str, space: dict[str, Any], values: Mapping[str, Any]) -> bool:
    """Return whether the user's invariant is true for a test's values."""
    try:
        return bool(eval(invariant, space, dict(values)))
    except Exception:  # an assertion of the user's function, or anything that a broken object raises
        return False


def _order(spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return `Observed.before` and `Observed.behind`."""
    before = behind = 0
    count = len(spans)
    starts = [start for start, _end in spans]
    latest = max(starts, default=-1)
    for first, (_start, end) in enumerate(spans):
        if 0 <= end <= latest:
            for second, start in enumerate(starts):
                if end <= start:
                    before |= 1 << (first * count + second)
                    behind |= 1 << (second * count + first)
    return before, behind


def specify(bed: Testbed, rules: Rules | None = None, *, max_orders: int = MAX_ORDERS) -> Specification:
    """Run all orders of the test's calls."""
    found = Specification()
    # A nested call is several calls in one expression, useful only for deadlocks: others may run in between.
    if any(map(is_nested, bed.test.calls)):
        found.undetermined.update(range(len(bed.test.calls)))
        found.state_undetermined = True
    if rules is not None:
        found.undetermined |= {
            position for position, call in enumerate(bed.test.calls) if call.method in rules.nondeterministic
        }
    # An order without an end (a call polls) runs until the limit of steps. After the first one, the limit for the
    # others becomes a multiple of the longest order that ended. An order that reaches this limit without provably
    # looping is run again with a higher one.
    serial = Serial()
    # Steps of the longest order that ended; the original limit; whether an order was endless.
    longest, limit, hangs = 0, ENGINE.max_steps, False
    with whole_calls(bed):
        while serial.next_prefix() is not None:
            if len(found.observed) >= max_orders or serial.executions >= _RUNS_PER_ORDER * max_orders:
                found.complete = False
                break
            if hangs:  # a call polls: the other orders in which it does should not cost as much
                ENGINE.max_steps = min(limit, max(FEW_STEPS, LONGER * longest))
            observed = _in_order(bed, serial, rules)
            if observed.status == HANG and hangs and not ENGINE.spinning.livelocked:
                ENGINE.max_steps = min(limit, max(LEAST_STEPS, LONGER * longest))
                serial.repeat()
                observed = _in_order(bed, serial, rules)
            if observed.status == HANG:
                hangs, polling = True, serial.before_polling(ENGINE)
            else:
                longest, polling = max(longest, ENGINE.step), None
            order = serial.choices
            counts = observed.status != REDUNDANT and not _does_not_count(bed, serial)
            if polling is not None:
                serial.prune(polling)
            if not counts:
                continue
            found.observed.append(observed)
            found.orders.append(order)
            found.state_undetermined |= observed.status == FINISHED_RUN and observed.state is None
            # Before anything is compared: threads are not to blame for what differs between two runs of one order.
            if len(found.observed) == 1:
                _repeat(bed, found)
                found.unread |= _displays(bed)
        # Only when all orders are known: whether a deadlock is explained depends on the others.
        _without_sleepers(bed, found)
    if not found.observed or found.statuses() == {HANG}:
        found.complete = False  # the calls do not end in any order: there is nothing to compare with
    if found.undetermined or found.state_undetermined or found.unread:
        found.observed = [found.mask(each) for each in found.observed]
    return found


def _in_order(bed: Testbed, serial: Serial, rules: Rules | None) -> Observed:
    """Run the next order."""
    seen: list[Observed] = []
    with guided(bed, serial):
        execute(bed.prepare, (), serial, finish=lambda: seen.append(observe(bed, rules)))
    serial.executed(ENGINE)
    return seen[0]


class whole_calls:  # noqa: N801 - as `plait.explore.runner.model`
    """Context in which the executions of the bed are orders of whole calls; the block may lower the limit of steps."""

    __slots__ = ("_bed", "_limit")

    def __init__(self, bed: Testbed) -> None:
        self._bed = bed

    def __enter__(self) -> None:
        self._bed.stops = True
        self._limit = ENGINE.max_steps

    def __exit__(self, *_: object) -> None:
        self._bed.stops = False
        ENGINE.max_steps = self._limit


def _does_not_count(bed: Testbed, serial: Serial) -> bool:
    """Return whether the order that has just been run is not part of the specification.

    That is so if a call ended although another one had taken what it was woken for, if a time-out fired while a call
    could have begun that would not have waited, or if a call timed out although it no longer had to wait.
    """
    script, suspects = serial.choices, []
    for late in serial.overtaken:
        for done in bed.done:
            if done.number == late.thread and done.start <= late.at <= done.end:
                if done.waited_before + done.waited == late.waits:  # it has not waited again since
                    suspects.append((late, (done.thread, done.index)))
                break
    ready = [(early, call) for early in serial.hurried for call in _ready(bed, early.at)]
    missed = [
        (lapse, (done.thread, done.index))
        for lapse in serial.lapsed for number, waits in lapse.threads for done in bed.done
        if done.number == number and done.start <= lapse.at <= done.end and done.waited_before + done.waited == waits
    ]  # fmt: skip

    def waits(call: _CallId, moment: int) -> bool | None:
        return _waits_afresh(bed, call, StartedAfresh(script, moment, serial.instants))

    for early, call in ready:
        if not waits(call, early.moment):
            serial.prune(early.choice)
            return True
    if any(waits(call, late.continued) and waits(call, late.released) is False for late, call in suspects):
        return True
    return any(
        _waits_afresh(bed, call, StartedAtIdle(script, lapse.idle, serial.instants)) is False for lapse, call in missed
    )


def _ready(bed: Testbed, at: int) -> list[_CallId]:
    """Return the calls that could have begun when the trace had this length, because those before them had ended."""
    found = []
    for thread, suffix in enumerate(bed.test.suffixes, 1):
        over = sum(done.thread == thread and done.end <= at for done in bed.done)
        begun = sum(each.thread == thread and each.start <= at for each in (*bed.done, *bed.running.values()))
        if over == begun < len(suffix):
            found.append((thread, over))
    return found


def _waits_afresh(bed: Testbed, call: _CallId, attempt: StartedAfresh | StartedAtIdle) -> bool | None:
    """Return whether a call that is started afresh at some moment of an order has to wait; None if that is unknown."""
    attempt.next_prefix()
    with one_more(bed, bed.call(*call)), guided(bed, attempt):
        execute(bed.prepare, (), attempt)
    return attempt.waits


@contextmanager
def guided(bed: Testbed, serial: Serial) -> Iterator[None]:
    """Let an order decide what the clock shows, and notify it when time passes."""
    before = bed.before_reading, bed.before_idle
    bed.before_reading, bed.before_idle = lambda: serial.before_reading(ENGINE), lambda: serial.before_idle(ENGINE)
    try:
        yield
    finally:
        bed.before_reading, bed.before_idle = before


@contextmanager
def one_more(bed: Testbed, action: Callable[[], object]) -> Iterator[None]:
    """Add one more thread to the executions of the bed."""
    bed.one_more = action
    try:
        yield
    finally:
        bed.one_more = None


def _without_sleepers(bed: Testbed, found: Specification) -> None:
    """Drop deadlocks that depend only on which call began to wait first, and that nothing explains.

    If stuck calls would have ended when begun in another order, the deadlock needs a reason: when they are woken
    without one, all of them must wait again.
    """
    kept = [
        number
        for number, seen in enumerate(found.observed)
        if seen.status != DEADLOCK
        or not any(_could_have_ended(seen, other) for other in found.observed)
        or not _ends_when_woken(bed, found.orders[number], seen)
    ]
    if len(kept) < len(found.observed):
        found.observed = [found.observed[number] for number in kept]
        found.orders = [found.orders[number] for number in kept]


def _could_have_ended(seen: Observed, other: Observed) -> bool:
    """Return whether the same calls ended alike in the other order, followed by some that are stuck in this one.

    The calls that ended must have the same order among themselves. Otherwise that order explains why the others are
    stuck: a call that waits for an event ends after "clear, set", but never after "set, clear".
    """
    count = len(seen.results)
    ended = [position for position, result in enumerate(seen.results) if result != UNFINISHED]
    more = [position for position in range(count) if position not in ended and other.results[position] != UNFINISHED]
    among = sum(1 << (one * count + two) for one in ended for two in ended)
    return (
        bool(more)
        and seen.last
        and not (seen.before ^ other.before) & among
        and all(
            other.results[one] == seen.results[one] and all(other.before >> (one * count + two) & 1 for two in more)
            for one in ended
        )
    )


def _ends_when_woken(bed: Testbed, order: Sequence[int], seen: Observed) -> bool:
    """Return whether a stuck call ends when all waiting calls are woken without a reason."""
    serial = WithSpuriousWakeup(order)
    serial.next_prefix()
    ended: list[int] = []
    with one_more(bed, wake_spuriously):
        execute(bed.prepare, (), serial, finish=lambda: ended.append(len(bed.done)))
    return ended[0] > sum(result != UNFINISHED for result in seen.results)


def extend(bed: Testbed, found: Specification, rules: Rules | None, look: Callable[[Observed], None]) -> None:
    """Add what can happen if calls exclude each other but threads of the class run at any point.

    A lock excludes the calls, and a call holds it even while it waits. So a call that waits for another call is stuck,
    and that execution does not count. Nor does an execution in which a call or a thread of the class acts on something
    that the other has changed meanwhile (`plait.judge.oracle.stale`). ``look`` is called with each execution that
    counts while its objects are alive.
    """
    different = {replace(each, spans=()) for each in found.observed}

    def finish() -> None:
        seen = found.mask(observe(bed, rules))
        if seen.status != FINISHED_RUN or acts_on_what_has_changed(ENGINE, bed):
            return
        look(seen)
        if replace(seen, spans=()) not in different:
            different.add(replace(seen, spans=()))
            found.observed.append(seen)

    search: Dpor | Pos | InStretches = Dpor()
    bed.exclusive = True
    try:
        for number in range(_MAX_EXTENDED):
            if number == _MAX_EXTENDED // 2:
                search = InStretches()
            if number == _MAX_EXTENDED * 3 // 4:
                search = Pos(0)
            prefix = search.next_prefix()
            if prefix is None:
                break
            execute(bed.prepare, prefix, search, free=search.free, finish=finish)
            search.executed(ENGINE)
    finally:
        bed.exclusive = False


def extend_by_time(
    bed: Testbed, found: Specification, rules: Rules | None, instants: Sequence[float],
    look: Callable[[Observed], None],
) -> bool:  # fmt: skip
    """Add the orders of whole calls in which time passes up to one of these instants before the clock is read.

    ``look`` is called with each new execution while its objects are alive. Return whether these were all such orders.
    """
    different = {replace(each, spans=()) for each in found.observed}
    serial = Serial(instants=instants)
    with whole_calls(bed):
        while serial.next_prefix() is not None:
            if serial.executions >= _MAX_EXTENDED:
                return False
            seen = found.mask(_in_order(bed, serial, rules))
            order = serial.choices
            if seen.status == REDUNDANT or replace(seen, spans=()) in different or _does_not_count(bed, serial):
                continue
            different.add(replace(seen, spans=()))
            found.observed.append(seen)
            again = Serial(order, instants)
            again.next_prefix()
            with guided(bed, again):
                execute(bed.prepare, (), again, finish=lambda seen=seen: look(seen))  # type: ignore[misc]
    return True


def _displays(bed: Testbed) -> set[int]:
    """Return the positions of calls of ``repr``, and of ``str`` if it shows the same."""
    found = set()
    for position, call in enumerate(bed.test.calls):
        kind: Any = type(bed.values.get(call.receiver))
        same = kind.__str__ is kind.__repr__ or kind.__str__ is object.__str__
        if call.expression.startswith(("repr(", "str(") if same else "repr("):
            found.add(position)
    return found


def _repeat(bed: Testbed, found: Specification) -> None:
    """Run the first order again: threads are not to blame for what differs."""
    again: list[Observed] = []
    serial = Serial(found.orders[0])
    serial.next_prefix()
    execute(bed.prepare, (), serial, finish=lambda: again.append(observe(bed)))
    first, second = found.observed[0], again[0]
    if first.status != second.status:
        found.undetermined.update(range(len(first.results)))
    for position, (one, other) in enumerate(zip(first.results, second.results, strict=True)):
        if one != other:
            found.undetermined.add(position)
    found.state_undetermined |= first.state != second.state or first.identity != second.identity


def probe(bed: Testbed, probes: Sequence[Call], seconds: float = PROBE_S) -> tuple[CallResult, ...]:
    """Return what a user sees of the final state: public attributes, then the results of further calls.

    If a call does not end in time, or waits for ever, the calls after it are not made.
    """
    found = list(public_attributes(bed.values, bed.variables))
    for number, call in enumerate(probes):
        try:
            with patience(seconds):
                value = eval(call.expression, bed.space, dict(bed.values))
            found.append(("returned", canonical(value, bed.values)))
        except (EndlessError, SetupBlockedError) as end:
            last = ENDLESS if isinstance(end, EndlessError) else ("blocked",)
            return (*found, last, *[_UNASKED] * (len(probes) - number - 1))
        except SyntaxError:
            exec(call.expression, bed.space, dict(bed.values))
            found.append(("done",))
        except OWN:
            raise
        except RAISED as error:
            found.append(("raised", exception_name(error)))
    return tuple(found)


def public_attributes(values: Mapping[str, Any], variables: Sequence[str]) -> tuple[CallResult, ...]:
    """Return the data that anybody can read from the test's first object without a call."""
    found: list[CallResult] = []
    for variable in variables[:1]:
        value = values[variable]
        attributes = with_state(value) if is_a(value, type) or is_imported(value) else attributes_of(value)
        if type(attributes) is dict:
            public = sorted(name for name in attributes if isinstance(name, str) and not name.startswith("_"))
            found += [
                ("attribute", f"{variable}.{name}", canonical(attributes[name]))
                for name in public
                if name not in _NUMBERED and _is_data(attributes[name])
            ]
    return tuple(found)


_NUMBERED = frozenset({"fd", "fileno", "descriptor"})  # the system numbers these in the order of requests


_SINGLE = frozenset({
    int, bool, float, complex, str, bytes, type(None), decimal.Decimal, fractions.Fraction, dt.timedelta,
})  # fmt: skip


def _is_data(value: Any, depth: int = 3) -> bool:
    """Return whether a value is built-in data at all levels; the content of other objects is private to them."""
    kind = type(value)
    if kind in _SINGLE or issubclass(kind, enum.Enum):
        return True
    if not depth or kind not in (list, tuple, set, frozenset, dict, deque):
        return False
    parts = [*value.keys(), *value.values()] if kind is dict else value
    return all(_is_data(part, depth - 1) for part in parts)
