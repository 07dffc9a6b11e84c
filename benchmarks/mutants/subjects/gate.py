"""A gate that can be opened and closed."""

import threading


class Gate:
    """`wait` waits while the gate is closed."""

    def __init__(self) -> None:
        self._opened = threading.Event()

    def open(self) -> None:
        """Let callers through."""
        self._opened.set()

    def close(self) -> None:
        """Hold callers up."""
        self._opened.clear()

    def wait(self) -> bool:
        """Wait until the gate is open."""
        return self._opened.wait()

    def is_open(self) -> bool:
        """Whether callers get through."""
        return self._opened.is_set()
