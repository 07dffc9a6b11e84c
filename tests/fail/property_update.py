"""Plus-equals on a property."""

OUTCOME = "wrong-result"


class Meter:
    def __init__(self):
        self._value = 0

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        self._value = value


def bump(meter):
    meter.value += 1


setup = Meter
threads = [bump, bump]


def check(meter):
    assert meter.value == 2
