"""A lock for many readers or one writer."""

import threading


class ReadWriteLock:
    """Writers wait for readers to leave, readers for the writer."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._writing = False

    def acquire_read(self) -> int:
        """Enter as a reader; returns how many there are."""
        with self._changed:
            while self._writing:
                self._changed.wait()
            self._readers += 1
            return self._readers

    def release_read(self) -> None:
        """Leave as a reader; RuntimeError if there is none."""
        with self._changed:
            if self._readers == 0:
                raise RuntimeError("nobody reads")
            self._readers -= 1
            if self._readers == 0:
                self._changed.notify_all()

    def acquire_write(self) -> None:
        """Enter as the writer."""
        with self._changed:
            while self._writing or self._readers > 0:
                self._changed.wait()
            self._writing = True

    def release_write(self) -> None:
        """Leave as the writer; RuntimeError if there is none."""
        with self._changed:
            if not self._writing:
                raise RuntimeError("nobody writes")
            self._writing = False
            self._changed.notify_all()

    def state(self) -> tuple[int, bool]:
        """How many read, and whether somebody writes."""
        with self._changed:
            return self._readers, self._writing
