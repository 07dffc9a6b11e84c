"""An immutable interval that computes its cached hash in a local and stores it once."""

from __future__ import annotations


def int32(number: int) -> int:
    """Wrapped to 32 bits with sign."""
    return (number + 0x80000000) % 0x100000000 - 0x80000000


class IntRange:
    """The integers from the smaller to the larger of two numbers; hash and text are computed on demand and kept."""

    def __init__(self, number1: int = 2, number2: int | None = None) -> None:
        other = number1 if number2 is None else number2
        self._min = min(number1, other)
        self._max = max(number1, other)
        self._hash_code = 0
        self._to_string: str | None = None

    def get_minimum_integer(self) -> int:
        return int32(self._min)

    def get_maximum_integer(self) -> int:
        return int32(self._max)

    def get_minimum_long(self) -> int:
        return self._min

    def get_maximum_long(self) -> int:
        return self._max

    def get_minimum_float(self) -> float:
        return float(self._min)

    def get_maximum_float(self) -> float:
        return float(self._max)

    def get_minimum_double(self) -> float:
        return float(self._min)

    def get_maximum_double(self) -> float:
        return float(self._max)

    def get_minimum_number(self) -> int:
        return self._min

    def get_maximum_number(self) -> int:
        return self._max

    def contains_integer(self, value: int) -> bool:
        return self._min <= value <= self._max

    def contains_long(self, value: int) -> bool:
        return self._min <= value <= self._max

    def contains_float(self, value: float) -> bool:
        return self._min <= value <= self._max

    def contains_double(self, value: float) -> bool:
        return self._min <= value <= self._max

    def contains_number(self, number: int | None) -> bool:
        return number is not None and self._min <= number <= self._max

    def contains_all(self, numbers: list[int]) -> bool:
        return all(self._min <= number <= self._max for number in numbers)

    def contains_range(self, other: IntRange | None) -> bool:
        return other is not None and self._min <= other._min and other._max <= self._max

    def overlaps_range(self, other: IntRange | None) -> bool:
        return other is not None and self._min <= other._max and other._min <= self._max

    def is_before(self, value: int) -> bool:
        return self._max < value

    def is_after(self, value: int) -> bool:
        return value < self._min

    def length(self) -> int:
        return self._max - self._min + 1

    def middle(self) -> int:
        return (self._min + self._max) // 2

    def to_array(self) -> list[int]:
        """All its integers; only of ranges that are not too long."""
        if self._max - self._min >= 1_000:
            raise ValueError("the range is too long")
        return list(range(self._min, self._max + 1))

    def equals(self, other: object) -> bool:
        return isinstance(other, IntRange) and self._min == other._min and self._max == other._max

    def hash_code(self) -> int:
        result = self._hash_code
        if result == 0:
            result = 17
            result = int32(37 * result + 1)
            result = int32(37 * result + self._min)
            result = int32(37 * result + self._max)
            self._hash_code = result
        return result

    def to_string(self) -> str:
        text = self._to_string
        if text is None:
            text = f"Range[{self._min},{self._max}]"
            self._to_string = text
        return text

    def __repr__(self) -> str:
        return f"IntRange({self._min}, {self._max})"
