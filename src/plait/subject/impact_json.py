"""Impacted code points as plain data, for another process."""

from __future__ import annotations

from typing import Any

from plait.subject.impact import Icp, Impact

_PARTS = ("lines", "methods", "classes", "fields")


def impact_as_json(impact: Impact) -> dict[str, Any]:
    """Read back by `impact_from_json`."""
    parts = {name: sorted(map(list, getattr(impact, name)), key=str) for name in _PARTS}
    return {"points": sorted(map(list, impact.points), key=str), **parts, "notes": list(impact.notes)}


def impact_from_json(data: dict[str, Any]) -> Impact:
    """The inverse of `impact_as_json`."""
    parts: dict[str, Any] = {name: frozenset(map(tuple, data[name])) for name in _PARTS}
    return Impact(frozenset(Icp(*point) for point in data["points"]), notes=tuple(data["notes"]), **parts)
