"""Find out from its trace whether an execution is equivalent to one of whole calls, one after the other.

Two executions are equivalent if they order dependent steps alike. Partial-order reduction executes one of each
equivalence class, because all executions of a class have the same results and the same final state.

So if the steps of each call that depend on other threads are contiguous, the execution is equivalent to an order of
whole calls, and need not be judged: the steps of other calls in between commute with them and can be moved away. That
order agrees with the execution about calls that did not overlap, because each call keeps a moment at which it was
active.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.run.engine import FINISHED_RUN, Engine
from plait.run.operations import KEY_READ, READ
from plait.run.testbed import Done


def in_turns(engine: Engine, done: Sequence[Done]) -> bool:
    """Return whether the execution that has just ended is equivalent to its calls in some order, one after the other.

    ``done`` are its calls in the order in which they ended. Return False for executions in which a call waited, time
    passed, or the class had threads of its own: they are not examined.
    """
    if engine.status != FINISHED_RUN or engine.time.timed or engine.time.instants or engine.class_threads():
        return False
    ends: dict[int, list[tuple[int, int]]] = {}  # of each thread, its calls: the last one first
    for each in reversed(done):
        if each.waited:
            return False
        ends.setdefault(each.number, []).append((each.start, each.end))
    trace, roots = engine.trace, engine.heap.roots
    meeting = _meeting(engine)
    over: set[tuple[int, int]] = set()  # calls that others followed
    last: tuple[int, int] | None = None
    for number, entry in enumerate(trace):
        if roots[entry[1]] in meeting:
            thread = entry[0]
            calls = ends.get(thread)
            while calls and number >= calls[-1][1]:
                calls.pop()
            if not calls or number < calls[-1][0]:
                return False
            call = (thread, calls[-1][0])
            if call != last:
                if call in over:
                    return False
                if last is not None:
                    over.add(last)
                last = call
    return True


def _meeting(engine: Engine) -> set[int]:
    """Return the roots on which steps of different threads depend on each other, and perhaps a few more.

    The clock, on which everything depends, must not have advanced.
    """
    users: dict[int, int] = {}
    shared: set[int] = set()
    changed: set[int] = set()
    roots = engine.heap.roots
    for thread, loc, mode, _site, _enabled, _after in engine.trace:
        root = roots[loc]
        if users.setdefault(root, thread) != thread:
            shared.add(root)
        if mode != READ and mode != KEY_READ:  # noqa: PLR1714 - the faster form
            changed.add(root)
    shared &= changed
    shared.discard(0)  # what is local to a thread
    return shared
