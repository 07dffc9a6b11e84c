"""Which methods ran at the same time in a controlled execution, as events for CovCon's Algorithm 1."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Container
from typing import TYPE_CHECKING, Literal, NamedTuple

from plait.observe.places import place
from plait.run.engine import Engine
from plait.run.testbed import Done, Testbed

if TYPE_CHECKING:
    from collections.abc import Iterable


def overlaps(engine: Engine, bed: Testbed, public: Container[str]) -> Counter[tuple[str, str]]:
    """Return how often each pair of public methods was under way together, direct and nested calls alike.

    A call is under way from its first access to its last one; a nested method while accesses come from its code. Two
    calls that cannot be split, for they have one access or none, were under way together if both had begun before
    either returned: there is no more to see of them.
    """
    found = covered_pairs(_events(engine, bed, public))
    found.update(_unsplit(engine, bed))
    return found


def _events(engine: Engine, bed: Testbed, public: Container[str]) -> list[MethodEvent]:
    spans: dict[int, list[tuple[int, int, str]]] = {}
    for done in sorted(bed.done, key=lambda each: each.start):
        method = bed.test.suffixes[done.thread - 1][done.index].method
        spans.setdefault(done.number, []).append((done.start, done.end, method))
    stacks: dict[int, list[str]] = {thread: [] for thread in spans}
    last = _last_accesses(engine, spans)
    events: list[MethodEvent] = []
    for number, (thread, loc, _mode, site, _enabled, _after) in enumerate(engine.trace):
        calls = spans.get(thread)
        if calls is None or not loc:
            continue
        while calls and number >= calls[0][1]:
            calls.pop(0)
        if not calls or number < calls[0][0]:
            continue
        stack = stacks[thread]
        outer = calls[0][2]
        if not stack:
            stack.append(outer)
            events.append(MethodEvent("start", outer, thread))
        inner = _function_at(site)
        if len(stack) > 1 and stack[-1] != inner:
            events.append(MethodEvent("end", stack.pop(), thread))
        if inner != stack[-1] and inner != outer and inner in public:
            stack.append(inner)
            events.append(MethodEvent("start", inner, thread))
        if number in last:
            while stack:
                events.append(MethodEvent("end", stack.pop(), thread))
    return events


@functools.lru_cache(maxsize=4096)
def _function_at(site: int) -> str:
    """Return the name of the function that a place is in: its number stands for it."""
    return place(site).function.rpartition(".")[2]


def _unsplit(engine: Engine, bed: Testbed) -> Counter[tuple[str, str]]:
    """Return the pairs of calls that no step can come between, as far as both had begun before either returned."""
    extents = [(done, *_extent(engine, done)) for done in bed.done]
    found: Counter[tuple[str, str]] = Counter()
    for at, (one, begin, end, steps) in enumerate(extents):
        for two, begin_two, end_two, steps_two in extents[at + 1 :]:
            seen = max(steps, steps_two) > 1 and min(steps, steps_two) > 0  # by the steps of both
            if one.number != two.number and not seen and begin <= end_two and begin_two <= end:
                methods = [bed.test.suffixes[each.thread - 1][each.index].method for each in (one, two)]
                found[_pair(methods[0], methods[1])] += 1
    return found


def _extent(engine: Engine, done: Done) -> tuple[int, int, int]:
    """Return the trace positions between which a call can be disturbed, and how many accesses it made.

    A call with one access stands before it from the call's beginning; one without any happens at one moment.
    """
    own = [
        number for number in range(done.start, done.end)
        if engine.trace[number][0] == done.number and engine.trace[number][1]
    ]  # fmt: skip
    if len(own) > 1:
        return own[0] + 1, own[-1], len(own)
    return done.start, own[0] if own else done.start, len(own)


def _last_accesses(engine: Engine, spans: dict[int, list[tuple[int, int, str]]]) -> set[int]:
    """Return the trace positions at which some call made its last access."""
    found: set[int] = set()
    for thread, calls in spans.items():
        for start, end, _method in calls:
            for number in range(end - 1, start - 1, -1):
                if engine.trace[number][0] == thread and engine.trace[number][1]:
                    found.add(number)
                    break
    return found


# -- pairs -------------------------------------------------------------------------------------------------------------
# Which methods ran at the same time: concurrent method pairs (CovCon, section IV-A and IV-B, Algorithm 1).


class MethodEvent(NamedTuple):
    """A method of the subject begins or ends, called by a test or from inside another method (Definition 1).

    The position in the trace is the time stamp. ``receiver`` tells instances apart; None for static methods.
    """

    kind: Literal["start", "end"]
    method: str
    thread: int
    receiver: int | None = None


def covered_pairs(trace: Iterable[MethodEvent]) -> Counter[tuple[str, str]]:
    """Return how often each pair of methods was concurrent: Algorithm 1, lines 1 to 11, from empty counts.

    A start counts once for every method under way in every other thread. Pairs are sorted (line 7): (a, b) and
    (b, a) are the same. An end that has no start is ignored: the trace may begin in the middle of a call.
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
    return Counter(covered)


def _pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)
