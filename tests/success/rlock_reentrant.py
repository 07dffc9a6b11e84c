"""A method under the lock calls another one under the lock."""

import threading


class Register:
    def __init__(self):
        self.lock = threading.RLock()
        self.names = []

    def add(self, name):
        with self.lock:
            if not self.has(name):
                self.names.append(name)

    def has(self, name):
        with self.lock:
            return name in self.names


setup = Register
threads = [lambda register: register.add("a")] * 2


def check(register):
    assert register.names == ["a"]
