"""Replay of a recorded schedule, with a report of the first step at which the execution differs.

A test whose threads are all controlled does the same under the same schedule. If it does not, something else decides: a
random number, the time, an uncontrolled thread, the iteration order of a set, or state that survived an earlier
execution. This is always reported, with the first step at which the two executions differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from plait.run.operations import MODE_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine, Entry
    from plait.run.vthread import VThread


class Departure(NamedTuple):
    """The first difference between two executions of one schedule."""

    step: int
    expected: str
    found: str
    cause: str

    def __str__(self) -> str:
        return f"step {self.step}: expected {self.expected}, found {self.found} ({self.cause})"


class Replay:
    """A strategy that executes a recorded schedule once; after its end the running thread continues."""

    name = "replay"

    def __init__(self, recorded: Recorded) -> None:
        self.exhausted = False
        self.diverged = False
        self.free = True
        self.divergence: Departure | None = None
        self._recorded = recorded
        self._done = False

    def next_prefix(self) -> Sequence[int] | None:
        """Return the recorded schedule on the first call, then None."""
        if self._done:
            self.exhausted = not self.diverged
            return None
        self._done = True
        return self._recorded.schedule

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the first enabled thread; called only when the running thread cannot continue."""
        return engine.enabled[0]

    def executed(self, engine: Engine) -> None:
        """Compare the execution with the recorded one."""
        self.divergence = self._recorded.compare(engine)
        self.diverged = self.divergence is not None


class Recorded:
    """A recorded execution, to be compared with a later one of the same schedule."""

    __slots__ = ("_entries", "_status", "schedule")

    def __init__(self, engine: Engine) -> None:
        self._entries = [_describe(engine, entry) for entry in engine.trace]
        self._status = engine.status
        self.schedule = [entry[0] for entry in engine.trace if entry[4] is not None]

    def compare(self, engine: Engine) -> Departure | None:
        """Return the first difference from the execution that the engine has just finished; None if there is none."""
        step = -1
        for index, entry in enumerate(engine.trace):
            step += entry[4] is not None
            found = _describe(engine, entry)
            if index >= len(self._entries):
                return Departure(step, "the end", _text(found), "it went on for longer")
            expected = self._entries[index]
            if found != expected:
                return Departure(step, _text(expected), _text(found), _cause(expected, found))
        if len(engine.trace) < len(self._entries):
            missing = self._entries[len(engine.trace)]
            return Departure(step + 1, _text(missing), f"the end ({engine.status})", "it ended earlier")
        if engine.status != self._status:
            return Departure(step + 1, self._status, engine.status, "it ended differently")
        return None


_Described = tuple[int, str, int, int, "tuple[int, ...] | None"]  # thread, place, mode, site, enabled


def _describe(engine: Engine, entry: Entry) -> _Described:
    thread, loc, mode, site, enabled, _after = entry
    obj, name = engine.heap.locs[loc]
    owner = obj if type(obj) is str else type(obj).__qualname__
    what = repr(name) if type(name) in (str, int, float, bool, tuple) else ""
    if what and _has_address(name):  # differs in each execution; locations have numbers in the order of first use
        what = f"address {loc}"
    return thread, f"{owner}[{what}]" if what else str(owner), mode, site, enabled


def _has_address(name: object) -> bool:
    """Return whether a key is a number that may be the `id` of an object, or contains one, or an object itself."""
    if type(name) is tuple:
        return any(map(_has_address, name))
    return name >= _ADDRESSES if type(name) is int else type(name) not in _TELLING


_ADDRESSES = 2**32
_TELLING = frozenset({str, bytes, float, complex, bool, type(None)})  # kinds of keys that are written out


def _text(entry: _Described) -> str:
    thread, place, mode, _site, _enabled = entry
    return "time to pass" if thread < 0 else f"thread {thread} to {MODE_NAMES[mode]} {place}"


def _cause(expected: _Described, found: _Described) -> str:
    if expected[0] != found[0]:
        return "another thread was running"
    if expected[3] != found[3]:
        return "the thread took another path: leftover state, or a value no schedule decides, such as a random number"
    if expected[1] != found[1]:
        return "another object was touched: an iteration order that is not fixed, or leftover state"
    if expected[2] != found[2]:
        return "the same place was in another state"
    return "other threads could run"


def departure(before: Sequence[Entry], after: Sequence[Entry]) -> Departure:
    """Return the first difference between a trace and an earlier one that followed the same schedule."""
    step = -1
    for old, new in zip(before, after, strict=False):
        step += old[4] is not None
        if old != new:
            return Departure(step, _numbered(old), _numbered(new), "leftover state or an uncontrolled value")
    return Departure(step + 1, "the execution to go on", "its end", "leftover state or an uncontrolled value")


def _numbered(entry: Entry) -> str:
    thread, loc, mode, _site, _enabled, _after = entry
    return _text((thread, f"location {loc}", mode, 0, None))
