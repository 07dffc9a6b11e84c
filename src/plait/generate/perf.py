"""Performance tests: few methods per test, the changed ones above all, many calls (SpeedGun, sections 3.1 and 3.3)."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from random import Random

    from plait.generate.draft import Draft
    from plait.generate.outcome import RunSequentially
    from plait.generate.sequence import Prefix, Sequences
    from plait.model.test import Test
    from plait.subject.interface import Method

    Unit = tuple[Draft, ...]

PREFIX_LENGTH = 10
"""The mean of the paper's prefixes (section 5.2)."""
_COMPANIONS = 2
"""A test is about one focus method and up to so many more."""
_KINDS = ("mixed", "helped", "single")
"""Kinds of tests, in turn: focus methods that may get into each other's way; with methods that did not change, because
some focus methods need a state that only those reach; one focus method alone, because that names it."""
_HELPERS_SHARE = 0.25
_TRIES = 8
_REPEATED = 16
"""More often than a prefix can have prepared for."""
_VARIANTS = 3
_PARTNERS = 5
_SLOW_S = 0.002


class PerformanceTests:
    """Makes tests one after another. Deterministic, given the random source and how the calls go.

    The paper draws from all methods, focus methods with priority. Here each test is about a few focus methods and
    mostly leaves the others alone: a difference in one method is not thinned out by the calls of all the others.

    A suffix is repeated, so it must leave the object fit for the next time: a queue runs empty, a semaphore out of
    permits. Suffixes are made of *units*, calls that go well again and again: ``get`` alone if that works, else
    ``put`` and ``get``.
    """

    def __init__(self, sequences: Sequences, run: RunSequentially, random: Random, *, focus: Collection[str]) -> None:
        self._sequences = sequences
        self._run = run
        self._random = random
        self._focus = frozenset(focus)
        self._partners: dict[str, list[str | None]] = {}
        self._hopeless: set[str] = set()
        self._turn = 0

    def next_test(self, calls: int, suffixes: int, *, without: Collection[str] = ()) -> Test | None:
        """A test with so many suffixes of about so many calls; None when nothing that can be called comes up.

        ``without`` names methods that have turned out to be of no use.
        """
        for _ in range(_TRIES):
            focus, helpers = self._methods(without)
            if not focus:
                return None
            kind = _KINDS[self._turn % len(_KINDS)]
            chosen = self._choose(focus, 0 if kind == "single" else _COMPANIONS)
            others = self._random.sample(helpers, min(len(helpers), _COMPANIONS)) if kind == "helped" else []
            self._turn += 1
            prefix = self._sequences.prefix(PREFIX_LENGTH)
            units = [found for method in chosen if (found := self._units(prefix, method))]
            beside = [found for method in others if (found := self._units(prefix, method))]
            if units:
                return self._sequences.test(prefix, [self._suffix(units, beside, calls) for _ in range(suffixes)])
            self._hopeless.add(chosen[0].name)
        return None

    def _methods(self, without: Collection[str]) -> tuple[list[Method], list[Method]]:
        """Methods under test and others; without any change, all are under test."""
        knowledge = self._sequences.knowledge
        usable = [
            each for each in self._sequences.catalogue.methods
            if each.name not in without and each.name not in self._hopeless and not knowledge.of(each.name).uncallable
        ]  # fmt: skip
        if not self._focus:
            return usable, []
        focus = [each for each in usable if each.name in self._focus]
        return focus, [each for each in usable if each not in focus]

    def _choose(self, focus: list[Method], companions: int) -> list[Method]:
        first = focus[self._turn // len(_KINDS) % len(focus)]
        others = [each for each in focus if each is not first]
        return [first, *self._random.sample(others, min(companions, len(others)))]

    def _suffix(self, units: Sequence[Sequence[Unit]], beside: Sequence[Sequence[Unit]], calls: int) -> list[Draft]:
        """The methods equally often, so that the suffixes of a test weigh the same; arguments by chance."""
        size = sum(len(variants[0]) for variants in units) / len(units)
        count = max(1, round(calls / size))
        places = [units[number % len(units)] for number in range(count)]
        for number in range(int(count * _HELPERS_SHARE) if beside else 0):
            places[number] = beside[number % len(beside)]
        self._random.shuffle(places)
        return [draft for variants in places for draft in self._random.choice(variants)]

    def _units(self, prefix: Prefix, method: Method) -> list[Unit]:
        """Ways to call the method that can be repeated: alone or after another one, with different arguments.

        Quick ones, if there are any: a slow call is most often one that waits until its time-out is over.
        """
        slow: list[Unit] = []
        for partner in self._candidates(method):
            pattern = [method] if partner is None else [self._sequences.catalogue.method(partner), method]
            quick: list[Unit] = []
            for _ in range(_VARIANTS):
                unit, seconds = self._written(prefix, pattern)
                kept = quick if seconds < _SLOW_S else slow
                if unit is not None and unit not in kept:
                    kept.append(unit)
                if unit is None and not quick:
                    break
            if quick:
                known = self._partners.setdefault(method.name, [])
                if partner not in known:
                    known.append(partner)
                return quick
        return slow[:1]

    def _candidates(self, method: Method) -> list[str | None]:
        """Partners to try, None being no partner at all; those that have helped before first."""
        knowledge = self._sequences.knowledge
        records = {each.name: knowledge.of(each.name) for each in self._sequences.catalogue.methods}
        names = [
            name for name, record in records.items()
            if name != method.name and not record.uncallable and not record.blocks
        ]  # fmt: skip
        self._random.shuffle(names)
        names.sort(key=lambda name: not records[name].changes_state)
        proven = self._partners.get(method.name, [])
        return list(dict.fromkeys([*proven, None, *names[:_PARTNERS]]))

    def _written(self, prefix: Prefix, pattern: list[Method]) -> tuple[Unit | None, float]:
        """Calls of the methods that go well after the prefix, many times in a row, and the seconds that one takes.

        None if these do not.
        """
        suffixes = self._sequences.suffixes(prefix, [pattern])
        if suffixes is None:
            return None, 0.0
        test = self._sequences.test(prefix, suffixes)
        calls = (*test.prefix, *test.suffixes[0] * _REPEATED)
        start = time.perf_counter()
        outcomes = self._run(replace(test, prefix=calls, suffixes=()))
        seconds = (time.perf_counter() - start) / len(calls)
        well = len(outcomes) == len(calls) and all(each.status == "ok" for each in outcomes[len(test.prefix) :])
        return suffixes[0] if well else None, seconds
