"""The belief that items come in the order in which the threads are listed."""

import queue

OUTCOME = "wrong-result"


class Line:
    def __init__(self):
        self.items = queue.Queue()


setup = Line
threads = [lambda line: line.items.put("a"), lambda line: line.items.put("b")]


def check(line):
    assert line.items.get() == "a"
