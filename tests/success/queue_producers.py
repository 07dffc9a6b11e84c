"""Two producers, one consumer, every item once."""

import queue


class Line:
    def __init__(self):
        self.items = queue.Queue()
        self.seen = []

    def produce(self, item):
        self.items.put(item)

    def consume(self):
        for _ in range(2):
            self.seen.append(self.items.get())


setup = Line
threads = [lambda line: line.produce("a"), lambda line: line.produce("b"), Line.consume]


def check(line):
    assert sorted(line.seen) == ["a", "b"]
