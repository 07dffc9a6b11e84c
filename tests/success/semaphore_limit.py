"""Never more inside than there are permits."""

import threading


class Room:
    def __init__(self):
        self.seats = threading.Semaphore(2)
        self.lock = threading.Lock()
        self.inside = 0

    def visit(self):
        with self.seats:
            with self.lock:
                self.inside += 1
                assert self.inside <= 2
            with self.lock:
                self.inside -= 1


setup = Room
threads = [Room.visit] * 3
OPTIONS = {"max_executions": 3000}
