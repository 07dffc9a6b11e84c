"""Whether an execution is equivalent to one of whole calls, seen in its trace alone.

Two executions are equivalent if they order dependent steps alike: partial-order reduction executes one of each class,
because all of a class show the same results and the same final state. So nothing else has to be looked at where the
steps of each call that depend on another thread's lie together: steps of other calls in between commute with them, and
moved out of the way they leave an order of whole calls. That order keeps what the execution says of calls that did not
overlap, since each call takes its place at a moment at which it was under way.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.run.engine import FINISHED_RUN, Engine
from plait.run.operations import KEY_READ, READ
from plait.run.testbed import Done


def in_turns(engine: Engine, done: Sequence[Done]) -> bool:
    """Return whether the execution that has just ended is equivalent to its calls in some order, one after the other.

    ``done`` are its calls as they ended. Nothing is said (False) of one in which a call waited, time passed or threads
    of the class took part.
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
    over: set[tuple[int, int]] = set()  # calls that others came behind
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
    """Return the roots of which steps of different threads depend on each other, and perhaps a few more.

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
