"""A chart axis; every method takes the lock."""

from __future__ import annotations

import math
from threading import RLock


class Range:
    """An immutable interval."""

    def __init__(self, lower: float = 0.0, upper: float = 1.0) -> None:
        if lower > upper:
            raise ValueError(f"lower {lower} above upper {upper}")
        self.lower = lower
        self.upper = upper

    @property
    def central_value(self) -> float:
        return (self.lower + self.upper) / 2.0

    @property
    def length(self) -> float:
        return self.upper - self.lower


class AxisChangeListener:
    """Told about changes; this one ignores them."""

    def __init__(self, name: str = "listener") -> None:
        self.name = name

    def axis_changed(self, event: str) -> None:
        """Stateless on purpose: what is tested is the axis."""


class ValueAxis:
    """What axes of numbers and of periods have in common: a visible range that zooming and panning replace."""

    _lock = RLock()  # one for all axes: ``equals`` takes another one

    def __init__(self, label: str | None = None) -> None:
        self.label = label
        self.range = Range(0.0, 1.0)
        self.auto_range = True
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

    def is_auto_range(self) -> bool:
        with self._lock:
            return self.auto_range

    def set_auto_range(self, flag: bool) -> None:
        with self._lock:
            self.auto_range = flag
            self.notify_listeners("auto range")

    def get_range(self) -> Range:
        with self._lock:
            return self.range

    def set_range(self, new_range: Range) -> None:
        with self._lock:
            self.range = new_range
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
            return self.range.lower

    def set_lower_bound(self, lower: float) -> None:
        with self._lock:
            upper = self.range.upper
            self.set_range(Range(lower, upper if upper > lower else lower + 1.0))

    def get_upper_bound(self) -> float:
        with self._lock:
            return self.range.upper

    def set_upper_bound(self, upper: float) -> None:
        with self._lock:
            lower = self.range.lower
            self.set_range(Range(lower if lower < upper else upper - 1.0, upper))

    def center_range(self, value: float) -> None:
        """Move the range so that ``value`` is its centre."""
        with self._lock:
            central = self.range.central_value
            lower = self.range.lower + value - central
            upper = self.range.upper + value - central
            self.set_range(Range(lower, upper))

    def resize_range(self, percent: float) -> None:
        """Scale the length of the range round its centre."""
        with self._lock:
            self.resize_range_about(percent, self.range.central_value)

    def resize_range_about(self, percent: float, anchor: float) -> None:
        with self._lock:
            if percent > 0.0:
                half = self.range.length * percent / 2.0
                self.set_range(Range(anchor - half, anchor + half))
            else:
                self.set_auto_range(True)

    def zoom_range(self, lower_percent: float, upper_percent: float) -> None:
        with self._lock:
            start = self.range.lower
            length = self.range.length
            self.set_range(Range(start + length * lower_percent, start + length * upper_percent))

    def value_to_position(self, value: float, width: float) -> float:
        """Where ``value`` is drawn on an axis of this width."""
        with self._lock:
            visible = self.range
            return 0.0 if visible.length == 0.0 else (value - visible.lower) / visible.length * width

    def position_to_value(self, position: float, width: float) -> float:
        with self._lock:
            visible = self.range
            return visible.lower if width == 0.0 else visible.lower + position / width * visible.length


class NumberAxis(ValueAxis):
    """An axis of plain numbers with ticks."""

    def __init__(self, label: str | None = None) -> None:
        super().__init__(label)
        self.tick_size = 1.0

    def get_tick_size(self) -> float:
        with self._lock:
            return self.tick_size

    def set_tick_size(self, size: float) -> None:
        with self._lock:
            if size <= 0.0:
                raise ValueError("the tick size must be positive")
            self.tick_size = size
            self.notify_listeners("tick size")

    def calculate_lowest_visible_tick_value(self) -> float:
        with self._lock:
            return math.ceil(self.range.lower / self.tick_size) * self.tick_size

    def calculate_highest_visible_tick_value(self) -> float:
        with self._lock:
            return math.floor(self.range.upper / self.tick_size) * self.tick_size

    def calculate_visible_tick_count(self) -> int:
        with self._lock:
            return math.floor(self.range.upper / self.tick_size) - math.ceil(self.range.lower / self.tick_size) + 1

    def set_auto_range_if_wider(self, minimum: float) -> None:
        """Return to the automatic range if the present one is wider than ``minimum``."""
        with self._lock:
            if self.range.length > minimum:
                self.set_auto_range(True)

    def equals(self, other: object) -> bool:
        with self._lock:
            if not isinstance(other, NumberAxis):
                return False
            mine = (self.label, self.range.lower, self.range.upper, self.tick_size)
            return mine == (other.label, other.range.lower, other.range.upper, other.tick_size)

    def clone(self) -> NumberAxis:
        with self._lock:
            copy = NumberAxis(self.label)
            copy.range = self.range
            copy.auto_range = self.auto_range
            copy.tick_size = self.tick_size
            return copy

    def __repr__(self) -> str:
        with self._lock:
            visible = self.range
            return f"NumberAxis({self.label!r}, {visible.lower}..{visible.upper}, auto={self.auto_range})"


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
    "upper_margin": 0.05, "fixed_auto_range": 0.0, "auto_tick_unit_selection": True,
    "standard_tick_units": "integer", "auto_range_includes_zero": True, "auto_range_sticky_zero": True,
    "number_format": "#,##0", "anchor_value": 0.0, "marker_band": "",
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
    attach_accessors(NumberAxis, appearance_field, appearance_default)
