"""Implementations that are sorted in with the first call: two first calls take them from the list together."""


class Function:
    def __init__(self):
        self._pending = [(int, "number"), (str, "text")]
        self._resolved = {}

    def _resolve(self):
        while self._pending:
            kind, name = self._pending[-1]
            self._resolved[kind] = name
            self._pending.pop()

    def __call__(self, value: int) -> str:
        if self._pending:
            self._resolve()
        return self._resolved[type(value)]

    def implementations(self) -> int:
        self._resolve()
        return len(self._resolved)
