"""Worker processes that run code under test for a campaign, and may be lost at any moment.

A thread per worker takes tasks from a common queue and keeps a process for them (`plait.workers.pool`). When that is
lost it is disposed of in the background, and the next task gets a fresh one.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import shutil
import signal as signals
import threading
import time
from concurrent.futures import CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pebble import ProcessExpired, ProcessPool

from plait.errors import PlaitBugError, UsageError
from plait.subject.versions.scratch import scratch
from plait.workers.blackbox import LOADING, OUTSIDE, BlackBox
from plait.workers.boot import (
    BLACK_BOX,
    TELL,
    TRACE,
    YOUTH,
    Boot,
    begin_process,
    load_task,
    run_task,
)
from plait.workers.failures import (
    WorkerCrashed,
    WorkerError,
    WorkerHung,
    signal_name,
)
from plait.workers.process import ENDED, WorkerContext
from plait.workers.protocol import WorkerSpec, memory_share, unpack

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["Answer", "WorkerCrashed", "WorkerError", "WorkerHung", "WorkerSpec", "Workers"]

CLOSING_S = 15.0  # how long the end may take
FORGIVEN = 8  # tries beyond the agreed ones when a worker was killed from outside


@dataclass(frozen=True, slots=True)
class Answer:
    """What a task returned, with what happened around it.

    ``stopped`` are the acts that the guard stopped (``act``, ``call``, ``at``), ``output`` is the end of what was
    printed, ``changed`` names what the code under test had changed about its process (put back since).
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
    """``count`` worker processes for one spec. Close them, or use them as a context: no process is left behind."""

    def __init__(self, spec: WorkerSpec, *, count: int = 1) -> None:
        if spec.memory_limit is None:
            spec = replace(spec, memory_limit=memory_share(count))
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

        The future raises `WorkerCrashed` if the process ended, `WorkerHung` after ``timeout`` seconds, or after
        ``stall`` seconds without a sign of life (a note, or an execution of the engine), `UsageError` if the task did
        (the subject cannot be imported). A future that has not started can be cancelled.
        """
        return self.attempt(task, *args, timeout=timeout, stall=stall, retries=0)

    def attempt(
        self, task: Callable[..., Any], *args: Any, timeout: float, stall: float | None = None, retries: int = 1
    ) -> Future[Answer]:
        """As `submit`, but a task that lost its worker gets another one, ``retries`` times."""
        job = _Job(task, args, timeout, stall, 1 + retries)
        if self._closed.is_set():
            raise RuntimeError("the workers are closed")
        self._queue.put(job)
        return job.future

    def drop(self) -> None:
        """Cancel everything that has not started."""
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._queue.get_nowait()
                if job is not None:
                    job.future.cancel()

    def close(self) -> None:
        """Cancel what waits, kill what runs, remove all files. Harmless when repeated."""
        self._closed.set()
        self.drop()
        for _ in self._slots:
            self._queue.put(None)
        deadline = time.monotonic() + CLOSING_S
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
    """One worker: takes jobs, keeps a live process for them."""

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
        """Work until there is nothing to take any more."""
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
                thread.join(CLOSING_S)

    def interrupt(self) -> None:
        """End the current process; whatever waits for it fails."""
        worker = self._worker
        if worker is not None:
            worker.kill()

    def _open_ahead(self) -> None:
        """Start a process before there is work; if that fails, the next job is told."""
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
                self._worker.call(load_task, (), self._spec.load_timeout)
            except BaseException:
                self._bury()
                raise
        return self._worker

    def _perform(self, job: _Job) -> None:
        tries, forgiven = job.tries, FORGIVEN
        while True:
            try:
                self._answer(job, self._opened().call(run_task, (job.task, job.args), job.timeout, job.stall))
            except WorkerError as error:
                self._bury()
                if self._closed.is_set():
                    job.future.set_exception(CancelledError())
                    return
                if forgiven and isinstance(error, WorkerCrashed) and error.outside:
                    forgiven -= 1
                    continue
                tries -= 1
                if tries <= 0:
                    job.future.set_exception(error)
                    return
            except Exception as error:
                job.future.set_exception(error)
                return
            else:
                return

    def _answer(self, job: _Job, packed: bytes) -> None:
        kind, content, stopped, output, changed, retire = unpack(packed)
        if retire:
            self._bury()
        if kind == "memory":
            raise WorkerCrashed("out of memory", output=output, note=content, stopped=tuple(stopped))
        if kind == "usage":
            raise UsageError(content)
        if kind == "bug":
            raise PlaitBugError(content)
        job.future.set_result(Answer(content, tuple(stopped), output, tuple(changed)))

    def _bury(self) -> None:
        """Dispose of the current worker in the background."""
        worker, self._worker = self._worker, None
        if worker is not None:
            self._buried = [thread for thread in self._buried if thread.is_alive()]
            thread = threading.Thread(target=worker.dispose, name="plait-undertaker", daemon=True)
            thread.start()
            self._buried.append(thread)


# -- worker ------------------------------------------------------------------------------------------------------------
# One worker process, seen from the campaign.
#
# It has a process pool of its own: when the process dies or is killed for taking too long, the pool is thrown away with
# everything the dead process may have left in it (a lock it held, half an answer in a pipe). So no death can harm
# another worker or the campaign.


START_S = 60.0  # how long a process may take to come up
TICK_S = 0.1  # between two looks at what a process says about itself
PATIENT = 3  # times longer for a process that hardly gets the processor
TELL_S = 0.2  # how long a process that hangs has to write down where
_LOST = (ProcessExpired, BrokenProcessPool, CancelledError, RuntimeError, OSError, EOFError)


class Worker:
    """A process, its folder, and the pipe whose end tells the process that the parent is gone."""

    def __init__(self, spec: WorkerSpec, home: Path) -> None:
        home.mkdir(parents=True)
        self._allowed = spec.allow
        self._home = home
        self._context = WorkerContext(home / YOUTH)
        self._lifeline, self._end = self._context.Pipe(duplex=False)
        boot = Boot(spec, home, self._lifeline)
        self._pool = ProcessPool(max_workers=1, initializer=begin_process, initargs=(boot,), context=self._context)

    def call(
        self, function: Callable[..., Any], args: tuple[Any, ...], timeout: float, stall: float | None = None
    ) -> Any:
        """Have a function run in the process; `WorkerError` if it does not come back."""
        try:
            future = self._pool.schedule(function, args)
            late = self._wait(future, timeout, stall)
            if late is not None:
                raise self._hung(*late)
            return future.result(0)
        except _LOST as error:
            raise self._obituary(error) from None

    def kill(self) -> None:
        """End the process; whoever waits for it gets to know."""
        self._context.kill()

    def _wait(self, future: Future[Any], timeout: float, stall: float | None) -> tuple[float, bool] | None:
        """Until there is an answer; if time runs out, since the start or since the last sign of life, how much.

        And whether the process was only waiting all the time.
        """
        asked = time.monotonic()
        while not future.running():
            if wait([future], TICK_S / 4).done:
                return None
            if time.monotonic() - asked > START_S:
                return START_S, False
        started = last = time.monotonic()
        limit = timeout if stall is None else min(stall, timeout)
        beat, silent = None, 0.0
        first = used = since = self._status()[1]
        with contextlib.ExitStack() as stack:
            box = stack.enter_context(contextlib.closing(BlackBox(self._home / BLACK_BOX))) if limit < timeout else None
            while not wait([future], TICK_S).done:
                now = time.monotonic()
                state, total = self._status()
                if box is not None and box.beat != beat:
                    beat, silent, since = box.beat, 0.0, total
                else:
                    # One that wants to run and does not get to has a busy machine against it, not a fault in it.
                    silent += total - used if state == "R" else now - last
                last, used = now, total
                waits = state in ("", "S", "D") and total - since < limit / 2  # for all that is known about it
                starved = state == "R" and total - first < timeout / 2
                if now > started + timeout * (PATIENT if starved else 1):
                    return timeout, waits
                if silent > limit:
                    return limit, waits
        return None

    def _status(self) -> tuple[str, float]:
        try:
            fields = Path(f"/proc/{self._context.processes[0].pid}/stat").read_text("ascii", "replace")
            state, *numbers = fields.rpartition(")")[2].split()
            return state, (int(numbers[10]) + int(numbers[11])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):  # gone, or a system that does not tell
            return "", 0.0

    def _hung(self, seconds: float, waits: bool) -> WorkerHung:
        if TELL is not None:
            self._context.ask(TELL)
            time.sleep(TELL_S)
        self._context.kill()
        return WorkerHung(seconds, waits=waits, **self._remains())

    def _obituary(self, error: BaseException) -> WorkerError:
        code = self._exit_code()
        state, deed = self._last_words()
        doing = " while the subject was imported" if state == LOADING else ""
        rest = self._remains()
        if code is None:
            return WorkerCrashed(f"the worker was lost{doing}: {type(error).__name__}: {error}", outside=True, **rest)
        if code == 3 and deed.startswith("set-up failed"):
            raise PlaitBugError(f"a worker's {deed}")
        by = f" ({deed})" if deed else ""
        if code < 0:
            outside = state == OUTSIDE or (-code == signals.SIGKILL and not deed)
            reason = f"killed by {signal_name(-code)}{by}{doing}"
            return WorkerCrashed(reason, signal=-code, outside=outside, **rest)
        code = 0 if code == ENDED else code
        return WorkerCrashed(f"the process ended with exit code {code}{doing}", exit_code=code, **rest)

    def _exit_code(self) -> int | None:
        """Return how the process ended."""
        deadline = time.monotonic() + 1.0
        while self._context.processes and time.monotonic() < deadline:
            code = self._context.processes[0].exitcode
            if code is not None:
                return code
            time.sleep(0.01)
        return None

    def _last_words(self) -> tuple[int, str]:
        try:
            with contextlib.closing(BlackBox(self._home / BLACK_BOX)) as box:
                return box.state, box.deed
        except (OSError, ValueError):
            return OUTSIDE, ""

    def _remains(self) -> dict[str, Any]:
        try:
            with contextlib.closing(BlackBox(self._home / BLACK_BOX)) as box:
                trace = (self._home / TRACE).read_text("utf-8", "replace")[-8192:]
                return {"output": box.output, "note": box.note, "trace": trace}
        except (OSError, ValueError):  # it did not come as far as having one
            with contextlib.suppress(OSError):
                return {"output": (self._home / YOUTH).read_text("utf-8", "replace")[-8192:]}
            return {}

    def dispose(self) -> None:
        """End the process, with those it has started, and remove its files."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        if "subprocess" in self._allowed:
            self._context.kill_groups()
        self._context.kill()
        self._end.close()
        with contextlib.suppress(*_LOST):
            self._pool.join()
        self._context.kill()
        self._lifeline.close()
        shutil.rmtree(self._home, ignore_errors=True)
