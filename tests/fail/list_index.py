"""An index that was right a moment ago."""

OUTCOME = "exception"


class Ring:
    def __init__(self):
        self.items = ["a", "b"]

    def last(self):
        return self.items[len(self.items) - 1]

    def drop(self):
        del self.items[-1]


setup = Ring
threads = [Ring.last, Ring.drop]
