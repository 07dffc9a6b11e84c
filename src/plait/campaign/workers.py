"""Worker processes that run code under test for a campaign, and may be lost at any moment.

A thread per worker takes tasks from a common queue and keeps a process for them (`plait.campaign.worker`). When that is
lost it is disposed of in the background, and the next task gets a fresh one.
"""

from __future__ import annotations

import contextlib
import itertools
import queue
import threading
import time
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from plait.campaign.failures import WorkerCrashed, WorkerError, WorkerHung
from plait.campaign.parcel import unpack
from plait.campaign.spec import WorkerSpec, memory_share
from plait.campaign.worker import Worker
from plait.campaign.worker_process import load, run
from plait.errors import PlaitBugError, UsageError
from plait.subject.version_scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
                self._worker.call(load, (), self._spec.load_timeout)
            except BaseException:
                self._bury()
                raise
        return self._worker

    def _perform(self, job: _Job) -> None:
        tries, forgiven = job.tries, FORGIVEN
        while True:
            try:
                self._answer(job, self._opened().call(run, (job.task, job.args), job.timeout, job.stall))
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
