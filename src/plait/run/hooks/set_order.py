"""The order in which code under test sees the elements of a set that are hashed by their addresses.

Addresses differ from execution to execution, and with them the order of such a set: the same schedule would lead to
another execution. So the elements are shown in the order in which the execution has touched them first. Any order is
one that the interpreter may show.
"""

from __future__ import annotations

from operator import length_hint
from typing import Any

from plait.run.engine import ENGINE
from plait.run.heap import hashed_by_address, hashed_in_c

_HEAP = ENGINE.heap


class _InOrder:
    """An iterator over a set, which ends as the set's own does when the set has got another size meanwhile."""

    __slots__ = ("_kind", "_left", "_set", "_size")

    def __init__(self, elements: Any, order: list[Any]) -> None:
        self._kind: Any = _kind_of(elements)
        self._set: Any = elements
        self._size = len(order)
        self._left = iter(order)

    def __iter__(self) -> _InOrder:
        return self

    def __next__(self) -> Any:
        if self._set is None:
            raise StopIteration
        if self._kind.__len__(self._set) != self._size:
            self._size = -1  # as in CPython, there is no way back
            raise RuntimeError("Set changed size during iteration")
        for element in self._left:
            if self._kind.__contains__(self._set, element):
                return element
        self._set = None
        raise StopIteration

    def __length_hint__(self) -> int:
        return length_hint(self._left)


def steps_over(value: Any) -> Any:
    """Return an iterator over a value, for a set in an order that is the same in every execution of a schedule."""
    order = by_first_touch(value) if is_set(value) else None
    return iter(value) if order is None else _InOrder(value, order)


def by_first_touch(elements: Any) -> list[Any] | None:
    """Return the elements of a set in the order of first touch.

    None if the set's own order will do: without a virtual thread, with one element, if no hash is an address, or if
    hashes are computed in Python.
    """
    kind = _kind_of(elements)
    if ENGINE.current is None or kind.__len__(elements) < 2:
        return None
    found = list(kind.__iter__(elements))
    kinds = set(map(type, found))
    if not any(map(hashed_by_address, kinds)) or not all(map(hashed_in_c, kinds)):
        return None
    found.sort(key=lambda element: _HEAP.first_touch(element, elements))
    return found


def is_set(value: Any) -> bool:
    """Return whether a value is a set whose elements are walked along by C code."""
    kind = type(value)  # the value itself could lie
    return issubclass(kind, set | frozenset) and kind.__iter__ in (set.__iter__, frozenset.__iter__)


def _kind_of(elements: Any) -> Any:
    return set if isinstance(elements, set) else frozenset
