"""The interesting steps of a program: those on locations that several threads touch, counted for each thread.

Locations are numbered anew in each execution. So they are identified by a name that is the same in every execution: the
type of the object, and the name of the field or the number of the element, if there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.observe.places import PLACES, is_machinery
from plait.run.operations import LOCAL

if TYPE_CHECKING:
    from plait.run.engine import Engine

Place = tuple[str, object]


def lasting_place(engine: Engine, loc: int) -> Place:
    """Return the name of a location, the same in every execution; a part of a container has the container's name."""
    obj, name = engine.heap.locs[engine.heap.roots[loc]]
    return (obj if type(obj) is str else type(obj).__qualname__), name if type(name) in (str, int) else None


class SharedSteps:
    """Counts the interesting steps over all executions; before the first one ends, all steps but local ones count.

    With ``own``, only accesses in code outside of the thread modules count: no locks, and nothing that a queue's or an
    executor's own code does, which is most steps of a small test.
    """

    def __init__(self, *, own: bool = False) -> None:
        self.places: set[Place] = set()  # touched by several threads
        self._own = own
        self._sites: dict[int, bool] = {}  # whether its accesses can count
        self.totals: dict[int, int] = {}  # interesting steps of a thread in the longest execution
        self._roots: dict[int, bool] = {}  # by root of this execution: whether it is interesting

    def begin(self) -> None:
        """Start a new execution, which numbers its locations anew."""
        self._roots = {}

    def interesting(self, engine: Engine, loc: int, mode: int, site: int) -> bool:
        """Return whether an operation is interesting."""
        if mode == LOCAL or not self._counts(site):
            return False
        if not self.places:
            return True
        root = engine.heap.roots[loc]
        known = self._roots.get(root)
        if known is None:
            known = self._roots[root] = lasting_place(engine, root) in self.places
        return known

    def _counts(self, site: int) -> bool:
        if not self._own:
            return True
        known = self._sites.get(site)
        if known is None:
            known = self._sites[site] = site in PLACES and not is_machinery(PLACES[site])
        return known

    def learn(self, engine: Engine) -> None:
        """Record which places several threads have touched, and count each thread's interesting steps."""
        roots, touched = engine.heap.roots, dict[int, int]()
        several: set[int] = set()
        for thread, loc, mode, site, _enabled, _after in engine.trace:
            counts_here = thread >= 0 and mode != LOCAL and self._counts(site)
            if counts_here and touched.setdefault(roots[loc], thread) != thread:
                several.add(roots[loc])
        before = len(self.places)
        self.places.update(lasting_place(engine, root) for root in several)
        if len(self.places) != before:
            self._roots = {}
        counts: dict[int, int] = {}
        for thread, loc, mode, site, _enabled, _after in engine.trace:
            if thread >= 0 and self.interesting(engine, loc, mode, site):
                counts[thread] = counts.get(thread, 0) + 1
        for thread, count in counts.items():
            self.totals[thread] = max(self.totals.get(thread, 0), count)
