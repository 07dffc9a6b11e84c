"""A locked array list; ``last_index_of`` reads the count before it takes the lock."""

from __future__ import annotations

from threading import RLock

LARGEST = 64  # a capacity above it is refused


def same(left: object, right: object) -> bool:
    return left is right or left == right


def text_of(element: object) -> str:
    """Values as they are written, other objects by their type: no addresses."""
    plain = element is None or isinstance(element, (bool, int, float, str, bytes))
    return repr(element) if plain else type(element).__name__


class Vector:
    """The first ``element_count`` slots of ``element_data`` are used."""

    _lock = RLock()  # one for all vectors: two may be copied into the same list

    def __init__(self, capacity: int = 2, capacity_increment: int = 0) -> None:
        if capacity < 0 or capacity > LARGEST:
            raise ValueError("capacity must be from 0 to 64")
        self.element_data: list[object] = [None] * capacity
        self.element_count = 0
        self.capacity_increment = capacity_increment

    def _check(self, index: int) -> None:
        """Negative indices would be legal for a list."""
        if index < 0 or index >= self.element_count:
            raise IndexError(index)

    def _grow(self, minimum: int) -> None:
        if minimum > LARGEST:
            raise ValueError("capacity must be from 0 to 64")
        old = len(self.element_data)
        if minimum > old:
            wanted = old + self.capacity_increment if self.capacity_increment > 0 else old * 2
            self.element_data = self.element_data + [None] * (max(wanted, minimum) - old)

    def copy_into(self, target: list[object]) -> None:
        """Overwrite the beginning of ``target``."""
        with self._lock:
            if len(target) < self.element_count:
                raise IndexError("the target is too short")
            for index in range(self.element_count):
                target[index] = self.element_data[index]

    def trim_to_size(self) -> None:
        with self._lock:
            self.element_data = self.element_data[: self.element_count]

    def ensure_capacity(self, minimum: int) -> None:
        with self._lock:
            self._grow(minimum)

    def set_size(self, size: int) -> None:
        with self._lock:
            if size < 0:
                raise IndexError(size)
            self._grow(size)
            for index in range(size, self.element_count):
                self.element_data[index] = None
            self.element_count = size

    def capacity(self) -> int:
        with self._lock:
            return len(self.element_data)

    def size(self) -> int:
        with self._lock:
            return self.element_count

    def is_empty(self) -> bool:
        with self._lock:
            return self.element_count == 0

    def elements(self) -> tuple[object, ...]:
        with self._lock:
            return tuple(self.element_data[: self.element_count])

    def contains(self, element: object) -> bool:
        with self._lock:
            return self.index_of_from(element, 0) >= 0

    def index_of(self, element: object) -> int:
        with self._lock:
            return self.index_of_from(element, 0)

    def index_of_from(self, element: object, index: int) -> int:
        with self._lock:
            if index < 0:
                raise IndexError(index)
            for position in range(index, self.element_count):
                if same(self.element_data[position], element):
                    return position
            return -1

    def last_index_of(self, element: object) -> int:
        index = self.element_count - 1
        return self.last_index_of_from(element, index)

    def last_index_of_from(self, element: object, index: int) -> int:
        """Search backwards from ``index``, which may lie anywhere in the array."""
        with self._lock:
            if index >= len(self.element_data):
                raise IndexError(index)
            for position in range(index, -1, -1):
                if same(self.element_data[position], element):
                    return position
            return -1

    def element_at(self, index: int) -> object:
        with self._lock:
            self._check(index)
            return self.element_data[index]

    def first_element(self) -> object:
        with self._lock:
            self._check(0)
            return self.element_data[0]

    def last_element(self) -> object:
        with self._lock:
            self._check(self.element_count - 1)
            return self.element_data[self.element_count - 1]

    def set_element_at(self, element: object, index: int) -> None:
        with self._lock:
            self._check(index)
            self.element_data[index] = element

    def remove_element_at(self, index: int) -> None:
        with self._lock:
            self._check(index)
            for position in range(index, self.element_count - 1):
                self.element_data[position] = self.element_data[position + 1]
            self.element_count = self.element_count - 1
            self.element_data[self.element_count] = None

    def insert_element_at(self, element: object, index: int) -> None:
        with self._lock:
            if index < 0 or index > self.element_count:
                raise IndexError(index)
            self._grow(self.element_count + 1)
            for position in range(self.element_count, index, -1):
                self.element_data[position] = self.element_data[position - 1]
            self.element_data[index] = element
            self.element_count = self.element_count + 1

    def add_element(self, element: object) -> None:
        with self._lock:
            self._grow(self.element_count + 1)
            self.element_data[self.element_count] = element
            self.element_count = self.element_count + 1

    def remove_element(self, element: object) -> bool:
        with self._lock:
            index = self.index_of(element)
            if index < 0:
                return False
            self.remove_element_at(index)
            return True

    def remove_all_elements(self) -> None:
        with self._lock:
            for index in range(self.element_count):
                self.element_data[index] = None
            self.element_count = 0

    def clone(self) -> Vector:
        with self._lock:
            copy = Vector(self.element_count)
            for index in range(self.element_count):
                copy.add_element(self.element_data[index])
            return copy

    def to_string(self) -> str:
        with self._lock:
            return "[" + ", ".join(text_of(element) for element in self.elements()) + "]"

    def __repr__(self) -> str:
        with self._lock:
            return f"Vector({self.to_string()})"
