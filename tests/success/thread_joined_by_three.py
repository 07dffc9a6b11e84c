"""A thread that several others wait for: its end wakes all of them."""

import threading


class Worker:
    def __init__(self):
        self.condition = threading.Condition()
        self.closed = False
        self.ended = []
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        with self.condition:
            while not self.closed:
                self.condition.wait()

    def close(self):
        with self.condition:
            self.closed = True
            self.condition.notify_all()
        self.thread.join()
        self.ended.append(True)


setup = Worker
threads = [Worker.close, Worker.close, Worker.close]
OPTIONS = {"max_executions": 3000}


def check(worker):
    assert worker.ended == [True, True, True]
