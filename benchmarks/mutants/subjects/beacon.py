"""A beacon that is up or down; callers wait for either."""

import threading


class Beacon:
    """Begins down."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._up = threading.Event()
        self._down = threading.Event()
        self._down.set()

    def hoist(self) -> bool:
        """Put it up; False if it is there already."""
        with self._lock:
            if self._up.is_set():
                return False
            self._down.clear()
            self._up.set()
            return True

    def lower(self) -> bool:
        """Take it down; False if it is there already."""
        with self._lock:
            if self._down.is_set():
                return False
            self._up.clear()
            self._down.set()
            return True

    def wait_up(self) -> None:
        """Wait until it is up."""
        self._up.wait()

    def wait_down(self) -> None:
        """Wait until it is down."""
        self._down.wait()
