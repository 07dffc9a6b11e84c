"""A readers-writer lock; waiting writers go before new readers."""

import threading


class ReadWriteLock:
    """Many readers at a time, or one writer."""

    def __init__(self) -> None:
        self._condition = threading.Condition(threading.Lock())
        self._readers = 0
        self._writing = False
        self._writers_waiting = 0

    def acquire_read(self) -> None:
        """Wait until nobody writes or wants to, then read."""
        with self._condition:
            while self._writing or self._writers_waiting:
                self._condition.wait()
            self._readers += 1

    def release_read(self) -> None:
        """End reading."""
        with self._condition:
            if self._readers == 0:
                raise RuntimeError("nobody reads")
            self._readers -= 1
            if self._readers == 0:
                self._condition.notify_all()

    def acquire_write(self) -> None:
        """Wait until nobody reads or writes, then write."""
        with self._condition:
            self._writers_waiting += 1
            try:
                while self._writing or self._readers:
                    self._condition.wait()
            finally:
                self._writers_waiting -= 1
            self._writing = True

    def release_write(self) -> None:
        """End writing."""
        with self._condition:
            if not self._writing:
                raise RuntimeError("nobody writes")
            self._writing = False
            self._condition.notify_all()
