"""A channel without a buffer: who sends waits for who receives."""

import threading

_NOTHING = object()


class Channel:
    """Hands one item at a time from a sender to a receiver; both wait for each other."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._item = _NOTHING
        self._sent = 0
        self._received = 0

    def send(self, item) -> None:
        """Offer an item; return when somebody has received it."""
        with self._condition:
            while self._item is not _NOTHING:
                self._condition.wait()
            self._item = item
            self._sent += 1
            ticket = self._sent
            self._condition.notify_all()
            while self._received < ticket:
                self._condition.wait()

    def receive(self):
        """Wait for an item and return it."""
        with self._condition:
            while self._item is _NOTHING:
                self._condition.wait()
            item, self._item = self._item, _NOTHING
            self._received += 1
            self._condition.notify_all()
            return item
