"""Shapes of faults of Lucene: an index, the threads that merge its segments, and their locks."""

import threading


class IndexWriter:
    """LUCENE-1544: `add_indexes` holds the write lock and waits for merges; a merge ends with the read lock."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._writing = False
        self._merging = 0
        self._segments = 2

    def merge(self) -> int:
        """Merge two segments, and commit; returns how many segments are left."""
        with self._condition:
            self._merging += 1
        with self._condition:
            while self._writing:
                self._condition.wait()
            self._segments = max(1, self._segments - 1)
            left = self._segments
            self._merging -= 1
            self._condition.notify_all()
        return left

    def add_indexes(self, count: int = 1) -> int:
        """Add segments when nothing is merged; returns how many there are then."""
        with self._condition:
            while self._writing or self._merging:
                self._condition.wait()
            self._writing = True
            self._segments += count
            self._writing = False
            self._condition.notify_all()
            return self._segments


class MergeScheduler:
    """LUCENE-2783: `commit` holds its lock and waits until few merges run, and a merge commits when it ends."""

    def __init__(self) -> None:
        self._commit_lock = threading.RLock()
        self._condition = threading.Condition()
        self._merges = 0
        self._commits = 0

    def merge(self) -> int:
        """Run one merge; returns how many commits there were."""
        with self._condition:
            self._merges += 1
        try:
            return self._commit()
        finally:
            with self._condition:
                self._merges -= 1
                self._condition.notify_all()

    def _commit(self) -> int:
        with self._commit_lock:
            self._commits += 1
            return self._commits

    def commit(self) -> int:
        """Flush when no merge runs; returns how many commits there were."""
        self._idle()
        return self._commit()

    def _idle(self) -> None:
        with self._condition:
            while self._merges:
                self._condition.wait()
