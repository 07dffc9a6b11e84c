"""A thread that nobody stops keeps the process from ending."""

import queue
import threading

OUTCOME = "deadlock"


class Logger:
    def __init__(self):
        self.lines = queue.Queue()

    def write(self):
        while self.lines.get() is not None:
            pass

    def open(self):
        threading.Thread(target=self.write).start()
        self.lines.put("hello")


setup = Logger
threads = [Logger.open]
