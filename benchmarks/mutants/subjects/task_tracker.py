"""Counts tasks under way; whoever wants may wait until all are done."""

import threading


class TaskTracker:
    """As `join` of a queue: waits for the count to come to 0."""

    def __init__(self, most: int = 2) -> None:
        self._lock = threading.Lock()
        self._all_done = threading.Condition(self._lock)
        self._has_room = threading.Condition(self._lock)
        self._most = max(1, most)
        self._open = 0

    def begin(self) -> int:
        """A new task, as soon as there is room; returns how many are under way."""
        with self._lock:
            while self._open >= self._most:
                self._has_room.wait()
            self._open += 1
            return self._open

    def finish(self) -> int:
        """One task is done; ValueError if none is under way."""
        with self._lock:
            if self._open == 0:
                raise ValueError("no task is under way")
            self._open -= 1
            self._has_room.notify()
            if self._open == 0:
                self._all_done.notify_all()
            return self._open

    def join(self) -> None:
        """Wait until all tasks are done."""
        with self._lock:
            while self._open > 0:
                self._all_done.wait()

    def cancel_all(self) -> int:
        """Forget all tasks; returns how many there were."""
        with self._lock:
            count = self._open
            self._open = 0
            self._has_room.notify_all()
            self._all_done.notify_all()
            return count
