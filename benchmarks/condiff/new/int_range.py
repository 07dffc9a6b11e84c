"""C3: an immutable range of integers with a cached hash (Commons Lang 2.4, LANG-481).

No version takes a lock. In the faulty one `hash_code` uses the cached field itself as accumulator: a second thread
sees, or adds to, a half-made value. The hash of the class, a part of the original's value, is the constant 1, and the
values wrap at 32 bits as Java's do. `plain_hash` is what containers would use, so that none of them touches the cache
unasked.
"""


def int32(value: int) -> int:
    """The value as a signed 32-bit integer."""
    return (value + 2**31) % 2**32 - 2**31


class IntRange:
    """All integers between two bounds, both included."""

    def __init__(self, first: int, second: int) -> None:
        self._min = int32(min(first, second))
        self._max = int32(max(first, second))
        self._min_object: int | None = None
        self._max_object: int | None = None
        self._hash_code = 0
        self._to_string: str | None = None

    def get_minimum_number(self) -> int:
        """The lower bound as an object, made once."""
        if self._min_object is None:
            self._min_object = self._min
        return self._min_object

    def get_minimum_long(self) -> int:
        """The lower bound as a long integer."""
        return self._min

    def get_minimum_integer(self) -> int:
        """The lower bound."""
        return self._min

    def get_minimum_double(self) -> float:
        """The lower bound as a double."""
        return float(self._min)

    def get_minimum_float(self) -> float:
        """The lower bound as a float."""
        return float(self._min)

    def get_maximum_number(self) -> int:
        """The upper bound as an object, made once."""
        if self._max_object is None:
            self._max_object = self._max
        return self._max_object

    def get_maximum_long(self) -> int:
        """The upper bound as a long integer."""
        return self._max

    def get_maximum_integer(self) -> int:
        """The upper bound."""
        return self._max

    def get_maximum_double(self) -> float:
        """The upper bound as a double."""
        return float(self._max)

    def get_maximum_float(self) -> float:
        """The upper bound as a float."""
        return float(self._max)

    def contains_number(self, number: int | None) -> bool:
        """Whether the number is not None and within the bounds."""
        return number is not None and self.contains_integer(int(number))

    def contains_long(self, value: int) -> bool:
        """Whether a long integer is within the bounds."""
        return self._min <= value <= self._max

    def contains_long_number(self, number: int | None) -> bool:
        """As `contains_long`; None is not within the bounds."""
        return number is not None and self.contains_long(number)

    def contains_integer(self, value: int) -> bool:
        """Whether an integer is within the bounds."""
        return self._min <= value <= self._max

    def contains_integer_number(self, number: int | None) -> bool:
        """As `contains_integer`; None is not within the bounds."""
        return number is not None and self.contains_integer(number)

    def contains_double(self, value: float) -> bool:
        """Whether a double is within the bounds."""
        return self._min <= value <= self._max

    def contains_double_number(self, number: float | None) -> bool:
        """As `contains_double`; None is not within the bounds."""
        return number is not None and self.contains_double(number)

    def contains_float(self, value: float) -> bool:
        """Whether a float is within the bounds."""
        return self._min <= value <= self._max

    def contains_float_number(self, number: float | None) -> bool:
        """As `contains_float`; None is not within the bounds."""
        return number is not None and self.contains_float(number)

    def contains_range(self, other: "IntRange | None") -> bool:
        """Whether the other range lies within this one."""
        if other is None:
            return False
        return self.contains_integer(other.get_minimum_integer()) and self.contains_integer(other.get_maximum_integer())

    def overlaps_range(self, other: "IntRange | None") -> bool:
        """Whether the two ranges have an integer in common."""
        if other is None:
            return False
        return other._min <= self._max and self._min <= other._max

    def equals(self, other: "IntRange | None") -> bool:
        """Whether the other one is a range with the same bounds."""
        if other is self:
            return True
        return isinstance(other, IntRange) and self._min == other._min and self._max == other._max

    def hash_code(self) -> int:
        """A number for the bounds, computed once and kept."""
        if self._hash_code == 0:
            self._hash_code = 17
            value = self._hash_code
            self._hash_code = int32(37 * value + 1)
            value = self._hash_code
            self._hash_code = int32(37 * value + self._min)
            value = self._hash_code
            self._hash_code = int32(37 * value + self._max)
        return self._hash_code

    def plain_hash(self) -> int:
        """The number that `hash_code` is to give, without the cache."""
        value = int32(37 * 17 + 1)
        value = int32(37 * value + self._min)
        return int32(37 * value + self._max)

    def to_string(self) -> str:
        """The range as text, made once and kept."""
        if self._to_string is None:
            self._to_string = f"Range[{self._min},{self._max}]"
        return self._to_string

    def to_array(self) -> list[int]:
        """All integers of the range, or ValueError when they would not fit into a small list."""
        if self._max - self._min >= 1000:
            raise ValueError("the range is too long for a list")
        return list(range(self._min, self._max + 1))
