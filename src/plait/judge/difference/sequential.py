"""ISDIFFSEQ (ConDiff, Definition 3): whether two versions differ already when calls run one after another.

Different results are a sequential difference. Different states need not be, because a change may store the same content
in other attributes. So attributes that only one version has are left out. If the rest still differs, the answers of
further calls are compared instead of the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from plait.judge.difference.outcome import Attribute, Outcome, View, atoms, attributes, has_state
from plait.judge.difference.serial import Observation, Order
from plait.judge.oracle.specification import UNFINISHED, CallResult
from plait.model.test import Test


class SequentialDifference(NamedTuple):
    """One call that behaves differently although nothing runs concurrently."""

    call: str
    method: str
    old: CallResult
    new: CallResult
    in_prefix: bool


def same(old: Observation, new: Observation) -> bool:
    """Return whether two versions behaved the same in all orders."""
    return old.beginning == new.beginning and old.orders == new.orders


def alike_alone(old: Observation, new: Observation) -> bool:
    """Return whether two versions behaved the same wherever a single thread could have made the calls.

    If a call waits and others begin meanwhile, several threads are needed, so a difference there is not sequential.
    Orders that were observed on only one version are ignored.
    """
    if same(old, new):
        return True
    if old.beginning != new.beginning:
        return False
    mine, theirs = _alone(old), _alone(new)
    return all(mine[order] == theirs[order] for order in mine.keys() & theirs.keys())


def _alone(seen: Observation) -> dict[Order, set[tuple[Order, Outcome]]]:
    """Return the outcomes of calls that a single thread could have made, by the order in which the calls began."""
    found: dict[Order, set[tuple[Order, Outcome]]] = {}
    for (order, whole), outcome in zip(seen.begun, seen.orders, strict=True):
        found.setdefault(order, set())
        if whole:
            found[order].add(outcome)
    return found


def alike_but_for_objects(old: Observation, new: Observation) -> bool:
    """Return whether the versions differ at most in whether calls return the same object or different ones."""

    def without(seen: Observation) -> list[tuple[Order, Outcome]]:
        return [(order, outcome._replace(objects=())) for order, outcome in seen.orders]

    return old.beginning == new.beginning and without(old) == without(new)


def same_states(old: Observation, new: Observation) -> bool:
    """Return whether two versions left the same states, whatever their calls returned."""
    return old.beginning.state == new.beginning.state and _states(old) == _states(new)


def _states(seen: Observation) -> list[tuple[Order, object]]:
    return [(order, outcome.state) for order, outcome in seen.orders]


def different_call(test: Test, old: Observation, new: Observation) -> SequentialDifference | None:
    """Return the first call whose result differs between the versions, in the prefix or in an order of the suffixes."""
    before, after = old.beginning.results, new.beginning.results
    for number, call in enumerate(test.prefix):
        one, other = _at(before, number), _at(after, number)
        if one != other:
            return SequentialDifference(call.source, call.method, one, other, in_prefix=True)
    theirs = dict(new.orders)
    for order, outcome in old.orders:
        other_outcome = theirs.get(order) or _likely(order, new.orders)
        if other_outcome is None:
            continue
        for number, call in enumerate(test.calls):
            one, other = outcome.results[number], other_outcome.results[number]
            if one != other:
                return SequentialDifference(call.source, call.method, one, other, in_prefix=False)
    return None


def different_attribute(test: Test, old: Observation, new: Observation) -> SequentialDifference | None:
    """Return the first public attribute with a simple value that a single thread leaves different in the two versions.

    The internal representation of a version's state does not matter, but simple values that callers read directly do.
    Lists and similar objects are representation: a list that became a deque is read as before.
    """
    names = list(dict.fromkeys(call.result for call in test.prefix if call.result is not None))
    theirs = _alone(new)
    states = [
        (outcome.state, other.state)
        for order, outcomes in _alone(old).items() for _, outcome in outcomes for _, other in theirs.get(order, ())
    ]  # fmt: skip
    for before, after in states:
        if not isinstance(before, tuple) or not isinstance(after, tuple):
            continue
        for name, one, other in zip(names, before, after, strict=False):
            known = dict(_plain_attributes(one))
            for path, value in _plain_attributes(other):
                if path in known and known[path] != value:
                    return SequentialDifference(
                        f"{name}.{path}", path, ("is", known[path]), ("is", value), in_prefix=False
                    )
    return None


def _plain_attributes(state: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public attributes of an object that hold a number, a string, a bool or None."""
    if not has_state(state):
        return
    for path, value in atoms(state):
        if not any(part.startswith("_") for part in path.split(".")) and (
            value is None
            or isinstance(value, bool | int | float)
            or (isinstance(value, tuple) and value[:1] == ("str",))
        ):
            yield path, value


def _at(results: Sequence[CallResult], number: int) -> CallResult:
    return results[number] if number < len(results) else UNFINISHED


def _likely(order: Order, orders: Iterable[tuple[Order, Outcome]]) -> Outcome | None:
    """Return the outcome of an order that begins like this one but ends elsewhere, because a call blocks."""
    return next((each for other, each in orders if other[: len(order)] == order or order[: len(other)] == other), None)


def undetermined(test: Test, first: Observation, again: Observation) -> frozenset[str]:
    """Return the methods whose results differ between two runs of one version: no schedule determines them."""
    before = zip(test.prefix, first.beginning.results, again.beginning.results, strict=False)
    found = {call.method for call, one, once_more in before if one != once_more}
    seen = dict(again.orders)
    for order, outcome in first.orders:
        other = seen.get(order)
        if other is not None:
            pairs = zip(test.calls, outcome.results, other.results, strict=True)
            found.update(call.method for call, one, once_more in pairs if one != once_more)
    return frozenset(found)


def one_sided(old: Observation, new: Observation) -> frozenset[Attribute]:
    """Return the attributes that occur in the states and results of one version only."""
    return _attributes(old) ^ _attributes(new)


def _attributes(seen: Observation) -> frozenset[Attribute]:
    found = [seen.beginning, *(outcome for _order, outcome in seen.orders)]
    return frozenset(each for part in found for each in attributes(tuple(part)))


def agreeing_probes(view: View, pairs: Iterable[tuple[Outcome, Outcome]]) -> View:
    """Return the view with only those probes that both versions answer alike when calls run one after another."""
    differing: set[int] = set()
    for old, new in pairs:
        count = max(len(old.answers), len(new.answers))
        differing.update(number for number in range(count) if _at(old.answers, number) != _at(new.answers, number))
    return replace(view, probes=tuple(each for number, each in enumerate(view.probes) if number not in differing))
