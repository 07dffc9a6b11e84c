"""Shrinks a test that shows a violation, and finds the schedule of it with the fewest preemptions.

These steps are repeated until none helps: drop a thread, drop a call (suffixes first, then the prefix), drop an
optional argument, replace an argument by a simpler one, drop two calls of the prefix. A candidate counts if one of its
executions violates in the same way (same kind, same exception). In the end no single one of these steps is possible.
No schedule with fewer preemptions was found to show the violation, because schedules are searched in the order of their
preemptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import NamedTuple, Protocol, TypeVar

from plait.explore.dfs import Dfs
from plait.explore.runner import execute
from plait.judge.oracle.examine import examine
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.safety import Examination, Violation
from plait.model.entering import is_paired
from plait.model.schedule import Schedule
from plait.model.site import Site
from plait.model.test import Call, Test
from plait.observe.recording import count_preemptions, schedule_of
from plait.run.engine import ENGINE
from plait.subject.interface.admitted import Admitted, admitted_values, call_key

ATTEMPTS = 400  # candidates tried at most
PER_BOUND = 1500  # executions per number of preemptions
MAX_PREEMPTIONS = 4
SIMPLE = ("0", "1", "'a'", "None", "True", "False", "()", "[]", "{}")


class _Effort(NamedTuple):
    """The number of executions for one candidate."""

    systematic: int
    sampled: int


_EFFORTS = (_Effort(30, 10), _Effort(400, 20))
"""A quick pass while tests are large and executions long, then a thorough one."""


class _Shown(Protocol):
    """Anything with a test, such as `Minimal`."""

    @property
    def test(self) -> Test: ...


Found = TypeVar("Found", bound=_Shown)


@dataclass(slots=True)
class Minimal:
    """The result of a minimisation."""

    test: Test
    violation: Violation
    schedule: Schedule
    preemptions: int
    attempts: int
    complete: bool  # the limit of attempts was not reached


class Minimiser:
    """Minimises one violation; ``same`` decides whether a candidate shows the same violation."""

    def __init__(
        self, sites: dict[int, Site], probes: Sequence[Call], same: Callable[[Violation], bool],
        rules: Rules | None = None, announce: Callable[[Test], None] | None = None,
    ) -> None:  # fmt: skip
        self._announce = announce
        self._rules = rules
        self._sites = sites
        self._probes = probes
        self._same = same
        self._attempts = 0

    def minimise(self, test: Test, violation: Violation, schedule: Schedule) -> Minimal:
        """Return the smallest test reached from ``test``, with its violation and schedule."""
        best = Minimal(test, violation, schedule, MAX_PREEMPTIONS + 1, 0, True)
        stated = stated_values(Examination(test, self._sites, self._probes, self._rules))
        for effort in _EFFORTS:
            best = descend(best, partial(self._try, effort), lambda: self._attempts >= ATTEMPTS, stated)
        shortest = fewest_preemptions(Examination(best.test, self._sites, self._probes, self._rules), self._same)
        if shortest is not None:
            best = shortest
        best.attempts = self._attempts
        best.complete = self._attempts < ATTEMPTS
        return best

    def _try(self, effort: _Effort, test: Test, _best: Minimal) -> Minimal | None:
        self._attempts += 1
        if self._announce is not None:
            self._announce(test)
        try:
            examination = Examination(test, self._sites, self._probes, self._rules)
            examined = examine(examination, systematic=effort.systematic, sampled=effort.sampled, wanted=self._same)
        except Exception:
            return None  # the candidate cannot even be built
        if examined.violation is None or examined.schedule is None:
            return None
        return Minimal(test, examined.violation, examined.schedule, examined.preemptions, 0, True)


def fewest_preemptions(
    examination: Examination, same: Callable[[Violation], bool], most: int = MAX_PREEMPTIONS
) -> Minimal | None:
    """Return the violation on a schedule with the fewest preemptions, in the engine's current model.

    Return None if it is not found with at most ``most`` preemptions.
    """
    _ = examination.specification
    for bound in range(most + 1):
        search = Dfs(bound)
        for _ in range(PER_BOUND):
            prefix = search.next_prefix()
            if prefix is None:
                break
            verdicts: list[Violation | None] = []
            execute(
                examination.bed.prepare, prefix, search, free=True,
                finish=lambda into=verdicts: into.append(examination.judge()),  # type: ignore[misc]
            )  # fmt: skip
            search.executed(ENGINE)
            violation = verdicts[0] if verdicts else None
            if violation is None:
                continue
            schedule, cost = schedule_of(ENGINE), count_preemptions(ENGINE.trace)
            violation = examination.confirm(violation)
            if violation is not None and same(violation):
                return Minimal(examination.bed.test, violation, schedule, cost, 0, True)
    return None


def stated_values(examination: Examination) -> Admitted:
    """Return which simple values the annotations of a test's calls admit; empty if the test cannot be built."""
    bed = examination.bed
    try:
        examination.replay(Schedule(()))
        return admitted_values([*bed.test.prefix, *bed.test.calls], {**bed.space, **bed.values}, SIMPLE)
    except Exception:  # without annotations, the test only becomes less plain
        return {}


def descend(
    best: Found, attempt: Callable[[Test, Found], Found | None], over: Callable[[], bool],
    stated: Admitted | None = None,
) -> Found:  # fmt: skip
    """Return the local minimum reached by single steps from ``best``.

    ``attempt`` returns what a smaller test shows, or None; ``over`` returns true to end early. ``stated`` are the
    values that annotated arguments may take (`stated_values`).

    After a step that helped, the search goes on with the next step. Earlier steps, which have just failed, are tried
    again last. The search ends when every step has failed since the last one that helped.
    """
    position, helped, again = 0, None, False
    while True:
        steps = islice(smaller(best.test, stated), position, helped if again else None)
        for number, candidate in enumerate(steps, position):
            if over():
                return best
            found = attempt(candidate, best)
            if found is not None:
                best, position, helped, again = found, number, number, False
                break
        else:
            if again or helped is None:
                return best
            position, again = 0, True


def smaller(test: Test, stated: Admitted | None = None) -> Iterator[Test]:
    """Yield all tests one step smaller, the largest steps first. Arguments stay within the ``stated`` values.

    Where whoever leaves an object has entered it, that stays so.
    """
    paired = is_paired(test)
    steps = chain(
        _fewer_threads(test), _fewer_suffix_calls(test), _fewer_prefix_calls(test),
        _simpler_arguments(test, stated or {}), _without_two_prefix_calls(test),
    )  # fmt: skip
    return (each for each in steps if not paired or is_paired(each))


def _fewer_threads(test: Test) -> Iterator[Test]:
    if len(test.suffixes) > 2:
        for thread in range(len(test.suffixes)):
            yield replace(test, suffixes=test.suffixes[:thread] + test.suffixes[thread + 1 :])


def _fewer_suffix_calls(test: Test) -> Iterator[Test]:
    for thread, suffix in enumerate(test.suffixes):
        for index in range(len(suffix)) if len(suffix) > 1 else ():
            shorter = suffix[:index] + suffix[index + 1 :]
            yield replace(test, suffixes=(*test.suffixes[:thread], shorter, *test.suffixes[thread + 1 :]))


def _fewer_prefix_calls(test: Test) -> Iterator[Test]:
    for index in range(len(test.prefix) - 1, -1, -1):
        call = test.prefix[index]
        rest = [*test.prefix[index + 1 :], *test.calls]
        if call.result is not None and any(_uses(other, call.result) for other in rest):
            continue
        yield replace(test, prefix=test.prefix[:index] + test.prefix[index + 1 :])


def _without_two_prefix_calls(test: Test) -> Iterator[Test]:
    """Yield tests without two calls of the prefix: calls that undo each other can only be left out together."""
    for without in _fewer_prefix_calls(test):
        yield from _fewer_prefix_calls(without)


def _uses(call: Call, name: str) -> bool:
    return (
        call.receiver == name
        or name in call.args
        or any(value == name for _key, value in call.kwargs)
        or (name in call.form.replace("{receiver}", "") or any(name in text for text in call.args))
    )


def _simpler_arguments(test: Test, stated: Admitted) -> Iterator[Test]:
    for index, call in enumerate(test.prefix):
        for simpler in _simpler(call, stated):
            yield replace(test, prefix=(*test.prefix[:index], simpler, *test.prefix[index + 1 :]))
    for thread, suffix in enumerate(test.suffixes):
        for index, call in enumerate(suffix):
            for simpler in _simpler(call, stated):
                changed = (*suffix[:index], simpler, *suffix[index + 1 :])
                yield replace(test, suffixes=(*test.suffixes[:thread], changed, *test.suffixes[thread + 1 :]))


def _simpler(call: Call, stated: Admitted) -> Iterator[Call]:
    known = stated.get(call_key(call), {})
    for index in range(len(call.kwargs)):
        yield replace(call, kwargs=call.kwargs[:index] + call.kwargs[index + 1 :])
    for index, text in enumerate(call.args):
        for other in known.get(str(index), SIMPLE):
            if _rank(other) < _rank(text):
                yield replace(call, args=(*call.args[:index], other, *call.args[index + 1 :]))
    for index, (name, text) in enumerate(call.kwargs):
        for other in known.get(name, SIMPLE):
            if _rank(other) < _rank(text):
                yield replace(call, kwargs=(*call.kwargs[:index], (name, other), *call.kwargs[index + 1 :]))


def _rank(text: str) -> tuple[int, int, str]:
    """Return a sort key, smaller for simpler arguments: the values of `SIMPLE` in their order, then by length."""
    return (SIMPLE.index(text), 0, "") if text in SIMPLE else (len(SIMPLE), len(text), text)
