"""Jobs by number; reports are made from a snapshot, so that making them holds nobody up."""

from __future__ import annotations

import threading


class Jobs:
    """Every job has a state."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[int, str] = {}
        self._queue: list[int] = []

    def submit(self, number: int) -> int:
        """A new job; ValueError if there is one with this number. Returns its place in the queue."""
        with self._lock:
            if number in self._states:
                raise ValueError("there is such a job")
            self._states[number] = "queued"
            self._queue.append(number)
            return len(self._queue)

    def finish(self, number: int) -> None:
        """A job is done; KeyError if it is not queued."""
        with self._lock:
            if self._states.get(number) != "queued":
                raise KeyError(number)
            self._queue.remove(number)
            self._states[number] = "done"

    def drop_done(self) -> int:
        """Forget jobs that are done; returns how many."""
        dropped = 0
        with self._lock:
            for number in list(self._states):
                if self._states[number] == "done":
                    del self._states[number]
                    dropped += 1
        return dropped

    def queued(self) -> list[int]:
        """The numbers of the jobs that wait."""
        with self._lock:
            queue = self._queue[:]
        found = []
        for number in queue:
            found.append(number)
        return found

    def report(self) -> str:
        """All jobs with their states."""
        with self._lock:
            states = dict(self._states)
        text = ""
        for number, state in states.items():
            text += f"{number} {state} "
        return text
