"""A spin wait that another thread ends."""


class Flag:
    def __init__(self):
        self.up = False
        self.value = None

    def raise_it(self):
        self.value = 42
        self.up = True

    def wait(self):
        while not self.up:
            pass
        assert self.value == 42


setup = Flag
threads = [Flag.wait, Flag.raise_it]
