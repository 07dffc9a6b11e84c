"""Calls that may see another call half done, because that one may wait.

A call that may wait takes effect in parts: it enters its name in a list of waiters, gives up the lock, waits, and goes
on. Others may see what lies between the parts, which no order of whole calls shows. So a call that writes nothing, a
*look*, may also take effect as a whole in the middle of a call that waits or may wait. There are two conditions:

- The look runs to its end without a pause. What it reads at two moments, with a change in between, is torn.
- The other call holds no lock there, unless the look takes one itself. What a call changes under its lock is not meant
  to be seen before it gives the lock up.

An execution that fits no order except for its looks is a violation if no such order (`extend_by_looks`) explains it,
and a look has read two things that waiting calls change for good (`read_two_changes`). What a call changes and changes
back says that it is under way: the number of those who wait may be seen at any moment.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from plait.explore.looking import WithLooks
from plait.explore.runner import execute
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.specification import (
    Observed,
    Specification,
    guided,
    observe,
    positions,
    same_but,
    whole_calls,
)
from plait.run.engine import ENGINE, FINISHED_RUN
from plait.run.operations import ACQUIRE, KEY_INSERT, KEY_READ, KEY_WRITE, READ, RELEASE, TAKE, TRY, WRITE
from plait.run.testbed import Done, Testbed

_READS = frozenset({READ, KEY_READ})
_CHANGES = frozenset({WRITE, KEY_WRITE, KEY_INSERT})
_WRITES = _CHANGES | {TAKE}
_MAX_LOOKED = 800  # executions of a test in which its looks run in the middle of calls


class Looks(NamedTuple):
    """Positions of the calls of an execution that wrote nothing, and of those that they may have seen half done."""

    calls: frozenset[int] = frozenset()
    waiting: frozenset[int] = frozenset()


NO_LOOKS = Looks()


def looks_of(bed: Testbed, seen: Observed, rules: Rules | None) -> Looks:
    """Return the looks of the execution that has just ended.

    A call may wait if its code does, or if it has waited in this execution.
    """
    where = positions(bed)
    known = rules.waiting if rules is not None else ()
    suffixes = bed.test.suffixes
    waited = [
        done for done in (*bed.done, *bed.running.values())
        if done.waited or suffixes[done.thread - 1][done.index].method in known
        or (not done.end and ENGINE.threads[done.number].waits > done.waited_before)
    ]  # fmt: skip
    calls: set[int] = set()
    waiting: set[int] = set()
    for done in bed.done:
        position = where[done.thread, done.index]
        start, end = seen.spans[position]
        beside = [
            where[each.thread, each.index] for each in waited
            if each.number != done.number and each.start < end and start < (each.end or len(ENGINE.trace))
        ]  # fmt: skip
        if beside and not _wrote(done):
            calls.add(position)
            waiting.update(beside)
    return Looks(frozenset(calls), frozenset(waiting))


def read_two_changes(bed: Testbed, looks: Looks) -> bool:
    """Return whether a look of the execution that has just ended read two things that waiting calls change for good.

    A call changes something for good if it does so at one place in the source only.
    """
    where, roots = positions(bed), ENGINE.heap.roots
    lasting: set[int] = set()
    read: list[set[int]] = []
    for done in (*bed.done, *bed.running.values()):
        position = where[done.thread, done.index]
        own = [entry for entry in ENGINE.trace[done.start : done.end or None] if entry[0] == done.number]
        if position in looks.calls:
            read.append({roots[entry[1]] for entry in own if entry[2] in _READS})
        if position in looks.waiting:
            places: dict[int, set[int]] = {}
            for entry in own:
                if entry[2] in _CHANGES:
                    places.setdefault(roots[entry[1]], set()).add(entry[3])
            lasting.update(root for root, sites in places.items() if len(sites) == 1)
    return any(len(each & lasting) > 1 for each in read)


def extend_by_looks(bed: Testbed, found: Specification, rules: Rules | None, looks: Looks) -> bool:
    """Add the orders in which looks take effect in the middle of calls; return whether these are all such orders.

    They may change nothing but what the looks themselves return.
    """
    orders = list(found.observed)
    different = {replace(each, spans=()) for each in orders}
    search = WithLooks(bed, looks.calls, looks.waiting)

    def finish() -> None:
        seen = found.mask(observe(bed, rules))
        if (
            seen.status == FINISHED_RUN
            and replace(seen, spans=()) not in different
            and all(
                _is_allowed(bed, done) for done in bed.done if positions(bed)[done.thread, done.index] in looks.calls
            )
            and any(same_but(seen, other, looks.calls) and other.state == seen.state for other in orders)
        ):
            different.add(replace(seen, spans=()))
            found.observed.append(seen)

    with whole_calls(bed):
        while search.next_prefix() is not None:
            if search.executions >= _MAX_LOOKED:
                return False
            with guided(bed, search):
                execute(bed.prepare, (), search, finish=finish)
            search.executed(ENGINE)
    return True


def _wrote(done: Done) -> bool:
    return any(entry[0] == done.number and entry[2] in _WRITES for entry in ENGINE.trace[done.start : done.end])


def _is_allowed(bed: Testbed, look: Done) -> bool:
    """Return whether a look of the execution that has just ended was whole, and saw no call under its lock."""
    own = ENGINE.trace[look.start : look.end]
    if any(entry[0] != look.number for entry in own) or _wrote(look):
        return False
    if any(entry[2] in (ACQUIRE, TRY) for entry in own):
        return True
    return not any(
        _holds_a_lock(each.number, look.start) for each in bed.done
        if each.number != look.number and each.start <= look.start and look.end <= each.end
    )  # fmt: skip


def _holds_a_lock(number: int, at: int) -> bool:
    """Return whether a thread holds a lock when the trace has this length."""
    held = 0
    for entry in ENGINE.trace[:at]:
        if entry[0] == number:
            held += (entry[2] in (ACQUIRE, TRY)) - (entry[2] == RELEASE)
    return held > 0
