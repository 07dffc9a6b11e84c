"""Atomic cells: compare-and-swap for Python, every operation one step.

Under plait's scheduler each operation is a single point, named after the line that calls it; a compare-and-swap counts
as a write whether it succeeds or not, as it does on the machine. On plain threads a lock makes it atomic. What a cell
holds is stored under names with two underscores, which are no points of their own.
"""

from __future__ import annotations

from plait.run.hooks.access import read_cell, write_cell
from plait.run.importing.mirror import real_threading
from plait.run.primitives.site import SKIPPED, here

SKIPPED.add(__name__)
_GUARD = real_threading.Lock()  # never held at a point: under the scheduler it is always free


class AtomicCell:
    """One value; `compare_and_set` compares by identity, integers by value."""

    def __init__(self, value: object = None) -> None:
        self.__value__ = value

    def get(self) -> object:
        read_cell(self, "value", here())
        return self.__value__

    def set(self, value: object) -> None:
        write_cell(self, "value", here())
        self.__value__ = value

    def compare_and_set(self, expected: object, value: object) -> bool:
        """Store the value if the cell holds what was expected."""
        write_cell(self, "value", here())
        with _GUARD:
            held = self.__value__
            if held is not expected and not (type(held) is int and held == expected):
                return False
            self.__value__ = value
            return True


class MarkedCell:
    """A reference and a flag that change together."""

    def __init__(self, reference: object = None, mark: bool = False) -> None:
        self.__pair__ = (reference, mark)

    def get(self) -> tuple[object, bool]:
        read_cell(self, "value", here())
        return self.__pair__

    def compare_and_set(self, expected: object, reference: object, expected_mark: bool, mark: bool) -> bool:
        """Store reference and mark if the cell holds both that were expected."""
        write_cell(self, "value", here())
        with _GUARD:
            held, held_mark = self.__pair__
            if held is not expected or held_mark is not expected_mark:
                return False
            self.__pair__ = (reference, mark)
            return True

    def set(self, reference: object, mark: bool) -> None:
        write_cell(self, "value", here())
        self.__pair__ = (reference, mark)
