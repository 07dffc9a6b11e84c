"""A counter in a closure."""

OUTCOME = "wrong-result"


def make():
    count = 0

    def increment():
        nonlocal count
        count += 1
        return count

    return increment


def setup():
    return {"increment": make(), "seen": []}


def use(box):
    box["seen"].append(box["increment"]())


threads = [use, use]


def check(box):
    assert sorted(box["seen"]) == [1, 2]
