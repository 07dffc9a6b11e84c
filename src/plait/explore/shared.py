"""The interesting steps of a program: those on locations that several threads touch, counted for each thread.

Locations are numbered anew in each execution. So they are identified by a name that is the same in every execution: the
type of the object, and the name of the field or the number of the element, if there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.run.operations import LOCAL

if TYPE_CHECKING:
    from plait.run.engine import Engine

Place = tuple[str, object]


def lasting_place(engine: Engine, loc: int) -> Place:
    """Return the name of a location, the same in every execution; a part of a container has the container's name."""
    obj, name = engine.heap.locs[engine.heap.roots[loc]]
    return (obj if type(obj) is str else type(obj).__qualname__), name if type(name) in (str, int) else None


class SharedSteps:
    """Counts the interesting steps over all executions; before the first one ends, all steps but local ones count."""

    def __init__(self) -> None:
        self.places: set[Place] = set()  # touched by several threads
        self.totals: dict[int, int] = {}  # interesting steps of a thread in the longest execution
        self._roots: dict[int, bool] = {}  # by root of this execution: whether it is interesting

    def begin(self) -> None:
        """Start a new execution, which numbers its locations anew."""
        self._roots = {}

    def interesting(self, engine: Engine, loc: int, mode: int) -> bool:
        """Return whether an operation is interesting."""
        if mode == LOCAL:
            return False
        if not self.places:
            return True
        root = engine.heap.roots[loc]
        known = self._roots.get(root)
        if known is None:
            known = self._roots[root] = lasting_place(engine, root) in self.places
        return known

    def learn(self, engine: Engine) -> None:
        """Record which places several threads have touched, and count each thread's interesting steps."""
        roots, touched = engine.heap.roots, dict[int, int]()
        several: set[int] = set()
        for thread, loc, mode, _site, _enabled, _after in engine.trace:
            if thread >= 0 and mode != LOCAL and touched.setdefault(roots[loc], thread) != thread:
                several.add(roots[loc])
        before = len(self.places)
        self.places.update(lasting_place(engine, root) for root in several)
        if len(self.places) != before:
            self._roots = {}
        counts: dict[int, int] = {}
        for thread, loc, mode, _site, _enabled, _after in engine.trace:
            if thread >= 0 and self.interesting(engine, loc, mode):
                counts[thread] = counts.get(thread, 0) + 1
        for thread, count in counts.items():
            self.totals[thread] = max(self.totals.get(thread, 0), count)
