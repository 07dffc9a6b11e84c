"""States that exist for a moment: what a caller can read at or after the exit of a call while others are under way.

A caller reads one attribute at a time, so attributes are compared one by one: the order in which a method writes two of
them is its own business, a value that an attribute has never had before is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plait.judge.difference import Difference, Explored
from plait.judge.difference_outcome import Outcome
from plait.judge.difference_state import atoms

Reading = tuple[int, str, Any]  # position of the call, attribute as a path, value


def passing_difference(old: Explored, new: Explored) -> Difference:
    """Outcomes with a reading that the other version, explored to the end, never shows."""
    before = {each for outcome in old.outcomes for each in readings(outcome)}
    after = {each for outcome in new.outcomes for each in readings(outcome)}
    only_old = _with(old, before - after) if new.exhausted else ()
    only_new = _with(new, after - before) if old.exhausted else ()
    return Difference(only_old, only_new)


def _with(explored: Explored, wanted: set[Reading]) -> tuple[Outcome, ...]:
    return tuple(each for each in explored.outcomes if wanted.intersection(readings(each))) if wanted else ()


def readings(outcome: Outcome) -> Iterator[Reading]:
    """What each call's caller can read of the receiver when the call has returned."""
    for position, state in enumerate(outcome.exits):
        if state:
            yield from ((position, path, value) for path, value in atoms(state[0]))
