"""A counter in a global variable."""

OUTCOME = "wrong-result"
total = 0


def add():
    global total
    total += 1


setup = None
threads = [add, add]


def check():
    assert total == 2
