"""Work that ends long before its deadline does, however often an event loop looks at the clock meanwhile."""

import time
from collections import deque


class Clock:
    def now(self):
        return time.monotonic()


class EventLoop:
    def __init__(self):
        self.clock = Clock()
        self.ready = deque(range(80))
        self.done = 0

    def run(self):
        deadline = self.clock.now() + 0.2
        while self.ready:
            self.ready.popleft()
            self.done += 1
            if self.clock.now() >= deadline:
                raise TimeoutError


def setup():
    return EventLoop()


def work(loop):
    loop.run()


def look(loop):
    assert loop.done <= 80


threads = [work, look]
