"""Detect acts of a test that no schedule decides: other processes, sockets, real threads, waits for any of them."""

from __future__ import annotations

import _thread
import errno
import faulthandler
import functools
import gc
import linecache
import os
import re
import signal
import sys
import tempfile
import threading
import time
from _thread import get_ident, get_native_id
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from _pytest.faulthandler import fault_handler_stderr_fd_key

from plait.errors import STOPPED
from plait.run.engine import ENGINE
from plait.run.fibers import OURS
from plait.run.foreign_waits import OUTSIDE, threads_outside
from plait.run.importing.adopt import is_foreign
from plait.run.kept import Bell
from plait.run.native.stillness import Idleness
from plait.workers.guard import NETWORK, SUBPROCESS, WRITE, Act

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    import pytest

PROCESSES, THREADS = "other processes", "threads of code that is not under control"
_ACTS = {
    "socket.connect": "sockets", "socket.bind": "sockets", "socket.getaddrinfo": "sockets",
    "subprocess.Popen": PROCESSES, "os.fork": PROCESSES, "os.posix_spawn": PROCESSES,
    "os.system": PROCESSES, "_thread.start_new_thread": THREADS, "_thread.start_joinable_thread": THREADS,
}  # fmt: skip
_STARTERS = (
    (threading, "_start_new_thread"), (threading, "_start_joinable_thread"),
    (_thread, "start_new_thread"), (_thread, "start_new"), (_thread, "start_joinable_thread"),
)  # fmt: skip
"""What starts threads of the system; there are audit events for that from 3.12 on."""
_GUARDED: dict[str, dict[str, Act]] = {"write": WRITE, "network": NETWORK, "subprocess": SUBPROCESS}
LOOKS = 0.1  # seconds between two looks at the test's progress
STILL = 1.0  # seconds after which a test in which nothing moves is said to wait for something outside
AGAIN = 0.5  # seconds between two attempts to stop a test

_MAY_WAKE = re.compile(r"\bsleep\(|\btimeout\b")
_TIMES = ("timeout", "secs", "delay", "waittime")

BUDGET, WAITS, BUSY = "its time is over", OUTSIDE, "it computes on and on"


class StuckError(BaseException):  # no code under test may take it for an error of its own
    """The test was stopped: nothing moves, or its time is over; ``why`` is one of `BUDGET`, `WAITS` and `BUSY`."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(slots=True)
class OutsideActs:
    """What a test did: acts by name, and those that were stopped, as `plait.workers.guard` notes them."""

    acts: set[str] = field(default_factory=set)
    stopped: list[dict[str, str]] = field(default_factory=list)
    collected: bool = False  # it has asked for objects to die, which live until an execution ends

    def others_may_answer(self) -> bool:
        """Return whether a process or a thread that the test has started without control may end a wait of it."""
        return not self.acts.isdisjoint((PROCESSES, THREADS))


class Outside:
    """Listens while a test runs; an audit hook cannot be taken back, so there is one for the process.

    ``allowed`` names what tests may do besides computing (as ``--allow`` does), None: everything. Where the whole
    process is confined to a ``folder``, it names what is stopped also before and between tests.
    """

    def __init__(self, allowed: frozenset[str] | None = None, folder: str | None = None) -> None:
        self._seen: OutsideActs | None = None
        self._installed = False
        self._everybody = False
        self._always = folder is not None
        self._folder = os.path.realpath(folder or tempfile.gettempdir())
        self._forbidden: dict[str, tuple[str, Act]] = {
            event: (name, act)
            for name, some in _GUARDED.items() if allowed is not None and name not in allowed
            for event, act in some.items()
        }  # fmt: skip
        if self._always:
            self._listen_from_now_on()

    def _listen_from_now_on(self) -> None:
        if not self._installed:
            self._installed = True
            sys.addaudithook(self._listen)

    def _listen(self, event: str, arguments: Any) -> None:
        seen = self._seen
        if seen is None and not self._always:
            return
        if event in _ACTS:
            self._note(event)
        if event in self._forbidden:  # whichever thread it is
            name, act = self._forbidden[event]
            told = act(arguments, self._folder)
            if told is not None:
                if seen is not None:
                    seen.stopped.append({"act": name, "call": told})
                raise PermissionError(errno.EPERM, f"{STOPPED}{told}: tests need --allow {name} for that")

    @contextmanager
    def watched(self, *, everybody: bool = False) -> Iterator[OutsideActs]:
        """Yield what is seen of the threads under control, or of all threads."""
        self._listen_from_now_on()
        seen = OutsideActs()
        self._seen, self._everybody = seen, everybody
        before = [(owner, name, getattr(owner, name)) for owner, name in _STARTERS if hasattr(owner, name)]
        for owner, name, start in before:
            setattr(owner, name, self._noting(start))
        collect = gc.collect
        gc.collect = _noting_collection(collect, seen)
        ENGINE.guarded = ENGINE.deserted or threads_outside()  # those of earlier tests may still run
        try:
            yield seen
        finally:
            self._seen = None
            ENGINE.guarded = ENGINE.deserted
            gc.collect = collect
            for owner, name, start in before:
                setattr(owner, name, start)

    def _noting(self, start: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(start)
        def noting(*args: Any, **named: Any) -> Any:
            self._note("_thread.start_new_thread")
            return start(*args, **named)

        return noting

    def _note(self, event: str) -> None:
        seen = self._seen
        if seen is not None and (self._everybody or get_ident() in OURS):
            seen.acts.add(_ACTS[event])
            if _ACTS[event] == THREADS:
                ENGINE.guard()


def _noting_collection(collect: Callable[..., int], seen: OutsideActs) -> Callable[..., int]:
    @functools.wraps(collect)
    def noting(*args: Any, **named: Any) -> int:
        if ENGINE.thread.id > 0 and get_ident() in OURS:
            seen.collected = True
        return collect(*args, **named)

    return noting


class Watchdog:
    """Stops a test whose time is over, or in which nothing moves, by `StuckError` in the main thread.

    A thread looks at the test now and then. Under control (``controlled``) a test must make steps; else it only has to
    end before the ``deadline``. It is interrupted by a signal, again and again where code catches everything.
    """

    def __init__(self, deadline: float, *, controlled: bool, seen: OutsideActs) -> None:
        self._deadline = deadline
        self._controlled = controlled
        self._seen = seen
        self._done = Bell()
        self.why: str | None = None  # the test was stopped
        self.idle = False  # and nothing moved when it was
        self.seconds = max(0.0, deadline - time.perf_counter())
        self.standing: list[tuple[str, str, bool]] = []  # where its threads were then

    @contextmanager
    def watching(self) -> Iterator[Watchdog]:
        """Watch the block; only the main thread can be interrupted, elsewhere a test has no end but its own."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_kill"):
            yield self
            return
        before = signal.signal(signal.SIGUSR2, self._interrupt)
        watcher = threading.Thread(target=self._watch, name="plait watchdog", daemon=True)
        mine = get_ident()
        controlled = mine in OURS
        OURS.discard(mine)  # from 3.12 on an audit hook would take the watcher for a thread of the code under test
        watcher.start()
        if controlled:
            OURS.add(mine)
        try:
            yield self
        finally:
            self._done.ring()
            watcher.join()
            signal.signal(signal.SIGUSR2, before)

    def check(self) -> None:
        """Raise `StuckError` if the test has been stopped."""
        if self.why is not None:
            raise StuckError(self.why)

    def _interrupt(self, _number: int, _frame: Any) -> None:
        if self._done.rung:
            return
        if self._controlled:
            ENGINE.interrupt()
            if ENGINE.current is not None:
                return  # OS threads: they are asked again if they do not stop by themselves
        self.check()

    def _watch(self) -> None:
        main = threading.main_thread().ident
        assert main is not None
        idleness = Idleness(get_native_id())
        moved = awake = time.perf_counter()
        before: Any = None
        while not self._done.wait(LOOKS if self.why is None else AGAIN):
            now = time.perf_counter()
            progress = ENGINE.executions, ENGINE.step
            idle = idleness.look()
            if progress != before:
                before, moved = progress, now
            if moved == now or not idle:
                awake = now
            why = self.why or self._reason(now, now - awake, now - moved, self.seconds)
            if why is not None:
                if self.why is None:
                    self.idle, self.standing = now - awake > LOOKS, standing()
                self.why = why
                signal.pthread_kill(main, signal.SIGUSR2)

    def _reason(self, now: float, still: float, same: float, seconds: float) -> str | None:
        if now > self._deadline:
            return BUDGET
        if not self._controlled:
            return None
        # Another process may be slow to answer, so the wait for one may take long.
        if still > (seconds / 2 if PROCESSES in self._seen.acts else min(STILL, seconds / 4)):
            return WAITS
        return BUSY if same > seconds / 2 else None


class LastResort:
    """Kills the process at a deadline, with a word on where its threads are: C code may not let itself be interrupted.

    Where pytest's own ``faulthandler_timeout`` is set, there is no second such timer.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def at(self, deadline: float | None) -> None:
        """Set the deadline, a value of `time.perf_counter`; None for no end."""
        fd = self._config.stash.get(fault_handler_stderr_fd_key, None)
        if fd is None or float(self._config.getini("faulthandler_timeout") or 0) > 0:
            return
        if deadline is None:
            faulthandler.cancel_dump_traceback_later()
        else:
            seconds = max(0.001, deadline - time.perf_counter())
            faulthandler.dump_traceback_later(seconds, exit=True, file=fd)


def standing() -> list[tuple[str, str, bool]]:
    """Return the threads that are no daemons: name, place, whether they wait for a time only."""
    frames = sys._current_frames()
    found = []
    for thread in threading.enumerate():
        frame = frames.get(thread.ident or 0)
        if frame is not None and not thread.daemon:  # daemons keep nobody from ending
            found.append((thread.name, *_place(frame)))
    return found


def _place(innermost: FrameType) -> tuple[str, bool]:
    """Return the innermost line that is not the standard library's.

    Whether something on the way to it has a time-out.
    """
    frame: FrameType | None = innermost
    wakes = False
    while frame is not None:
        file, line = frame.f_code.co_filename, frame.f_lineno
        text = linecache.getline(file, line).strip()
        limits = [frame.f_locals.get(name) for name in _TIMES]
        wakes = wakes or any(isinstance(limit, int | float) and limit >= 0 for limit in limits)
        if not is_foreign(file):
            return f"{file.rpartition('/')[2]}:{line}: {text}", wakes or bool(_MAY_WAKE.search(text))
        frame = frame.f_back
    return f"{innermost.f_code.co_name}() of {innermost.f_code.co_filename.rpartition('/')[2]}", wakes
