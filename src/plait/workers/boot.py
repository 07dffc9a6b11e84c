"""The worker's side: set the process up, and run one task after another."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import pickle
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.errors import UsageError, blame_by, spoiler_of
from plait.model.foreign import class_name, exception_text
from plait.run.fibers import OsFibers
from plait.run.kept import kernel_text
from plait.run.native import kernel
from plait.run.native.process import passed_on
from plait.workers import guard, state
from plait.workers.blackbox import LOADING, OUTSIDE, RUNNING, BlackBox
from plait.workers.channel import (
    BUG,
    MEMORY,
    READY,
    SPOILT,
    UNREAD,
    UNSENT,
    USAGE,
    VALUE,
    Reply,
    read_order,
    send_frame,
    write_frame,
)
from plait.workers.restore import ProcessSnapshot
from plait.workers.schema import FrameError, return_type
from plait.workers.spoilers import Spoilers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plait.workers.protocol import WorkerSpec

if sys.platform != "win32":
    import fcntl
    import resource

BLACK_BOX, TRACE, OWN, WORK, YOUTH = "blackbox", "trace", "own", "own/work", "youth"
"""The files in a worker's folder; the last one is its standard error before it had a black box."""
TELL = getattr(signal, "SIGUSR2", None)
"""The signal on which a worker writes its stack to `TRACE`, also from within C code."""
CLOSED = 9
"""The exit code of a worker whose files the code under test has closed."""
_MANY_DESCRIPTORS = 64  # a worker is started with about ten
_LONGEST_REASON = 300
FULL = 0.8  # of the memory limit in use after a task: better a fresh worker than a failed next task


@dataclass(frozen=True, slots=True)
class Boot:
    """The arguments of a worker: ``home`` is its folder, ``lifeline`` a pipe that closes when the parent ends.

    ``semaphores`` is the prefix of the names of its semaphores: the parent removes those that are left.
    """

    spec: WorkerSpec
    home: Path
    lifeline: int
    semaphores: str = "mp"


class _Inside:
    """The state that this process keeps between tasks."""

    box: BlackBox
    snapshot: ProcessSnapshot
    trace: io.FileIO
    memory_limit: int | None = None
    pid: int = 0
    descriptors: Mapping[int, tuple[int, int]] = {}


_inside = _Inside()


def work(home: str, orders: int, answers: int, lifeline: int, semaphores: str) -> None:
    """Run as a worker: the first order says what to set up, all others are tasks; end when their pipe closes."""
    for descriptor in (orders, answers, lifeline):
        os.set_inheritable(descriptor, False)  # what code under test starts does not answer
    first = read_order(orders)
    if first is not None:
        (spec,) = pickle.loads(first[1])  # noqa: S301 - from the parent
        _begin_process(Boot(spec, Path(home), lifeline, semaphores))
        send_frame(answers, write_frame(Reply(first[0], READY)))
        while (order := read_order(orders)) is not None:
            send_frame(answers, obey(*order))
    os._exit(0)


def _begin_process(boot: Boot) -> None:
    """Set the process up, and record a failure for the parent."""
    box = BlackBox(boot.home / BLACK_BOX, create=True)
    try:
        _set_up(boot, box)
    except BaseException:
        box.own_end = "set-up failed: " + " ".join(traceback.format_exc().split())[-900:]
        os._exit(3)


def _set_up(boot: Boot, box: BlackBox) -> None:
    _leave_the_terminal()
    _die_with(boot.lifeline)
    allowed = {**passed_on(os.environ), **dict(boot.spec.environment)}
    os.environ.clear()
    os.environ.update(allowed)
    work = (boot.home / WORK).resolve()
    work.mkdir(parents=True, exist_ok=True)
    os.chdir(work)
    os.environ["TMPDIR"] = tempfile.tempdir = str(work)
    sys.dont_write_bytecode = True
    _inside.box, _inside.pid = box, os.getpid()
    _inside.trace = io.FileIO(str(boot.home / TRACE), "w")
    faulthandler.enable(_inside.trace)
    if TELL is not None:
        faulthandler.register(TELL, _inside.trace, all_threads=False)
    _redirect(box)
    _name_semaphores(boot.semaphores)
    _limit(boot.spec.memory_limit)
    _inside.memory_limit = boot.spec.memory_limit
    guard.install_guard(boot.spec, work, box)
    _inside.snapshot = ProcessSnapshot(work)
    blame_by(Spoilers().of)
    state.use(boot.spec, box, _inspect, _inside.snapshot.folder)
    _inside.descriptors = _descriptors(range(3, _MANY_DESCRIPTORS))
    guard.protect(_inside.descriptors)


def _descriptors(numbers: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return the identities of the files that are open under these descriptors."""
    found = {}
    for number in numbers:
        with contextlib.suppress(OSError):
            status = os.fstat(number)
            found[number] = (status.st_dev, status.st_ino)
    return found


def _leave_the_terminal() -> None:
    """Reset signal handling to that of a new process; in its own session, the terminal's signals do not reach it."""
    if sys.platform != "win32":
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _die_with(descriptor: int) -> None:
    """Let the kernel kill this process, whatever it is doing, when the parent's end of the pipe closes."""
    if sys.platform == "linux":
        fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)
        poll = select.poll()
        poll.register(descriptor, select.POLLHUP)
        if poll.poll(0):
            os._exit(0)
    else:
        import _thread  # noqa: PLC0415 - where the kernel offers no such service

        def wait() -> None:
            with contextlib.suppress(OSError):
                select.select([descriptor], [], [])
            os._exit(0)

        _thread.start_new_thread(wait, ())


def _name_semaphores(prefix: str) -> None:
    """Name the semaphores of code under test so that the parent can remove them.

    Usually `multiprocessing` starts a process that tracks them. Code under test may start none, and must not be able to
    send orders to one outside of its sandbox.
    """
    from multiprocessing import process, resource_tracker  # noqa: PLC0415 - in workers only

    process.current_process()._config["semprefix"] = f"/{prefix}"  # type: ignore[attr-defined]
    resource_tracker._resource_tracker._fd = os.open(os.devnull, os.O_WRONLY)  # type: ignore[attr-defined]


def _inspect() -> None:
    """End the process if code under test has closed plait's own files: nothing can be trusted then.

    An answer would go to the file that has the descriptor of the pipe now.
    """
    try:
        for number, identity in _inside.descriptors.items():
            status = os.fstat(number)
            if (status.st_dev, status.st_ino) != identity:
                os._exit(CLOSED)
    except OSError:
        os._exit(CLOSED)


class _Output(io.RawIOBase):
    """The standard streams of code under test; only the end of the output is kept."""

    def __init__(self, box: BlackBox, descriptor: int) -> None:
        super().__init__()
        self._box = box
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: Any) -> int:
        view = bytes(data)
        self._box.write(view)
        return len(view)


def _redirect(box: BlackBox) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    if nothing > 2:
        os.close(nothing)
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        raw = _Output(box, descriptor)
        stream = io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace", line_buffering=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115 - stays open


def _flush() -> None:
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor in (0, 1, 2):
            os.fstat(descriptor)
    except (ValueError, OSError):  # closed by the code under test
        _redirect(_inside.box)
        _inside.snapshot.keep_streams()


def _limit(memory: int | None) -> None:
    if sys.platform == "win32":
        return
    kernel.forbid_cores()
    if memory is not None:
        # Data, where the kernel counts all private memory as such: address space is reserved in plenty by threads.
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (memory, memory))


# -- tasks ----------------------------------------------------------------------------------------------------------


def load_task() -> None:
    """Import the subject before the first task; if this fails, that task reports it."""
    if state.spec().module:
        with contextlib.suppress(UsageError):
            state.subject()
    _inside.snapshot.keep()


def obey(number: int, order: bytes) -> bytes:
    """Return the frame that answers an order. No exception of a task leaves this function."""
    try:
        task, args = pickle.loads(order)  # noqa: S301 - from the parent
    except BaseException as error:
        return write_frame(Reply(number, UNREAD, f"its process could not read a task any more: {_told(error)}"))
    reply, value = run_task(number, task, args)
    _inside.box.state = OUTSIDE
    try:
        return write_frame(reply, value, return_type(task) if reply.kind == VALUE else None)
    except MemoryError:
        return write_frame(replace(reply, kind=MEMORY, said="", retire=True))
    except FrameError as error:
        return write_frame(replace(reply, kind=BUG, said=f"an answer that cannot be sent: {error}"))
    except BaseException as error:
        return write_frame(replace(reply, kind=UNSENT, said=f"its process could not answer any more: {_told(error)}"))


def run_task(number: int, task: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Reply, Any]:
    """Run one task; return how it ended, and its result."""
    box = _inside.box
    box.clear()
    box.state = LOADING if task is load_task else RUNNING
    kind, said, about, value = VALUE, "", "", None
    try:
        value = task(*args)
    except UsageError as error:
        kind, said, about = USAGE, exception_text(error), error.about
    except MemoryError:
        kind = MEMORY
    except BaseException as error:
        spoiler = spoiler_of(error)
        kind, said = BUG, f"{_told(error, task.__name__)}\n{_traceback()}"
        if spoiler:
            kind, said = SPOILT, f"{' '.join(_told(error).split())[:_LONGEST_REASON]} ({spoiler})"
    if os.getpid() != _inside.pid:
        os._exit(0)  # code under test has forked, and this is the child
    _inspect()
    changed = _inside.snapshot.restore()
    retire = kind == MEMORY or (task is not load_task and _crowded())
    _flush()
    return Reply(number, kind, said, tuple(guard.stopped()), box.output, tuple(changed), retire, about), value


def _told(error: BaseException, task: str = "") -> str:
    return f"{class_name(type(error))}{f' in {task}' if task else ''}: {exception_text(error)}"


def _traceback() -> str:
    try:
        return traceback.format_exc()
    except BaseException:  # the exception may belong to the code under test, and lie about its cause
        return ""


def _crowded() -> bool:
    """Return whether the next task needs a new process: threads were left behind, or most of the memory is in use."""
    for _ in range(10):
        if not _left_threads():
            break
        time.sleep(0.002)  # a thread that was just joined may not have ended yet
    else:
        return True
    if _inside.memory_limit is None or sys.platform != "linux":
        return False
    resident = int(kernel_text("/proc/self/statm").split()[1]) * resource.getpagesize()
    return resident > _inside.memory_limit * FULL


def _left_threads() -> bool:
    frames = sys._current_frames()
    if len(frames) == 1:
        return False
    main = threading.main_thread().ident
    for ident, innermost in frames.items():
        frame = innermost
        while frame.f_back is not None:
            frame = frame.f_back
        if ident != main and frame.f_code is not OsFibers._run.__code__:
            return True
    return False
