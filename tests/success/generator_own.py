"""Each thread has a generator of its own, whose body reads what both share."""


def numbers(box):
    while True:
        yield box["start"]


def setup():
    return {"start": 1, "seen": []}


def use(box):
    own = numbers(box)
    box["seen"].append((next(own), next(own)))
    own.close()
    box["seen"].append((next(own, 0), 0))


threads = [use, use]


def check(box):
    assert sorted(box["seen"]) == [(0, 0), (0, 0), (1, 1), (1, 1)]
