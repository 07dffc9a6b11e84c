"""What a task may change about its process, and how it is put back before the next one."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

from plait.run.native.bed import put_back_interval
from plait.run.work_folder import WorkFolder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_UNTOUCHABLE = {signal.SIGKILL, signal.SIGSTOP} if hasattr(signal, "SIGSTOP") else set()
_SIGNALS = [number for number in signal.valid_signals() if number not in _UNTOUCHABLE]


class ProcessSnapshot:
    """A picture of the process, taken when it is made; `restore` puts back what differs."""

    def __init__(self, work: Path) -> None:
        self.folder = WorkFolder(work)
        self._environment = dict(os.environ)
        self._signals = {number: signal.getsignal(number) for number in _SIGNALS}
        self._mask = umask()
        self._streams = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
        self._hooks = {name: getattr(sys, name) for name in ("excepthook", "displayhook", "unraisablehook")}
        self._thread_hook = threading.excepthook
        self._settings: list[tuple[str, Any, Callable[[], Any], Callable[[Any], Any]]] = [
            ("recursion limit", sys.getrecursionlimit(), sys.getrecursionlimit, sys.setrecursionlimit),
            ("switch interval", sys.getswitchinterval(), sys.getswitchinterval, put_back_interval),
            ("garbage collection", gc.get_threshold(), gc.get_threshold, lambda value: gc.set_threshold(*value)),
            ("trace function", sys.gettrace(), sys.gettrace, sys.settrace),
            ("profile function", sys.getprofile(), sys.getprofile, sys.setprofile),
            ("import path", list(sys.path), lambda: list(sys.path), _set_path),
        ]  # fmt: skip

    def keep(self) -> None:
        """Keep what importing the subject has made of files, environment and interpreter settings."""
        self.folder.keep()
        self._environment = dict(os.environ)
        self._settings = [(name, read(), read, write) for name, _, read, write in self._settings]

    def keep_streams(self) -> None:
        """Keep the standard streams as they are now: they were replaced for good."""
        self._streams = {name: getattr(sys, name) for name in self._streams}

    def restore(self) -> list[str]:
        """Put everything back; the names of what had been changed."""
        changed = [*self._restore_signals(), *self._restore_place()]
        for name, stream in {**self._streams, **self._hooks}.items():
            if getattr(sys, name) is not stream:
                setattr(sys, name, stream)
                changed.append(f"sys.{name}")
        if threading.excepthook is not self._thread_hook:
            threading.excepthook = self._thread_hook
            changed.append("threading.excepthook")
        for name, value, read, write in self._settings:
            if read() != value:
                write(value)
                changed.append(name)
        gc.enable()
        return changed

    def _restore_signals(self) -> list[str]:
        changed = []
        if hasattr(signal, "setitimer"):
            for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
                if signal.getitimer(timer) != (0.0, 0.0):
                    signal.setitimer(timer, 0)
                    changed.append("timer")
            if signal.pthread_sigmask(signal.SIG_SETMASK, ()):
                changed.append("signal mask")
        for number, handler in self._signals.items():
            if signal.getsignal(number) is not handler and handler is not None:
                with contextlib.suppress(OSError, ValueError, TypeError):
                    signal.signal(number, handler)
                    changed.append(f"handler of {signal.Signals(number).name}")
        return changed

    def _restore_place(self) -> list[str]:
        changed = []
        work = self.folder.path
        if _folder() != str(work):
            work.mkdir(parents=True, exist_ok=True)
            os.chdir(work)
            changed.append("working folder")
        if umask() != self._mask:
            os.umask(self._mask)
            changed.append("umask")
        if os.environ != self._environment:
            names = {name for name, value in os.environ.items() if self._environment.get(name) != value}
            names |= self._environment.keys() - os.environ.keys()
            os.environ.clear()
            os.environ.update(self._environment)
            changed.append(f"environment: {', '.join(sorted(names)[:5])}")
        self.folder.remove_left()
        return changed


def umask() -> int:
    """Return the current mask; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _set_path(entries: list[str]) -> None:
    sys.path[:] = entries


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - a folder that is gone raises here, and must not
    except OSError:
        return ""
