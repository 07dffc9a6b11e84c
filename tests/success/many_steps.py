"""Many steps that come to an end."""


class Counter:
    def __init__(self):
        self.n = 0

    def run(self):
        for _ in range(3000):
            self.n += 1


setup = Counter
threads = [Counter.run]


def check(counter):
    assert counter.n == 3000
