"""A join that gives up, and code that does not ask whether it did."""

import threading

OUTCOME = "exception"


class Task:
    def __init__(self):
        self.go = threading.Event()
        self.result = None

    def work(self):
        self.go.wait()
        self.result = 42

    def run(self):
        worker = threading.Thread(target=self.work)
        worker.start()
        worker.join(timeout=5)
        try:
            assert self.result == 42
        finally:
            self.go.set()


setup = Task
threads = [Task.run]
