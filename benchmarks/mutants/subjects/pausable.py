"""A job that is done step by step and can be paused."""

import threading


class Pausable:
    """Steps wait while the job is paused."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._steps = 0

    def start(self) -> None:
        """Steps are done from now on."""
        with self._lock:
            self._idle.clear()
            self._running.set()

    def pause(self) -> None:
        """Steps wait from now on."""
        with self._lock:
            self._running.clear()
            self._idle.set()

    def step(self) -> int:
        """Do one step as soon as the job runs; returns its number."""
        self._running.wait()
        with self._lock:
            self._steps += 1
            return self._steps

    def wait_idle(self) -> None:
        """Wait until the job is paused."""
        self._idle.wait()

    def is_running(self) -> bool:
        """Whether steps are done."""
        with self._lock:
            return self._running.is_set() and not self._idle.is_set()
