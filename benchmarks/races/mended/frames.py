"""Arrays that borrow methods of another package on first use: the flag is set when they are there."""

import threading


class FrameMixin:
    _initialised = False
    _reader = None
    _lock = threading.Lock()

    @classmethod
    def _init(cls):
        with FrameMixin._lock:
            if not cls._initialised:
                cls._reader = staticmethod(len)
                cls._initialised = True

    def size(self) -> int:
        self._init()
        return self._reader(self.rows)


class Frame(FrameMixin):
    def __init__(self, rows: tuple = (1, 2)):
        self.rows = rows

    def first(self) -> object:
        return self.rows[0] if self.size() else None
