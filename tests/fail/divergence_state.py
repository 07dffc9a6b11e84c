"""State that nobody can put back: a C object counts the executions."""

OUTCOME = "divergence"
EXECUTIONS = iter(range(1_000_000))


def setup():
    return []


def look(log):
    for _ in range(next(EXECUTIONS)):
        log.append(1)


threads = [look]
