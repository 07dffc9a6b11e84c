"""Find the methods that ran at the same time in a controlled execution, as events for CovCon's Algorithm 1."""

from __future__ import annotations

import functools
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from plait.observe.places import place
from plait.run.engine import Engine
from plait.run.testbed import Done, Testbed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def overlaps(engine: Engine, bed: Testbed, public: Container[str]) -> dict[tuple[str, str], int]:
    """Return how often each pair of public methods was active at the same time, in direct and nested calls.

    A call is active from its first access to its last one, and before the first one while it has to wait for it (for a
    lock, for example); a nested method while accesses come from its code. Two calls that cannot be interrupted, because
    they have one access or none, count as overlapping if both had begun before either returned: an overlap of them
    shows in no other way. So does a call without accesses with any other call.

    It is a plain dictionary: `collections` is under control like code under test, so a `Counter` would be slow.
    """
    accesses = _accesses(engine, bed.done)
    found = covered_pairs(_events(engine, bed, public, accesses))
    for pair in _unsplit(bed, accesses):
        found[pair] = found.get(pair, 0) + 1
    return found


def _accesses(engine: Engine, calls: Sequence[Done]) -> list[list[int]]:
    """Return the trace positions of the accesses that each call made."""
    found: list[list[int]] = [[] for _ in calls]
    by_thread: dict[int, list[tuple[int, int, list[int]]]] = {}  # the last call first
    for number in range(len(calls) - 1, -1, -1):
        done = calls[number]
        by_thread.setdefault(done.number, []).append((done.start, done.end, found[number]))
    for at, entry in enumerate(engine.trace):
        if entry[1]:
            mine = by_thread.get(entry[0])
            while mine and at >= mine[-1][1]:
                mine.pop()
            if mine and at >= mine[-1][0]:
                mine[-1][2].append(at)
    return found


def _events(
    engine: Engine, bed: Testbed, public: Container[str], accesses: Sequence[Sequence[int]]
) -> list[MethodEvent]:
    calls = {at: number for number, own in enumerate(accesses) for at in own}
    methods = [bed.test.suffixes[done.thread - 1][done.index].method for done in bed.done]
    kept_waiting: dict[int, list[int]] = {}  # calls by the step at which they already have to wait
    for number, own in enumerate(accesses):
        at = _first_wait(engine, bed.done[number], own)
        if at is not None:
            kept_waiting.setdefault(at, []).append(number)
    last = {own[-1] for own in accesses if own}
    stacks: dict[int, list[str]] = {done.number: [] for done in bed.done}
    events: list[MethodEvent] = []
    trace = engine.trace
    for at in sorted({*calls, *kept_waiting}):
        for number in kept_waiting.get(at, ()):
            begun = bed.done[number].number
            stacks[begun].append(methods[number])
            events.append(MethodEvent("start", methods[number], begun))
        if at not in calls:
            continue
        thread, _loc, _mode, site, _enabled, _after = trace[at]
        stack = stacks[thread]
        outer = methods[calls[at]]
        if not stack:
            stack.append(outer)
            events.append(MethodEvent("start", outer, thread))
        inner = _function_at(site)
        if len(stack) > 1 and stack[-1] != inner:
            events.append(MethodEvent("end", stack.pop(), thread))
        if inner != stack[-1] and inner != outer and inner in public:
            stack.append(inner)
            events.append(MethodEvent("start", inner, thread))
        if at in last:
            while stack:
                events.append(MethodEvent("end", stack.pop(), thread))
    return events


def _first_wait(engine: Engine, done: Done, own: Sequence[int]) -> int | None:
    """Return the first step of another thread at which a call had to wait for its own first access; None if none is.

    A call all of whose steps are under one lock has nothing but this wait that can overlap another call under the lock.
    """
    for at in range(done.start, own[0] if own else done.start):
        enabled = engine.trace[at][4]
        if enabled is not None and done.number not in enabled:
            return at
    return None


@functools.lru_cache(maxsize=4096)
def _function_at(site: int) -> str:
    """Return the name of the function that contains a place, which is given by its number."""
    return place(site).function.rpartition(".")[2]


def _unsplit(bed: Testbed, accesses: Sequence[Sequence[int]]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of uninterruptible calls that had both begun before either returned."""
    extents = [(done, *_extent(done, own), len(own)) for done, own in zip(bed.done, accesses, strict=True)]
    for at, (one, begin_one, end_one, steps) in enumerate(extents):
        for two, begin_two, end_two, steps_two in extents[at + 1 :]:
            seen = max(steps, steps_two) > 1 and min(steps, steps_two) > 0  # by the steps of both
            if min(steps, steps_two):
                both = begin_one <= end_two and begin_two <= end_one
            else:
                both = one.start <= end_two and two.start <= end_one
            if one.number != two.number and not seen and both:
                methods = [bed.test.suffixes[each.thread - 1][each.index].method for each in (one, two)]
                yield _pair(methods[0], methods[1])


def _extent(done: Done, own: Sequence[int]) -> tuple[int, int]:
    """Return the trace positions between which a call is active.

    A call with one access is at it from the call's beginning; a call without accesses happens at one moment.
    """
    if len(own) > 1:
        return own[0] + 1, own[-1]
    return done.start, own[0] if own else done.start


# -- pairs -------------------------------------------------------------------------------------------------------------
# Concurrent method pairs (CovCon, section IV-A and IV-B, Algorithm 1).


class MethodEvent(NamedTuple):
    """A method of the subject begins or ends, called by a test or from inside another method (Definition 1).

    The position in the trace is the time stamp. ``receiver`` identifies the instance; None for static methods.
    """

    kind: Literal["start", "end"]
    method: str
    thread: int
    receiver: int | None = None


def covered_pairs(trace: Iterable[MethodEvent]) -> dict[tuple[str, str], int]:
    """Return how often each pair of methods was concurrent: Algorithm 1, lines 1 to 11, from empty counts.

    A start counts once for every active method of every other thread. Pairs are sorted (line 7): (a, b) and (b, a) are
    the same. An end without a start is ignored: the trace may begin in the middle of a call.
    """
    covered: dict[tuple[str, str], int] = {}
    current: dict[int, list[str]] = {}
    for event in trace:
        own = current.setdefault(event.thread, [])
        if event.kind == "end":
            if own:
                own.pop()
            continue
        for thread, stack in current.items():
            if thread != event.thread:
                for other in stack:
                    pair = _pair(event.method, other)
                    covered[pair] = covered.get(pair, 0) + 1
        own.append(event.method)
    return covered


def _pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)
