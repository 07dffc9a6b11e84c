"""Many readers or one writer."""

import threading


class Shared:
    def __init__(self):
        self.changed = threading.Condition()
        self.readers = 0
        self.value = (0, 0)

    def read(self):
        with self.changed:
            self.readers += 1
        first, second = self.value
        assert first == second
        with self.changed:
            self.readers -= 1
            self.changed.notify_all()

    def write(self):
        with self.changed:
            while self.readers:
                self.changed.wait()
            self.value = (1, 1)


setup = Shared
threads = [Shared.read, Shared.read, Shared.write]
OPTIONS = {"max_executions": 3000}
