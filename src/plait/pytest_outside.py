"""What a test does that no schedule decides: other processes, sockets, real threads, waits for any of them."""

from __future__ import annotations

import errno
import os
import signal
import sys
import tempfile
import threading
from _thread import get_ident
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plait.campaign.guard_acts import NETWORK, SUBPROCESS, WRITE, Act, Where
from plait.run.fibers import OURS
from plait.run.world import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

_ACTS = {
    "socket.connect": "sockets", "socket.bind": "sockets", "socket.getaddrinfo": "sockets",
    "subprocess.Popen": "other processes", "os.fork": "other processes", "os.posix_spawn": "other processes",
    "os.system": "other processes", "_thread.start_new_thread": "threads of code that is not under control",
}  # fmt: skip
_GUARDED: dict[str, dict[str, Act]] = {"write": WRITE, "network": NETWORK, "subprocess": SUBPROCESS}
PATIENCE = 20.0  # seconds without any progress of the engine, beside the time that a test was given


class StuckError(BaseException):  # no code under test may take it for an error of its own
    """Nothing moves: a thread waits for something that is not under control."""


@dataclass(slots=True)
class Seen:
    """What a test did: acts by name, and those that were stopped, as `plait.campaign.guard` notes them."""

    acts: set[str] = field(default_factory=set)
    stopped: list[dict[str, str]] = field(default_factory=list)


class Outside:
    """Listens while an exploration runs; an audit hook cannot be taken back, so there is one for the process.

    ``allowed`` names what tests may do besides computing (as ``--allow`` does), None: everything.
    """

    def __init__(self, allowed: frozenset[str] | None = None) -> None:
        self._seen: Seen | None = None
        self._installed = False
        self._where = Where(os.path.realpath(tempfile.gettempdir()), os.path.realpath(cache_folder()))
        self._forbidden: dict[str, tuple[str, Act]] = {
            event: (name, act)
            for name, some in _GUARDED.items() if allowed is not None and name not in allowed
            for event, act in some.items()
        }  # fmt: skip

    def _listen(self, event: str, arguments: Any) -> None:
        seen = self._seen
        if seen is None or get_ident() not in OURS:
            return
        if event in _ACTS:
            seen.acts.add(_ACTS[event])
        if event in self._forbidden:
            name, act = self._forbidden[event]
            told = act(arguments, self._where)
            if told is not None and not told.cached:
                seen.stopped.append({"act": name, "call": told.text})
                raise PermissionError(errno.EPERM, f"plait stopped {told.text}: tests need --allow {name} for that")

    @contextmanager
    def watched(self, seconds: float) -> Iterator[Seen]:
        """What is seen; `StuckError` in the main thread if the block takes far longer than it should."""
        if not self._installed:
            self._installed = True
            sys.addaudithook(self._listen)
        seen = Seen()
        with _watchdog(3 * seconds + PATIENCE):
            self._seen = seen
            try:
                yield seen
            finally:
                self._seen = None


@contextmanager
def _watchdog(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_kill"):
        yield
        return

    def raise_stuck(_number: int, _frame: Any) -> None:
        raise StuckError

    main = threading.main_thread().ident
    assert main is not None
    done = threading.Event()

    def watch() -> None:
        if not done.wait(seconds):
            signal.pthread_kill(main, signal.SIGUSR2)

    before = signal.signal(signal.SIGUSR2, raise_stuck)
    watcher = threading.Thread(target=watch, name="plait watchdog", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        signal.signal(signal.SIGUSR2, before)
