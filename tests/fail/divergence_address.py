"""A decision by where an object happens to lie."""

OUTCOME = "divergence"
CAUSE = "the address of an object"


def setup():
    return []


def look(log):
    for _ in range(64):
        fresh = [object() for _ in range(50)]
        if id(fresh[-1]) // 16 % 2:
            log.append(fresh)
        SEEN.append(fresh)


SEEN = []
threads = [look]
