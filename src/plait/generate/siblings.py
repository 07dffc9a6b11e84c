"""Tests in which each thread uses an object of its own: what the objects share is protected by no lock of theirs.

A table in the body of the class, a default that is changed, or a counter of the module belongs to all objects of a
class. One object, with its one lock, shows no fault.

Few classes share such things. So the first tests are *scouts*, which call many methods on two objects. Only if the
threads of one conflict do tests of two methods follow. A scout without conflicts takes a single execution.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement, islice
from typing import TYPE_CHECKING

from plait.generate.planned import PlannedTests

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from plait.generate.draft import Draft
    from plait.generate.sequence import Prefix, Sequences
    from plait.model.test import Test

_SIBLING = "sibling"
"""The variable of the second object."""
_WIDTH, _SCOUTS = 4, 3
"""Calls in each thread of a scout, and most scouts."""
_MOST = 24
"""Most tests of two methods."""


class SiblingTests(PlannedTests):
    """Planned tests with two objects that were built by the same call; none if it takes an object as an argument.

    Objects that were given the same thing share it by the user's own choice. For the same reason, only calls with plain
    arguments are made. Without ``scouts``, the tests of two methods are handed out at once.
    """

    first, every = 9, 5

    def __init__(
        self, sequences: Sequences, random: Random, *, part: tuple[int, int] = (0, 1), scouts: bool = True
    ) -> None:
        """Plan every n-th part of the tests of two methods, given the number of the part and n.

        ``random`` differs from part to part, so that they do not begin with the same scouts.
        """
        super().__init__(sequences, random)
        self._part = part
        self._scouts: list[Test] = []
        self._begun = not scouts

    def next_test(self) -> Test | None:
        """See `PlannedTests.next_test`."""
        if not self._is_due():
            return None
        return next(iter(self.take(1, lambda test: self._begun or test in self._scouts)), None)

    def conflicted(self, test: Test) -> None:
        """See `PlannedTests.conflicted`: if it is a scout, tests of two methods follow."""
        self._begun = self._begun or test in self._scouts

    def _plan(self) -> Iterator[Test]:
        base = self._sequences.prefix(0)
        if len(base.drafts) != 1 or base.drafts[0].call.result is None:
            return
        made = base.drafts[0]
        both = replace(base, drafts=[made, made.with_result(_SIBLING)])
        calls = self._calls(base)
        if not self._begun:
            mixed = self._random.sample(calls, len(calls))
            rows = [mixed[start : start + _WIDTH] for start in range(0, len(mixed), _WIDTH)]
            self._scouts = [self._test(both, row, row) for row in rows[:_SCOUTS]]
            yield from self._scouts
        number, parts = self._part
        yield from islice(self._pairs(both, calls), number, _MOST * parts, parts)

    def _calls(self, base: Prefix) -> list[Draft]:
        """Return a call of each method that needs plain arguments only."""
        sequences, found = self._sequences, []
        for method in sequences.catalogue.methods:
            if method.of or sequences.knowledge.of(method.name).uncallable:
                continue
            prefix = replace(base, drafts=[*base.drafts], scene=base.scene.copy())
            draft = sequences.write(method, prefix, generous=True)
            if draft is None or len(prefix.drafts) > len(base.drafts):
                continue
            outcome = sequences.tried([*base.drafts, draft])[-1]
            if outcome.status in ("ok", "raised") and not outcome.misuse:
                found.append(draft)
        return found

    def _pairs(self, both: Prefix, calls: list[Draft]) -> Iterator[Test]:
        """Yield tests of one method, then of two; of new objects, and of objects that one of the others has used."""
        pairs = sorted(combinations_with_replacement(calls, 2), key=lambda pair: pair[0] is not pair[1])
        forbidden = {frozenset(each) for each in self._sequences.catalogue.not_parallel}
        for one, two in pairs:
            if frozenset((one.call.method, two.call.method)) in forbidden:
                continue
            yield self._test(both, [one], [two])
            used = self._random.choice(calls)
            behind = replace(both, drafts=[*both.drafts, used])
            if self._sequences.tried(behind.drafts)[-1].status == "ok":
                yield self._test(behind, [one], [two])

    def _test(self, prefix: Prefix, mine: list[Draft], theirs: list[Draft]) -> Test:
        other = [replace(each, call=replace(each.call, receiver=_SIBLING)) for each in theirs]
        return self._sequences.test(prefix, [mine, other])
