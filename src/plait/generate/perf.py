"""Performance tests: few methods per test, the changed ones above all, many calls (SpeedGun, sections 3.1 and 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from random import Random

    from plait.generate.sequence import Sequences
    from plait.model.test import Test
    from plait.subject.interface import Method

PREFIX_LENGTH = 10
"""The mean of the paper's prefixes (section 5.2)."""
_COMPANIONS = 2
"""A test is about one focus method and up to so many more."""
_KINDS = ("mixed", "helped", "single")
"""Kinds of tests, in turn: focus methods that may get into each other's way; with methods that did not change, because
some focus methods need a state that only those reach; one focus method alone, because that names it."""
_HELPERS_SHARE = 0.25
_TRIES = 8


class PerformanceTests:
    """Makes tests one after another. Deterministic, given the random source and how the calls go.

    The paper draws from all methods, focus methods with priority. Here each test is about a few focus methods and
    mostly leaves the others alone: a difference in one method is not thinned out by the calls of all the others.
    """

    def __init__(self, sequences: Sequences, random: Random, *, focus: Collection[str]) -> None:
        self._sequences = sequences
        self._random = random
        self._focus = frozenset(focus)
        self._turn = 0

    def next_test(self, calls: int, suffixes: int, *, without: Collection[str] = ()) -> Test | None:
        """A test with so many suffixes of so many calls each; None when nothing that can be called comes up.

        ``without`` names methods that have turned out to be of no use.
        """
        for _ in range(_TRIES):
            focus, helpers = self._methods(without)
            if not focus:
                return None
            kind = _KINDS[self._turn % len(_KINDS)]
            chosen = self._choose(focus, 0 if kind == "single" else _COMPANIONS)
            patterns = [self._pattern(chosen, helpers if kind == "helped" else [], calls) for _ in range(suffixes)]
            self._turn += 1
            test = self._sequences.compose(PREFIX_LENGTH, patterns)
            if test is not None:
                return test
        return None

    def _methods(self, without: Collection[str]) -> tuple[list[Method], list[Method]]:
        """Methods under test and others; without any change, all are under test."""
        knowledge = self._sequences.knowledge
        usable = [
            each for each in self._sequences.catalogue.methods
            if each.name not in without and not knowledge.of(each.name).uncallable
        ]  # fmt: skip
        if not self._focus:
            return usable, []
        focus = [each for each in usable if each.name in self._focus]
        return focus, [each for each in usable if each not in focus]

    def _choose(self, focus: list[Method], companions: int) -> list[Method]:
        first = focus[self._turn // len(_KINDS) % len(focus)]
        others = [each for each in focus if each is not first]
        return [first, *self._random.sample(others, min(companions, len(others)))]

    def _pattern(self, chosen: Sequence[Method], helpers: Sequence[Method], calls: int) -> list[Method]:
        """Methods to call: those chosen equally often, so that suffixes of a test weigh the same."""
        pattern = [chosen[number % len(chosen)] for number in range(calls)]
        if helpers:
            some = self._random.sample(helpers, min(len(helpers), _COMPANIONS))
            for number in range(int(calls * _HELPERS_SHARE)):
                pattern[number] = some[number % len(some)]
        self._random.shuffle(pattern)
        return pattern
