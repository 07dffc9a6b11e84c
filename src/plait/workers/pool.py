"""The pool of worker processes that run code under test. A process may be lost at any moment.

A thread per worker takes tasks from a common queue and keeps a process for them. If the process is lost, it is disposed
of in the background, and the next task gets a new one.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import select
import signal as signals
import threading
import time
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from plait.errors import PlaitBugError, SpoiltError, UsageError
from plait.model.result import note_confinement
from plait.run.kept import kernel_text
from plait.run.native.kernel import DISK
from plait.run.native.process import ENVIRONMENT, excess, memory_share, overfull
from plait.run.native.stillness import waits
from plait.subject.versions.scratch import remove_tree, scratch
from plait.workers import guard
from plait.workers.blackbox import LOADING, OUTSIDE, BlackBox, tail
from plait.workers.boot import (
    BLACK_BOX,
    OWN,
    TELL,
    TRACE,
    YOUTH,
    load_task,
)
from plait.workers.channel import (
    BUG,
    MEMORY,
    READY,
    SPOILT,
    UNREAD,
    UNSENT,
    USAGE,
    VALUE,
    Incoming,
    Reply,
    read_frame,
    write_order,
)
from plait.workers.failures import (
    WorkerCrashed,
    WorkerError,
    WorkerHung,
    signal_name,
)
from plait.workers.process import WorkerProcess
from plait.workers.protocol import WorkerSpec
from plait.workers.schema import FrameError, return_type

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["Answer", "WorkerCrashed", "WorkerError", "WorkerHung", "WorkerSpec", "Workers"]

_CLOSING_S = 15.0  # seconds that closing may take
FORGIVEN = 8  # further tries if a worker was killed from outside


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a task, and what else happened during it.

    ``stopped`` are the acts that the guard stopped (``act``, ``call``, ``at``), ``output`` is the end of the output,
    ``changed`` names the settings of the process that code under test changed (they have been restored).
    """

    value: Any
    stopped: tuple[dict[str, str], ...] = ()
    output: str = ""
    changed: tuple[str, ...] = ()


@dataclass(slots=True)
class _Job:
    task: Callable[..., Any]
    args: tuple[Any, ...]
    timeout: float
    stall: float | None
    tries: int
    future: Future[Answer] = field(default_factory=Future)


class Workers:
    """``count`` worker processes for one spec. Close the pool, or use it as a context: no process is left behind."""

    def __init__(self, spec: WorkerSpec, *, count: int = 1) -> None:
        if spec.memory_limit is None:
            spec = replace(spec, memory_limit=memory_share(count))
        names = [each.removeprefix(ENVIRONMENT) for each in spec.allow if each.startswith(ENVIRONMENT)]
        if names and not spec.environment:
            spec = replace(spec, environment=tuple((name, os.environ[name]) for name in names if name in os.environ))
        self.spec = spec
        self.count = count
        self._stack = contextlib.ExitStack()
        self._root = self._stack.enter_context(scratch())
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._slots = [_Slot(spec, self._root / f"{number}", self._queue, self._closed) for number in range(count)]
        for slot in self._slots:
            slot.start()

    def submit(
        self, task: Callable[..., Any], *args: Any, timeout: float, stall: float | None = None
    ) -> Future[Answer]:
        """Run a module-level function in a worker; arguments and result are plain data.

        The future raises `WorkerCrashed` if the process ended; `WorkerHung` after ``timeout`` seconds, or after
        ``stall`` seconds without a sign of life (a note, or an execution of the engine); `UsageError` if the task
        raised it (the subject cannot be imported). A future that has not started can be cancelled.
        """
        return self.attempt(task, *args, timeout=timeout, stall=stall, retries=0)

    def attempt(
        self, task: Callable[..., Any], *args: Any, timeout: float, stall: float | None = None, retries: int = 1
    ) -> Future[Answer]:
        """Submit a task; if it loses its worker, retry it with another one, ``retries`` times."""
        job = _Job(task, args, timeout, stall, 1 + retries)
        if self._closed.is_set():
            raise RuntimeError("the workers are closed")
        self._queue.put(job)
        return job.future

    def drop(self) -> None:
        """Cancel all tasks that have not started."""
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._queue.get_nowait()
                if job is not None:
                    job.future.cancel()

    def close(self) -> None:
        """Cancel waiting tasks, kill running ones, and remove all files. Further calls do nothing."""
        self._closed.set()
        self.drop()
        for _ in self._slots:
            self._queue.put(None)
        deadline = time.monotonic() + _CLOSING_S
        while any(slot.is_alive() for slot in self._slots) and time.monotonic() < deadline:
            for slot in self._slots:
                slot.interrupt()  # again, because a slot may just have been starting a process
                slot.join(0.05)
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


class _Slot(threading.Thread):
    """One place in the pool: takes tasks, and keeps a live process for them."""

    def __init__(
        self, spec: WorkerSpec, home: Path, jobs: queue.SimpleQueue[_Job | None], closed: threading.Event
    ) -> None:
        super().__init__(name=f"plait-worker-{home.name}", daemon=True)
        self._spec = spec
        self._home = home
        self._jobs = jobs
        self._closed = closed
        self._numbers = itertools.count()
        self._worker: Worker | None = None
        self._buried: list[threading.Thread] = []
        self._broken: Exception | None = None

    def run(self) -> None:
        """Run tasks until the pool is closed."""
        try:
            self._open_ahead()
            while (job := self._jobs.get()) is not None:
                if job.future.set_running_or_notify_cancel():
                    self._perform(job)
                    if self._worker is None and not self._closed.is_set():
                        self._open_ahead()
        finally:
            self._bury()
            for thread in self._buried:
                thread.join(_CLOSING_S)

    def interrupt(self) -> None:
        """End the current process; the task that waits for it fails."""
        worker = self._worker
        if worker is not None:
            worker.kill()

    def _open_ahead(self) -> None:
        """Start a process before there is a task; if that fails, the next task reports it."""
        try:
            self._opened()
        except Exception as error:
            self._broken = error

    def _opened(self) -> Worker:
        if self._broken is not None:
            broken, self._broken = self._broken, None
            raise broken
        if self._worker is None:
            self._worker = Worker(self._spec, self._home / f"{next(self._numbers)}")
            try:
                failure = self._worker.call(load_task, (), self._spec.load_timeout)[0]
                note_confinement(self._worker.layers())
                _raise_failure(failure, self._worker)
            except BaseException:
                self._bury()
                raise
        return self._worker

    def _perform(self, job: _Job) -> None:
        tries, forgiven = job.tries, FORGIVEN
        while True:
            try:
                self._answer(job, self._opened(), job.timeout, job.stall)
            except WorkerError as error:
                self._bury()
                if self._closed.is_set():
                    job.future.set_exception(CancelledError())
                    return
                if forgiven and isinstance(error, WorkerCrashed) and error.outside:
                    forgiven -= 1
                    continue
                tries -= 1
                if tries <= 0 or (isinstance(error, WorkerHung) and error.loading):  # it would take as long again
                    job.future.set_exception(error)
                    return
            except Exception as error:
                job.future.set_exception(error)
                return
            else:
                return

    def _answer(self, job: _Job, worker: Worker, timeout: float, stall: float | None) -> None:
        reply, value = worker.call(job.task, job.args, timeout, stall)
        if reply.retire or reply.kind in (BUG, SPOILT):  # a bug may have come of what code under test did, too
            self._bury()
        _raise_failure(reply, worker)
        job.future.set_result(Answer(value, reply.stopped, reply.output, reply.changed))

    def _bury(self) -> None:
        """Dispose of the current worker in the background."""
        worker, self._worker = self._worker, None
        if worker is not None:
            self._buried = [thread for thread in self._buried if thread.is_alive()]
            thread = threading.Thread(target=worker.dispose, name="plait-undertaker", daemon=True)
            thread.start()
            self._buried.append(thread)


def _raise_failure(reply: Reply, worker: Worker) -> None:
    """Raise the error of a reply that has no value."""
    if reply.kind == MEMORY:
        raise WorkerCrashed("out of memory", output=reply.output, note=worker.note(), stopped=reply.stopped)
    if reply.kind in (UNREAD, UNSENT):  # in another process the task may well be read
        raise WorkerCrashed(reply.said, outside=reply.kind == UNREAD, note=worker.note(), stopped=reply.stopped)
    if reply.kind == USAGE:
        raise UsageError(reply.said, about=reply.about)
    if reply.kind == SPOILT:
        raise SpoiltError(reply.said)
    if reply.kind == BUG:
        raise PlaitBugError(reply.said)


# -- worker ------------------------------------------------------------------------------------------------------------
# The parent's side of one worker process.
#
# Each worker has its own pipes: when the process dies or is killed for taking too long, they are closed with everything
# that it may have left in them. So a death cannot harm another worker or the parent. Every wait has a limit: a process
# may stop reading its orders, send half a frame, or leave a child that keeps its pipes open.


START_S = 60.0  # seconds that a process may take to start
_TICK_S = 0.1  # seconds between two checks of a process's status
_CLOCK_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 1
LOOKS = 10  # of these, one is at its folder
_PATIENT = 3  # factor on limits for a process that hardly gets processor time
_ENDS = (VALUE, USAGE, MEMORY, BUG, UNREAD, UNSENT, SPOILT)  # of a task
_TELL_S = 0.2  # seconds that a hanging process has to write its stack


class _Lost(Exception):  # noqa: N818 - not an error yet: somebody will say why
    """The process has ended, or its pipes are closed."""


class Worker:
    """A process, its folder, and its current order."""

    def __init__(self, spec: WorkerSpec, home: Path) -> None:
        home.mkdir(parents=True)
        self._allowed = spec.allow
        self._memory = spec.memory_limit or memory_share(1)
        self._looks = 0
        self._looked = time.monotonic()
        self._home = home
        self._numbers = itertools.count(1)
        try:
            self._process = WorkerProcess(home, home / YOUTH)
        except OSError as error:
            remove_tree(home)
            raise WorkerCrashed(f"no worker can be started: {error.strerror or error}", outside=True) from None
        self._started = False
        self._first = write_order(0, spec)

    def call(
        self, task: Callable[..., Any], args: tuple[Any, ...], timeout: float, stall: float | None = None
    ) -> tuple[Reply, Any]:
        """Run a task in the process; return the reply and the value; raise `WorkerError` without a reply."""
        try:
            if not self._started:
                self._exchange(0, self._first, _Patience(self, START_S, None), None)
                self._started = True
            number = next(self._numbers)
            order = write_order(number, task, args)
            return self._exchange(number, order, _Patience(self, timeout, stall), return_type(task))
        except (_Lost, OSError) as error:
            raise self._obituary(error) from None
        except FrameError as error:
            self._process.kill()
            raise WorkerCrashed(f"its process sent what is no answer: {error}", **self._remains()) from None

    def kill(self) -> None:
        """Kill the process; a caller that waits for it gets an error."""
        self._process.kill()

    def note(self) -> dict[str, Any] | None:
        """Return the last task's description of what it was doing."""
        note: dict[str, Any] | None = self._remains().get("note")
        return note

    def _exchange(self, number: int, order: bytes, patience: _Patience, kind: Any) -> tuple[Reply, Any]:
        """Send an order and wait for its answer, within the limits of ``patience``."""
        incoming, unsent = Incoming(), memoryview(order)
        orders, answers = self._process.orders, self._process.answers
        poll = select.poll()
        poll.register(answers, select.POLLIN)
        if self._process.exit_code() is not None:
            raise _Lost("it has ended")
        with contextlib.suppress(BlockingIOError):
            unsent = unsent[os.write(orders, unsent) :]
        if unsent:
            poll.register(orders, select.POLLOUT)
        if self._is_time_to_look():  # between orders, too, which may all be short
            self._look_at_size()
        with patience:
            while True:
                ready = dict(poll.poll(_TICK_S * 1000))
                if ready.get(orders) == select.POLLOUT:
                    unsent = unsent[os.write(orders, unsent[: 1 << 16]) :]
                if orders in ready and (not unsent or ready[orders] != select.POLLOUT):
                    poll.unregister(orders)
                if answers in ready:
                    is_open, frame = incoming.read(answers)
                    if frame is not None:
                        return self._reply(number, frame, kind)
                    if not is_open:
                        raise _Lost("its end of the pipe was closed")
                if answers not in ready and self._process.exit_code() is not None:
                    raise _Lost("it has ended")
                if self._is_time_to_look():
                    self._look_at_size()
                    late = patience.over()
                    if late is not None:
                        raise self._hung(*late)

    @staticmethod
    def _reply(number: int, frame: bytes, kind: Any) -> tuple[Reply, Any]:
        reply, value = read_frame(frame, kind)
        if reply.number != number or reply.kind not in (_ENDS if number else (READY,)):
            raise FrameError("it answers something else")
        return reply, value

    def _status(self) -> tuple[str, float]:
        """Return the state, R if any thread wants to run or waits for a disk, and the processor time of the process."""
        state, used = self._used()
        return state if state in ("", "Z", "X") or waits(self._process.pid) else "R", used

    def _used(self) -> tuple[str, float]:
        """Return the state of the process's first thread, and the processor time of the process."""
        try:
            state, *numbers = kernel_text(f"/proc/{self._process.pid}/stat").rpartition(")")[2].split()
            return state, (int(numbers[10]) + int(numbers[11])) / _CLOCK_TICKS
        except (OSError, ValueError, IndexError):  # ended, or the system does not say
            return "", 0.0

    def _is_time_to_look(self) -> bool:
        now = time.monotonic()
        if now < self._looked + _TICK_S * 0.9:
            return False
        self._looked = now
        return True

    def _look_at_size(self) -> None:
        """Kill a process that takes too many threads, or too much memory or disk, if the kernel does not limit it.

        In a mount namespace its files are in limited memory, and cannot be seen from here.
        """
        too_much = excess(self._process.pid, self._memory)
        self._looks += 1
        if not too_much and self._looks % LOOKS == 0 and "write" not in self._allowed:
            too_much = overfull(str(self._home / OWN), DISK)
        if too_much:
            self._process.kill()
            raise WorkerCrashed(too_much, **self._remains())

    def _hung(self, seconds: float, waits: bool) -> WorkerHung:
        if TELL is not None:
            self._process.ask(TELL)
            time.sleep(_TELL_S)
        self._process.kill()
        return WorkerHung(seconds, waits=waits, loading=self._last_words()[0] == LOADING, **self._remains())

    def _obituary(self, error: BaseException) -> WorkerError:
        code = self._process.exit_code(1.0)
        state, own_end = self._last_words()
        doing = " while the subject was imported" if state == LOADING else ""
        rest = self._remains()
        if code is None:  # it lives without its pipe: only code in it can have closed that
            return WorkerCrashed(f"the worker was lost{doing}: {error}", **rest)
        if code == 3 and own_end.startswith("set-up failed"):
            raise PlaitBugError(f"a worker's {own_end}")
        by = f" ({own_end})" if own_end else ""
        if code < 0:
            outside = state == OUTSIDE or (-code == signals.SIGKILL and not own_end)
            reason = f"killed by {signal_name(-code)}{by}{doing}"
            return WorkerCrashed(reason, signal=-code, outside=outside, **rest)
        return WorkerCrashed(f"the process ended with exit code {code}{doing}", exit_code=code, **rest)

    def _last_words(self) -> tuple[int, str]:
        try:
            with contextlib.closing(BlackBox(self._home / BLACK_BOX)) as box:
                return box.state, box.own_end
        except (OSError, ValueError):
            return OUTSIDE, ""

    def _remains(self) -> dict[str, Any]:
        try:
            with contextlib.closing(BlackBox(self._home / BLACK_BOX)) as box:
                return {"output": box.output, "note": box.note, "trace": tail(self._home / TRACE)}
        except (OSError, ValueError):  # it had none yet
            with contextlib.suppress(OSError):
                return {"output": tail(self._home / YOUTH)}
            return {}

    def layers(self) -> Any:
        """Return the layers that confine the process; None if it did not get that far."""
        try:  # where code under test may write, the file can be anything by now
            return json.loads(tail(self._home / guard.LAYERS))
        except (OSError, ValueError, RecursionError):
            return None

    def dispose(self) -> None:
        """End the process, with those it has started, and remove its files."""
        if "subprocess" in self._allowed:
            self._process.kill_group()
        self._process.close()
        remove_tree(self._home)


class _Patience:
    """The limits of a task: ``timeout`` seconds in all, ``stall`` seconds without a sign of life."""

    def __init__(self, worker: Worker, timeout: float, stall: float | None) -> None:
        self._worker = worker
        self._timeout = timeout
        self._limit = timeout if stall is None else min(stall, timeout)
        self._started = self._last = time.monotonic()
        self._first = self._used = self._since = worker._used()[1]
        self._beat: int | None = None
        self._silent = 0.0

    def __enter__(self) -> None:
        self._box = None
        if self._limit < self._timeout:
            with contextlib.suppress(OSError, ValueError):
                self._box = BlackBox(self._worker._home / BLACK_BOX)

    def __exit__(self, *_exception: object) -> None:
        if self._box is not None:
            self._box.close()

    def over(self) -> tuple[float, bool] | None:
        """Return the limit that was exceeded, and whether the worker only waited; None while there is time."""
        now = time.monotonic()
        state, total = self._worker._status()
        if self._box is not None and self._box.beat != self._beat:
            self._beat, self._silent, self._since = self._box.beat, 0.0, total
        else:
            # A process that is ready but gets no processor time is no fault: the machine is busy.
            self._silent += total - self._used if state == "R" else now - self._last
        self._last, self._used = now, total
        only_waits = state in ("", "S") and total - self._since < self._limit / 2  # for all that is known about it
        starved = state == "R" and total - self._first < self._timeout / 2
        if now > self._started + self._timeout * (_PATIENT if starved else 1):
            return self._timeout, only_waits
        return (self._limit, only_waits) if self._silent > self._limit else None
