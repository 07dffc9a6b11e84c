"""An iterator over numbered pages that threads take from together."""


class Pages:
    def __init__(self, first: int = 1, last: int = 3):
        self._next = first
        self._last = last

    def __iter__(self):
        return self

    def __next__(self) -> int:
        if self._next > self._last:
            raise StopIteration
        page = self._next
        self._next = page + 1
        return page
