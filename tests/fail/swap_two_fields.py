"""Two fields that belong together, written one after the other."""

OUTCOME = "exception"


class Range:
    def __init__(self):
        self.low, self.high = 0, 1

    def move(self):
        self.low, self.high = 10, 11

    def look(self):
        low = self.low
        high = self.high
        assert high - low == 1


setup = Range
threads = [Range.move, Range.look]
