"""Threads of a class that come into the middle of calls, and what may not come of it.

A class's own threads run at any point, also inside a call: a future may have ended when `submit` returns it, and a
clock may have ticked. What they do there belongs to the class. But neither may act on what the other has changed
meanwhile as if it were still so, and an execution in which that happens explains nothing:

- A thread has read something, another one changes it, and the first one writes it: a lost update.
- Without any lock or wait in between, a thread has read something, another one changes it, and the first one writes
  something else: what it writes rests on what is no longer so.
- Without any lock or wait in between, a call has read something, a thread of the class changes it, and the call reads
  it in another place: it tests one state and uses another.

A sound class has other executions with the same results, so nothing is lost by leaving these out. A loop that looks
again in the same place is meant to see what others do.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from plait.run.operations import (
    ACQUIRE,
    HAND_OVER,
    KEY_INSERT,
    KEY_READ,
    KEY_WRITE,
    LOCAL,
    READ,
    RELEASE,
    TAKE,
    TICK,
    TIME,
    TRY,
    TRY_FAILED,
    WRITE,
    dependent,
)
from plait.run.primitives.condition import Condition
from plait.run.primitives.event import Event
from plait.run.primitives.lock import Baton
from plait.run.primitives.semaphore import Semaphore
from plait.run.primitives.simple_queue import SimpleQueue
from plait.run.vthread import VThread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine
    from plait.run.testbed import Testbed

_READS = frozenset({READ, KEY_READ})
_WRITES = frozenset({WRITE, KEY_WRITE, KEY_INSERT})
_SYNC = frozenset({ACQUIRE, RELEASE, TRY, TRY_FAILED, TAKE, HAND_OVER, TICK, TIME})
_PRIMITIVES = (Baton, Condition, Event, Semaphore, SimpleQueue, VThread)  # of which the main one has the clock


@dataclass(slots=True)
class _Read:
    loc: int
    mode: int
    site: int
    recent: bool = True  # neither a lock nor a wait since
    changed: bool = False  # by another thread


class _Reads:
    """What one thread has read, by root."""

    __slots__ = ("by_root", "is_call")

    def __init__(self, *, is_call: bool) -> None:
        self.by_root: dict[int, list[_Read]] = {}
        self.is_call = is_call

    def synchronise(self, mode: int) -> None:
        """Go on behind a lock or a wait; what was read before time passed is known to be old."""
        if mode in (TICK, TIME):
            self.by_root.clear()
        for reads in self.by_root.values():
            for each in reads:
                each.recent = False

    def read(self, root: int, loc: int, mode: int, site: int) -> bool:
        """Note a read; return whether it sees other than one before it did, in another place of the same call."""
        reads = self.by_root.setdefault(root, [])
        torn = self.is_call and any(
            each.recent and each.changed and each.site != site and each.loc in (loc, root) for each in reads
        )
        reads[:] = [each for each in reads if each.loc != loc]
        reads.append(_Read(loc, mode, site))
        return torn

    def is_outdated(self, root: int, loc: int, mode: int) -> bool:
        """Return whether a write rests on what is no longer so."""
        return any(
            each.changed and dependent(each.mode, each.loc, mode, loc) for each in self.by_root.get(root, ())
        ) or any(each.changed and each.recent for reads in self.by_root.values() for each in reads)

    def change(self, root: int, loc: int, mode: int) -> None:
        """Note that another thread writes."""
        for each in self.by_root.get(root, ()):
            each.changed |= dependent(each.mode, each.loc, mode, loc)


def acts_on_what_has_changed(engine: Engine, bed: Testbed) -> bool:
    """Return whether a call or a thread of the class did so in the execution that has just ended."""
    others = {each.id for each in engine.class_threads()}
    if not others:
        return False
    begins: dict[int, list[int]] = {}
    for done in (*bed.done, *bed.running.values()):
        begins.setdefault(done.start, []).append(done.number)
    roots, places = engine.heap.roots, engine.heap.locs
    seen: dict[int, _Reads] = {}
    for at, (thread, loc, mode, site, *_) in enumerate(engine.trace):
        for number in begins.get(at, ()):
            seen.pop(number, None)
        if thread < 0 or mode == LOCAL or not loc:
            continue
        mine, root = seen.setdefault(thread, _Reads(is_call=thread not in others)), roots[loc]
        if mode in _SYNC or _is_primitive(places[loc][0]):
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


def _is_primitive(owner: object) -> bool:
    return issubclass(type(owner), _PRIMITIVES)


class InStretches:
    """A random walk that switches only where threads take locks, wait, begin or end: no stretch between is torn."""

    name = "stretches"

    def __init__(self, seed: int = 0) -> None:
        self.exhausted = False
        self.free = False
        self._random = Random(seed)

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix: there is always one more."""
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Let the running thread go on to the end of its stretch; then choose anybody."""
        goes_on = current is not None and current.enabled and current.loc and current.mode not in _SYNC
        if current is not None and goes_on and not _is_primitive(engine.heap.locs[current.loc][0]):
            return current.id
        return self._random.choice(engine.enabled)

    def executed(self, engine: Engine) -> None:
        """Learn nothing."""
