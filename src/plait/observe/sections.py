"""Find out from the critical sections of single calls whether two calls can interleave with an effect.

CovCon leaves open (section IV-A, footnote 2) to exclude pairs of methods "that cannot execute concurrently due to
synchronization". Here runs of single calls decide it. Two calls cannot disturb each other if neither writes what the
other reads. Nor can they if all accesses to what they share are, in each of them, within one section under a common
lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from plait.observe.footprint import (
    MODULE_STATE,
    AccessRecorder,
    irregular_locks,
    ran_alone,
    sync_name,
    touched_location,
)
from plait.run.engine import Engine
from plait.run.heap import OPAQUE
from plait.run.operations import ACQUIRE, COMMUTE, DEPENDS, KEY_INSERT, READ, SAME_KEY, WRITE
from plait.run.primitives.lock import BaseLock
from plait.run.vthread import VThread


class Held(NamedTuple):
    """An access: location, mode, and the holds of locks during it."""

    root: str
    key: str
    mode: int
    sections: frozenset[tuple[str, int]]


class Conduct(NamedTuple):
    """The accesses of one call; ``nested`` are the locks that it took while it held others, with those."""

    accesses: frozenset[Held]
    nested: frozenset[tuple[str, str]] = frozenset()


class SectionRecorder(AccessRecorder):
    """A recorder for one execution of one call; ask for its `conduct` while the objects still live."""

    def _catch_up(self, engine: Engine, length: int) -> None:
        """Record no values: a conduct has none."""
        self._values += [""] * (length - len(self._values))

    def conduct(self, engine: Engine) -> Conduct | None:
        """Return the conduct of the call; None if it did not end on its own, or has too many accesses."""
        if self._truncated or not ran_alone(engine):
            return None
        locs, roots = engine.heap.locs, engine.heap.roots
        accesses: set[Held] = set()
        nested: set[tuple[str, str]] = set()
        irregular = irregular_locks(engine, nested=True)
        for (_thread, loc, mode, _site, _enabled, _after), context, _value in self.accesses(engine):
            owner, name = locs[loc]
            held = frozenset(zip(context.locks, context.holds, strict=True))
            if type(owner) in OPAQUE or isinstance(owner, VThread):
                root = sync_name(self.lock_names(), owner, name)
                if isinstance(owner, BaseLock):
                    nested.update((outer, self.lock_names().of(owner)) for outer in context.locks if mode == ACQUIRE)
                    # To take and release a lock is no access; to test whether it is held, or to keep it, is one.
                    accesses.add(Held(root, "", WRITE if loc in irregular else READ, held))
                else:
                    accesses.add(Held(root, "", READ if mode == READ else WRITE, held))
                continue
            if not loc or mode > KEY_INSERT:
                continue
            base = self._name(owner)
            if base is not None:
                accesses.add(Held(*touched_location(base, name, roots[loc] != loc), mode, held))
        return Conduct(frozenset(accesses), frozenset(nested))

    def _name(self, owner: Any) -> str | None:
        """Return a name that is the same in all processes: objects held by modules are named by their class."""
        found = super()._name(owner)
        return f"a {type(owner).__qualname__} of a module" if found and found.startswith(MODULE_STATE) else found


def may_interleave(first: Conduct, second: Conduct) -> bool:
    """Return whether two calls, run at the same time, can have an effect that no order of them has."""
    if any((inner, outer) in second.nested for outer, inner in first.nested):
        return True  # a deadlock
    met = [(one, two) for one in first.accesses for two in second.accesses if _depend(one, two)]
    return bool(met) and not (_common(one for one, _ in met) & _common(two for _, two in met))


def _common(accesses: Iterator[Held]) -> set[str]:
    """Return the locks of which one acquisition covers all the accesses."""
    return {lock for lock, _number in frozenset.intersection(*(each.sections for each in accesses))}


def _depend(one: Held, two: Held) -> bool:
    if one.root != two.root:
        return False
    relation = DEPENDS[one.mode][two.mode]
    return relation != COMMUTE and (relation != SAME_KEY or one.key == two.key or not one.key or not two.key)
