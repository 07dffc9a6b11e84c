"""A spin wait for a flag that nobody raises."""

OUTCOME = "hang"


class Flag:
    def __init__(self):
        self.up = False

    def wait(self):
        while not self.up:
            pass


setup = Flag
threads = [Flag.wait, lambda flag: flag.up]
