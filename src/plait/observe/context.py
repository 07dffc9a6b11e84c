"""Concurrency contexts: the locks held at an access, and what had to happen in other threads before it.

ConDiff takes locksets and happens-before from ReConTest (section IV-B): a statement whose accesses have another context
after a change can take part in interleavings that were impossible before. Locksets alone cannot distinguish two
accesses under one hold of a lock from two holds with a gap between them, nor one order of acquisition from another. So
a context also numbers the holds, and lists them in the order in which they began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from plait.observe.lockset import LockNames, Locksets
from plait.run.engine import Entry
from plait.run.heap import OPAQUE
from plait.run.vthread import VThread


class Context(NamedTuple):
    """The concurrency context of an access, in names that can be compared between versions.

    ``locks`` are the locks held, in the order of their acquisition. ``holds`` counts, for each of them, the holds of
    this lock by this thread so far: accesses of a thread with equal numbers are in one uninterrupted hold. ``before``
    names, sorted, what ordered the access after another thread's steps: a notification, a signalled event, the end of a
    thread. Locks order accesses one way or the other and count as held locks only.
    """

    locks: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    holds: tuple[int, ...] = ()


NONE = Context()


def contexts(trace: Sequence[Entry], owner: Callable[[int], Any], names: LockNames) -> Iterator[tuple[Entry, Context]]:
    """Yield each entry of a trace with the context it was performed in; ``owner`` gives the object of a location."""
    locksets = Locksets()
    before: dict[int, frozenset[str]] = {}
    at_step: list[tuple[int, frozenset[str], Entry]] = []
    shown: dict[tuple[tuple[tuple[int, int], ...], frozenset[str]], Context] = {}
    for entry in trace:
        thread = entry[0]
        known = before.get(thread, frozenset())
        if entry[5]:
            for number in entry[5]:
                other, theirs, cause = at_step[number]
                if other != thread:
                    known |= theirs | {_edge(owner(cause[1]), names)}
            before[thread] = known
        if entry[4] is not None:
            at_step.append((thread, known, entry))
        key = (tuple(locksets.held(thread)), known)
        context = shown.get(key)
        if context is None:
            held = tuple(names.of(owner(loc)) for loc, _number in key[0])
            holds = tuple(number for _loc, number in key[0])
            context = shown[key] = Context(held, tuple(sorted(known)), holds) if held or known else NONE
        yield entry, context
        locksets.step(entry, owner(entry[1]))


def _edge(cause: Any, names: LockNames) -> str:
    if isinstance(cause, VThread):
        return "the end of a thread"
    return names.of(cause) if type(cause) in OPAQUE else "the start of a thread"
