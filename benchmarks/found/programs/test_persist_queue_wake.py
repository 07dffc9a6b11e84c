"""persist-queue: an item is put while a consumer looks; the consumer clears the signal and sleeps beside it."""

import time

from crew import together
from persistqueue import SQLiteQueue


def test_an_item_wakes_the_consumer() -> None:
    queue = SQLiteQueue(":memory:", multithreading=True)
    waited: list[float] = []

    def consume() -> None:
        started = time.monotonic()
        assert queue.get(timeout=3) == "a"
        waited.append(time.monotonic() - started)

    together(consume, lambda: queue.put("a"))
    assert waited[0] < 2.5
