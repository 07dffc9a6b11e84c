"""What a test does that no schedule decides: other processes, sockets, real threads, waits for any of them."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_ACTS = {
    "socket.connect": "sockets", "socket.bind": "sockets", "socket.getaddrinfo": "sockets",
    "subprocess.Popen": "other processes", "os.fork": "other processes", "os.posix_spawn": "other processes",
    "os.system": "other processes", "_thread.start_new_thread": "threads of code that is not under control",
}  # fmt: skip
PATIENCE = 20.0  # seconds without any progress of the engine, beside the time that a test was given


class StuckError(BaseException):  # no code under test may take it for an error of its own
    """Nothing moves: a thread waits for something that is not under control."""


class Outside:
    """Listens while an exploration runs; an audit hook cannot be taken back, so there is one for the process."""

    def __init__(self) -> None:
        self._seen: set[str] | None = None
        self._installed = False

    def _listen(self, event: str, _arguments: Any) -> None:
        if self._seen is not None and event in _ACTS and threading.current_thread() is threading.main_thread():
            self._seen.add(_ACTS[event])

    @contextmanager
    def watched(self, seconds: float) -> Iterator[set[str]]:
        """The acts seen, by name; `StuckError` in the main thread if the block takes far longer than it should."""
        if not self._installed:
            self._installed = True
            sys.addaudithook(self._listen)
        seen: set[str] = set()
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
