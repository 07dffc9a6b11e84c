"""A worker thread that a sentinel stops."""

import queue
import threading


class Service:
    def __init__(self):
        self.jobs = queue.Queue()
        self.done = []
        self.worker = threading.Thread(target=self.work)

    def work(self):
        while (job := self.jobs.get()) is not None:
            self.done.append(job)

    def use(self):
        self.worker.start()
        self.jobs.put(1)
        self.jobs.put(None)
        self.worker.join()


setup = Service
threads = [Service.use]


def check(service):
    assert service.done == [1]
