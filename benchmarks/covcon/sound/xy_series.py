"""A sorted series of (x, y); every method takes the lock."""

from __future__ import annotations

from threading import RLock


class ChangeListener:
    """Told about changes; this one ignores them."""

    def __init__(self, name: str = "listener") -> None:
        self.name = name

    def series_changed(self, event: str) -> None:
        """Stateless on purpose: what is tested is the series."""


class ListenerList:
    """A list that counts its modifications, so that an iteration can notice one."""

    def __init__(self) -> None:
        self.elements: list[ChangeListener] = []
        self.mod_count = 0

    def add(self, listener: ChangeListener) -> None:
        self.mod_count = self.mod_count + 1
        self.elements.append(listener)

    def remove(self, listener: ChangeListener) -> None:
        for index, other in enumerate(self.elements):
            if other is listener:
                self.mod_count = self.mod_count + 1
                del self.elements[index]
                return

    def __iter__(self):
        expected = self.mod_count
        cursor = 0
        while cursor != len(self.elements):
            if self.mod_count != expected:
                raise RuntimeError("list changed during iteration")
            yield self.elements[cursor]
            cursor += 1


class XYSeries:
    """Points in the order of x; equal values of x are allowed unless the constructor says otherwise."""

    _lock = RLock()  # one for all series: ``equals`` takes another one

    def __init__(self, name: str = "series", allow_duplicate_x: bool = True) -> None:
        self.name = name
        self.description: str | None = None
        self.allow_duplicate_x = allow_duplicate_x
        self.maximum_item_count = 1_000
        self.data: list[tuple[float, float | None]] = []
        self.listeners = ListenerList()
        self.property_listeners = ListenerList()

    def get_name(self) -> str:
        with self._lock:
            return self.name

    def set_name(self, name: str) -> None:
        with self._lock:
            self.name = name

    def get_description(self) -> str | None:
        with self._lock:
            return self.description

    def set_description(self, description: str | None) -> None:
        with self._lock:
            self.description = description

    def add_change_listener(self, listener: ChangeListener) -> None:
        with self._lock:
            self.listeners.add(listener)

    def remove_change_listener(self, listener: ChangeListener) -> None:
        with self._lock:
            self.listeners.remove(listener)

    def fire_series_changed(self) -> None:
        with self._lock:
            for listener in self.listeners:
                listener.series_changed("series")

    def add_property_change_listener(self, listener: ChangeListener) -> None:
        with self._lock:
            self.property_listeners.add(listener)

    def remove_property_change_listener(self, listener: ChangeListener) -> None:
        with self._lock:
            self.property_listeners.remove(listener)

    def fire_property_change(self, name: str) -> None:
        with self._lock:
            for listener in self.property_listeners:
                listener.series_changed(name)

    def get_allow_duplicate_x_values(self) -> bool:
        with self._lock:
            return self.allow_duplicate_x

    def get_maximum_item_count(self) -> int:
        with self._lock:
            return self.maximum_item_count

    def set_maximum_item_count(self, count: int) -> None:
        with self._lock:
            self.maximum_item_count = max(1, count)
            del self.data[: max(0, len(self.data) - self.maximum_item_count)]

    def get_item_count(self) -> int:
        with self._lock:
            return len(self.data)

    def _position(self, x: float) -> int:
        """Behind the last point that is not right of ``x``."""
        position = 0
        while position < len(self.data) and self.data[position][0] <= x:
            position += 1
        return position

    def add(self, x: float, y: float) -> None:
        with self._lock:
            self._add(x, y)

    def add_missing(self, x: float) -> None:
        """Add a point without y."""
        with self._lock:
            self._add(x, None)

    def add_pair(self, pair: tuple[float, float]) -> None:
        with self._lock:
            x, y = pair
            self._add(x, y)

    def _add(self, x: float, y: float | None) -> None:
        position = self._position(x)
        if not self.allow_duplicate_x and position > 0 and self.data[position - 1][0] == x:
            raise ValueError("the series has a point with this x already")
        self.data.insert(position, (x, y))
        if len(self.data) > self.maximum_item_count:
            del self.data[0]
        self.fire_series_changed()

    def _check(self, index: int) -> None:
        if index < 0 or index >= len(self.data):
            raise IndexError(index)

    def delete(self, start: int, end: int) -> None:
        """Delete the points with indices from start to end, both included."""
        with self._lock:
            if start < 0:
                raise IndexError(start)
            del self.data[start : end + 1]
            self.fire_series_changed()

    def clear(self) -> None:
        with self._lock:
            if self.data:
                self.data.clear()
                self.fire_series_changed()

    def get_data_pair(self, index: int) -> tuple[float, float | None]:
        with self._lock:
            self._check(index)
            return self.data[index]

    def get_x_value(self, index: int) -> float:
        with self._lock:
            self._check(index)
            return self.data[index][0]

    def get_y_value(self, index: int) -> float | None:
        with self._lock:
            self._check(index)
            return self.data[index][1]

    def update(self, index: int, y: float | None) -> None:
        with self._lock:
            self._check(index)
            self.data[index] = (self.data[index][0], y)
            self.fire_series_changed()

    def equals(self, other: object) -> bool:
        with self._lock:
            return isinstance(other, XYSeries) and self.name == other.name and self.data == other.data

    def __repr__(self) -> str:
        with self._lock:
            return f"XYSeries({self.name!r}, {self.data})"
