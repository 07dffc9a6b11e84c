"""A plot of datasets against axes; every method takes the lock."""

from __future__ import annotations

from threading import RLock


class Named:
    """What a plot holds is immutable and known by its name."""

    def __init__(self, name: str = "a") -> None:
        self.name = name


class Dataset(Named):
    """The points to draw."""


class Axis(Named):
    """A domain axis or a range axis."""


class Renderer(Named):
    """Draws the points of a dataset."""


class Marker(Named):
    """A line across the plot."""


class Annotation(Named):
    """A text on the plot."""


class PlotChangeListener(Named):
    """Told about changes; this one ignores them."""

    def plot_changed(self, event: str) -> None:
        """Stateless on purpose: what is tested is the plot."""


def copy_of(mapping: dict[int, object]) -> dict[int, object]:
    """Entry by entry, as a sorted map is copied."""
    copy = {}
    for key, value in mapping.items():
        copy[key] = value
    return copy


class XYPlot:
    """Datasets, axes and renderers by index, and maps that say which axis a dataset is drawn against."""

    _lock = RLock()  # one for all plots: ``equals`` takes another one

    def __init__(
        self,
        dataset: Dataset | None = None,
        domain_axis: Axis | None = None,
        range_axis: Axis | None = None,
        renderer: Renderer | None = None,
    ) -> None:
        self.datasets: dict[int, Dataset | None] = {0: dataset}
        self.domain_axes: dict[int, Axis | None] = {0: domain_axis}
        self.range_axes: dict[int, Axis | None] = {0: range_axis}
        self.renderers: dict[int, Renderer | None] = {0: renderer}
        self.domain_axis_locations: dict[int, str] = {}
        self.range_axis_locations: dict[int, str] = {}
        self.dataset_to_domain_axis_map: dict[int, int] = {}
        self.dataset_to_range_axis_map: dict[int, int] = {}
        self.domain_markers: tuple[Marker, ...] = ()
        self.range_markers: tuple[Marker, ...] = ()
        self.annotations: tuple[Annotation, ...] = ()
        self.listeners: tuple[PlotChangeListener, ...] = ()

    def add_change_listener(self, listener: PlotChangeListener) -> None:
        with self._lock:
            self.listeners = (*self.listeners, listener)

    def remove_change_listener(self, listener: PlotChangeListener) -> None:
        with self._lock:
            self.listeners = tuple(other for other in self.listeners if other is not listener)

    def notify_listeners(self, event: str) -> None:
        with self._lock:
            for listener in self.listeners:
                listener.plot_changed(event)

    def map_dataset_to_domain_axis(self, index: int, axis_index: int) -> None:
        with self._lock:
            self.dataset_to_domain_axis_map[index] = axis_index
            self.notify_listeners("domain axis map")

    def map_dataset_to_range_axis(self, index: int, axis_index: int) -> None:
        with self._lock:
            self.dataset_to_range_axis_map[index] = axis_index
            self.notify_listeners("range axis map")

    def get_domain_axis_for_dataset(self, index: int) -> Axis | None:
        with self._lock:
            return self.domain_axes.get(self.dataset_to_domain_axis_map.get(index, 0))

    def get_range_axis_for_dataset(self, index: int) -> Axis | None:
        with self._lock:
            return self.range_axes.get(self.dataset_to_range_axis_map.get(index, 0))

    def get_dataset(self, index: int = 0) -> Dataset | None:
        with self._lock:
            return self.datasets.get(index)

    def set_dataset(self, dataset: Dataset | None) -> None:
        with self._lock:
            self.datasets[0] = dataset
            self.notify_listeners("dataset")

    def set_dataset_at(self, index: int, dataset: Dataset | None) -> None:
        with self._lock:
            self.datasets[index] = dataset
            self.notify_listeners("dataset")

    def set_datasets(self, datasets: list[Dataset]) -> None:
        with self._lock:
            for index, dataset in enumerate(datasets):
                self.datasets[index] = dataset
            self.notify_listeners("datasets")

    def get_domain_axis(self, index: int = 0) -> Axis | None:
        with self._lock:
            return self.domain_axes.get(index)

    def set_domain_axis(self, axis: Axis | None) -> None:
        with self._lock:
            self.domain_axes[0] = axis
            self.notify_listeners("domain axis")

    def set_domain_axis_at(self, index: int, axis: Axis | None) -> None:
        with self._lock:
            self.domain_axes[index] = axis
            self.notify_listeners("domain axis")

    def set_domain_axes(self, axes: list[Axis]) -> None:
        with self._lock:
            for index, axis in enumerate(axes):
                self.domain_axes[index] = axis
            self.notify_listeners("domain axes")

    def get_range_axis(self, index: int = 0) -> Axis | None:
        with self._lock:
            return self.range_axes.get(index)

    def set_range_axis(self, axis: Axis | None) -> None:
        with self._lock:
            self.range_axes[0] = axis
            self.notify_listeners("range axis")

    def set_range_axis_at(self, index: int, axis: Axis | None) -> None:
        with self._lock:
            self.range_axes[index] = axis
            self.notify_listeners("range axis")

    def set_range_axes(self, axes: list[Axis]) -> None:
        with self._lock:
            for index, axis in enumerate(axes):
                self.range_axes[index] = axis
            self.notify_listeners("range axes")

    def get_renderer(self, index: int = 0) -> Renderer | None:
        with self._lock:
            return self.renderers.get(index)

    def set_renderer(self, renderer: Renderer | None) -> None:
        with self._lock:
            self.renderers[0] = renderer
            self.notify_listeners("renderer")

    def set_renderer_at(self, index: int, renderer: Renderer | None) -> None:
        with self._lock:
            self.renderers[index] = renderer
            self.notify_listeners("renderer")

    def set_renderers(self, renderers: list[Renderer]) -> None:
        with self._lock:
            for index, renderer in enumerate(renderers):
                self.renderers[index] = renderer
            self.notify_listeners("renderers")

    def get_domain_axis_location(self, index: int = 0) -> str:
        with self._lock:
            return self.domain_axis_locations.get(index, "bottom")

    def set_domain_axis_location(self, location: str) -> None:
        with self._lock:
            self.domain_axis_locations[0] = location
            self.notify_listeners("domain axis location")

    def set_domain_axis_location_at(self, index: int, location: str) -> None:
        with self._lock:
            self.domain_axis_locations[index] = location
            self.notify_listeners("domain axis location")

    def get_range_axis_location(self, index: int = 0) -> str:
        with self._lock:
            return self.range_axis_locations.get(index, "left")

    def set_range_axis_location(self, location: str) -> None:
        with self._lock:
            self.range_axis_locations[0] = location
            self.notify_listeners("range axis location")

    def set_range_axis_location_at(self, index: int, location: str) -> None:
        with self._lock:
            self.range_axis_locations[index] = location
            self.notify_listeners("range axis location")

    def get_dataset_count(self) -> int:
        with self._lock:
            return len(self.datasets)

    def get_domain_axis_count(self) -> int:
        with self._lock:
            return len(self.domain_axes)

    def get_range_axis_count(self) -> int:
        with self._lock:
            return len(self.range_axes)

    def get_renderer_count(self) -> int:
        with self._lock:
            return len(self.renderers)

    def index_of(self, dataset: Dataset | None) -> int:
        with self._lock:
            for index in tuple(self.datasets):
                if self.datasets[index] is dataset:
                    return index
            return -1

    def get_index_of_renderer(self, renderer: Renderer | None) -> int:
        with self._lock:
            for index in tuple(self.renderers):
                if self.renderers[index] is renderer:
                    return index
            return -1

    def get_renderer_for_dataset(self, dataset: Dataset | None) -> Renderer | None:
        with self._lock:
            for index in tuple(self.datasets):
                if self.datasets[index] is dataset:
                    return self.renderers.get(index)
            return None

    def clear_domain_axes(self) -> None:
        with self._lock:
            self.domain_axes.clear()
            self.notify_listeners("domain axes")

    def clear_range_axes(self) -> None:
        with self._lock:
            self.range_axes.clear()
            self.notify_listeners("range axes")

    def add_domain_marker(self, marker: Marker) -> None:
        with self._lock:
            self.domain_markers = (*self.domain_markers, marker)
            self.notify_listeners("domain markers")

    def remove_domain_marker(self, marker: Marker) -> bool:
        with self._lock:
            count = len(self.domain_markers)
            self.domain_markers = tuple(other for other in self.domain_markers if other is not marker)
            return len(self.domain_markers) < count

    def get_domain_markers(self) -> tuple[Marker, ...]:
        with self._lock:
            return self.domain_markers

    def clear_domain_markers(self) -> None:
        with self._lock:
            self.domain_markers = ()
            self.notify_listeners("domain markers")

    def add_range_marker(self, marker: Marker) -> None:
        with self._lock:
            self.range_markers = (*self.range_markers, marker)
            self.notify_listeners("range markers")

    def remove_range_marker(self, marker: Marker) -> bool:
        with self._lock:
            count = len(self.range_markers)
            self.range_markers = tuple(other for other in self.range_markers if other is not marker)
            return len(self.range_markers) < count

    def get_range_markers(self) -> tuple[Marker, ...]:
        with self._lock:
            return self.range_markers

    def clear_range_markers(self) -> None:
        with self._lock:
            self.range_markers = ()
            self.notify_listeners("range markers")

    def add_annotation(self, annotation: Annotation) -> None:
        with self._lock:
            self.annotations = (*self.annotations, annotation)
            self.notify_listeners("annotations")

    def remove_annotation(self, annotation: Annotation) -> bool:
        with self._lock:
            count = len(self.annotations)
            self.annotations = tuple(other for other in self.annotations if other is not annotation)
            return len(self.annotations) < count

    def get_annotations(self) -> tuple[Annotation, ...]:
        with self._lock:
            return self.annotations

    def clear_annotations(self) -> None:
        with self._lock:
            self.annotations = ()
            self.notify_listeners("annotations")

    def clone(self) -> XYPlot:
        """A plot with the same contents and no listeners."""
        with self._lock:
            copy = XYPlot()
            copy.datasets = copy_of(self.datasets)
            copy.domain_axes = copy_of(self.domain_axes)
            copy.range_axes = copy_of(self.range_axes)
            copy.renderers = copy_of(self.renderers)
            copy.domain_axis_locations = copy_of(self.domain_axis_locations)
            copy.range_axis_locations = copy_of(self.range_axis_locations)
            copy.dataset_to_domain_axis_map = copy_of(self.dataset_to_domain_axis_map)
            copy.dataset_to_range_axis_map = copy_of(self.dataset_to_range_axis_map)
            copy.domain_markers = self.domain_markers
            copy.range_markers = self.range_markers
            copy.annotations = self.annotations
            return copy

    def equals(self, other: object) -> bool:
        with self._lock:
            if not isinstance(other, XYPlot):
                return False
            mine = (self.datasets, self.domain_axes, self.range_axes)
            return mine == (other.datasets, other.domain_axes, other.range_axes)

    def __repr__(self) -> str:
        with self._lock:
            maps = f"domain={self.dataset_to_domain_axis_map}, range={self.dataset_to_range_axis_map}"
            return f"XYPlot(datasets={len(self.datasets)}, {maps})"


# The appearance of a plot: one independent field each, with a getter and a setter.
APPEARANCE = {
    "no_data_message": "", "no_data_message_font": "SansSerif 12", "no_data_message_paint": "black", "insets": 4.0,
    "background_paint": "white", "background_alpha": 1.0, "background_image": "", "background_image_alignment": 0,
    "background_image_alpha": 0.5, "outline_visible": True, "outline_stroke": 0.5, "outline_paint": "grey",
    "foreground_alpha": 1.0, "drawing_supplier": "default", "parent_name": "", "dataset_group": "",
    "orientation": "vertical", "axis_offset": 0.0, "domain_gridlines_visible": True, "domain_gridline_stroke": 0.5,
    "domain_gridline_paint": "grey", "range_gridlines_visible": True, "range_gridline_stroke": 0.5,
    "range_gridline_paint": "grey", "domain_minor_gridlines_visible": False, "domain_minor_gridline_stroke": 0.25,
    "domain_minor_gridline_paint": "grey", "range_minor_gridlines_visible": False,
    "range_minor_gridline_stroke": 0.25, "range_minor_gridline_paint": "grey",
    "domain_zero_baseline_visible": False, "domain_zero_baseline_stroke": 0.5, "domain_zero_baseline_paint": "black",
    "range_zero_baseline_visible": False, "range_zero_baseline_stroke": 0.5, "range_zero_baseline_paint": "black",
    "domain_tick_band_paint": "", "range_tick_band_paint": "", "quadrant_origin_x": 0.0, "quadrant_origin_y": 0.0,
    "quadrant_paint_1": "", "quadrant_paint_2": "", "quadrant_paint_3": "", "quadrant_paint_4": "",
    "domain_crosshair_visible": False, "domain_crosshair_value": 0.0, "domain_crosshair_stroke": 0.5,
    "domain_crosshair_paint": "blue", "domain_crosshair_locked_on_data": True, "range_crosshair_visible": False,
    "range_crosshair_value": 0.0, "range_crosshair_stroke": 0.5, "range_crosshair_paint": "blue",
    "range_crosshair_locked_on_data": True, "fixed_domain_axis_space": 0.0, "fixed_range_axis_space": 0.0,
    "fixed_legend_items": "", "weight": 1, "dataset_rendering_order": "reverse", "series_rendering_order": "reverse",
    "domain_pannable": False, "range_pannable": False, "domain_zoomable": True, "range_zoomable": True,
    "notify": True, "shadow_generator": "", "default_domain_axis_location": "bottom",
    "default_range_axis_location": "left", "domain_axis_space": 0.0, "range_axis_space": 0.0, "legend_label": "",
    "plot_type": "XY Plot", "minimum_width": 10, "minimum_height": 10, "domain_axis_edge": "bottom",
    "range_axis_edge": "left", "legend_visible": True, "rendering_source": "", "selected_series": 0,
    "selected_item": 0, "anchor_x": 0.0, "anchor_y": 0.0,
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
    attach_accessors(XYPlot, appearance_field, appearance_default)
