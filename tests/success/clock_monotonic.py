"""Clocks never go back, and sleeping moves them."""

import time


def look():
    first = time.monotonic()
    wall = time.time()
    time.sleep(2)
    assert time.monotonic() - first >= 2
    assert time.time() - wall >= 2
    assert time.perf_counter_ns() > 0


setup = None
threads = [look, look]
