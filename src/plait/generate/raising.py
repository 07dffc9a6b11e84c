"""Tests with calls that raise half-way, to find what such calls leave behind.

A lock that is not released when a call raises, or a permit that is lost, shows only in a test in which a call raises.
Valid arguments seldom cause that. So each method is tried in a single thread with arguments that its annotations allow
and its code may not expect: a negative number, an empty text, an iterable that fails half-way. If nothing is known
about a parameter, it also gets None, a number and an unhashable list.

Calls that raise then get a few tests, in which other calls run concurrently with them and after them. The exception
itself is not a finding, since a single thread gets it as well; what the other calls do is judged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plait.generate.outcome import missing_arguments
from plait.generate.planned import PlannedTests, in_turn
from plait.generate.values.value import Value, literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from plait.generate.draft import Draft
    from plait.generate.sequence import Prefix, Sequences
    from plait.generate.values.value import Pool
    from plait.model.test import Test
    from plait.subject.interface.members import Method

_LOOK = 60
"""Limit of sequential runs that look for calls that raise."""
_PER_METHOD, _USUAL = 2, 2
"""Most calls of a method that raise, and the values of a parameter that seldom make it raise."""
_FAILING = {
    kind: Value(text, kind, ("from plait.generate.callables import " + text.partition("(")[0],))
    for kind, text in (
        ("list", "BreakingList(['a', 'b'])"),
        ("dict", "BreakingDict({'a': [1], 'b': [2]})"),
        ("callable", "failing"),
    )
}
_UNFIT = {
    "int": (literal("-1"),), "float": (literal("-1.0"),), "str": (literal("''"),), "list": (_FAILING["list"],),
    "iterator": (_FAILING["list"],), "dict": (_FAILING["dict"],), "callable": (_FAILING["callable"],),
}  # fmt: skip
_UNTOLD = (literal("None"), literal("1"), literal("[]"), literal("-1"))


class RaisingTests(PlannedTests):
    """Planned tests with calls that raise; there are none if no call was found that raises."""

    first, every = 6, 10

    def __init__(self, sequences: Sequences, random: Random) -> None:
        super().__init__(sequences, random)
        self._runs = 0

    def _plan(self) -> list[Test]:
        """Return the simplest test of each call first, then the next one of each."""
        plans = [list(plan) for plan in self._plans()]
        self._random.shuffle(plans)
        return list(in_turn(plans))

    def _plans(self) -> Iterator[Iterator[Test]]:
        """Yield the tests of one call after another that raises."""
        sequences = self._sequences
        prefix = sequences.prefix(0)
        usable = [each for each in sequences.catalogue.methods if not sequences.knowledge.of(each.name).uncallable]
        methods = [each for each in usable if each.parameters]
        self._random.shuffle(methods)
        for method in methods:
            good = sequences.write(method, prefix)
            if good is None:
                continue
            for bad in self._raising(prefix, good, method):
                other = sequences.write(self._random.choice(usable), prefix)
                yield self._tests(prefix, bad, [good] if other is None else [good, other])

    def _raising(self, prefix: Prefix, good: Draft, method: Method) -> list[Draft]:
        found: list[Draft] = []
        for draft in self._spoiled(good, method):
            if len(found) == _PER_METHOD or self._runs >= _LOOK:
                break
            self._runs += 1
            outcomes = self._sequences.tried([*prefix.drafts, draft])
            reached = len(outcomes) == len(prefix.drafts) + 1 and outcomes[-1].status == "raised"
            if reached and not missing_arguments(method.name, outcomes[-1]):
                found.append(draft)
        return found

    def _spoiled(self, good: Draft, method: Method) -> Iterator[Draft]:
        """Yield copies of the call with one argument replaced by one that may make it raise."""
        call = good.call
        names = [each.name for each in method.parameters if each.kind not in ("keyword", "varargs")]
        pools = self._sequences.catalogue.pools
        for position, name in enumerate(names[: len(call.args)]):
            for value in _unfit(pools[method.name, name]):
                args = (*call.args[:position], value.text, *call.args[position + 1 :])
                yield replace(good, call=replace(call, args=args), imports=(*good.imports, *value.imports))
        for position, (name, _text) in enumerate(call.kwargs):
            for value in _unfit(pools[method.name, name]):
                kwargs = (*call.kwargs[:position], (name, value.text), *call.kwargs[position + 1 :])
                yield replace(good, call=replace(call, kwargs=kwargs), imports=(*good.imports, *value.imports))

    def _tests(self, prefix: Prefix, bad: Draft, others: list[Draft]) -> Iterator[Test]:
        forbidden = {frozenset(each) for each in self._sequences.catalogue.not_parallel}
        for other in others:
            if frozenset((bad.call.method, other.call.method)) in forbidden:
                continue
            yield self._sequences.test(prefix, [[bad], [other]])
            yield self._sequences.test(prefix, [[bad, bad], [bad, other]])  # may lose up to three permits


def _unfit(pool: Pool) -> list[Value]:
    """Return values that a parameter's type allows and its method may not expect, or any if its type is unknown.

    A value beyond a limit in the code of the method is one of the later values of the pool.
    """
    kinds = dict.fromkeys(each.kind for each in pool.values)
    values = [value for kind in kinds for value in _UNFIT.get(kind, ())]
    values += pool.values[_USUAL:]
    return list(dict.fromkeys([*values, *_UNTOLD])) if pool.anything else values
