"""ReadersWriters: many may read at a time, one may write, and waiting writers go first.

A reader waits and counts itself under the lock.
"""

import threading


class ReadersWriters:
    """Who is active and who waits."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.active_readers = 0
        self.active_writers = 0
        self.waiting_readers = 0
        self.waiting_writers = 0

    def before_read(self) -> None:
        """Wait until no writer is active or waiting."""
        with self.changed:
            self.waiting_readers = self.waiting_readers + 1
            while self.active_writers > 0 or self.waiting_writers > 0:
                self.changed.wait()
            self.waiting_readers = self.waiting_readers - 1
            active = self.active_readers
            self.active_readers = active + 1

    def after_read(self) -> None:
        """One reader less."""
        with self.changed:
            active = self.active_readers
            self.active_readers = active - 1
            self.changed.notify_all()

    def before_write(self) -> None:
        """Wait until nobody is active."""
        with self.changed:
            self.waiting_writers = self.waiting_writers + 1
            while self.active_readers != 0 or self.active_writers != 0:
                self.changed.wait()
            self.waiting_writers = self.waiting_writers - 1
            self.active_writers = self.active_writers + 1

    def after_write(self) -> None:
        """One writer less."""
        with self.changed:
            self.active_writers = self.active_writers - 1
            self.changed.notify_all()


class GuardedCell(ReadersWriters):
    """A value that checks, with a count of its own, that nobody reads while it is written."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = 0
        self.value = 0

    def read(self) -> int:
        """The value, together with other readers."""
        self.before_read()
        with self.changed:
            self.reading = self.reading + 1
        value = self.value
        with self.changed:
            self.reading = self.reading - 1
        self.after_read()
        return value

    def write(self, value: int) -> None:
        """Set the value, alone."""
        self.before_write()
        try:
            if self.reading > 0:
                raise RuntimeError("somebody reads while the value is written")
            self.value = value
        finally:
            self.after_write()
