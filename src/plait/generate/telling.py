"""Tests in which an observer that was registered with the object calls it back.

A class that tells its observers while it holds a lock makes an observer wait for ever which needs that lock: for one
that cannot be taken again, a call of the same thread is enough. So observers are told in a single thread, one that
calls each method back. Where the call that tells them does not end, it becomes a test.

Only what is *told* counts: the callable was given to an earlier call, and whoever calls it ignores its result. Who uses
the result (a factory, a condition) computes with it, and may have to hold a lock until it has the answer; and who is
given an action to perform may be meant to perform it under a lock.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from plait.generate.draft import ARGUMENT, Draft
from plait.generate.planned import PlannedTests, in_turn
from plait.generate.values.value import RECEIVER, Value, is_literal
from plait.model.test import Call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.generate.sequence import Prefix
    from plait.model.test import Test
    from plait.subject.interface.members import Method

_IMPORT = "from plait.generate.callables import "
_LOOK = 80
"""Limit of sequential runs that look for calls that tell an observer."""
_BACK = 6
"""Methods that an observer calls back, at most, for each call that tells it."""
_LENGTHS = (0, 3)
"""Lengths of the prefixes before the observer is registered: some classes have nothing to tell when they are new."""
_TOLD = "told"


class ToldTests(PlannedTests):
    """Planned tests for the calls that tell an observer while they hold a lock; there are none if no call does."""

    first, every = 5, 7

    def _plan(self) -> Iterator[Test]:
        methods = [each for each in self._methods() if each.parameters]
        self._runs = 0
        return in_turn(self._tests(method, length) for length in _LENGTHS for method in methods)

    def _methods(self) -> list[Method]:
        sequences = self._sequences
        return [
            each for each in sequences.catalogue.methods
            if not each.of and not sequences.knowledge.of(each.name).uncallable
        ]  # fmt: skip

    def _tests(self, method: Method, length: int) -> Iterator[Test]:
        """Yield tests of an observer that this method registers."""
        sequences = self._sequences
        prefix = sequences.prefix(length)
        draft = sequences.write(method, prefix)
        if draft is None:
            return
        for number in _takes_callables(draft):
            register = draft.with_value(number, Value(_TOLD, "callable"))
            for teller in self._methods():
                if self._runs >= _LOOK:
                    return
                tell = sequences.write(teller, prefix)
                if tell is not None and self._is_told(prefix, register, tell):
                    yield from islice(self._stuck(prefix, register, number, tell), 1)

    def _is_told(self, prefix: Prefix, register: Draft, tell: Draft) -> bool:
        """Return whether the second call tells what the first one has registered."""
        self._runs += 1
        told = Draft(Call(ARGUMENT, "Told()", result=_TOLD), (f"{_IMPORT}Told",))
        asked = Draft(Call(ARGUMENT, f"{_TOLD}.only()"))
        drafts = [*prefix.drafts, told, register, tell, asked]
        outcomes = self._sequences.tried(drafts)
        return len(outcomes) == len(drafts) and all(each.status == "ok" for each in outcomes)

    def _stuck(self, prefix: Prefix, register: Draft, number: int, tell: Draft) -> Iterator[Test]:
        """Yield tests in which the call that tells does not end, because the observer calls a method back."""
        sequences = self._sequences
        own = {tell.call.method, register.call.method}
        # Readers first, and not what would tell the observer again.
        others = [each for each in self._methods() if each.name not in own and _is_plain(each)]
        others.sort(key=lambda each: sequences.knowledge.of(each.name).changes_state)
        forbidden = {frozenset(each) for each in sequences.catalogue.not_parallel}
        for other in others[:_BACK]:
            back = sequences.write(other, prefix)
            if back is None or not all(map(is_literal, back.arguments)) or back.call.receiver != RECEIVER:
                continue
            given = ", ".join((f"{RECEIVER}.{other.name}", *back.call.args, *map("=".join, back.call.kwargs)))
            listener = Value(f"Listener({given})", "callable", (f"{_IMPORT}Listener",))
            drafts = [*prefix.drafts, register.with_value(number, listener)]
            outcomes = sequences.tried([*drafts, tell])
            blocked = len(outcomes) == len(drafts) + 1 and outcomes[-1].status == "blocked"
            if blocked and frozenset((tell.call.method, other.name)) not in forbidden:
                yield sequences.test(replace(prefix, drafts=drafts), [[tell], [back]])


def _takes_callables(draft: Draft) -> list[int]:
    """Return the numbers of the arguments that may be callables, those that are before the others."""
    kinds = [{value.kind, *(each.kind for each in pool.values)} for pool, value in draft.drawn]
    found = [number for number, kind in enumerate(kinds) if "callable" in kind]
    return found or [number for number, (pool, _value) in enumerate(draft.drawn) if pool.anything]


def _is_plain(method: Method) -> bool:
    return method.form.startswith(f"{{receiver}}.{method.name}(") and not method.classwide
