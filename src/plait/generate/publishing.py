"""Tests in which two threads look at once at what a method returns, because it may not be complete yet.

Where a method publishes an object before it is complete (`plait.subject.interface.publishing`), another caller may get
it half built. Results are compared as they are when the test is over, and then the object is complete. So these tests
read its attributes, each in a call of its own behind the one that returned it.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from plait.generate.draft import Draft
from plait.generate.planned import PlannedTests, in_turn
from plait.model.test import Call
from plait.subject.interface.publishing import LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.generate.sequence import Prefix
    from plait.model.test import Test
    from plait.subject.interface.members import Method

_METHODS = 6
_VARIABLES = ("seen1", "seen2")


class PublishedTests(PlannedTests):
    """Planned tests for the methods that publish what they return before it is complete; none if no method does."""

    first, every = 3, 6

    def _plan(self) -> Iterable[Test]:
        sequences = self._sequences
        methods = [each for each in sequences.catalogue.methods if each.name in sequences.catalogue.published]
        wanted = [each for each in methods if (each.name, each.name) not in sequences.catalogue.not_parallel]
        return in_turn(self._tests_of(method) for method in islice(wanted, _METHODS))

    def _tests_of(self, method: Method) -> Iterator[Test]:
        """Yield a test for each attribute: both threads call the method with the same arguments, and look."""
        sequences = self._sequences
        for part in sequences.catalogue.published[method.name]:
            prefix = sequences.prefix(0)
            call = sequences.write(method, prefix, result=_VARIABLES[0])
            if call is None:
                continue
            suffixes = [self._looking(call, part, variable) for variable in _VARIABLES]
            if self._works(prefix, suffixes[0]):
                yield sequences.test(prefix, suffixes)

    @staticmethod
    def _looking(call: Draft, part: str, variable: str) -> list[Draft]:
        form = "len({receiver})" if part == LENGTH else f"{{receiver}}.{part}"
        look = Call(f"{call.call.method}().{part}", form, variable)
        return [call.with_result(variable), Draft(look)]

    def _works(self, prefix: Prefix, suffix: list[Draft]) -> bool:
        outcomes = self._sequences.tried([*prefix.drafts, *suffix])
        return len(outcomes) == len(prefix.drafts) + 2 and all(each.status == "ok" for each in outcomes)
