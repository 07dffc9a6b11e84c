"""Threads of a class that run in the middle of calls, and the executions in which that must not happen.

Threads that a class has started run at any point, also inside a call: a future may be done when `submit` returns it,
and a clock may have ticked. What they do there is behaviour of the class. But neither such a thread nor a call may act
on something that the other has changed meanwhile as if it were unchanged. An execution explains nothing if

- a thread has read something, another one changes it, and the first one writes it: a lost update; or
- without any lock or wait in between, a thread has read something, another one changes it, and the first one writes
  something else, which is based on the old value; or
- without any lock or wait in between, a call has read something, a thread of the class changes it, and the call reads
  it at another place in the source: it tests one state and uses another.

A correct class has other executions with the same results, so leaving these out loses nothing. A loop that reads the
same place again is meant to see what others do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.explore.random_walk import synchronises
from plait.run.operations import KEY_INSERT, KEY_READ, KEY_WRITE, LOCAL, READ, TICK, TIME, WRITE, dependent

if TYPE_CHECKING:
    from plait.run.engine import Engine
    from plait.run.testbed import Testbed

_READS = frozenset({READ, KEY_READ})
_WRITES = frozenset({WRITE, KEY_WRITE, KEY_INSERT})


@dataclass(slots=True)
class _Read:
    loc: int
    mode: int
    site: int
    recent: bool = True  # no lock or wait since
    changed: bool = False  # by another thread


class _Reads:
    """What one thread has read, by the root of the location."""

    __slots__ = ("by_root", "is_call")

    def __init__(self, *, is_call: bool) -> None:
        self.by_root: dict[int, list[_Read]] = {}
        self.is_call = is_call

    def synchronise(self, mode: int) -> None:
        """Pass a lock or a wait. Reads before time passed are forgotten, because they are known to be old."""
        if mode in (TICK, TIME):
            self.by_root.clear()
        for reads in self.by_root.values():
            for each in reads:
                each.recent = False

    def read(self, root: int, loc: int, mode: int, site: int) -> bool:
        """Record a read; return whether it sees another value than an earlier read elsewhere in the same call."""
        reads = self.by_root.setdefault(root, [])
        torn = self.is_call and any(
            each.recent and each.changed and each.site != site and each.loc in (loc, root) for each in reads
        )
        reads[:] = [each for each in reads if each.loc != loc]
        reads.append(_Read(loc, mode, site))
        return torn

    def is_outdated(self, root: int, loc: int, mode: int) -> bool:
        """Return whether a write is based on a value that has changed."""
        return any(
            each.changed and dependent(each.mode, each.loc, mode, loc) for each in self.by_root.get(root, ())
        ) or any(each.changed and each.recent for reads in self.by_root.values() for each in reads)

    def change(self, root: int, loc: int, mode: int) -> None:
        """Record a write of another thread."""
        for each in self.by_root.get(root, ()):
            each.changed |= dependent(each.mode, each.loc, mode, loc)


def acts_on_what_has_changed(engine: Engine, bed: Testbed) -> bool:
    """Return whether a call or a thread of the class did so in the execution that has just ended; see the module."""
    others = {each.id for each in engine.class_threads()}
    if not others:
        return False
    begins: dict[int, list[int]] = {}
    for done in (*bed.done, *bed.running.values()):
        begins.setdefault(done.start, []).append(done.number)
    roots = engine.heap.roots
    seen: dict[int, _Reads] = {}
    for at, (thread, loc, mode, site, *_) in enumerate(engine.trace):
        for number in begins.get(at, ()):
            seen.pop(number, None)
        if thread < 0 or mode == LOCAL or not loc:
            continue
        mine, root = seen.setdefault(thread, _Reads(is_call=thread not in others)), roots[loc]
        if synchronises(engine, loc, mode):
            mine.synchronise(mode)
        elif mode in _READS:
            if mine.read(root, loc, mode, site):
                return True
        elif mode in _WRITES:
            if mine.is_outdated(root, loc, mode):
                return True
            for number, theirs in seen.items():
                if number != thread and not (mine.is_call and theirs.is_call):
                    theirs.change(root, loc, mode)
    return False
