"""State that nobody can put back: a C object counts the executions."""

import itertools

OUTCOME = "divergence"
EXECUTIONS = itertools.count()


def setup():
    return []


def look(log):
    for _ in range(next(EXECUTIONS)):
        log.append(1)


threads = [look]
