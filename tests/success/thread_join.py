"""Whatever a thread did is there after its join."""

import threading


class Task:
    def __init__(self):
        self.result = None

    def work(self):
        self.result = 42

    def run(self):
        worker = threading.Thread(target=self.work, name="worker")
        worker.start()
        worker.join()
        assert not worker.is_alive()
        assert self.result == 42


setup = Task
threads = [Task.run]
