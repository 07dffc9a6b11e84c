"""Single operations of built-in types are whole."""

import itertools


class Log:
    def __init__(self):
        self.lines = []
        self.by_key = {}
        self.numbers = itertools.count()

    def write(self, line):
        self.lines.append(line)
        self.by_key.setdefault("first", line)
        self.lines.append(next(self.numbers))


setup = Log
threads = [lambda log: log.write("a"), lambda log: log.write("b")]
OPTIONS = {"max_executions": 3000}


def check(log):
    assert sorted(map(str, log.lines)) == ["0", "1", "a", "b"]
    assert log.by_key["first"] in "ab"
