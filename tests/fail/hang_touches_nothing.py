"""An endless loop in which nothing is shared."""

OUTCOME = "hang"


class Once:
    def __init__(self):
        self.first = True

    def run(self):
        first = self.first
        self.first = False
        while not first:
            pass


setup = Once
threads = [Once.run, Once.run]
