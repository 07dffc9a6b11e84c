"""A reduction for stateful search: steps that need no alternatives, because no other thread can interfere with them.

An access to a location that is always accessed under the same lock, or by one thread only, commutes with everything
that other threads can do before it; so does the release of a lock that is only ever acquired and released. The running
thread continues there, and the state is not explored. This is how Java PathFinder reduces (CAPP, section 5, and the
pruning condition in line 31 of its Figure 4).

"Always" means: as seen so far. The transitions that were left out are stored with the location they rely on. When an
access shows that the location is not guarded after all, they are explored, so nothing is lost. Locations and locks have
the names of `plait.explore.canonical`, which are the same in every execution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from plait.observe.lockset import Locksets
from plait.run.operations import (
    HAND_OVER,
    KEY_INSERT,
    KEY_READ,
    KEY_WRITE,
    LOCAL,
    READ,
    RELEASE,
    TRY,
    TRY_FAILED,
    WRITE,
)
from plait.run.primitives.lock import BaseLock
from plait.run.vthread import FINISHED, VThread

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from plait.explore.canonical import States
    from plait.run.engine import Engine

_DATA = frozenset({READ, WRITE, KEY_READ, KEY_WRITE, KEY_INSERT})
_LOOKS = frozenset({READ, KEY_READ})
_UNUSUAL = frozenset({TRY, TRY_FAILED, HAND_OVER, READ})  # operations that can see whether a lock is held


class Withheld(NamedTuple):
    """A transition that was left out: ``length`` steps of a schedule, then ``thread``; and whether it was preferred."""

    schedule: list[int]
    length: int
    thread: int
    prioritised: bool


class _Location:
    """The accesses to a location while there was more than one thread."""

    __slots__ = ("locks", "open", "thread", "withheld", "written")

    def __init__(self) -> None:
        self.thread: int | None = None  # the only one; None before the first access and after one of a second thread
        self.locks: frozenset[Hashable] | None = None  # held at every access
        self.written = self.open = False
        self.withheld: list[Withheld] = []


class Guarded:
    """Finds the guarded locations over all executions of one search."""

    def __init__(self, states: States) -> None:
        self._states = states
        self._locations: dict[Hashable, _Location] = {}
        self._locksets = Locksets()
        self._seen = 0
        self._shared: set[Hashable] = set()  # accessed by more than one thread

    def begin(self) -> None:
        """Start a new execution."""
        self._locksets = Locksets()
        self._seen = 0

    def update(self, engine: Engine) -> Iterator[Withheld]:
        """Take in what happened since the last call; yield the transitions that must be explored after all."""
        entries = engine.trace[self._seen :]
        self._seen = len(engine.trace)
        held: frozenset[Hashable] | None = None
        alone = bool(entries) and _is_alone(engine, entries[-1][0])
        for entry in entries:
            thread, loc, mode = entry[:3]
            owner = engine.heap.locs[loc][0]
            if mode != LOCAL and thread != -1 and not alone:
                if held is None:  # the locks at the beginning of the step
                    held = self._held(engine, thread)
                yield from self._accessed(engine.heap.roots[loc], thread, mode, held, isinstance(owner, BaseLock))
            self._locksets.step(entry, owner)

    def _held(self, engine: Engine, thread: int) -> frozenset[Hashable]:
        locs = [loc for loc, _hold in self._locksets.held(thread) if isinstance(engine.heap.locs[loc][0], BaseLock)]
        return frozenset(filter(None, (self._states.place(loc) for loc in locs)))

    def _accessed(self, root: int, thread: int, mode: int, held: frozenset[Hashable], lock: bool) -> Iterator[Withheld]:
        name = self._states.place(root)
        if name is None:
            return
        location = self._locations.setdefault(name, _Location())
        if location.open:
            return
        if lock:
            location.open = mode in _UNUSUAL
        else:
            location.locks = held if location.locks is None else location.locks & held
            if location.thread is None and name not in self._shared:
                location.thread = thread
            elif location.thread != thread:
                location.thread = None
                self._shared.add(name)
            location.written = location.written or mode not in _LOOKS
            location.open = name in self._shared and location.written and not location.locks
        if location.open:
            yield from location.withheld
            location.withheld.clear()

    def withheld(self, engine: Engine, thread: VThread) -> list[Withheld] | None:
        """Return the list that the alternatives of a thread's next step belong to, if the step needs none.

        None if it does need them.
        """
        owner = engine.heap.locs[thread.loc][0]
        if engine.gil or isinstance(owner, VThread):  # a step may have more accesses than the pending one; `_is_alone`
            return None
        name = self._states.place(engine.heap.roots[thread.loc])
        if name is None:
            return None
        location = self._locations.setdefault(name, _Location())
        if location.open:
            return None
        lock = isinstance(owner, BaseLock)
        if lock and thread.mode != RELEASE:
            return None
        if not lock and not (thread.mode in _DATA and self._is_guarded(engine, location, name, thread)):
            return None
        return location.withheld

    def _is_guarded(self, engine: Engine, location: _Location, name: Hashable, thread: VThread) -> bool:
        if location.thread in (None, thread.id) and name not in self._shared:
            return True
        if location.locks and location.locks & self._held(engine, thread.id):
            return True
        return not location.written and thread.mode in _LOOKS


def _is_alone(engine: Engine, number: int) -> bool:
    """Return whether all others have ended: an access without a lock then does not show that it can come earlier.

    If it can, the last step of another thread, which always has alternatives, comes too late to hide it.
    """
    return all(thread.state == FINISHED and thread.observed for thread in engine.threads[1:] if thread.id != number)
