"""Proof, from the orders of whole calls alone, that a test has no other inequivalent interleavings.

A test is *serializable* if each of its interleavings is equivalent to an order of whole calls: same results, same final
state, no deadlock. All orders of whole calls have been run. Two arguments turn them into a proof.

**Two calls U and V, orders UV and VU.** Partial-order reduction is complete once the reversal of every race of every
execution it has is the beginning of an execution it has. In UV a race begins with a step e of U and ends with a step of
V. Its reversal runs the steps of U before e, then V alone up to its step. If the steps of U before e depend on nothing
that V does in VU, they can move after V there: so the reversal is the beginning of VU. The same holds with U and V
exchanged. So no other class exists if no race begins after the first step of a call that depends on the other call.

**Any number of calls.** Assume a lock such that, in every order, each call makes all steps that depend on other threads
within one hold of it. Then the steps outside commute with everything, and the holds exclude each other: an interleaving
is equivalent to the order in which the calls take the lock. No other lock can be waited for meanwhile, because taking
it would be a step that depends on others, and so within the hold.

Nothing is claimed of unusual executions: a call waits, the clock advances, or the class has threads of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from plait.observe.happens import HappensBefore, Step, steps_of
from plait.observe.lockset import LockNames
from plait.run.engine import FINISHED_RUN, Engine
from plait.run.operations import ACQUIRE, KEY_INSERT, KEY_WRITE, LOCAL, RELEASE, TICK, TIME, WRITE, dependent
from plait.run.primitives.lock import BaseLock
from plait.run.testbed import Done

_MOST_STEPS = 4000  # steps of an execution that is examined: happens-before takes quadratic time
Call = tuple[int, int]  # thread, index of the call

_CHANGES = frozenset({WRITE, KEY_WRITE, KEY_INSERT})


class SerialRun(NamedTuple):
    """One order of whole calls.

    ``last_race`` is, by call, the position of the last of its steps with which a race begins, -1 if there is none.
    ``independent`` counts the steps of the last call before the first one that depends on another thread's.
    ``guards`` are the locks that cover all that depends on other threads; None if nothing does.
    """

    order: tuple[Call, ...]
    last_race: dict[Call, int]
    independent: int
    guards: frozenset[str] | None


def serial_run(
    engine: Engine, done: Sequence[Done], names: LockNames, visible: Collection[int] = ()
) -> SerialRun | None:
    """Examine an execution of whole calls while its objects are alive; return None if nothing can be concluded from it.

    ``visible`` are locations that callers can read at any time. A call that changes them in more than one step has
    intermediate states that no order of whole calls shows.
    """
    if engine.status != FINISHED_RUN or engine.pending or engine.time.overdue or len(engine.trace) > _MOST_STEPS:
        return None
    calls = sorted(done, key=lambda each: each.start)
    owners = _owners(engine, calls)
    if owners is None:
        return None
    roots = engine.heap.roots
    steps = steps_of(engine.trace, roots)
    starts = [index for index, entry in enumerate(engine.trace) if entry[4] is not None]
    of_call: list[list[int]] = [[] for _ in calls]
    for number, index in enumerate(starts):
        if owners[index] >= 0:
            of_call[owners[index]].append(number)
    if visible and any(_changes(steps, mine, visible) > 1 for mine in of_call):
        return None
    order = tuple((each.thread, each.index) for each in calls)
    position = {number: (call, place) for call, mine in enumerate(of_call) for place, number in enumerate(mine)}
    last_race = dict.fromkeys(order, -1)
    for first, _second in HappensBefore().extend(steps):
        call, place = position[first]
        last_race[order[call]] = max(last_race[order[call]], place)
    depends = _dependent(steps)
    mine = of_call[-1] if of_call else []
    independent = next((place for place, number in enumerate(mine) if depends[number]), len(mine))
    return SerialRun(order, last_race, independent, _guards(engine, steps, of_call, depends, names))


def serializable(runs: Sequence[SerialRun | None]) -> bool:
    """Return whether all orders of whole calls of a test prove that it has no other inequivalent interleavings."""
    known = [run for run in runs if run is not None]
    if not known or len(known) < len(runs):
        return False
    guards = [run.guards for run in known if run.guards is not None]
    if not guards or frozenset.intersection(*guards):
        return True
    by_order = {run.order: run for run in known}
    if any(len(order) != 2 or order[0][0] == order[1][0] for order in by_order):
        return False
    swapped = [(run, by_order.get(run.order[::-1])) for run in known]
    return all(other is not None and run.last_race[run.order[0]] <= other.independent for run, other in swapped)


def _owners(engine: Engine, calls: Sequence[Done]) -> list[int] | None:
    """Return, by entry of the trace, the call that it belongs to, or -1; None if calls were not whole."""
    owners = [-1] * len(engine.trace)
    for number, each in enumerate(calls):
        owners[each.start : each.end] = [number] * (each.end - each.start)
    for owner, (thread, _loc, mode, _site, _enabled, after) in zip(owners, engine.trace, strict=True):
        if mode in (TIME, TICK) or after:
            return None
        if mode != LOCAL and (owner < 0 or calls[owner].number != thread):
            return None
        if mode == LOCAL and owner >= 0 and calls[owner].number != thread:
            return None
    return owners


def _changes(steps: Sequence[Step], numbers: Sequence[int], visible: Collection[int]) -> int:
    """Return how many of a call's steps change visible locations."""
    return sum(
        any(mode in _CHANGES and (loc in visible or root in visible) for root, loc, mode in steps[number][1])
        for number in numbers
    )


def _dependent(steps: Sequence[Step]) -> list[bool]:
    """Return, by step, whether it depends on a step of another thread."""
    made: dict[int, set[tuple[int, int, int]]] = {}
    for thread, operations, _enabled, _after in steps:
        for root, loc, mode in operations:
            made.setdefault(root, set()).add((thread, loc, mode))
    known: dict[tuple[int, int, int, int], bool] = {}

    def depends(thread: int, root: int, loc: int, mode: int) -> bool:
        key = (thread, root, loc, mode)
        if key not in known:
            known[key] = any(
                other != thread and dependent(mode, loc, other_mode, other_loc)
                for other, other_loc, other_mode in made[root]
            )
        return known[key]

    return [any(depends(thread, *each) for each in operations) for thread, operations, _enabled, _after in steps]


def _guards(
    engine: Engine, steps: Sequence[Step], of_call: Sequence[Sequence[int]], depends: Sequence[bool], names: LockNames
) -> frozenset[str] | None:
    """Return the locks of which every call has one hold that covers all its dependent steps; None if there are none."""
    found: frozenset[str] | None = None
    for mine in of_call:
        affected = [number for number in mine if depends[number]]
        if not affected:
            continue
        covering = frozenset(
            name for lock, first, last in _holds(engine, steps, mine)
            if first <= affected[0] and affected[-1] <= last and (name := names.path_of(lock)) is not None
        )  # fmt: skip
        found = covering if found is None else found & covering
    return found


def _holds(engine: Engine, steps: Sequence[Step], numbers: Sequence[int]) -> list[tuple[BaseLock, int, int]]:
    """Return the uninterrupted holds of locks in a call: the lock, and the steps that take it and give it back."""
    locs = engine.heap.locs
    begun: dict[int, int] = {}
    found: list[tuple[BaseLock, int, int]] = []
    for number in numbers:
        for _root, loc, mode in steps[number][1]:
            owner = locs[loc][0]
            if not isinstance(owner, BaseLock):
                continue
            if mode == ACQUIRE:
                begun[loc] = number
            elif mode == RELEASE and loc in begun:
                found.append((owner, begun.pop(loc), number))
    return found
