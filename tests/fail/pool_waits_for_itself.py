"""A task waits for another one that its pool has no thread for."""

from concurrent.futures import ThreadPoolExecutor

OUTCOME = "deadlock"


def outer(pool):
    return pool.submit(int, "1").result()


def run():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(outer, pool).result()


setup = None
threads = [run]
