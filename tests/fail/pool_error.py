"""The error of a task comes out where its result is asked for."""

from concurrent.futures import ThreadPoolExecutor

OUTCOME = "exception"


def run():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int, "one").result()


setup = None
threads = [run]
