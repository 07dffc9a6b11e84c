"""Lang: an immutable range of integers with a cached hash (Commons Lang 2.4, LANG-481).

The hash is computed in a local variable and stored once.
"""


def int32(value: int) -> int:
    """The value as a signed 32-bit integer."""
    return (value + 2**31) % 2**32 - 2**31


class IntRange:
    """All integers between two bounds, both included."""

    def __init__(self, first: int, second: int) -> None:
        self.min = min(first, second)
        self.max = max(first, second)
        self.cached_hash = 0

    def hash_code(self) -> int:
        """A number for the bounds, computed once and kept."""
        if self.cached_hash == 0:
            value = 17
            value = int32(37 * value + 1)
            value = int32(37 * value + self.min)
            value = int32(37 * value + self.max)
            self.cached_hash = value
        return self.cached_hash
