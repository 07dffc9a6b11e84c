"""A join that gives up in time, and code that asks."""

import threading


class Task:
    def __init__(self):
        self.go = threading.Event()

    def run(self):
        worker = threading.Thread(target=self.go.wait)
        worker.start()
        worker.join(timeout=5)
        assert worker.is_alive()
        self.go.set()
        worker.join()
        assert not worker.is_alive()


setup = Task
threads = [Task.run]
