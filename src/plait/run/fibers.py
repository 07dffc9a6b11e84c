"""Two implementations of stacks of which one runs at a time: pooled greenlets, and OS threads that pass a baton."""

from __future__ import annotations

import _thread  # the real one, before any mirror is in place
import ctypes
import functools
import importlib
import re
import sys
import sysconfig
import warnings
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any, Protocol

from plait.errors import UsageError
from plait.run.endings import Killed
from plait.run.kept import acquire, release

NEEDED = (3, 5, 3)
"""The first version of greenlet that can switch inside C code (``list(generator)``, ``sort(key=...)``) without the GIL.

Such code holds a critical section, which is a list on the C stack: an older greenlet replaces the stack under it, and
the interpreter crashes. The wheels for 3.13t are older; a newer version can be compiled there (docs/models.md).
Otherwise 3.13t uses OS threads.
"""


def usable(version: str, *, free_threaded: bool) -> str | None:
    """Return why a greenlet of this version cannot carry virtual threads on a build; None if it can."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if free_threaded and numbers < NEEDED:
        needed = ".".join(map(str, NEEDED))
        return f"greenlet {version} is not safe on this free-threaded build: {needed} or newer is"
    return None


@functools.cache
def loaded() -> tuple[Any, str | None]:
    """Return the greenlet module, or None and the reason why virtual threads are OS threads here.

    It is imported only when needed: importing it enables the GIL on some builds, which threads in parallel must avoid.
    """
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    try:
        if free_threaded:
            from importlib.metadata import version  # noqa: PLC0415 - it reads, and imports, a lot

            trouble = usable(version("greenlet"), free_threaded=True)
            if trouble is not None:
                return None, trouble
        with warnings.catch_warnings():
            # Some builds enable the GIL, and the interpreter warns. It does no harm: one virtual thread runs at a time.
            warnings.simplefilter("ignore", RuntimeWarning)
            return importlib.import_module("greenlet"), None
    except ImportError:  # an interpreter greenlet has no build for
        return None, "greenlet is not installed"


INHERITS = bool(getattr(sys.flags, "thread_inherit_context", 0))
"""True if a thread starts with a copy of its starter's context variables: from 3.14 on, by default without a GIL."""
OURS: set[int] = set()  # the OS threads that run code under test; others must not be scheduled
_PRIMED = 4  # fibers made in advance, so that they start from the shallow stack of the main fiber


class Fiber(Protocol):
    """A stack that can be resumed; the stack of the caller is suspended meanwhile."""

    def switch(self) -> object:
        """Resume this stack; return when the caller's stack is resumed."""
        ...


class Fibers(Protocol):
    """A pool of stacks, each running ``loop`` for ever."""

    main: Fiber

    def is_main(self) -> bool:
        """Return whether the caller runs on the main stack."""
        ...

    def take(self) -> Fiber:
        """Return a stack that is at the beginning of ``loop``."""
        ...

    def give_back(self, fiber: Fiber) -> None:
        """Take back a stack that is about to return to the beginning of ``loop``."""
        ...

    def abandon(self, fiber: Fiber) -> None:
        """Give up a stack that could not be unwound."""
        ...


class _GreenletFibers:
    """Pooled greenlets: a switch takes 0.4 us, and after a while no new ones are created."""

    def __init__(self, loop: Callable[[Fiber], None]) -> None:
        self._loop = loop
        OURS.add(_thread.get_ident())
        self._free: list[Any] = []
        self._abandoned: list[Fiber] = []
        self._greenlet: Any = loaded()[0]
        self._current = self._greenlet.getcurrent
        self.main: Fiber = self._current()
        for _ in range(_PRIMED):
            self._free.append(self._make())

    def is_main(self) -> bool:
        """See `Fibers.is_main`."""
        return self._current() is self.main

    def _make(self) -> Any:
        made: Any = self._greenlet.greenlet(lambda: self._run(made))
        made.switch()
        return made

    def _run(self, me: Any) -> None:
        me.parent.switch()
        while True:
            self._loop(me)

    def take(self) -> Fiber:
        """See `Fibers.take`."""
        fiber = self._free.pop() if self._free else self._make()
        fiber.gr_context = copy_context() if INHERITS else None  # else it starts with empty context variables
        return fiber  # type: ignore[no-any-return]

    def give_back(self, fiber: Fiber) -> None:
        """See `Fibers.give_back`."""
        self._free.append(fiber)

    def abandon(self, fiber: Fiber) -> None:
        """Keep the greenlet for ever: without references it would be unwound again, endlessly if it swallows that."""
        self._abandoned.append(fiber)


class _OsFiber:
    __slots__ = ("_baton", "_pool", "context", "deserted", "ident", "over")

    def __init__(self, pool: OsFibers) -> None:
        self.context = Context()
        self.ident = 0
        self.deserted = False  # its OS thread no longer takes part, see `OsFibers.desert`
        self.over = False  # its OS thread ends with the next switch
        self._pool = pool
        self._baton = _thread.allocate_lock()
        acquire(self._baton)

    def switch(self) -> object:
        me = self._pool.running
        self._pool.running = self
        release(self._baton)
        if not me.over:  # else the OS thread ends after this
            acquire(me._baton)
        return None


class OsFibers:
    """OS threads, of which one runs at a time: slower, but findings are confirmed on stacks like those of users.

    With ``fresh``, an OS thread is not reused for another virtual thread, which would find there what C code keeps per
    OS thread (a `threading.local`).
    """

    def __init__(self, loop: Callable[[Fiber], None], *, fresh: bool = False) -> None:
        self._loop = loop
        self._fresh = fresh
        OURS.add(_thread.get_ident())
        self._free: list[_OsFiber] = []
        self.running = _OsFiber(self)
        self.main: Fiber = self.running
        self._home = _thread.get_ident()

    def is_main(self) -> bool:
        """See `Fibers.is_main`."""
        return _thread.get_ident() == self._home

    def take(self) -> Fiber:
        """See `Fibers.take`."""
        if self._free:
            fiber = self._free.pop()
        else:
            fiber = _OsFiber(self)
            starter = _thread.get_ident()
            OURS.discard(starter)  # an audit hook must not take the new one for a thread of the code under test
            try:
                _thread.start_new_thread(self._run, (fiber,))
            except RuntimeError as error:  # code under test has used up what threads need
                raise MemoryError("no thread can be started any more") from error
            finally:
                OURS.add(starter)
        fiber.context = copy_context() if INHERITS else Context()  # not what its last user left in it
        return fiber

    def _run(self, me: _OsFiber) -> None:
        me.ident = _thread.get_ident()
        OURS.add(me.ident)
        acquire(me._baton)
        while not me.over:
            me.context.run(self._loop, me)
        OURS.discard(_thread.get_ident())

    def give_back(self, fiber: Fiber) -> None:
        """See `Fibers.give_back`."""
        assert isinstance(fiber, _OsFiber)
        if self._fresh:
            fiber.over = True
        else:
            self._free.append(fiber)

    def abandon(self, fiber: Fiber) -> None:
        """Leave the OS thread parked on its baton until the process ends."""

    def at_rest(self) -> bool:
        """Return whether the main stack runs, as it should where it is asked."""
        return self.running is self.main

    def desert(self) -> None:
        """Go on without the OS thread that runs: it waits in C. Called by the main one, which waited for it.

        Should that wait ever end, the thread is unwound there and then, and touches nothing that it has left behind.
        """
        lost = self.running
        assert isinstance(lost, _OsFiber)
        lost.deserted = lost.over = True
        OURS.discard(lost.ident)
        _raise_in_thread(lost.ident, Killed)
        self.running = self.main = _OsFiber(self)  # with a baton that nobody has passed on


def _raise_in_thread(ident: int, error: type[BaseException]) -> None:
    """Raise an exception in another OS thread, as soon as that one executes bytecode."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(error))


def make_fibers(backend: str, loop: Callable[[Fiber], None]) -> Fibers:
    """Return the pool named ``greenlet`` or ``threads``; ``auto`` selects greenlets if they work, see `loaded`."""
    if backend == "threads":
        return OsFibers(loop, fresh=True)
    greenlet, unusable = loaded()
    if greenlet is None and backend == "auto":
        return OsFibers(loop)
    if greenlet is None:
        raise UsageError(f"{unusable}; the backends 'auto' and 'threads' do without it")
    return _GreenletFibers(loop)
