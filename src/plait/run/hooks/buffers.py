"""Operators that read a bytearray through a buffer: without the GIL they may see some of another thread's writes.

CPython documents this for ``+``, ``==`` and the other comparisons. While they read, no thread can change the length: an
attempt raises `BufferError`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from plait.run.engine import ENGINE, access
from plait.run.hooks.iteration import Walk, scan_args
from plait.run.operations import READ
from plait.run.vthread import VThread

_BUFFERS = frozenset({bytes, bytearray})


def operand(thread: VThread, left: Any, right: Any, site: int) -> Any:
    """Announce an operator on two values, one of them a bytearray; return the right operand to use."""
    if ENGINE.gil or type(left) not in _BUFFERS or type(right) not in _BUFFERS:
        scan_args(thread, (left, right), site)
        return right
    return _Operand(right, site)


def _content(value: Any, view: memoryview, site: int) -> Any:
    """Return the bytes of a value, read one after the other if the value can change."""
    thread = ENGINE.current
    if type(value) is bytes or thread is None:
        return value
    found, walk = bytearray(view), Walk(value, site, keys=True)
    for at in range(len(view)):
        walk.point(thread)
        found[at] = view[at]
    return found


class _Operand:
    """The right operand of an operator: bytes do not know this type, so Python calls the methods of this class."""

    __slots__ = ("_right", "_site")

    def __init__(self, right: Any, site: int) -> None:
        self._right = right
        self._site = site

    def _perform(self, function: Callable[[Any, Any], Any], left: Any) -> Any:
        right, thread = self._right, ENGINE.current
        if thread is None:
            return function(left, right)
        for each in (left, right):
            if type(each) is bytearray:
                access(thread, ENGINE.heap.whole(each), READ, self._site)
                break
        with memoryview(left) as one, memoryview(right) as two:
            return function(_content(left, one, self._site), _content(right, two, self._site))

    def __radd__(self, left: Any) -> Any:
        return self._perform(operator.add, left)

    def __eq__(self, left: object) -> Any:
        return self._perform(operator.eq, left)

    def __ne__(self, left: object) -> Any:
        return self._perform(operator.ne, left)

    def __gt__(self, left: Any) -> Any:
        return self._perform(operator.lt, left)

    def __ge__(self, left: Any) -> Any:
        return self._perform(operator.le, left)

    def __lt__(self, left: Any) -> Any:
        return self._perform(operator.gt, left)

    def __le__(self, left: Any) -> Any:
        return self._perform(operator.ge, left)

    __hash__ = None  # type: ignore[assignment]

    # Operators that bytes do not have must raise the same error as without plait.

    def __rsub__(self, left: Any) -> Any:
        return left - self._right

    def __ror__(self, left: Any) -> Any:
        return left | self._right

    def __rand__(self, left: Any) -> Any:
        return left & self._right

    def __rxor__(self, left: Any) -> Any:
        return left ^ self._right

    def __rmul__(self, left: Any) -> Any:
        return left * self._right
