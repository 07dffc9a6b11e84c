"""What a class does without interference: the outcomes of all orders of a test's calls.

ConTeGe's oracle (CovCon, section II) accepts a failure only if no linearisation of the test fails in the same way. Here
each linearisation is an execution that switches between whole calls; besides exceptions and deadlocks their results
and final states are kept, so that a wrong value counts too. Calls whose outcome differs between two runs of the same
order are not deterministic by themselves and are left out of comparisons.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from plait.explore.serial import Serial
from plait.judge.rules import Rules
from plait.model.test import Call
from plait.observe.canonical import canonical, canonical_all, exception_name, identities
from plait.run.ends import RAISED, SetupBlockedError
from plait.run.engine import ENGINE, FINISHED_RUN, HANG
from plait.run.patience import EndlessError, patience
from plait.run.testbed import Done, Testbed, is_nested

CallId = tuple[int, int]  # thread, index
Result = tuple[Any, ...]
MASKED: Result = ("not deterministic",)
UNFINISHED: Result = ("unfinished",)
ENDLESS: Result = ("endless",)
UNASKED: Result = ("not asked",)
MAX_ORDERS = 400
PROBE_S = 0.1  # of processor time for a look at a final state, after which it counts as endless


@dataclass(frozen=True, slots=True)
class Observed:
    """One execution as the oracle sees it."""

    status: str
    results: tuple[Result, ...]  # thread by thread, call by call
    state: Any  # None if the execution did not end, or threads of the class have not
    spans: tuple[tuple[int, int], ...]  # of each call in the trace; (-1, -1) if it touched nothing
    strangers: tuple[str, ...] = ()  # exceptions of threads that the class started itself
    holds: bool = True  # the user's invariant
    identity: tuple[tuple[int, bool] | None, ...] = ()  # which results are the same object
    before: int = 0  # a bit for every pair of calls of which the first was over before the second began
    behind: int = 0  # the same pairs, the second one first


@dataclass(slots=True)
class Specification:
    """All serial executions of one test."""

    observed: list[Observed] = field(default_factory=list)
    complete: bool = True
    undetermined: set[int] = field(default_factory=set)  # calls, by position
    state_undetermined: bool = False
    unread: set[int] = field(default_factory=set)  # calls whose result is meant for people: only failures count

    def mask(self, seen: Observed) -> Observed:
        """The same with everything undetermined left out."""
        if not self.undetermined and not self.state_undetermined and not self.unread:
            return seen
        results = tuple(
            MASKED
            if (position in self.undetermined and result != UNFINISHED)
            or (position in self.unread and result[0] == "returned")
            else result
            for position, result in enumerate(seen.results)
        )
        return replace(seen, results=results, state=None if self.state_undetermined else seen.state, identity=())

    def statuses(self) -> set[str]:
        """How serial executions end."""
        return {seen.status for seen in self.observed}

    def matching(
        self, seen: Observed, *, identity: bool = True, without: frozenset[int] = frozenset()
    ) -> list[Observed]:
        """Serial executions with the same results in an order that the execution's own allows.

        With ``identity`` results that are one object there must be one object here. ``without`` leaves calls out.
        """
        if without:
            return [other for other in self.observed if _same_but(seen, other, without)]
        return [
            other
            for other in self.observed
            if not seen.before & other.behind and other.results == seen.results and other.status == seen.status
            and (not identity or other.identity == seen.identity)
        ]  # fmt: skip


def _same_but(seen: Observed, other: Observed, without: frozenset[int]) -> bool:
    return other.status == seen.status and not seen.before & other.behind and all(
        position in without or result == mine
        for position, (result, mine) in enumerate(zip(other.results, seen.results, strict=True))
    )


def positions(bed: Testbed) -> dict[CallId, int]:
    """The position of each call in `Observed.results`."""
    ids = [(thread, index) for thread, suffix in enumerate(bed.test.suffixes, 1) for index in range(len(suffix))]
    return {call: position for position, call in enumerate(ids)}


def result_of(done: Done, bed: Testbed) -> Result:
    """A call's outcome as plain data. The test's own objects count as themselves: their state is judged apart."""
    if done.error is not None:
        return ("raised", exception_name(done.error))
    return ("returned", canonical(done.value, bed.values))


def observe(bed: Testbed, rules: Rules | None = None) -> Observed:
    """The execution that has just ended (call it from the engine's ``finish``)."""
    where = positions(bed)
    results: list[Result] = [UNFINISHED] * len(where)
    spans: list[tuple[int, int]] = [(-1, -1)] * len(where)
    trace = ENGINE.trace
    for done in bed.done:
        position = where[done.thread, done.index]
        results[position] = result_of(done, bed)
        own = [number for number in range(done.start, done.end) if trace[number][0] == done.number and trace[number][1]]
        if own:
            spans[position] = (own[0], own[-1] + 1)
    finished = ENGINE.status == FINISHED_RUN
    held = [bed.values[name] for name in bed.variables]
    state = canonical_all(held) if finished and not _under_way() else None
    values: list[Any] = [None] * len(where)
    for done in bed.done:
        values[where[done.thread, done.index]] = done.value
    alike = identities(values, held) if finished else ()
    strangers = tuple(exception_name(each.error) for each in ENGINE.strangers() if each.error is not None)
    holds = rules is None or rules.invariant is None or not finished or _holds(rules.invariant, bed)
    return Observed(ENGINE.status, tuple(results), state, tuple(spans), strangers, holds, alike, *_order(spans))


def _under_way() -> bool:
    """Whether a thread of the class has begun something and could go on: what is left behind says nothing yet."""
    could = {each.id for each in ENGINE.strangers() if each.enabled}
    return bool(could) and any(entry[0] in could for entry in ENGINE.trace)


def _holds(invariant: str, bed: Testbed) -> bool:
    try:
        return bool(eval(invariant, bed.space, dict(bed.values)))
    except Exception:  # an assertion in the user's function, or whatever a broken object makes it raise
        return False


def _order(spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """`Observed.before` and `Observed.behind`."""
    before = behind = 0
    count = len(spans)
    for first, (_start, end) in enumerate(spans):
        if end < 0:
            continue
        for second, (start, _end) in enumerate(spans):
            if end <= start:
                before |= 1 << (first * count + second)
                behind |= 1 << (second * count + first)
    return before, behind


def specify(bed: Testbed, rules: Rules | None = None, *, max_orders: int = MAX_ORDERS) -> Specification:
    """Run all orders of the test's calls."""
    found = Specification()
    if any(map(is_nested, bed.test.calls)):  # several calls, one only for deadlocks: others may see what is between
        found.undetermined.update(range(len(bed.test.calls)))
        found.state_undetermined = True
    if rules is not None:
        found.undetermined |= {
            position for position, call in enumerate(bed.test.calls) if call.method in rules.nondeterministic
        }
    serial = Serial()
    bed.stops = True
    seen: list[Observed] = []
    try:
        while serial.next_prefix() is not None:
            if len(found.observed) >= max_orders:
                found.complete = False
                break
            ENGINE.execute(bed.prepare, (), serial, finish=lambda: seen.append(observe(bed, rules)))
            serial.executed(ENGINE)
            found.observed.append(seen.pop())
            found.state_undetermined |= found.observed[-1].status == FINISHED_RUN and found.observed[-1].state is None
            if len(found.observed) == 1:
                _repeat(bed, found)
                found.unread |= _displays(bed)
    finally:
        bed.stops = False
    if found.statuses() == {HANG}:
        found.complete = False  # the calls have no end whatever the threads do: there is nothing to compare with
    if found.undetermined or found.state_undetermined or found.unread:
        found.observed = [found.mask(each) for each in found.observed]
    return found


def _displays(bed: Testbed) -> set[int]:
    """Calls of ``repr``, and of ``str`` where it shows the same."""
    found = set()
    for position, call in enumerate(bed.test.calls):
        kind: Any = type(bed.values.get(call.receiver))
        same = kind.__str__ is kind.__repr__ or kind.__str__ is object.__str__
        if call.expression.startswith(("repr(", "str(") if same else "repr("):
            found.add(position)
    return found


def _repeat(bed: Testbed, found: Specification) -> None:
    """The same order once more: what differs is not the threads' doing."""
    again: list[Observed] = []
    serial = Serial()
    serial.next_prefix()
    ENGINE.execute(bed.prepare, (), serial, finish=lambda: again.append(observe(bed)))
    first, second = found.observed[0], again[0]
    if first.status != second.status:
        found.undetermined.update(range(len(first.results)))
    for position, (one, other) in enumerate(zip(first.results, second.results, strict=True)):
        if one != other:
            found.undetermined.add(position)
    found.state_undetermined |= first.state != second.state or first.identity != second.identity


def probe(bed: Testbed, probes: Sequence[Call], seconds: float = PROBE_S) -> tuple[Result, ...]:
    """What a user sees of the final state: the results of further calls, made one after another.

    What comes behind a call that does not end in time, or waits for ever, is not asked.
    """
    found = list(public_attributes(bed))
    for number, call in enumerate(probes):
        try:
            with patience(seconds):
                value = eval(call.expression, bed.space, dict(bed.values))
            found.append(("returned", canonical(value, bed.values)))
        except (EndlessError, SetupBlockedError) as end:
            last = ENDLESS if isinstance(end, EndlessError) else ("blocked",)
            return (*found, last, *[UNASKED] * (len(probes) - number - 1))
        except SyntaxError:
            exec(call.expression, bed.space, dict(bed.values))
            found.append(("done",))
        except RAISED as error:
            found.append(("raised", exception_name(error)))
    return tuple(found)


def public_attributes(bed: Testbed) -> tuple[Result, ...]:
    """What anybody can read of the test's objects without a call, read before any further call is made."""
    found: list[Result] = []
    for variable in bed.variables:
        attributes = getattr(bed.values[variable], "__dict__", None)
        if type(attributes) is dict and variable == bed.variables[0]:
            public = sorted(name for name in attributes if isinstance(name, str) and not name.startswith("_"))
            found += [
                ("attribute", f"{variable}.{name}", canonical(attributes[name]))
                for name in public
                if name not in _NUMBERED and _is_data(attributes[name])
            ]
    return tuple(found)


_NUMBERED = frozenset({"fd", "fileno", "descriptor"})  # the system gives them out in the order it is asked


def _is_data(value: Any, depth: int = 3) -> bool:
    """Whether a value is built-in data all through: what other objects hold inside is their own affair."""
    kind = type(value)
    if kind in (int, bool, float, str, bytes, type(None)):
        return True
    if not depth or kind not in (list, tuple, set, frozenset, dict, deque):
        return False
    parts = [*value.keys(), *value.values()] if kind is dict else value
    return all(_is_data(part, depth - 1) for part in parts)
