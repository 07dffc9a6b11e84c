"""A long loop over nothing shared is no hang."""


def count(box):
    total = 0
    for number in range(50_000):
        total += number
    box.append(total)


def setup():
    return []


threads = [count]


def check(box):
    assert box == [1249975000]
