"""Allocation: a vector of blocks that are free or allocated.

Finding a free block and marking it happen in one call, under the lock.

As in the copy of the program that the paper's tools used: the search takes the first free block, where the original
starts at random; a worker keeps what it found in a buffer, whose first place tells main of an error.
"""

import threading

FREE, ALLOCATED = "F", "A"
ALLOCATION_ERROR, FREEING_ERROR = -2, -3


class AllocationError(Exception):
    """A block is allocated already."""


class FreeingError(Exception):
    """A block is free already."""


class AllocationVector:
    """Blocks, each free or allocated."""

    def __init__(self, size: int) -> None:
        self.monitor = threading.RLock()
        self.blocks = [FREE] * size

    def get_free_block_index(self) -> int:
        """The first free block, or -1."""
        with self.monitor:
            for index in range(len(self.blocks)):
                if self.blocks[index] == FREE:
                    return index
            return -1

    def allocate_free_block(self) -> int:
        """Allocate the first free block; its index, or -1."""
        with self.monitor:
            index = self.get_free_block_index()
            if index != -1:
                self.mark_as_allocated_block(index)
            return index

    def mark_as_allocated_block(self, index: int) -> None:
        """Allocate a free block."""
        with self.monitor:
            if self.blocks[index] == ALLOCATED:
                raise AllocationError(f"block {index} is allocated already")
            self.blocks[index] = ALLOCATED

    def mark_as_free_block(self, index: int) -> None:
        """Free an allocated block."""
        with self.monitor:
            if self.blocks[index] == FREE:
                raise FreeingError(f"block {index} is free already")
            self.blocks[index] = FREE


class AllocateAndFree:
    """Allocates as many blocks as its buffer has places, if there are any, then frees them."""

    def __init__(self, vector: AllocationVector, result: list[int]) -> None:
        self.vector = vector
        self.result = result

    def run(self) -> None:
        """What one worker does."""
        try:
            for place in range(len(self.result)):
                self.result[place] = self.vector.allocate_free_block()
            for place in range(len(self.result)):
                if self.result[place] != -1:
                    self.vector.mark_as_free_block(self.result[place])
        except AllocationError:
            self.result[0] = ALLOCATION_ERROR
        except FreeingError:
            self.result[0] = FREEING_ERROR
