"""A lock that is not re-entrant, taken again by its holder."""

import threading

OUTCOME = "deadlock"


class Register:
    def __init__(self):
        self._lock = threading.Lock()
        self.names = []

    def add(self, name):
        with self._lock:
            if not self.has(name):
                self.names.append(name)

    def has(self, name):
        with self._lock:
            return name in self.names


setup = Register
threads = [lambda register: register.add("a")]
