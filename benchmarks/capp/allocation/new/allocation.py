"""Allocation: a vector of blocks that are free or allocated.

Finding a free block and marking it are two calls, each under the lock: two workers can find the same block. The
search takes the first free block, where the original starts at random.
"""

import threading

FREE, ALLOCATED = "F", "A"


class AllocationVector:
    """Blocks, each free or allocated."""

    def __init__(self, size: int) -> None:
        self.lock = threading.Lock()
        self.blocks = [FREE] * size

    def get_free_block_index(self) -> int:
        """The first free block, or -1."""
        with self.lock:
            for index in range(len(self.blocks)):
                if self.blocks[index] == FREE:
                    return index
            return -1

    def mark_as_allocated_block(self, index: int) -> None:
        """Allocate a free block."""
        with self.lock:
            if self.blocks[index] == ALLOCATED:
                raise RuntimeError(f"block {index} is allocated already")
            self.blocks[index] = ALLOCATED

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
        index = vector.get_free_block_index()
        if index != -1:
            vector.mark_as_allocated_block(index)
            held.append(index)
    for index in held:
        vector.mark_as_free_block(index)
