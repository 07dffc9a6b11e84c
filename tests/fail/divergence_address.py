"""A decision by where an object happens to lie."""

import atexit

OUTCOME = "divergence"
CAUSE = "the address of an object"


def setup():
    return []


def look(log):
    for _ in range(64):
        fresh = [object() for _ in range(50)]
        if (id(fresh[-1]) // 16 * 2654435761 >> 9) & 1:
            log.append(fresh)
        atexit.register(fresh.clear)  # nobody puts this back: the next execution finds this memory taken


threads = [look]
