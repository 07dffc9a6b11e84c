"""A cache that loads every key once, however many threads ask for it at the same time."""

import threading


def load(key):
    """What takes long in real life."""
    return [key]


class LoadingCache:
    """Loads values on demand; who asks for a key that is being loaded waits for it."""

    def __init__(self, loader=load) -> None:
        self._loader = loader
        self._condition = threading.Condition()
        self._loading: set = set()
        self._values: dict = {}
        self._loads = 0

    def get(self, key: str):
        """The value of a key, loaded if it is not there."""
        with self._condition:
            while key in self._loading:
                self._condition.wait()
            if key in self._values:
                return self._values[key]
            self._loading.add(key)
        try:
            value = self._loader(key)
        except BaseException:
            with self._condition:
                self._loading.discard(key)
                self._condition.notify_all()
            raise
        with self._condition:
            self._loads += 1
            self._values[key] = value
            self._loading.discard(key)
            self._condition.notify_all()
        return value

    def invalidate(self, key: str) -> None:
        """Forget a value; wait if it is just being loaded."""
        with self._condition:
            while key in self._loading:
                self._condition.wait()
            self._values.pop(key, None)

    @property
    def loads(self) -> int:
        """How often a value was loaded."""
        with self._condition:
            return self._loads
