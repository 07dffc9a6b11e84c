"""Two threads ask one generator: it refuses the one that comes while it is running, whatever its body touches."""

OUTCOME = "exception"


def numbers():
    number = 0
    while True:
        number += 1
        yield number


def setup():
    return {"numbers": numbers(), "seen": []}


def use(box):
    box["seen"].append(next(box["numbers"]))


threads = [use, use]


def check(box):
    assert sorted(box["seen"]) == [1, 2]
