"""Signals whose parts are all there from the beginning."""

import threading


class Signal:
    def __init__(self):
        self.receivers = {}
        self.receiver_connected = []
        self._lock = threading.Lock()

    def watch(self, name: str) -> None:
        with self._lock:
            self.receiver_connected.append(name)

    def connect(self, receiver: str) -> int:
        with self._lock:
            self.receivers[receiver] = True
            return len(self.receiver_connected)

    def watchers(self) -> list:
        with self._lock:
            return list(self.receiver_connected)
