"""The belief that tasks end in the order in which they were submitted."""

from concurrent.futures import ThreadPoolExecutor

OUTCOME = "wrong-result"
OPTIONS = {"max_executions": 5000}


def setup():
    return []


def run(log):
    with ThreadPoolExecutor(2) as pool:
        pool.submit(log.append, "a")
        pool.submit(log.append, "b")


threads = [run]


def check(log):
    assert log == ["a", "b"]
