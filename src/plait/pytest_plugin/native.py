"""Run a test that cannot be controlled on OS threads: a few times, within its budget, with the same criteria."""

from __future__ import annotations

import concurrent.futures.thread
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plait.pytest_plugin.outside import PROCESSES, StuckError, Watchdog
from plait.run.native.bed import put_back_interval

if TYPE_CHECKING:
    from plait.pytest_plugin.item import ItemTrial
    from plait.pytest_plugin.outside import OutsideActs

EAGER = 1e-5  # seconds after which a running thread is asked to let others run, in all runs but the first


class HangError(AssertionError):
    """A test does not end: all of its threads wait, and nothing will wake them."""


class NotEndedError(Exception):
    """A test has not ended in its time, and may still do so."""


class ThreadFailedError(AssertionError):
    """An unexpected exception ended a thread of the test."""


class NativeRuns:
    """Runs of one test on OS threads; ``left`` are the threads that keep the process from ending."""

    def __init__(self, trial: ItemTrial, *, dying: bool, leftover: bool) -> None:
        self._trial = trial
        self._dying = dying
        self._leftover = leftover
        self.runs = 0
        self.left: list[threading.Thread] = []

    def repeat(self, deadline: float, most: int, seen: OutsideActs) -> None:
        """Run the test up to so many times, in half of the time; raise the first failure."""
        __tracebackhide__ = True
        started = time.perf_counter()
        enough = started + (deadline - started) / 2
        interval = sys.getswitchinterval()
        self._once(deadline, seen)
        try:
            while self.runs < most and time.perf_counter() < enough:
                sys.setswitchinterval(EAGER)
                try:
                    self._once(deadline, seen)
                except Exception:
                    if self._passes_again(deadline, seen):
                        raise
                    return  # a test that cannot be repeated in one process: its first run has passed
        finally:
            put_back_interval(interval)

    def _passes_again(self, deadline: float, seen: OutsideActs) -> bool:
        """Return whether a failure comes and goes; one that stays is that of a test which leaves something behind."""
        passed = 0
        for _ in range(2):
            with suppress(Exception):
                self._once(deadline, seen)
                passed += 1
        return passed > 0

    def _once(self, deadline: float, seen: OutsideActs) -> None:
        __tracebackhide__ = True
        trial, deaths = self._trial, self._trial.deaths
        before = frozenset(threading.enumerate())
        deaths.begin()
        watchdog = Watchdog(deadline, controlled=False, seen=seen)
        try:
            with watchdog.watching(), deaths.watched(), deaths.of_os_threads():
                self.runs += 1
                trial.protocol()
                self._wait_for(before)
                errors = [] if self._dying else deaths.unaccepted()
        except StuckError:
            self.left += _own(before)
            raise _not_ended(watchdog, seen) from None
        if errors:
            raise ThreadFailedError(f"a thread raised {type(errors[0]).__name__}: {errors[0]}") from errors[0]

    def _wait_for(self, before: frozenset[threading.Thread]) -> None:
        """Threads may outlive the test, if they end at all."""
        if not self._leftover:
            for thread in _own(before):
                thread.join()


def _own(before: frozenset[threading.Thread]) -> list[threading.Thread]:
    """Return the threads started since, without daemons and idle workers of executors: the interpreter ends those."""
    pools = concurrent.futures.thread._threads_queues
    return [
        thread for thread in threading.enumerate()
        if thread not in before and not thread.daemon and thread not in pools
    ]  # fmt: skip


def _not_ended(watchdog: Watchdog, seen: OutsideActs) -> Exception:
    """Return what is said of a test that was stopped; who waits for other processes may only have to wait longer."""
    where = [f"{name} is at {place}" for name, place, _wakes in watchdog.standing]
    text = f"it has not ended on OS threads within {watchdog.seconds:.1f} s; " + "; ".join(where)
    if watchdog.idle and PROCESSES not in seen.acts and not any(wakes for _name, _place, wakes in watchdog.standing):
        return HangError(f"hangs: {text}")
    return NotEndedError(text)


_ON_OS_THREADS = "seen on OS threads, which plait did not control"
_ALONE = "it starts no thread: it fails without plait as well, whatever the schedule"


def native_failure(error: BaseException, threads: int) -> dict[str, Any]:
    """Return a failure on OS threads as an account has it: there is no schedule to show.

    A test without threads of its own fails for a reason that schedules have nothing to do with.
    """
    kind = "hang" if isinstance(error, HangError) else "exception"
    text = f"{type(error).__name__}: {error}" if kind == "exception" else str(error)
    return {
        "kind": kind, "summary": text.partition("\n")[0], "details": text.split("\n")[1:],
        "exception": None if kind == "hang" else type(error).__name__, "preemptions": 0, "token": None,
        "schedule": None, "interleaving": [], "reachable": {}, "confirmed_on_threads": True,
        "text": f"{text}\n{_ON_OS_THREADS if threads > 1 else _ALONE}", "names": {},
    }  # fmt: skip
