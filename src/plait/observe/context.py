"""Concurrency contexts: the locks held at an access, and what had to happen in other threads before it.

ConDiff takes both from ReConTest (section IV-B): a statement whose accesses have another context after a change can
take part in interleavings that were impossible before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from plait.observe.lockset import LockNames, Locksets
from plait.run.engine import Entry
from plait.run.heap import OPAQUE
from plait.run.vthread import VThread


class Context(NamedTuple):
    """CC of an access. Both parts are sorted names, so contexts of two versions can be compared.

    ``before`` names what ordered the access after another thread's steps: a notification, a signalled event, the end
    of a thread. Locks order accesses one way or the other and count as held locks only.
    """

    locks: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


NONE = Context()


def contexts(
    trace: Sequence[Entry], owner: Callable[[int], Any], names: LockNames
) -> Iterator[tuple[Entry, Context]]:
    """Each entry of a trace with the context it was performed in; ``owner`` gives the object of a location."""
    locksets = Locksets()
    before: dict[int, frozenset[str]] = {}
    at_step: list[tuple[int, frozenset[str], Entry]] = []
    shown: dict[tuple[tuple[int, ...], frozenset[str]], Context] = {}
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
            held = tuple(sorted(names.of(owner(loc)) for loc in key[0]))
            context = shown[key] = Context(held, tuple(sorted(known))) if held or known else NONE
        yield entry, context
        locksets.step(entry, owner(entry[1]))


def _edge(cause: Any, names: LockNames) -> str:
    if isinstance(cause, VThread):
        return "the end of a thread"
    return names.of(cause) if type(cause) in OPAQUE else "the start of a thread"
