"""C21: insertion no longer locks its window."""

from __future__ import annotations

from benchmarks.atg.sound import optimistic_list as sound


class OptimisticList(sound.OptimisticList):
    """A set of integers."""

    def insert(self, key: int) -> bool:
        """False if the key is there already."""
        while True:
            pred, curr = self._window(key)
            if self._valid(pred, curr):
                if curr.key == key:
                    return False
                pred.next = sound.Node(key, curr)
                return True
