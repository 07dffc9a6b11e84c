"""C11: insertion compares and stores in two steps instead of one."""

from __future__ import annotations

from benchmarks.atg.sound import lockfree_list as sound


class LockfreeList(sound.LockfreeList):
    """A set of integers."""

    def insert(self, key: int) -> bool:
        """False if the key is there already."""
        while True:
            pred, curr = self._find(key)
            if curr.key == key:
                return False
            node = sound.Node(key, curr)
            if pred.next.get() == (curr, False):
                pred.next.set(node, False)
                return True
