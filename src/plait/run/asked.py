"""Thread identity for code that is not rewritten: `logging`, `asyncio`, installed packages.

All virtual threads may share one OS thread, so the real `threading.current_thread` would return the main thread for
each of them. While an exploration runs, the functions of the real modules ask the engine instead.

Some state is kept per OS thread by C code: the running loop of `asyncio`, the thread of a `sqlite3` connection, a
`threading.local` of code that is not rewritten. It needs an OS thread for each virtual thread: then `Engine.leave` ends
the execution, and the caller explores the test again on OS threads.
"""

from __future__ import annotations

import _thread
import functools
import os
import signal
import sys
import threading
import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from plait.run.engine import ENGINE
from plait.run.fibers import OURS
from plait.run.primitives import thread as virtual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

IDENTITY = "C code keeps something for each OS thread"
_own_ident = _thread.get_ident
_ASKED: dict[str, Callable[[], Any]] = {
    "current_thread": virtual.current_thread, "currentThread": virtual.current_thread,
    "get_ident": virtual.get_ident, "get_native_id": virtual.get_ident,
}  # fmt: skip
_KEPT = ("get_ident", "current_thread", "_get_ident")  # what modules import by name
MAPPING = types.MappingProxyType
_TIMED = ("alarm", "setitimer", "pause", "sigwait", "sigwaitinfo", "sigtimedwait", "set_wakeup_fd")


def _is_virtual() -> bool:
    """Return whether the caller runs in a virtual thread; threads of a debugger or of pytest do not."""
    return ENGINE.thread.id > 0 and _own_ident() in OURS


@contextmanager
def virtual_identity() -> Iterator[None]:
    """Make the functions of the real modules answer for virtual threads until the block ends."""
    undo: list[Callable[[], None]] = []

    def patch(owner: Any, name: str, new: Any) -> None:
        undo.append(functools.partial(setattr, owner, name, getattr(owner, name)))
        setattr(owner, name, new)

    new: dict[int, Any] = {}
    for name, answer in _ASKED.items():
        real = getattr(threading, name, None)
        if real is None:  # an old name that this version no longer has
            continue
        new[id(real)] = new.get(id(real)) or _asking(real, answer)
        patch(threading, name, new[id(real)])
    for module in _holders():
        for name in _KEPT:
            if id(vars(module).get(name)) in new:
                patch(module, name, new[id(vars(module)[name])])
    events = sys.modules.get("asyncio.events")
    if events is not None:
        patch(events, "_set_running_loop", _needing_os_threads(events._set_running_loop))
    base = sys.modules.get("sqlite3")
    if base is not None:
        patch(base, "connect", _needing_os_threads(base.connect))
    try:
        yield
    finally:
        while undo:
            undo.pop()()


def _holders() -> list[types.ModuleType]:
    """Return the modules that may have imported the functions by name, without plait's own: those mean OS threads."""
    return [
        module for name, module in list(sys.modules.items())
        if type(module) is types.ModuleType and name not in ("threading", "_thread") and not name.startswith("plait.")
    ]  # fmt: skip


def _asking(real: Callable[[], Any], answer: Callable[[], Any]) -> Callable[[], Any]:
    @functools.wraps(real)
    def asked() -> Any:
        return answer() if _is_virtual() else real()

    return asked


def _needing_os_threads(real: Any) -> Any:
    @functools.wraps(real)
    def checked(*args: Any, **named: Any) -> Any:
        if _is_virtual() and not ENGINE.on_os_threads:
            ENGINE.leave(IDENTITY)
        return real(*args, **named)

    return checked


# -- threading.local of code that is not rewritten --------------------------------------------------------------------


def keeps_locals(module: types.ModuleType) -> bool:
    """Return whether a variable of a module, or an attribute of an object in one, is a real `threading.local`."""
    values = list(vars(module).values())
    values += [part for value in values if _has_attributes(value) for part in list(vars(value).values())]
    return any(isinstance(value, _thread._local) for value in values)


def _has_attributes(value: Any) -> bool:
    return not isinstance(value, types.ModuleType) and isinstance(getattr(value, "__dict__", None), dict | MAPPING)


# -- signals ----------------------------------------------------------------------------------------------------------


def signals() -> types.ModuleType:
    """Return the `signal` module for code under test: only the main thread may set handlers, and it runs them."""
    module: Any = types.ModuleType("signal", signal.__doc__)
    module.__dict__.update(signal.__dict__)
    module.signal = _set_handler
    if hasattr(signal, "pthread_kill"):
        module.pthread_kill = _pthread_kill
    for name in _TIMED:
        if hasattr(signal, name):
            setattr(module, name, _uncontrolled(getattr(signal, name)))
    return module  # type: ignore[no-any-return]


def _set_handler(number: int, handler: Any, /) -> Any:
    if _is_virtual():
        if virtual.current_thread() is not virtual.main_thread():
            raise ValueError("signal only works in main thread of the main interpreter")
        if ENGINE.on_os_threads:
            ENGINE.leave("it handles signals")
    before = signal.signal(number, _as_main_thread(handler) if callable(handler) else handler)
    return getattr(before, "__wrapped__", before)


def _as_main_thread(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Run a handler as the main thread, without scheduling points: it interrupts the running thread."""

    @functools.wraps(handler)
    def handle(*args: Any) -> Any:
        if not _is_virtual():
            return handler(*args)
        thread, current = ENGINE.thread, ENGINE.current
        ENGINE.thread, ENGINE.current = virtual.main_vthread(), None
        try:
            return handler(*args)
        finally:
            ENGINE.thread, ENGINE.current = thread, current

    return handle


def _pthread_kill(ident: int, number: int, /) -> None:
    """Send a signal to the process: Python handles it in the main thread, whichever thread receives it."""
    if virtual.is_virtual_ident(ident):
        os.kill(os.getpid(), number)
    else:
        signal.pthread_kill(ident, number)


def _uncontrolled(real: Any) -> Any:
    @functools.wraps(real)
    def left(*args: Any, **named: Any) -> Any:
        if _is_virtual():
            ENGINE.leave("it handles signals that come at their own time")
        return real(*args, **named)

    return left
