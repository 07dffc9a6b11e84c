"""Summarise a violation in one line, without terms such as linearisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plait.judge.difference.outcome import atoms
from plait.judge.oracle.safety import CYCLE, INVARIANT, ITSELF, KEPT, TWO_OBJECTS, Violation
from plait.judge.oracle.specification import CallResult, Specification
from plait.judge.words import plain, shown_result, shown_value
from plait.model.test import Call, Test

_SHORT = 90  # characters of a value that are shown


def summary(violation: Violation, test: Test, subject: str, specification: Specification) -> str:
    """Return what can happen, and what would happen without interference."""
    return f"{subject}: {_said(violation, test, specification)}"


def _said(violation: Violation, test: Test, specification: Specification) -> str:
    calls = test.calls
    together = _together(calls)
    at_once = f"{_together(calls, '')} at the same time"
    odd = [calls[position] for position in violation.calls]
    if violation.kind == "deadlock" and violation.detail == ITSELF:
        return f"{_written(odd[0])} waits for ever for a lock that it holds itself"
    if violation.kind == "deadlock" and violation.detail == KEPT:
        failed, waiting = odd[:2]
        raised = violation.seen.results[violation.calls[0]][1]
        return f"{_written(failed)}, when it raises {raised}, keeps a lock that {_written(waiting)} waits for, for ever"
    if violation.kind == "deadlock" and violation.detail == CYCLE:
        return f"{_written(odd[0])} can wait for ever for a thread of the class that waits for a lock which it holds"
    if violation.kind == "deadlock":
        stuck = _stuck(violation, test)
        # Nobody waits for calls that have ended, and a thread of the class is not a call.
        if (len(stuck) < len(test.suffixes) or violation.helped) and stuck and len(calls) > 1:
            stood = list(dict.fromkeys(map(_written, stuck)))
            return f"with {at_once}, {' and '.join(stood)} can wait for ever"
        return f"{together} can wait for each other for ever"
    if violation.kind == "hang":
        return f"{together} can go on for ever"
    if violation.kind == "exception":
        where = _written(odd[0]) if odd else "a thread that the class has started"
        return f"with {at_once}, {where} can raise {violation.exception}"
    if violation.detail == INVARIANT:
        return f"{at_once} can break the invariant"
    if violation.detail == TWO_OBJECTS:
        return f"{at_once} can return different objects where one after the other they do not"
    if violation.probe is not None:
        return _afterwards(violation, calls, together, at_once)
    return _results(violation, calls, specification, at_once)


def _stuck(violation: Violation, test: Test) -> list[Call]:
    """Return the calls that wait: the first call of each thread that did not return."""
    found: list[Call] = []
    start = 0
    for suffix in test.suffixes:
        own = [position for position in violation.calls if start <= position < start + len(suffix)]
        found.extend(test.calls[position] for position in own[:1])
        start += len(suffix)
    return found


def _together(calls: Sequence[Call], how: str = "concurrent ") -> str:
    names = list(dict.fromkeys(f"`{call.method}`" for call in calls))
    if len(names) == 1:
        count = {2: "two", 3: "three", 4: "four"}.get(len(calls), str(len(calls)))
        return f"{count} {how}calls of {names[0]}"
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


def _written(call: Call) -> str:
    return f"`{call.expression}`"


def _afterwards(violation: Violation, calls: Sequence[Call], together: str, at_once: str) -> str:
    """Return where a wrong final state shows, and what it should be."""
    assert violation.probe is not None
    where, seen, usual = violation.probe
    texts = list(dict.fromkeys(map(_state, usual)))
    text = _state(seen)
    if not texts or text in texts:
        odd = _odd_parts(seen[-1], [value[-1] for value in usual])
        return f"{at_once} can leave {where} in a state that no order of the calls leaves{odd}"
    instead = f"{where} {text} instead of {' or '.join(one.removeprefix('is ') for one in texts[:3])}"
    numbers = [value[-1] for value in (seen, *usual)]
    whole = all(type(value) is int and value >= 0 for value in numbers)
    if whole and len({call.method for call in calls}) == 1 and numbers[0] < min(numbers[1:]):
        return f"{together} can lose an update: afterwards {instead}"
    return f"after {at_once}, {instead}"


def _state(result: CallResult) -> str:
    """Return what a probe showed: a value or an exception."""
    return f"is {_cut(plain(result[-1]))}" if result[0] in ("returned", "attribute") else shown_result(result)


def _results(violation: Violation, calls: Sequence[Call], specification: Specification, at_once: str) -> str:
    """Return which results are wrong: one of them alone, or all of them together."""
    results = violation.seen.results
    if len(violation.calls) == 1:
        odd = violation.calls[0]
        text = shown_result(results[odd])
        usual = {shown_result(each): each for each in (other.results[odd] for other in specification.observed)}
        if text in usual:
            others = [other.results[odd][-1] for other in specification.observed]
            parts = _odd_parts(results[odd][-1], others)
            if not parts and len(calls) > 1:
                return f"with {at_once}, {_combination(results, calls)}: no order of them gives that"
            return f"with {at_once}, {_written(calls[odd])} {text} in a state that no order of them gives{parts}"
        # Values first: "instead of raising KeyError or 0" would read as if 0 could be raised.
        expected = sorted(list(usual.values())[:3], key=lambda each: each[0] != "returned")
        instead = f" instead of {' or '.join(_cut(_instead(one)) for one in expected)}"
        return f"with {at_once}, {_written(calls[odd])} {_cut(text)}{instead}"
    shown = [
        f"{_written(call)} {_cut(shown_result(result))}"
        for call, result in zip(calls, results, strict=True)
        if result != ("returned", None)
    ]
    if not shown:
        return f"{at_once} end as no order of them does"
    if len(set(shown)) == 1 and len(shown) < len(calls) < 4:
        return f"with {at_once}, {_combination(results, calls)}: no order of them gives that"
    said = " and ".join(dict.fromkeys(shown[:3])) if len(set(shown)) > 1 else f"each {shown[0]}"
    return f"with {at_once}, {said}: no order of them gives that"


def _combination(results: Sequence[CallResult], calls: Sequence[Call]) -> str:
    """Return the results of all calls, for the case that each of them alone is possible."""
    said = [f"{_written(call)} {_cut(shown_result(each))}" for call, each in zip(calls, results, strict=True)]
    return " and ".join(dict.fromkeys(said[:3]))


def _odd_parts(seen: Any, usual: Sequence[Any]) -> str:
    """Return the attributes in which a value differs from the most similar usual one, with both contents."""
    mine = dict(atoms(seen))
    best: list[tuple[str, Any, Any]] | None = None
    for other in usual:
        theirs = dict(atoms(other))
        differs = [
            (path, mine.get(path), theirs.get(path))
            for path in dict.fromkeys((*mine, *theirs)) if mine.get(path) != theirs.get(path)
        ]  # fmt: skip
        if differs and (best is None or len(differs) < len(best)):
            best = differs
    if best is None:
        return ""
    parts = [f"`{path}` is {_content(is_now)} instead of {_content(was)}" for path, is_now, was in best[:2]]
    return f": {' and '.join(parts)}"


def _content(value: Any) -> str:
    return "not there" if value is None else _cut(shown_value(value))


def _instead(result: CallResult) -> str:
    """Return a result in the form that follows "instead of"."""
    if result[0] == "raised":
        return f"raising {result[1]}"
    if result[0] == "returned":
        return plain(result[1])
    return "never returning" if result[0] == "unfinished" else shown_result(result)


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 3]}..."
