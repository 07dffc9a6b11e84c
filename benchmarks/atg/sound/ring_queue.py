"""A bounded queue in a ring without locks: a slot is claimed by compare-and-swap before it is filled or emptied.

Who has claimed a slot waits until the slot's previous user is done with it; the claims decide the order.
"""

from __future__ import annotations

from benchmarks.atg.cell import AtomicCell

EMPTY = object()


class RingQueue:
    """First in, first out, with room for ``1 << bits`` values."""

    def __init__(self, bits: int = 1) -> None:
        if not 0 <= bits <= 4:
            raise ValueError("bits must be from 0 to 4")
        self._mask = (1 << bits) - 1
        self._slots = [AtomicCell(EMPTY) for _ in range(1 << bits)]
        self._head = AtomicCell(0)  # the next slot to fill
        self._tail = AtomicCell(0)  # the next slot to empty

    def push(self, value: int) -> bool:
        """False if the queue is full."""
        while True:
            head = self._head.get()
            tail = self._tail.get()
            if head - tail > self._mask:
                return False
            if self._head.compare_and_set(head, head + 1):
                break
        slot = self._slots[head & self._mask]
        while slot.get() is not EMPTY:
            pass
        slot.set(value)
        return True

    def pop(self) -> int | None:
        """The oldest value; None if there is none."""
        while True:
            tail = self._tail.get()
            head = self._head.get()
            if head == tail:
                return None
            if self._tail.compare_and_set(tail, tail + 1):
                break
        slot = self._slots[tail & self._mask]
        value = slot.get()
        while value is EMPTY:
            value = slot.get()
        slot.set(EMPTY)
        return value
