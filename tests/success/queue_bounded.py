"""A bounded queue hands items over one by one."""

import queue


class Line:
    def __init__(self):
        self.items = queue.Queue(maxsize=1)

    def produce(self):
        for item in range(2):
            self.items.put(item)

    def consume(self):
        for item in range(2):
            assert self.items.get() == item


setup = Line
threads = [Line.produce, Line.consume]
