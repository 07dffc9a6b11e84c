"""A chart axis of calendar periods; every method takes the lock."""

from __future__ import annotations

import math
from threading import RLock

TODAY = 15_000  # periods are day numbers; day 0 is the first of January 1970


class Range:
    """An immutable interval."""

    def __init__(self, lower: float = 0.0, upper: float = 1.0) -> None:
        if lower > upper:
            raise ValueError(f"lower {lower} above upper {upper}")
        self.lower = lower
        self.upper = upper


class AxisChangeListener:
    """Told about changes; this one ignores them."""

    def __init__(self, name: str = "listener") -> None:
        self.name = name

    def axis_changed(self, event: str) -> None:
        """Stateless on purpose: what is tested is the axis."""


class PeriodAxisLabelInfo:
    """How one row of period labels is written."""

    def __init__(self, period: str = "day", date_format: str = "d") -> None:
        self.period = period
        self.date_format = date_format


class PeriodAxis:
    """Shows the days from ``first`` to ``last``; ``base_range`` is the plain range in which bounds are set."""

    _lock = RLock()  # one for all axes: ``equals`` takes another one

    def __init__(self, label: str | None = None, first: int = TODAY, last: int = TODAY) -> None:
        self.label = label
        self.first = first
        self.last = last
        self.base_range = Range(0.0, 1.0)
        self.auto_range = True
        self.label_info: tuple[PeriodAxisLabelInfo, ...] = ()
        self.listeners: tuple[AxisChangeListener, ...] = ()

    def get_label(self) -> str | None:
        with self._lock:
            return self.label

    def set_label(self, label: str | None) -> None:
        with self._lock:
            self.label = label
            self.notify_listeners("label")

    def add_change_listener(self, listener: AxisChangeListener) -> None:
        with self._lock:
            self.listeners = (*self.listeners, listener)

    def remove_change_listener(self, listener: AxisChangeListener) -> None:
        with self._lock:
            self.listeners = tuple(other for other in self.listeners if other is not listener)

    def has_listener(self, listener: AxisChangeListener) -> bool:
        with self._lock:
            return any(other is listener for other in self.listeners)

    def notify_listeners(self, event: str) -> None:
        with self._lock:
            for listener in self.listeners:
                listener.axis_changed(event)

    def get_first(self) -> int:
        with self._lock:
            return self.first

    def set_first(self, first: int) -> None:
        with self._lock:
            self.first = first
            self.notify_listeners("first")

    def get_last(self) -> int:
        with self._lock:
            return self.last

    def set_last(self, last: int) -> None:
        with self._lock:
            self.last = last
            self.notify_listeners("last")

    def get_label_info(self) -> tuple[PeriodAxisLabelInfo, ...]:
        with self._lock:
            return self.label_info

    def set_label_info(self, info: PeriodAxisLabelInfo) -> None:
        with self._lock:
            self.label_info = (info,)

    def is_auto_range(self) -> bool:
        with self._lock:
            return self.auto_range

    def set_auto_range(self, flag: bool) -> None:
        with self._lock:
            self.auto_range = flag
            self.notify_listeners("auto range")

    def get_range(self) -> Range:
        """From the start of the first day to the end of the last one."""
        with self._lock:
            lower = self.first
            upper = self.last + 1
            return Range(float(lower), float(upper))

    def set_range(self, new_range: Range) -> None:
        with self._lock:
            self.base_range = new_range
            self.first = math.floor(new_range.lower)
            self.last = math.floor(new_range.upper)
            self.auto_range = False
            self.notify_listeners("range")

    def set_range_bounds(self, lower: float, upper: float) -> None:
        with self._lock:
            self.set_range(Range(lower, upper))

    def set_range_with_margins(self, lower: float, upper: float) -> None:
        with self._lock:
            margin = (upper - lower) * 0.05
            self.set_range(Range(lower - margin, upper + margin))

    def set_range_about_value(self, value: float, length: float) -> None:
        with self._lock:
            self.set_range(Range(value - length / 2.0, value + length / 2.0))

    def get_lower_bound(self) -> float:
        with self._lock:
            return self.base_range.lower

    def set_lower_bound(self, lower: float) -> None:
        with self._lock:
            upper = self.base_range.upper
            self.set_range(Range(lower, upper if upper > lower else lower + 1.0))

    def get_upper_bound(self) -> float:
        with self._lock:
            return self.base_range.upper

    def set_upper_bound(self, upper: float) -> None:
        with self._lock:
            lower = self.base_range.lower
            self.set_range(Range(lower if lower < upper else upper - 1.0, upper))

    def center_range(self, value: float) -> None:
        """Move the range so that ``value`` is its centre."""
        with self._lock:
            visible = self.get_range()
            half = (visible.upper - visible.lower) / 2.0
            self.set_range(Range(value - half, value + half))

    def resize_range(self, percent: float) -> None:
        """Scale the length of the range round its centre."""
        with self._lock:
            visible = self.get_range()
            self.resize_range_about(percent, (visible.lower + visible.upper) / 2.0)

    def resize_range_about(self, percent: float, anchor: float) -> None:
        with self._lock:
            if percent > 0.0:
                visible = self.get_range()
                half = (visible.upper - visible.lower) * percent / 2.0
                self.set_range(Range(anchor - half, anchor + half))
            else:
                self.set_auto_range(True)

    def zoom_range(self, lower_percent: float, upper_percent: float) -> None:
        with self._lock:
            visible = self.get_range()
            length = visible.upper - visible.lower
            self.set_range(Range(visible.lower + length * lower_percent, visible.lower + length * upper_percent))

    def value_to_position(self, value: float, width: float) -> float:
        """Where ``value`` is drawn on an axis of this width."""
        with self._lock:
            visible = self.get_range()
            length = visible.upper - visible.lower
            return 0.0 if length == 0.0 else (value - visible.lower) / length * width

    def position_to_value(self, position: float, width: float) -> float:
        with self._lock:
            visible = self.get_range()
            return visible.lower if width == 0.0 else visible.lower + position / width * (visible.upper - visible.lower)

    def is_visible_period(self, period: int) -> bool:
        with self._lock:
            return self.first <= period <= self.last

    def get_period_count(self) -> int:
        with self._lock:
            return self.last - self.first + 1

    def previous_period(self) -> None:
        """Show the period before the first one as well."""
        with self._lock:
            self.first = self.first - 1

    def next_period(self) -> None:
        """Show the period behind the last one as well."""
        with self._lock:
            self.last = self.last + 1

    def equals(self, other: object) -> bool:
        with self._lock:
            if not isinstance(other, PeriodAxis):
                return False
            return (self.label, self.first, self.last) == (other.label, other.first, other.last)

    def hash_code(self) -> int:
        with self._lock:
            return (self.first * 31 + self.last) & 0xFFFFFFFF

    def clone(self) -> PeriodAxis:
        with self._lock:
            copy = PeriodAxis(self.label, self.first, self.last)
            copy.base_range = self.base_range
            copy.auto_range = self.auto_range
            copy.label_info = self.label_info
            return copy

    def __repr__(self) -> str:
        with self._lock:
            return f"PeriodAxis({self.label!r}, {self.first}..{self.last}, auto={self.auto_range})"


# The appearance of an axis: one independent field each, with a getter and a setter.
APPEARANCE = {
    "visible": True, "label_font": "SansSerif 12", "label_paint": "black", "label_insets": 3.0, "label_angle": 0.0,
    "label_tool_tip": "", "label_url": "", "axis_line_visible": True, "axis_line_paint": "grey",
    "axis_line_stroke": 1.0, "tick_labels_visible": True, "tick_label_font": "SansSerif 10",
    "tick_label_paint": "black", "tick_label_insets": 2.0, "tick_marks_visible": True,
    "tick_mark_inside_length": 0.0, "tick_mark_outside_length": 2.0, "tick_mark_stroke": 1.0,
    "tick_mark_paint": "grey", "fixed_dimension": 0.0, "plot_name": "", "vertical_tick_labels": False,
    "positive_arrow_visible": False, "negative_arrow_visible": False, "up_arrow": "^", "down_arrow": "v",
    "left_arrow": "<", "right_arrow": ">", "inverted": False, "auto_range_minimum_size": 1e-8, "lower_margin": 0.05,
    "upper_margin": 0.05, "fixed_auto_range": 0.0, "auto_tick_unit_selection": True, "standard_tick_units": "day",
    "auto_tick_index": 0, "time_zone": "UTC", "locale": "en", "auto_range_time_period": "day",
    "major_tick_time_period": "day", "minor_tick_time_period": "hour", "minor_tick_marks_visible": True,
    "minor_tick_mark_inside_length": 0.0, "minor_tick_mark_outside_length": 2.0, "minor_tick_mark_stroke": 0.5,
    "minor_tick_mark_paint": "grey", "default_auto_range": 1.0,
}  # fmt: skip


def attach_accessors(owner: type, field: str, default: object) -> None:
    """Give ``owner`` a plain field with its getter and setter."""

    def getter(self):
        with self._lock:
            return getattr(self, f"_{field}")

    def setter(self, value):
        with self._lock:
            setattr(self, f"_{field}", value)

    kind = type(default)
    getter.__annotations__ = {"return": kind}
    setter.__annotations__ = {"value": kind, "return": None}
    setattr(owner, f"_{field}", default)
    for name, function in ((f"{'is' if kind is bool else 'get'}_{field}", getter), (f"set_{field}", setter)):
        function.__name__ = name
        function.__qualname__ = f"{owner.__qualname__}.{name}"
        setattr(owner, name, function)


for appearance_field, appearance_default in APPEARANCE.items():
    attach_accessors(PeriodAxis, appearance_field, appearance_default)
