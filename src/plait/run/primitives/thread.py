"""`threading.Thread`, and the functions of `threading` and `_thread` that start and identify threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextvars import Context
from time import perf_counter
from time import sleep as real_sleep
from types import SimpleNamespace
from typing import Any

from plait.run.endings import Killed
from plait.run.engine import ENGINE, access
from plait.run.fibers import INHERITS
from plait.run.heap import OPAQUE
from plait.run.hooks.access import perform_function
from plait.run.operations import LOCAL, READ
from plait.run.primitives.built_in import built_in
from plait.run.primitives.idents import ident_of, is_ident
from plait.run.primitives.lock import check_number, old_name
from plait.run.primitives.number import next_name, number
from plait.run.primitives.site import here
from plait.run.quiet import quiet_block
from plait.run.vthread import FINISHED, VThread

_MAIN_IDENT = threading.main_thread().ident or 0  # the real one
_LOOKS = 0.002  # seconds between two looks at a thread of the system


class Thread:
    """`threading.Thread` as a virtual thread of the running execution."""

    def __init__(
        self,
        group: None = None,
        target: Callable[..., object] | None = None,
        name: str | None = None,
        args: Iterable[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        daemon: bool | None = None,
        context: Any = None,
    ) -> None:
        if context is not None and sys.version_info < (3, 14):
            raise TypeError("Thread.__init__() got an unexpected keyword argument 'context'")
        assert group is None, "group argument must be None for now"
        if not name:
            name = f"Thread-{next_name()}"
            target_name = getattr(target, "__name__", None)
            if target_name is not None:
                name = f"{name} ({target_name})"
        self._target = target
        self._name = str(name)
        self._args = args
        self._kwargs = {} if kwargs is None else kwargs
        self._daemonic = current_thread().daemon if daemon is None else bool(daemon)
        self._vthread: VThread | None = None
        self._site = 0
        self._context = context

    __hash__ = number

    def __repr__(self) -> str:
        status = "initial" if self._vthread is None else "stopped" if self._vthread.state == FINISHED else "started"
        if self._daemonic:
            status += " daemon"
        if self.ident is not None:
            status += f" {self.ident}"
        return f"<{type(self).__name__}({self._name}, {status})>"

    def start(self) -> None:
        """Mirror `threading.Thread.start`."""
        if not hasattr(self, "_vthread"):
            raise RuntimeError("thread.__init__() not called")
        if self._vthread is not None:
            raise RuntimeError("threads can only be started once")
        here_thread = ENGINE.current
        if here_thread is not None:
            here_thread.may_switch = True
            self._site = here()
        # The new thread runs up to its first point before `start` returns; that point is then pending like any other,
        # so all orders of what comes after are explored. CPython's `start` waits for the thread to begin, too.
        self._vthread = _starting  # so that is_alive() is true inside run(), which may begin at once
        self._vthread = ENGINE.start(self._bootstrap, self._name, daemon=self._daemonic, proxy=self)
        ENGINE.thread.may_switch = True

    def _bootstrap(self) -> None:
        self._vthread = ENGINE.thread
        try:
            if self._context is None:  # that of the fiber, see `plait.run.fibers.INHERITS`
                self.run()
            else:
                self._context.run(self.run)
        except Killed:
            raise
        except BaseException as error:
            if hooks.excepthook is not None:
                hooks.excepthook(
                    SimpleNamespace(
                        exc_type=type(error), exc_value=error, exc_traceback=error.__traceback__, thread=self
                    )
                )
            elif not isinstance(error, SystemExit):
                hooks.tell(error, self._name)
                raise

    def run(self) -> None:
        """Mirror `threading.Thread.run`."""
        try:
            if self._target is not None:
                perform_function(self._target, self._site, *self._args, **self._kwargs)
        finally:
            del self._target, self._args, self._kwargs

    def join(self, timeout: float | None = None) -> None:
        """Mirror `threading.Thread.join`."""
        if _is_real(self):
            _join_real(self, timeout)
            return
        if not hasattr(self, "_vthread"):
            raise RuntimeError("Thread.__init__() not called")
        other = self._vthread
        if other is None:
            raise RuntimeError("cannot join thread before it is started")
        thread = ENGINE.thread
        if other is thread:
            raise RuntimeError("cannot join current thread")
        if timeout is not None:
            check_number(timeout)
        if ENGINE.current is None:
            began, left = self._join_quietly(thread, other, timeout)
            if began:
                self.join(left)
            return
        thread.may_switch = True
        if timeout is not None and (timeout <= 0 or ENGINE.time.may_end_early(thread)):
            self._look(thread, other)
            if other.state != FINISHED:
                ENGINE.time.tick(thread, timeout, here())
            return
        # To join a thread that has ended is no step. But that thread's last step happens before all that follows here,
        # and a search must know it.
        if other.state == FINISHED:
            _ended_before(thread, other)
            return
        if timeout is not None:
            thread.deadline = ENGINE.time.now + timeout
        other.joiners.append(thread)
        thread.blocked_on = other
        try:
            ENGINE.block(thread, 0, LOCAL, here())
        finally:
            thread.blocked_on = None
            if thread in other.joiners:
                other.joiners.remove(thread)
        thread.timed_out = False
        if other.state == FINISHED:
            _ended_before(thread, other)
        thread.may_switch = True

    @staticmethod
    def _join_quietly(thread: VThread, other: VThread, timeout: float | None) -> tuple[bool, float | None]:
        """Return whether the set-up is over, and what is then left of the time."""
        while other.state != FINISHED:
            if timeout is not None:
                if timeout <= 0:
                    break
                thread.deadline = ENGINE.time.now + timeout
            other.joiners.append(thread)
            try:
                began = quiet_block(ENGINE, thread)
            finally:
                left, thread.deadline = ENGINE.time.left(thread), None
                if thread in other.joiners:
                    other.joiners.remove(thread)
            if began:
                return True, left
            if thread.timed_out:
                thread.timed_out = False
                break
        return False, None

    @staticmethod
    def _look(thread: VThread, other: VThread) -> None:
        access(thread, ENGINE.heap.loc_of(other, "alive"), READ, here())

    def is_alive(self) -> bool:
        """Mirror `threading.Thread.is_alive`."""
        if _is_real(self):
            return _runs(self)
        other = self._vthread
        if other is None:
            return False
        if other is _starting:
            return True
        thread = ENGINE.current
        if thread is not None and other is not thread:
            self._look(thread, other)
            thread.may_switch = True
        return other.state != FINISHED

    @property
    def name(self) -> str:
        """Mirror `threading.Thread.name`."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = str(name)

    @property
    def ident(self) -> int | None:
        """Mirror `threading.Thread.ident`."""
        if _is_real(self):
            return vars(self).get("_ident")
        return None if self._vthread is None or self._vthread is _starting else _ident(self._vthread)

    native_id = ident

    @property
    def daemon(self) -> bool:
        """Mirror `threading.Thread.daemon`."""
        return self._daemonic

    @daemon.setter
    def daemon(self, daemonic: bool) -> None:
        if self._vthread is not None:
            raise RuntimeError("cannot set daemon status of active thread")
        self._daemonic = daemonic

    def getName(self) -> str:  # noqa: N802 - the old names that threading still has
        """Return the old form of `name`."""
        old_name("getName() is deprecated, get the name attribute instead")
        return self._name

    def setName(self, name: str) -> None:  # noqa: N802
        """Set `name`, in its old form."""
        old_name("setName() is deprecated, set the name attribute instead")
        self.name = name

    def isDaemon(self) -> bool:  # noqa: N802
        """Return the old form of `daemon`."""
        old_name("isDaemon() is deprecated, get the daemon attribute instead")
        return self._daemonic

    def setDaemon(self, daemonic: bool) -> None:  # noqa: N802
        """Set `daemon`, in its old form."""
        old_name("setDaemon() is deprecated, set the daemon attribute instead")
        self.daemon = daemonic


# Threads that were started before their class came under control: instances of it, but threads of the system.


def _is_real(thread: Thread) -> bool:
    own = vars(thread)
    return "_vthread" not in own and "_started" in own


def _runs(thread: Thread) -> bool:
    return any(each is thread for each in list(threading._active.values()))  # type: ignore[attr-defined]


def _join_real(thread: Thread, timeout: float | None) -> None:
    """Wait in real time: nothing that is under control can end the thread sooner."""
    end = None if timeout is None else perf_counter() + timeout
    while _runs(thread) and (end is None or perf_counter() < end):
        real_sleep(_LOOKS)


class ExistingThread(Thread):
    """The Thread object of a thread that was not started through one: the main thread, and the bodies of a test."""

    def __init__(self, vthread: VThread) -> None:
        self._name = "MainThread" if vthread.id == hooks.main else vthread.name
        self._daemonic = False
        self._vthread = vthread
        self._target = None
        self._args = ()
        self._kwargs = {}


_starting = VThread(-1, None, "starting")


class _Hooks:
    """The hooks of `threading` that the code under test may replace."""

    excepthook: Callable[[Any], object] | None = None
    main = 0
    """The number of the virtual thread that stands for the process's main thread: the set-up, or a test's own body."""
    unhandled: Callable[[BaseException, str], object] | None = None
    """Called in a thread that an exception ends, with the thread's name: pytest warns of it."""

    def __init__(self) -> None:
        self.modules: list[Any] = []  # the mirrored ones: each world has its own

    def tell(self, error: BaseException, name: str) -> None:
        """Call ``unhandled`` without scheduling points: what it does is no part of the test."""
        if self.unhandled is not None:
            current, ENGINE.current = ENGINE.current, None
            try:
                self.unhandled(error, name)
            finally:
                ENGINE.current = current

    def restore(self, saved: Callable[[Any], object] | None) -> None:
        """Restore the hook, in the mirrored module as well."""
        if self.excepthook is not saved:
            for module in self.modules:
                module.excepthook = excepthook if saved is None else saved


hooks = _Hooks()


def _ended_before(thread: VThread, other: VThread) -> None:
    """Order the joiner's next step after the joined thread's last one."""
    if ENGINE.current is None:
        return
    for step in range(len(ENGINE.trace) - 1, -1, -1):
        if ENGINE.trace[step][0] == other.id:
            ENGINE.order_after(thread, ENGINE.step_of(step))
            return


def _proxy(vthread: VThread) -> Thread:
    if vthread.proxy is None:
        vthread.proxy = ExistingThread(vthread)
    return vthread.proxy  # type: ignore[no-any-return]


def current_thread() -> Thread:
    """Mirror `threading.current_thread`."""
    return _proxy(ENGINE.thread)


def main_thread() -> Thread:
    """Mirror `threading.main_thread`."""
    return _proxy(main_vthread())


def main_vthread() -> VThread:
    """Return the virtual thread that stands for the main thread."""
    return ENGINE.threads[hooks.main] if hooks.main < len(ENGINE.threads) else ENGINE.main


def enumerate_threads() -> list[Thread]:
    """Mirror `threading.enumerate`."""
    thread = ENGINE.current
    if thread is not None:
        for other in ENGINE.threads[1:]:
            if other is not thread and other.observed:
                Thread._look(thread, other)
    return [_proxy(other) for other in ENGINE.threads[hooks.main :] if other.state != FINISHED]


def active_count() -> int:
    """Mirror `threading.active_count`."""
    return len(enumerate_threads())


def currentThread() -> Thread:  # noqa: N802
    """Mirror `threading.currentThread`, the old name of `current_thread`."""
    old_name("currentThread() is deprecated, use current_thread() instead")
    return current_thread()


def activeCount() -> int:  # noqa: N802
    """Mirror `threading.activeCount`, the old name of `active_count`."""
    old_name("activeCount() is deprecated, use active_count() instead")
    return active_count()


@built_in
def get_ident() -> int:
    """Mirror `threading.get_ident`."""
    return _ident(ENGINE.thread)


def _ident(vthread: VThread) -> int:
    if vthread.id and vthread.id == hooks.main:
        return _MAIN_IDENT  # which may be given to the system, to send a signal to
    return ident_of(vthread, in_test=bool(hooks.main))


def is_virtual_ident(ident: int) -> bool:
    """Return whether the identifier is that of a virtual thread other than the main one."""
    return is_ident(ident, len(ENGINE.threads))


@built_in
def start_new_thread(
    function: Callable[..., object], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, /
) -> int:
    """Mirror `_thread.start_new_thread`."""
    if not callable(function):
        raise TypeError("first arg must be callable")
    if not isinstance(args, tuple):
        raise TypeError("2nd arg must be a tuple")

    def body() -> None:
        try:
            if INHERITS:  # only threads made by `threading` do
                Context().run(function, *args, **(kwargs or {}))
            else:
                function(*args, **(kwargs or {}))
        except SystemExit:
            return

    started = ENGINE.start(body, getattr(function, "__name__", "thread"), daemon=True, proxy=None)
    return _ident(started)


class ThreadHandle:
    """The handle that `_thread.start_joinable_thread` returns, from 3.13 on."""

    def __init__(self) -> None:
        self._thread: Thread | None = None

    @property
    def ident(self) -> int:
        """The identifier of the thread; 0 before it has started."""
        return (self._thread is not None and self._thread.ident) or 0

    def is_done(self) -> bool:
        """Return whether the thread has ended."""
        return self._thread is not None and not self._thread.is_alive()

    def join(self, timeout: float | None = None, /) -> None:
        """Wait for the end of the thread."""
        if self._thread is None:
            raise RuntimeError("thread not started")
        if self._thread is current_thread():
            raise RuntimeError("Cannot join current thread")  # `threading` says it otherwise
        self._thread.join(timeout)


@built_in
def start_joinable_thread(
    function: Callable[..., object], handle: ThreadHandle | None = None, daemon: bool = True
) -> ThreadHandle:
    """Mirror `_thread.start_joinable_thread`."""
    if not callable(function):
        raise TypeError("thread function must be callable")
    handle = ThreadHandle() if handle is None else handle
    if handle._thread is not None:
        raise RuntimeError("thread already started")
    handle._thread = Thread(target=function, daemon=daemon)
    handle._thread.start()
    return handle


OPAQUE.update((Thread, ExistingThread))


def excepthook(args: Any, /) -> None:
    """Mirror `threading.excepthook`: a hook of the test that passes an exception on to it has not handled it."""
    if hooks.unhandled is not None and not isinstance(args.exc_value, SystemExit):
        ENGINE.thread.error = args.exc_value
        hooks.tell(args.exc_value, _proxy(ENGINE.thread).name)
        return
    sys.__excepthook__(args.exc_type, args.exc_value, args.exc_traceback)
