"""throttled-py: `hgetall` hands out the dictionary that the store goes on writing into: RuntimeError."""

from crew import together
from throttled.store import MemoryStore

FIELDS = 8


def test_what_was_got_is_read_while_others_write() -> None:
    store = MemoryStore()
    store.hset("key", mapping={str(number): number + 1 for number in range(FIELDS)})

    def read() -> None:
        for value in store.hgetall("key").values():
            assert int(value)

    together(read, lambda: store.hset("key", "more", 1))
