"""A daemon thread may not come to its end."""

import threading

OUTCOME = "wrong-result"


class Saver:
    def __init__(self):
        self.saved = []

    def save(self):
        self.saved.append("state")

    def run(self):
        threading.Thread(target=self.save, daemon=True).start()


setup = Saver
threads = [Saver.run]


def check(saver):
    assert saver.saved == ["state"]
