"""Results in the order of the arguments."""

from concurrent.futures import ThreadPoolExecutor

OPTIONS = {"max_executions": 500}


def run():
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(str, [1, 2])) == ["1", "2"]


setup = None
threads = [run]
