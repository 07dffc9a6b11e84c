"""ISINdeltaIS of ConDiff (Figure 3): decides whether a test can interleave differently on the two versions.

A test is discarded only if that is proven impossible: on both versions every interleaving is equivalent to an order of
whole calls (`plait.observe.serializable`), and these orders had the same results. Traces of whole calls prove no more
than that, because code that only an interleaving reaches does not appear in them.

All other tests are checked, first those whose traces differ. Traces are compared by statement. An access, or an
operation on a lock, is impacted if its statement is new or changed, was not reached before, has another concurrency
context, handles a value that it never handled before, or occurs in another order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from plait.judge.difference.sequential import same
from plait.judge.difference.serial import Observation
from plait.observe.context import Context
from plait.observe.footprint import Footprint, Touch, Touched
from plait.observe.trace import Place, Trace, TraceEvent
from plait.subject.changes.change import Change

_Reason = Literal["new statement", "new path", "other context", "new value", "other order"]


class ImpactedAccess(NamedTuple):
    """One impacted access."""

    reason: _Reason
    side: Literal["old", "new"]
    event: TraceEvent


class Decision(NamedTuple):
    """True if a test goes on to behavioural checking (``keep``), when, and why.

    A test without an ``impact``, or with the traces of an earlier test (``repeated``), rarely shows a difference.
    """

    keep: bool
    impact: ImpactedAccess | None = None
    repeated: bool = False

    @property
    def can_wait(self) -> bool:
        """True if other tests should be checked before this one."""
        return self.impact is None or self.repeated


@dataclass(slots=True)
class _KnownStatement:
    """The concurrency contexts and values of one statement's accesses."""

    contexts: set[Context] = field(default_factory=set)
    values: set[str] = field(default_factory=set)


class Filter:
    """Decides about one test after another; remembers the pairs of traces seen so far."""

    def __init__(self, change: Change) -> None:
        self._to_old = _matching(change.new_to_old)
        self._to_new = _matching(change.old_to_new)
        self._seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()

    def decide(self, old: Observation, new: Observation) -> Decision:
        """Decide by the traces of one test on both versions: ISINdeltaIS (lines 25-29)."""
        if old.serializable and new.serializable and same(old, new):
            return Decision(keep=False)
        pair = (old.digest, new.digest)
        repeated = pair in self._seen
        self._seen.add(pair)
        return Decision(True, self._impact(old.traces, new.traces), repeated)

    def _impact(self, old: Sequence[Trace], new: Sequence[Trace]) -> ImpactedAccess | None:
        found = impacted(old, new, self._to_old)
        if found is not None:
            return ImpactedAccess(found[0], "new", found[1])
        found = impacted(new, old, self._to_new)
        if found is not None:
            return ImpactedAccess(found[0], "old", found[1])
        event = _reordered(old, new, self._to_old)
        return None if event is None else ImpactedAccess("other order", "new", event)

    def impacts(self, old: Touched, new: Touched) -> tuple[Footprint, Footprint]:
        """Return the impacted accesses of a call that runs alone, on the old and on the new version.

        A pair of calls in which such an access conflicts with the other call is promising; `decide` makes the decision.
        """
        return (
            _unexplained(new.touches, old.touches, self._to_new),
            _unexplained(old.touches, new.touches, self._to_old),
        )


def impacted(
    first: Iterable[Trace], second: Iterable[Trace], matching: Callable[[Place], Place | None]
) -> tuple[_Reason, TraceEvent] | None:
    """Return an event of the second version's traces that the first version's do not explain: ISIMPACTED (lines 30-37).

    ``matching`` finds the statement of the first version for one of the second. Every access in a trace conflicts with
    one of another thread, so ISCONFLICT is true for each. Operations on synchronisation objects always count.
    """
    known = _contexts(first)
    for trace in second:
        for event in trace.events:
            statement = matching(event.place)
            if statement is None:
                return "new statement", event
            before = known.get(statement)
            if before is None:
                return "new path", event
            if event.context not in before.contexts:
                return "other context", event
            if event.value not in before.values:
                return "new value", event
    return None


def _reordered(
    first: Sequence[Trace], second: Sequence[Trace], matching: Callable[[Place], Place | None]
) -> TraceEvent | None:
    """Return the first event of the second version's traces that differs from the first version's at its position."""
    for before, after in zip(first, second, strict=False):
        for one, other in itertools.zip_longest(before.events, after.events):
            if one is None or other is None:
                return one or other
            statement = matching(other.place)
            if statement is None or one._replace(location=0) != other._replace(location=0, place=statement):
                return other
    return None


def _unexplained(
    first: Sequence[Touch], second: Sequence[Touch], matching: Callable[[Place], Place | None]
) -> Footprint:
    known: dict[Place, _KnownStatement] = {}
    for touch in first:
        _add(known, touch.place, touch.context, touch.value)
    found = set()
    for touch in second:
        statement = matching(touch.place)
        before = known.get(statement) if statement is not None else None
        if before is None or touch.context not in before.contexts or touch.value not in before.values:
            found.add((touch.root, touch.key, touch.mode))
    return frozenset(found)


def _add(known: dict[Place, _KnownStatement], place: Place, context: Context, value: str) -> None:
    each = known.setdefault(place, _KnownStatement())
    each.contexts.add(context)
    each.values.add(value)


def _contexts(traces: Iterable[Trace]) -> dict[Place, _KnownStatement]:
    """Return the maps CC of lines 27-28, with the values accessed."""
    found: dict[Place, _KnownStatement] = {}
    for trace in traces:
        for event in trace.events:
            _add(found, event.place, event.context, event.value)
    return found


def _matching(lines: dict[Place, Place]) -> Callable[[Place], Place | None]:
    """Return a function that matches statements of compared files by the change; in other files they are the same."""
    compared = {file for file, _line in lines}

    def match(place: Place) -> Place | None:
        return lines.get(place) if place[0] in compared else place

    return match
