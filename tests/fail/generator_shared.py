"""One generator, advanced by two threads."""

OUTCOME = "exception"


class Numbers:
    def __init__(self):
        self.state = 0
        self.numbers = self.count()

    def count(self):
        while True:
            self.state += 1
            yield self.state

    def take(self):
        return next(self.numbers)


setup = Numbers
threads = [Numbers.take, Numbers.take]
