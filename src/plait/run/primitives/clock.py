"""The functions of `time`, over the virtual clock.

Virtual time passes when no thread can run, or when a thread does nothing but read the clock.
"""

from __future__ import annotations

import dis
import sys
import time as real_time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any
from weakref import WeakKeyDictionary

from plait.run.endings import SetupBlockedError
from plait.run.engine import ENGINE, access
from plait.run.operations import LOCAL, READ, TICK
from plait.run.primitives.built_in import built_in
from plait.run.primitives.site import here
from plait.run.quiet import quiet_block
from plait.run.vthread import BLOCKED, NEW, READY, VThread

ENDLESS = 2_000  # sleeps of one set-up: it polls for something that nobody will do
LOOKS = 400  # readings of the clock in one set-up before time passes: what it stores should not expire meanwhile
PATIENCE = 20  # readings of the clock in loops, by one thread, before time passes under it
READINGS = 400  # the same for readings anywhere: a loop may read the clock through a function of its own


_looking = False


def read_without_points(function: Callable[..., Any], *args: Any) -> Any:
    """Read the clock for code that is not rewritten, without a scheduling point.

    This is no context manager: `contextlib` may be rewritten itself, and its accesses would be points.
    """
    global _looking
    before, _looking = _looking, True
    try:
        return function(*args)
    finally:
        _looking = before


def _now() -> float:
    thread = ENGINE.current
    if _looking:
        return ENGINE.time.look()
    if thread is not None:
        _be_patient(thread)
        if ENGINE.any_timeouts:  # other threads' time passes at any moment
            access(thread, ENGINE.heap.loc_of(ENGINE.main, "clock"), READ, here())
            thread.may_switch = True
        if ENGINE.time.before_reading is not None:
            ENGINE.time.before_reading()
    else:
        _look_quietly(ENGINE.thread)
    return ENGINE.time.now


def _be_patient(thread: VThread) -> None:
    """Let time pass under a thread that reads the clock often: it may wait for a deadline."""
    thread.clock_reads += 1
    thread.clock_rounds += _is_called_in_a_loop()
    beyond = max(thread.clock_rounds - PATIENCE, thread.clock_reads - READINGS)
    if beyond > 0:
        sleep(0.001 * 2 ** min(beyond, 20))


def _is_called_in_a_loop() -> bool:
    """Return whether code under test has called the function that asks, from inside of a loop.

    ``while monotonic() < end`` reads the clock again and again in one function, and does not end unless time passes. An
    event loop reads it as often, through a function of its clock, and goes on whatever it says.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("plait.run."):
        frame = frame.f_back
    return frame is not None and any(first <= frame.f_lasti <= last for first, last in _loops_of(frame.f_code))


_loops: WeakKeyDictionary[CodeType, tuple[tuple[int, int], ...]] = WeakKeyDictionary()


def _loops_of(code: CodeType) -> tuple[tuple[int, int], ...]:
    """Return the first and the last instruction of each loop."""
    found = _loops.get(code)
    if found is None:
        found = _loops[code] = tuple(
            (each.argval, each.offset)
            for each in dis.get_instructions(code)
            if "JUMP_BACKWARD" in each.opname and "NO_INTERRUPT" not in each.opname  # that one waits for a coroutine
        )
    return found


def _look_quietly(thread: VThread) -> None:
    """Let time pass if a set-up or a check reads the clock often: a loop until a deadline must end."""
    thread.looks += 1
    if thread.looks > LOOKS:
        ENGINE.time.now += 0.001 * 2 ** min(thread.looks - LOOKS, 10)


@built_in
def time() -> float:
    """Return virtual seconds since the epoch."""
    return ENGINE.time.epoch + _now()


@built_in
def time_ns() -> int:
    """Return what `time` does, in nanoseconds."""
    return int(time() * 1_000_000_000)


@built_in
def monotonic() -> float:
    """Return virtual seconds."""
    return ENGINE.time.monotonic + _now()


@built_in
def monotonic_ns() -> int:
    """Return what `monotonic` does, in nanoseconds."""
    return int(monotonic() * 1_000_000_000)


perf_counter = monotonic
perf_counter_ns = monotonic_ns
process_time = monotonic
process_time_ns = monotonic_ns
thread_time = monotonic
thread_time_ns = monotonic_ns


_SINCE_EPOCH = frozenset(
    value for name in ("CLOCK_REALTIME", "CLOCK_TAI") if (value := getattr(real_time, name, None)) is not None
)


@built_in
def clock_gettime(clock: int, /) -> float:
    """Mirror `time.clock_gettime`."""
    real_time.clock_gettime(clock)  # complains about a clock that there is not
    return time() if clock in _SINCE_EPOCH else monotonic()


@built_in
def clock_gettime_ns(clock: int, /) -> int:
    """Mirror `time.clock_gettime_ns`."""
    return int(clock_gettime(clock) * 1_000_000_000)


@built_in
def sleep(seconds: float, /) -> None:
    """Block until nothing else can run and the virtual clock has passed the given time."""
    if seconds != seconds:  # noqa: PLR0124 - NaN
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    thread = ENGINE.thread
    if ENGINE.current is None:
        if not thread.dying:
            _sleep_quietly(thread, seconds)
        return
    if ENGINE.time.sleeps_briefly(thread):
        thread.may_switch = True
        access(thread, ENGINE.heap.loc_of(ENGINE.main, "clock"), TICK, here())
        ENGINE.time.pass_by(seconds)
        thread.may_switch = True
        return
    _sleep(thread, seconds)


def _sleep_quietly(thread: VThread, seconds: float) -> None:
    """Sleep in a set-up or a check; the threads that it has started run meanwhile."""
    thread.clock_reads += 1
    if thread.clock_reads > ENDLESS:
        raise SetupBlockedError
    if not any(other.state in (NEW, READY, BLOCKED) and other is not thread for other in ENGINE.threads[1:]):
        ENGINE.time.now += seconds
        return
    thread.deadline = ENGINE.time.now + seconds
    began, left = False, None
    try:
        began = quiet_block(ENGINE, thread)
    finally:
        left, thread.deadline = ENGINE.time.left(thread), None
        thread.timed_out = False
    if began and left is not None:
        _sleep(thread, left)


def _sleep(thread: VThread, seconds: float) -> None:
    thread.deadline = ENGINE.time.now + seconds
    ENGINE.block(thread, 0, LOCAL, here())
    thread.timed_out = False
    thread.may_switch = True


@built_in
def localtime(seconds: float | None = None, /) -> real_time.struct_time:
    """Mirror `time.localtime`, of virtual time by default."""
    return real_time.localtime(time() if seconds is None else seconds)


@built_in
def gmtime(seconds: float | None = None, /) -> real_time.struct_time:
    """Mirror `time.gmtime`, of virtual time by default."""
    return real_time.gmtime(time() if seconds is None else seconds)


@built_in
def ctime(seconds: float | None = None, /) -> str:
    """Mirror `time.ctime`, of virtual time by default."""
    return real_time.ctime(time() if seconds is None else seconds)


@built_in
def asctime(moment: real_time.struct_time | None = None, /) -> str:
    """Mirror `time.asctime`, of virtual time by default."""
    return real_time.asctime(localtime() if moment is None else moment)


@built_in
def strftime(form: str, moment: real_time.struct_time | None = None, /) -> str:
    """Mirror `time.strftime`, of virtual time by default."""
    return real_time.strftime(form, localtime() if moment is None else moment)
