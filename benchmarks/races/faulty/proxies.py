"""A stand-in that makes the real object with the first use: two first uses make two."""

_missing = object()


class LazyProxy:
    def __init__(self, factory=list):
        self._factory = factory
        self._target = _missing

    def resolve(self):
        if self._target is _missing:
            self._target = self._factory()
        return self._target

    def __getitem__(self, key: int):
        return self.resolve()[key]

    def append(self, value: int) -> None:
        self.resolve().append(value)

    def __len__(self) -> int:
        return len(self.resolve())
