"""A subclass of Thread, used as it should be."""

import threading


class Adder(threading.Thread):
    def __init__(self, box, amount):
        super().__init__(name=f"adder-{amount}", daemon=False)
        self.box = box
        self.amount = amount

    def run(self):
        with self.box["lock"]:
            self.box["sum"] += self.amount


def setup():
    return {"sum": 0, "lock": threading.Lock()}


def run(box):
    adders = [Adder(box, 1), Adder(box, 2)]
    for adder in adders:
        adder.start()
    for adder in adders:
        adder.join()


threads = [run]


def check(box):
    assert box["sum"] == 3
