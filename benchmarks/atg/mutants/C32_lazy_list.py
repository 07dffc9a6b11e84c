"""C32: insertion no longer locks its window, but still unlocks it: also what a remover has locked."""

from __future__ import annotations

from benchmarks.atg.sound import lazy_list as sound


class LazyList(sound.LazyList):
    """A set of integers."""

    def insert(self, key: int) -> bool:
        """False if the key is there already."""
        while True:
            pred, curr = self._window(key)
            try:
                if self._valid(pred, curr):
                    if curr.key == key:
                        return False
                    pred.next = sound.Node(key, curr)
                    return True
            finally:
                curr.mutex.unlock()
                pred.mutex.unlock()
