"""Tests in which two threads call a method with the same two arguments in opposite order.

`transfer('a', 'b')` concurrently with `transfer('b', 'a')` reveals inconsistent lock orders and half-finished changes.
Random tests seldom contain both calls, and most such calls do nothing unless both things exist. So calls that may
create them come first in the prefix: another method that takes one of the values, called once for each.

The same holds for two objects of the class, `one.pour(other)` concurrently with `other.pour(one)`. There, the object
that is given is also changed by another call, and two methods get the same two objects: `one + other` while one is
poured into the other.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from plait.generate.planned import PlannedTests, in_turn
from plait.generate.values.value import OWN, RECEIVER, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.generate.draft import Draft
    from plait.generate.sequence import Prefix
    from plait.model.test import Test
    from plait.subject.interface.members import Method

_METHODS, _MAKERS = 6, 5
"""Most methods that get such tests, and most methods that are tried to create the things for each of them."""
_TRIES = 8
"""Attempts per such method, each with other values for its other arguments: a balance may be too low to transfer."""
_USABLE = frozenset({"str", "int"})
_POSITIONAL = frozenset({"positional", "positional-only"})
_OTHER = "other"
"""The variable of the second object."""
_DRAWN = 3
"""Calls of each method that are tried to change the objects."""
_CHANGES = 3
"""Most calls that change the second object while it is given to a call of the first one."""


class CrossedTests(PlannedTests):
    """Planned tests for the methods that have two parameters with the same values; none if no method has."""

    first, every = 4, 9

    def _plan(self) -> Iterator[Test]:
        sequences = self._sequences
        methods = [
            method for method in sequences.catalogue.methods
            if not method.of and not sequences.knowledge.of(method.name).uncallable
            and (method.name, method.name) not in sequences.catalogue.not_parallel
        ]  # fmt: skip
        return in_turn([self._of_things(methods), self._of_objects(methods)])

    def _of_things(self, methods: list[Method]) -> Iterator[Test]:
        """Yield tests of methods that take two of the same things."""
        sequences = self._sequences
        crossed = [(method, *alike) for method in methods if (alike := self._alike(method)) is not None]
        self._random.shuffle(crossed)
        for method, positions, values in islice(crossed, _METHODS):
            prefix = sequences.prefix(0)
            call = sequences.write(method, prefix)
            if call is None or len(call.call.args) <= max(positions):
                continue
            one, other = (_given(call, dict(zip(positions, each, strict=True))) for each in (values, values[::-1]))
            for attempts in self._makers(method, prefix, values):
                for makers in attempts:
                    behind = replace(prefix, drafts=[*prefix.drafts, *makers])
                    if self._does_something(behind, one):
                        yield sequences.test(behind, [[one], [other]])
                        break

    def _of_objects(self, methods: list[Method]) -> Iterator[Test]:
        """Yield tests of methods that take another object of the class."""
        sequences = self._sequences
        base = sequences.prefix(0)
        made = base.drafts[0]
        if len(base.drafts) != 1 or made.call.result != RECEIVER:
            return
        both = replace(base, drafts=[made, made.with_result(_OTHER)])
        given = [each for each in (self._given_other(method, both) for method in methods) if each is not None]
        if not given:
            return
        written = [sequences.write(method, both) for method in methods for _ in range(_DRAWN)]
        plain = {each.call.source: each for each in written if each is not None and OWN.text not in each.arguments}
        makers = [each for each in plain.values() if self._does_something(both, each)]
        self._random.shuffle(makers)
        forbidden = set(map(frozenset, sequences.catalogue.not_parallel))
        for one in given[:_METHODS]:
            prefix = next((each for each in self._prefixes(both, makers) if self._does_something(each, one)), both)
            changes = islice((each for each in makers if self._does_something(prefix, each)), _CHANGES)
            rest = (each for each in given if each.call.method != one.call.method)
            for two in chain([_swapped(one)], rest, map(_swapped, changes)):
                if frozenset((one.call.method, two.call.method)) not in forbidden:
                    yield sequences.test(prefix, [[one], [two]])

    def _given_other(self, method: Method, prefix: Prefix) -> Draft | None:
        """Return a call that is given the second object; None if the method does not take one."""
        call = self._sequences.write(method, prefix)
        drawn = enumerate(call.drawn) if call is not None else ()
        at = next((at for at, (pool, _value) in drawn if any(each.kind == OWN.kind for each in pool.values)), None)
        return None if call is None or at is None else call.with_value(at, Value(_OTHER, OWN.kind))

    @staticmethod
    def _prefixes(both: Prefix, makers: list[Draft]) -> Iterator[Prefix]:
        """Yield the two objects as they are, then behind a call on each of them."""
        yield both
        for maker in makers[:_MAKERS]:
            yield replace(both, drafts=[*both.drafts, maker, _swapped(maker)])

    def _alike(self, method: Method) -> tuple[tuple[int, int], tuple[str, str]] | None:
        """Return the positions of two parameters that share two values, and these values; None if there are none."""
        pools = self._sequences.catalogue.pools
        found: list[tuple[int, list[str]]] = []
        for position, parameter in enumerate(method.parameters):
            if parameter.kind not in _POSITIONAL or (method.name, parameter.name) not in pools:
                break
            texts = [value.text for value in pools[method.name, parameter.name].values
                     if value.kind in _USABLE and value.text not in ("''", "0", "-1")]  # fmt: skip
            for earlier, known in found:
                common = [text for text in known if text in texts]
                if len(common) > 1:
                    return (earlier, position), (common[0], common[1])
            found.append((position, texts))
        return None

    def _makers(self, method: Method, prefix: Prefix, values: tuple[str, str]) -> Iterator[Iterator[tuple[Draft, ...]]]:
        """Yield, for each method whose first parameter takes either value, attempts to create both things.

        An attempt is one call per value. The last row has an attempt without calls: the things may exist already.
        """
        sequences = self._sequences
        others = [
            each for each in sequences.catalogue.methods
            if each is not method and not each.of and each.parameters and each.parameters[0].kind in _POSITIONAL
            and not sequences.knowledge.of(each.name).uncallable and self._takes(each, values)
        ]  # fmt: skip
        self._random.shuffle(others)
        others.sort(key=lambda each: not sequences.knowledge.of(each.name).changes_state)
        for other in islice(others, _MAKERS):
            yield self._attempts(other, prefix, values)
        yield iter([()])

    def _attempts(self, maker: Method, prefix: Prefix, values: tuple[str, str]) -> Iterator[tuple[Draft, ...]]:
        for number in range(_TRIES):
            call = self._sequences.write(maker, prefix, generous=number > 1)
            if call is not None and call.call.args:
                yield tuple(_given(call, {0: value}) for value in values)

    def _takes(self, method: Method, values: tuple[str, str]) -> bool:
        pool = self._sequences.catalogue.pools.get((method.name, method.parameters[0].name))
        return pool is not None and {value.text for value in pool.values}.issuperset(values)

    def _does_something(self, prefix: Prefix, call: Draft) -> bool:
        outcomes = self._sequences.tried([*prefix.drafts, call])
        all_well = len(outcomes) == len(prefix.drafts) + 1 and all(each.status == "ok" for each in outcomes)
        return all_well and outcomes[-1].changed


def _given(draft: Draft, values: dict[int, str]) -> Draft:
    """Return the call with other arguments at these positions."""
    args = tuple(values.get(position, text) for position, text in enumerate(draft.call.args))
    return replace(draft, call=replace(draft.call, args=args))


def _swapped(draft: Draft) -> Draft:
    """Return the call on the second object, with the first one where the second was given."""
    args = tuple(RECEIVER if text == _OTHER else text for text in draft.call.args)
    kwargs = tuple((name, RECEIVER if text == _OTHER else text) for name, text in draft.call.kwargs)
    return replace(draft, call=replace(draft.call, receiver=_OTHER, args=args, kwargs=kwargs))
