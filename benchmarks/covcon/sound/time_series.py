"""A sorted series of (period, value); every method takes the lock."""

from __future__ import annotations

from threading import RLock


class TimeSeriesDataItem:
    """One value at a period; periods are day numbers."""

    def __init__(self, period: int, value: float | None = None) -> None:
        self.period = period
        self.value = value


class ChangeListener:
    """Told about changes; this one ignores them."""

    def __init__(self, name: str = "listener") -> None:
        self.name = name

    def series_changed(self, event: str) -> None:
        """Stateless on purpose: what is tested is the series."""


class TimeSeries:
    """``data`` is an array of slots of which the first ``size`` are used, in the order of their periods."""

    _lock = RLock()  # one for all series: some operations take another series
    step = 2  # by how many slots the array grows

    def __init__(self, name: str = "series") -> None:
        self.name = name
        self.description: str | None = None
        self.domain = "Time"
        self.range = "Value"
        self.data: list[TimeSeriesDataItem | None] = [None] * self.step
        self.size = 0
        self.maximum_item_count = 1_000
        self.history_count = 0
        self.listeners: tuple[ChangeListener, ...] = ()
        self.property_listeners: tuple[ChangeListener, ...] = ()

    def _search(self, period: int) -> int:
        """The period's index, or -(insertion point) - 1."""
        low = 0
        high = self.size - 1
        while low <= high:
            middle = (low + high) // 2
            found = self.data[middle].period
            if found == period:
                return middle
            if found < period:
                low = middle + 1
            else:
                high = middle - 1
        return -low - 1

    def _insert(self, index: int, item: TimeSeriesDataItem) -> None:
        if self.size >= len(self.data):
            self.data = self.data + [None] * self.step
        if index == self.size:
            self.size = self.size + 1
            self.data[index] = item
            return
        position = self.size
        while position > index:
            self.data[position] = self.data[position - 1]
            position -= 1
        self.data[index] = item
        self.size = self.size + 1

    def _remove(self, index: int) -> None:
        position = index
        while position < self.size - 1:
            self.data[position] = self.data[position + 1]
            position += 1
        self.size = self.size - 1
        self.data[self.size] = None

    def _item(self, index: int) -> TimeSeriesDataItem:
        if index < 0 or index >= self.size:
            raise IndexError(index)
        return self.data[index]

    def _items(self) -> list[TimeSeriesDataItem]:
        return [self.data[index] for index in range(self.size)]

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

    def get_domain_description(self) -> str:
        with self._lock:
            return self.domain

    def set_domain_description(self, description: str) -> None:
        with self._lock:
            self.domain = description

    def get_range_description(self) -> str:
        with self._lock:
            return self.range

    def set_range_description(self, description: str) -> None:
        with self._lock:
            self.range = description

    def add_change_listener(self, listener: ChangeListener) -> None:
        with self._lock:
            self.listeners = (*self.listeners, listener)

    def remove_change_listener(self, listener: ChangeListener) -> None:
        with self._lock:
            self.listeners = tuple(other for other in self.listeners if other is not listener)

    def add_property_change_listener(self, listener: ChangeListener) -> None:
        with self._lock:
            self.property_listeners = (*self.property_listeners, listener)

    def remove_property_change_listener(self, listener: ChangeListener) -> None:
        with self._lock:
            self.property_listeners = tuple(other for other in self.property_listeners if other is not listener)

    def fire_series_changed(self) -> None:
        with self._lock:
            for listener in self.listeners:
                listener.series_changed("series")

    def fire_property_change(self, name: str) -> None:
        with self._lock:
            for listener in self.property_listeners:
                listener.series_changed(name)

    def get_item_count(self) -> int:
        with self._lock:
            return self.size

    def get_maximum_item_count(self) -> int:
        with self._lock:
            return self.maximum_item_count

    def set_maximum_item_count(self, count: int) -> None:
        with self._lock:
            self.maximum_item_count = max(1, count)
            while self.size > self.maximum_item_count:
                self._remove(0)

    def get_history_count(self) -> int:
        with self._lock:
            return self.history_count

    def set_history_count(self, periods: int) -> None:
        with self._lock:
            self.history_count = periods

    def age_history_count_items(self) -> None:
        """Drop what is older than the history count, counted from the newest item."""
        with self._lock:
            while self.history_count > 0 and self.size > 1:
                if self._item(self.size - 1).period - self._item(0).period <= self.history_count:
                    return
                self._remove(0)

    def get_data_item(self, index: int) -> TimeSeriesDataItem:
        with self._lock:
            item = self._item(index)
            return TimeSeriesDataItem(item.period, item.value)

    def get_data_item_of(self, period: int) -> TimeSeriesDataItem | None:
        with self._lock:
            index = self._search(period)
            return self.get_data_item(index) if index >= 0 else None

    def get_time_period(self, index: int) -> int:
        with self._lock:
            return self._item(index).period

    def get_next_time_period(self) -> int:
        with self._lock:
            return self._item(self.size - 1).period + 1

    def get_time_periods(self) -> list[int]:
        with self._lock:
            return [item.period for item in self._items()]

    def get_time_periods_unique_to_other_series(self, series: TimeSeries) -> list[int]:
        with self._lock:
            return [item.period for item in series._items() if self._search(item.period) < 0]

    def get_index(self, period: int) -> int:
        with self._lock:
            return self._search(period)

    def get_value(self, index: int) -> float | None:
        with self._lock:
            return self._item(index).value

    def get_value_of(self, period: int) -> float | None:
        with self._lock:
            index = self._search(period)
            return self._item(index).value if index >= 0 else None

    def add_item(self, item: TimeSeriesDataItem) -> None:
        with self._lock:
            self._add(item.period, item.value)

    def add(self, period: int, value: float) -> None:
        with self._lock:
            self._add(period, value)

    def add_missing(self, period: int) -> None:
        """Add a period without a value."""
        with self._lock:
            self._add(period, None)

    def _add(self, period: int, value: float | None) -> None:
        index = self._search(period)
        if index >= 0:
            raise ValueError("the series has the period already")
        self._insert(-index - 1, TimeSeriesDataItem(period, value))
        if self.size > self.maximum_item_count:
            self._remove(0)
        self.fire_series_changed()

    def update(self, period: int, value: float | None) -> None:
        with self._lock:
            index = self._search(period)
            if index < 0:
                raise ValueError("the series does not have the period")
            self._item(index).value = value
            self.fire_series_changed()

    def update_at(self, index: int, value: float | None) -> None:
        with self._lock:
            self._item(index).value = value
            self.fire_series_changed()

    def add_or_update(self, period: int, value: float | None) -> float | None:
        with self._lock:
            index = self._search(period)
            if index < 0:
                self._add(period, value)
                return None
            old = self._item(index).value
            self.update_at(index, value)
            return old

    def add_and_or_update(self, series: TimeSeries) -> None:
        with self._lock:
            for item in series._items():
                self.add_or_update(item.period, item.value)

    def delete(self, period: int) -> None:
        with self._lock:
            index = self._search(period)
            if index >= 0:
                self._remove(index)
                self.fire_series_changed()

    def delete_range(self, start: int, end: int) -> None:
        """Delete the items with indices from start to end, both included."""
        with self._lock:
            for _ in range(start, min(end + 1, self.size)):
                if start < 0:
                    raise IndexError(start)
                self._remove(start)
            self.fire_series_changed()

    def clear(self) -> None:
        with self._lock:
            while self.size > 0:
                self._remove(self.size - 1)
            self.fire_series_changed()

    def create_copy(self, start: int, end: int) -> TimeSeries:
        """A series of the items with indices from start to end, both included."""
        with self._lock:
            copy = TimeSeries(self.name)
            for index in range(max(0, start), min(end + 1, self.size)):
                item = self._item(index)
                copy.add(item.period, item.value)
            return copy

    def clone(self) -> TimeSeries:
        with self._lock:
            return self.create_copy(0, self.size - 1)

    def equals(self, other: object) -> bool:
        with self._lock:
            if not isinstance(other, TimeSeries):
                return False
            mine = [(item.period, item.value) for item in self._items()]
            return self.name == other.name and mine == [(item.period, item.value) for item in other._items()]

    def __repr__(self) -> str:
        with self._lock:
            return f"TimeSeries({self.name!r}, {[(item.period, item.value) for item in self._items()]})"
