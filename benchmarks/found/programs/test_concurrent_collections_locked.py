"""concurrent-collections: `get_locked` does not keep `update_atomic` out, so an update is lost."""

from concurrent_collections import ConcurrentDictionary
from crew import together

TIMES = 3


def test_no_update_is_lost() -> None:
    numbers = ConcurrentDictionary({"x": 0})

    def locked() -> None:
        for _ in range(TIMES):
            with numbers.get_locked("x") as value:
                numbers.assign_atomic("x", value + 1)

    def atomic() -> None:
        for _ in range(TIMES):
            numbers.update_atomic("x", lambda value: value + 1)

    together(locked, atomic)
    assert numbers["x"] == 2 * TIMES
