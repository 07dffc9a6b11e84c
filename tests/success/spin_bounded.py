"""A bounded number of attempts."""


class Slot:
    def __init__(self):
        self.ready = False
        self.attempts = 0

    def poll(self):
        for _ in range(5):
            self.attempts += 1
            if self.ready:
                break

    def prepare(self):
        self.ready = True


setup = Slot
threads = [Slot.poll, Slot.prepare]


def check(slot):
    assert 1 <= slot.attempts <= 5
