"""Impacted code points: places where a change may affect the communication among threads (CAPP, section 3.1).

The points are collected from source text alone and are neither sound nor complete: they only decide what is tested
first. `plait.subject.changes.impact_analysis` finds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Icp(NamedTuple):
    """The paper's 4-tuple <C, M, L, F>; None is its "don't care".

    A class is named with its module; functions outside of classes belong to their module. Methods have their qualified
    names, because lambdas and closures need one too.
    """

    cls: str | None
    method: str | None
    line: int | None
    field: str | None

    def __str__(self) -> str:
        return f"<{', '.join('-' if part is None else str(part) for part in self)}>"


@dataclass(frozen=True)
class Impact:
    """All points of a change, in the forms in which running code is compared with them.

    ``lines`` are (file, line), ``methods`` (file, qualified name), ``classes`` (file, qualified name or "" for the
    module itself), with absolute files; ``fields`` are (class name or None for any, field).
    """

    points: frozenset[Icp] = frozenset()
    lines: frozenset[tuple[str, int]] = frozenset()
    methods: frozenset[tuple[str, str]] = frozenset()
    classes: frozenset[tuple[str, str]] = frozenset()
    fields: frozenset[tuple[str | None, str]] = frozenset()
    notes: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def together(cls, parts: Iterable[Impact]) -> Impact:
        """Return the points of several files."""
        every = list(parts)
        return cls(
            frozenset().union(*(part.points for part in every)),
            frozenset().union(*(part.lines for part in every)),
            frozenset().union(*(part.methods for part in every)),
            frozenset().union(*(part.classes for part in every)),
            frozenset().union(*(part.fields for part in every)),
            tuple(note for part in every for note in part.notes),
        )

    def __len__(self) -> int:
        return len(self.points)


def named_function(qualname: str) -> str:
    """Return the function that code belongs to; comprehensions belong to the function they stand in."""
    while qualname.endswith(_COMPREHENSIONS):
        qualname = qualname.rpartition(".")[0].removesuffix(".<locals>")
    return qualname


def class_of(qualname: str) -> str:
    """Return the class of a function by their qualified names: closures and lambdas belong to the class around them."""
    head, inside, tail = qualname.rpartition(".<locals>.")
    if "." in tail:
        return f"{head}{inside}{tail.rpartition('.')[0]}"
    return class_of(head) if inside else ""


# -- impact json -------------------------------------------------------------------------------------------------------
# Impacted code points as plain data, for another process.


_PARTS = ("lines", "methods", "classes", "fields")


def impact_as_json(impact: Impact) -> dict[str, Any]:
    """Read back by `impact_from_json`."""
    parts = {name: sorted(map(list, getattr(impact, name)), key=str) for name in _PARTS}
    return {"points": sorted(map(list, impact.points), key=str), **parts, "notes": list(impact.notes)}


def impact_from_json(data: dict[str, Any]) -> Impact:
    """Return the inverse of `impact_as_json`."""
    parts: dict[str, Any] = {name: frozenset(map(tuple, data[name])) for name in _PARTS}
    return Impact(frozenset(Icp(*point) for point in data["points"]), notes=tuple(data["notes"]), **parts)
