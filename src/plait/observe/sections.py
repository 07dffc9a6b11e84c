"""What a call touches and under which locks, section by section: whether two calls can come between each other.

CovCon leaves open (section IV-A, footnote 2) to set aside pairs of methods "that cannot execute concurrently due to
synchronization". Here that is seen in runs of single calls. Two calls that write nothing the other looks at cannot
disturb each other; nor can two whose accesses to what they share lie, in each of them, within one and the same section
under a lock they have in common.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from plait.observe.footprint import MODULE_STATE, Toucher, location
from plait.run.engine import FINISHED_RUN, Engine
from plait.run.heap import OPAQUE
from plait.run.operations import COMMUTE, DEPENDS, SAME_KEY
from plait.run.vthread import VThread


class Held(NamedTuple):
    """An access: where, how, and which acquisitions of which locks were in force."""

    root: str
    key: str
    mode: int
    sections: frozenset[tuple[str, int]]


class Conduct(NamedTuple):
    """What one call did; ``nested`` are the locks it took while it held others, with those."""

    accesses: frozenset[Held]
    nested: frozenset[tuple[str, str]] = frozenset()


class SectionRecorder(Toucher):
    """A recorder for one execution of one call; ask for its `conduct` while the objects still live."""

    def conduct(self, engine: Engine) -> Conduct | None:
        """What the execution did, or None if it has no end or touches too much to be told."""
        if self._truncated or engine.status != FINISHED_RUN or engine.pending:
            return None
        locs, roots = engine.heap.locs, engine.heap.roots
        accesses: set[Held] = set()
        nested: set[tuple[str, str]] = set()
        numbers: dict[str, int] = {}
        before: tuple[str, ...] = ()
        for (thread, loc, mode, _site, _enabled, _after), context, _value in self.accesses(engine):
            for lock in context.locks:
                if lock not in before:
                    numbers[lock] = numbers.get(lock, 0) + 1
                    nested.update((outer, lock) for outer in before)
            before = context.locks
            owner, name = locs[loc]
            if not loc or thread < 1 or mode > 4 or type(owner) in OPAQUE or isinstance(owner, VThread):
                continue
            base = self._name(owner)
            if base is not None:
                held = frozenset((lock, numbers[lock]) for lock in context.locks)
                accesses.add(Held(*location(base, name, roots[loc] != loc), mode, held))
        return Conduct(frozenset(accesses), frozenset(nested))

    def _name(self, owner: Any) -> str | None:
        """As in other processes: what modules hold goes by its class."""
        found = super()._name(owner)
        return f"a {type(owner).__qualname__} of a module" if found and found.startswith(MODULE_STATE) else found


def may_interleave(first: Conduct, second: Conduct) -> bool:
    """Whether the two calls, run at the same time, can have an effect that no order of them has."""
    if any((inner, outer) in second.nested for outer, inner in first.nested):
        return True  # a deadlock
    met = [(one, two) for one in first.accesses for two in second.accesses if _depend(one, two)]
    return bool(met) and not (_common(one for one, _ in met) & _common(two for _, two in met))


def _common(accesses: Iterator[Held]) -> set[str]:
    """The locks of which one acquisition covers all the accesses."""
    return {lock for lock, _number in frozenset.intersection(*(each.sections for each in accesses))}


def _depend(one: Held, two: Held) -> bool:
    if one.root != two.root:
        return False
    relation = DEPENDS[one.mode][two.mode]
    return relation != COMMUTE and (relation != SAME_KEY or one.key == two.key or not one.key or not two.key)
