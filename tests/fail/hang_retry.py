"""A retry loop that undoes its own progress."""

OUTCOME = "hang"


class Version:
    def __init__(self):
        self.number = 0
        self.locked = False

    def update(self):
        while self.locked:
            pass
        self.locked = True


setup = Version
threads = [Version.update, Version.update]
