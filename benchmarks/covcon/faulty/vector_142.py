"""A locked array list whose bulk methods walk another list without that one's lock."""

from __future__ import annotations

from collections.abc import Iterator
from threading import RLock
from zlib import crc32

LARGEST = 64  # a capacity above it is refused


def same(left: object, right: object) -> bool:
    return left is right or left == right


def text_of(element: object) -> str:
    """Values as they are written, other objects by their type: no addresses."""
    plain = element is None or isinstance(element, (bool, int, float, str, bytes))
    return repr(element) if plain else type(element).__name__


class Vector:
    """The first ``element_count`` slots of ``element_data`` are used."""

    def __init__(self, capacity: int = 2, capacity_increment: int = 0) -> None:
        if capacity < 0 or capacity > LARGEST:
            raise ValueError("capacity must be from 0 to 64")
        self._lock = RLock()
        self.element_data: list[object] = [None] * capacity
        self.element_count = 0
        self.capacity_increment = capacity_increment
        self.mod_count = 0

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
            self.mod_count = self.mod_count + 1
            self.element_data = self.element_data[: self.element_count]

    def ensure_capacity(self, minimum: int) -> None:
        with self._lock:
            self.mod_count = self.mod_count + 1
            self._grow(minimum)

    def set_size(self, size: int) -> None:
        with self._lock:
            if size < 0:
                raise IndexError(size)
            self.mod_count = self.mod_count + 1
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
        with self._lock:
            return self.last_index_of_from(element, self.element_count - 1)

    def last_index_of_from(self, element: object, index: int) -> int:
        """Search backwards from ``index``."""
        with self._lock:
            if index >= self.element_count:
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
            self.mod_count = self.mod_count + 1
            for position in range(index, self.element_count - 1):
                self.element_data[position] = self.element_data[position + 1]
            self.element_count = self.element_count - 1
            self.element_data[self.element_count] = None

    def insert_element_at(self, element: object, index: int) -> None:
        with self._lock:
            if index < 0 or index > self.element_count:
                raise IndexError(index)
            self.mod_count = self.mod_count + 1
            self._grow(self.element_count + 1)
            for position in range(self.element_count, index, -1):
                self.element_data[position] = self.element_data[position - 1]
            self.element_data[index] = element
            self.element_count = self.element_count + 1

    def add_element(self, element: object) -> None:
        with self._lock:
            self.mod_count = self.mod_count + 1
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
            self.mod_count = self.mod_count + 1
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

    def _walk(self) -> Iterator[object]:
        """The elements one by one; a change of the vector meanwhile is an error."""
        expected = self.mod_count
        cursor = 0
        while cursor != self.size():
            if self.mod_count != expected:
                raise RuntimeError("vector changed during iteration")
            yield self.get(cursor)
            cursor += 1

    def to_array(self) -> list[object]:
        with self._lock:
            return list(self.elements())

    def to_array_into(self, target: list[object]) -> None:
        """Make ``target`` equal."""
        with self._lock:
            target[:] = self.elements()

    def get(self, index: int) -> object:
        with self._lock:
            return self.element_at(index)

    def set(self, index: int, element: object) -> object:
        with self._lock:
            old = self.element_at(index)
            self.element_data[index] = element
            return old

    def add(self, element: object) -> bool:
        with self._lock:
            self.add_element(element)
            return True

    def add_at(self, index: int, element: object) -> None:
        with self._lock:
            self.insert_element_at(element, index)

    def remove(self, element: object) -> bool:
        with self._lock:
            return self.remove_element(element)

    def remove_at(self, index: int) -> object:
        with self._lock:
            old = self.element_at(index)
            self.remove_element_at(index)
            return old

    def clear(self) -> None:
        with self._lock:
            self.remove_all_elements()

    def contains_all(self, other: Vector) -> bool:
        with self._lock:
            return all(self.contains(element) for element in other._walk())

    def add_all(self, other: Vector) -> bool:
        with self._lock:
            return self.add_all_at(self.element_count, other)

    def add_all_at(self, index: int, other: Vector) -> bool:
        with self._lock:
            elements = other.to_array()
            for offset, element in enumerate(elements):
                self.insert_element_at(element, index + offset)
            return bool(elements)

    def remove_all(self, other: Vector) -> bool:
        """Remove the elements that ``other`` has too."""
        with self._lock:
            unwanted = list(other._walk())
            return self._keep([element for element in self.elements() if element not in unwanted])

    def retain_all(self, other: Vector) -> bool:
        """Remove the elements that ``other`` has not."""
        with self._lock:
            wanted = list(other._walk())
            return self._keep([element for element in self.elements() if element in wanted])

    def _keep(self, elements: list[object]) -> bool:
        if len(elements) == self.element_count:
            return False
        self.remove_all_elements()
        for element in elements:
            self.add_element(element)
        return True

    def sub_list(self, start: int, end: int) -> list[object]:
        with self._lock:
            if start < 0 or start > end or end > self.element_count:
                raise IndexError(f"{start}:{end}")
            return list(self.element_data[start:end])

    def iterator(self) -> tuple[object, ...]:
        with self._lock:
            return self.elements()

    def list_iterator(self) -> tuple[object, ...]:
        with self._lock:
            return self.elements()

    def list_iterator_from(self, index: int) -> tuple[object, ...]:
        with self._lock:
            if index < 0 or index > self.element_count:
                raise IndexError(index)
            return tuple(self.element_data[index : self.element_count])

    def equals(self, other: object) -> bool:
        with self._lock:
            if not isinstance(other, Vector):
                return False
            index = 0
            for element in other._walk():
                if index >= self.element_count or not same(self.element_data[index], element):
                    return False
                index += 1
            return index == self.element_count

    def hash_code(self) -> int:
        with self._lock:
            return crc32(self.to_string().encode())

    def __repr__(self) -> str:
        with self._lock:
            return f"Vector({self.to_string()})"
