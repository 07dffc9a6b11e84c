"""A signal that only a failing path would give."""

import threading

OUTCOME = "deadlock"


class Job:
    def __init__(self):
        self.done = threading.Event()
        self.failed = False

    def run(self):
        if self.failed:
            self.done.set()

    def wait(self):
        self.done.wait()


setup = Job
threads = [Job.run, Job.wait]
