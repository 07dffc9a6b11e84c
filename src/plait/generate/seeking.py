"""A search for arguments with which a method returns that has refused all others so far.

The values of each parameter are tried one after another while the other arguments stay. Where a call raises tells
whether it got further than before: then the search goes on from there. So a date that is read first and a number that
is checked later are found one after the other, and not only by a lucky draw of both.
"""

from __future__ import annotations

import ast
import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from plait.generate.outcome import listed_values
from plait.generate.values.value import is_literal, literal
from plait.generate.values.wider import asked_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.generate.draft import Draft
    from plait.generate.outcome import CallOutcome
    from plait.generate.values.value import Pool, Value

LIMIT = 90
"""Calls that are tried for one method on one object."""
_DEPTH = 6
"""Most steps from the first call to the one that returns; each changes one argument."""
_MOST_PARTS = 9
"""Most parts of a tuple that is made because that many are unpacked."""
_UNPACKED = re.compile(r"(?:not enough|too many) values to unpack \(expected (?:at least )?(\d+)")


def sought(
    draft: Draft, attempt: Callable[[Draft], CallOutcome | None], *, limit: int = LIMIT, left: Sequence[Value] = (),
) -> Draft | None:  # fmt: skip
    """Return a variant of the call that returns; None if none was found within the limit.

    ``attempt`` makes a call and returns its outcome, or None if no more calls may be made. The values that earlier
    calls have ``left`` behind are tried first.
    """
    draft = simplest(draft)
    first = attempt(draft)
    if first is None or first.status != "raised":
        return draft if first is not None and first.status == "ok" else None
    seen = {_signature(draft, first)}
    tried = {draft.call.source}
    steps = [(first, _variants(draft, first, left))]
    while steps and limit > 0:
        before, variants = steps[-1]
        variant = next(variants, None)
        if variant is None:
            steps.pop()
            continue
        if variant.call.source in tried:
            continue
        tried.add(variant.call.source)
        limit -= 1
        outcome = attempt(variant)
        if outcome is not None and outcome.status == "ok":
            return variant
        if outcome is None or outcome.status != "raised":
            return None  # a call that waits or does not end takes as long as hundreds of others
        signature = _signature(variant, outcome)
        further = outcome.status == "raised" and outcome.line >= before.line and signature not in seen
        if further and len(steps) < _DEPTH:
            seen.add(signature)
            steps.append((outcome, _variants(variant, outcome, left)))
    return None


def simplest(draft: Draft) -> Draft:
    """Return the call with the first value of each parameter, instead of those that chance has drawn."""
    for number, (pool, _value) in enumerate(draft.drawn):
        first = next((each for each in _usable(pool)), None)
        if first is not None:
            draft = draft.with_value(number, first)
    return draft


def _signature(draft: Draft, outcome: CallOutcome) -> tuple[str | None, str, str]:
    """Return what makes an error a new one: its class, its place, and for a missing key the key."""
    told = outcome.message if outcome.exception == "KeyError" else ""
    return outcome.exception, outcome.place, "" if told in draft.call.args else told


def _variants(draft: Draft, outcome: CallOutcome, left: Sequence[Value]) -> Iterator[Draft]:
    """Yield variants that differ in one argument: first what the error asks for, then all values of each parameter."""
    wrong, part, fitting = asked_for(outcome.message)
    if not (part or fitting):
        fitting = [literal(text) for text in listed_values(outcome)]
    yield from (each for each, _kind in draft.otherwise(wrong, part, fitting, outcome.message))
    for number, (_pool, value) in enumerate(draft.drawn):
        yield from (draft.with_value(number, each) for each in _mended(value, outcome))
    columns = [
        [draft.with_value(number, each) for each in (*left, *_usable(pool))]
        for number, (pool, _value) in enumerate(draft.drawn)
    ]
    yield from (each for row in zip_longest(*columns) for each in row if each is not None)


def _usable(pool: Pool) -> list[Value]:
    """Return the values of a parameter that need no object of the test."""
    return [each for each in (*pool.values, *pool.further) if each.kind != "own"]


def _mended(value: Value, outcome: CallOutcome) -> Iterator[Value]:
    """Yield the value with what the error misses in it: a key of a dictionary, or as many parts as are unpacked."""
    if outcome.exception == "KeyError" and value.kind == "dict" and is_literal(value.text):
        table = ast.literal_eval(value.text)
        key = ast.literal_eval(outcome.message) if is_literal(outcome.message) else None
        if isinstance(key, str) and key not in table:
            values: tuple[object, ...] = ("a", 1, {}, [])
            yield from (literal(repr({**table, key: given})) for given in values)
    parts = _UNPACKED.search(outcome.message)
    if parts is not None and int(parts[1]) <= _MOST_PARTS:
        row = "1, " * int(parts[1])
        yield from (literal(text) for text in (f"({row})", f"[({row})]", repr("1" * int(parts[1]))))
