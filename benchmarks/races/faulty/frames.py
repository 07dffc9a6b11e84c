"""Arrays that borrow methods of another package on first use: the flag says "done" before they are there."""


class FrameMixin:
    _initialised = False
    _reader = None

    @classmethod
    def _init(cls):
        if not cls._initialised:
            cls._initialised = True
            cls._reader = staticmethod(len)

    def size(self) -> int:
        self._init()
        return self._reader(self.rows)


class Frame(FrameMixin):
    def __init__(self, rows: tuple = (1, 2)):
        self.rows = rows

    def first(self) -> object:
        return self.rows[0] if self.size() else None
