"""A bounded buffer that tests its condition once: two consumers, one item."""

import threading

OUTCOME = "exception"


class Buffer:
    def __init__(self):
        self.changed = threading.Condition()
        self.items = []

    def put(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def get(self):
        with self.changed:
            if not self.items:
                self.changed.wait()
            return self.items.pop()


setup = Buffer
threads = [Buffer.get, Buffer.get, lambda buffer: buffer.put(1), lambda buffer: buffer.put(2)]
OPTIONS = {"max_executions": 2000}
