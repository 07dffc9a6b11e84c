"""Signals with a part that is made on first use: a property of the class keeps it in the object."""


class lazy_property:
    def __init__(self, deferred):
        self._deferred = deferred

    def __get__(self, obj, cls):
        if obj is None:
            return self
        value = self._deferred(obj)
        setattr(obj, self._deferred.__name__, value)
        return value


class Signal:
    def __init__(self):
        self.receivers = {}

    @lazy_property
    def receiver_connected(self):
        return []

    def watch(self, name: str) -> None:
        self.receiver_connected.append(name)

    def connect(self, receiver: str) -> int:
        self.receivers[receiver] = True
        return len(self.receiver_connected)

    def watchers(self) -> list:
        return list(self.receiver_connected)
