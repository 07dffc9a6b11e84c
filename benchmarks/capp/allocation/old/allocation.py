"""Allocation: a vector of blocks that are free or allocated.

Finding a free block and marking it are one call under the lock. The search takes the first free block, where the
original starts at random.
"""

import threading

FREE, ALLOCATED = "F", "A"


class AllocationVector:
    """Blocks, each free or allocated."""

    def __init__(self, size: int) -> None:
        self.lock = threading.Lock()
        self.blocks = [FREE] * size

    def allocate_block(self) -> int:
        """Allocate the first free block; its index, or -1."""
        with self.lock:
            for index in range(len(self.blocks)):
                if self.blocks[index] == FREE:
                    self.blocks[index] = ALLOCATED
                    return index
            return -1

    def mark_as_free_block(self, index: int) -> None:
        """Free an allocated block."""
        with self.lock:
            if self.blocks[index] == FREE:
                raise RuntimeError(f"block {index} is free already")
            self.blocks[index] = FREE


def work(vector: AllocationVector, requests: int) -> None:
    """Allocate that many blocks if there are any, then free them."""
    held = []
    for _ in range(requests):
        index = vector.allocate_block()
        if index != -1:
            held.append(index)
    for index in held:
        vector.mark_as_free_block(index)
