from transaction.weakset import WeakSet


class Thing:
    pass


THINGS = [Thing() for _ in range(4)]


def make_set():
    made = WeakSet()
    for thing in THINGS[:3]:
        made.add(thing)
    return made
