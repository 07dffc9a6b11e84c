"""Which steps of a program are interesting: those on locations that several threads touch, counted for each thread.

Executions number their locations as they come by them, so a location goes by a name that means the same in every
execution: the type of its object, and the name of its field or the number of its element where there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.run.operations import LOCAL

if TYPE_CHECKING:
    from plait.run.engine import Engine

Place = tuple[str, object]


def lasting_place(engine: Engine, loc: int) -> Place:
    """Return what a location is called in every execution; its container's name if it is a part of one."""
    obj, name = engine.heap.locs[engine.heap.roots[loc]]
    return (obj if type(obj) is str else type(obj).__qualname__), name if type(name) in (str, int) else None


class SharedSteps:
    """Learns from every execution; before the first one every step that others could see is interesting."""

    def __init__(self) -> None:
        self.places: set[Place] = set()  # touched by several threads
        self.totals: dict[int, int] = {}  # interesting steps of a thread in the longest execution
        self._roots: dict[int, bool] = {}  # of this execution

    def begin(self) -> None:
        """Begin a new execution, which numbers its locations anew."""
        self._roots = {}

    def interesting(self, engine: Engine, loc: int, mode: int) -> bool:
        """Return whether an operation of a thread is one of those that count."""
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
        """Note which places several threads have touched, and how often."""
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
