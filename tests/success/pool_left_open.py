"""A pool that nobody shuts down: its idle workers end with the process."""

from concurrent.futures import ThreadPoolExecutor


def setup():
    return ThreadPoolExecutor(1)


def run(pool):
    assert pool.submit(int, "7").result() == 7


threads = [run]
