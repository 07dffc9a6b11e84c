"""Waiting for all tasks of a pool."""

import concurrent.futures

OPTIONS = {"max_executions": 500}


def run():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(int, text) for text in ("1", "2")]
        done, missing = concurrent.futures.wait(futures)
    assert not missing
    assert sorted(future.result() for future in done) == [1, 2]


setup = None
threads = [run]
