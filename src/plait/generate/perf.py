"""Performance tests: few methods per test, the changed ones above all, many calls (SpeedGun, sections 3.1 and 3.3)."""

from __future__ import annotations

import ast
import inspect
import math
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from plait.generate import callables
from plait.generate.values.value import is_literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plait.model.test import Call, Test


if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from random import Random

    from plait.generate.draft import Draft
    from plait.generate.outcome import RunSequentially
    from plait.generate.sequence import Prefix, Sequences
    from plait.model.test import Test
    from plait.subject.interface.members import Method

    Unit = tuple[Draft, ...]

PREFIX_LENGTH = 10
"""The mean of the paper's prefixes (section 5.2)."""
_COMPANIONS = 2
"""A test is about one focus method and up to so many more."""
_KINDS = ("mixed", "helped", "single")
"""Kinds of tests, in turn: focus methods that may get into each other's way; with methods that did not change, because
some focus methods need a state that only those reach; one focus method alone, because that names it."""
_HELPERS_SHARE = 0.25
_TRIES = 12
_PATIENCE = 3
"""After so many prefixes a method that never went well is given up: one prefix may have closed the object. The last
one is the constructor call alone."""
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
        self._failed: Counter[str] = Counter()
        self._turn = 0

    def next_test(self, calls: int, suffixes: int, *, without: Collection[str] = ()) -> Test | None:
        """Return a test with so many suffixes of about so many calls; None when nothing that can be called comes up.

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
            last = self._failed[chosen[0].name] == _PATIENCE - 1
            prefix = self._sequences.prefix(0 if last else PREFIX_LENGTH)
            units = [found for method in chosen if (found := self._units(prefix, method))]
            beside = [found for method in others if (found := self._units(prefix, method))]
            for company in (beside, []) if beside else ([],):
                if units and (test := self._together(prefix, units, company, calls, suffixes)):
                    return test
            self._failed[chosen[0].name] += 1
        return None

    def _together(
        self, prefix: Prefix, units: Sequence[Sequence[Unit]], beside: Sequence[Sequence[Unit]], calls: int, count: int
    ) -> Test | None:
        """Return a test of these units; None if they go well alone but not together: one closes what others use."""
        test = self._sequences.test(prefix, [self._suffix(units, beside, calls) for _ in range(count)])
        if len(units) + len(beside) > 1:
            calls_made = (*test.prefix, *(call for suffix in test.suffixes for call in suffix), *test.suffixes[0])
            outcomes = self._run(replace(test, prefix=calls_made, suffixes=()))
            if len(outcomes) < len(calls_made) or any(each.status != "ok" for each in outcomes[len(test.prefix) :]):
                return None
        return test

    def _methods(self, without: Collection[str]) -> tuple[list[Method], list[Method]]:
        """Return methods under test and others; without any change, all are under test."""
        knowledge = self._sequences.knowledge
        usable = [
            each for each in self._sequences.catalogue.methods
            if each.name not in without and self._failed[each.name] < _PATIENCE
            and not knowledge.of(each.name).uncallable
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
        """Return the methods equally often, so that the suffixes of a test weigh the same; arguments by chance."""
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
        """Return calls that go well after the prefix many times in a row, and the seconds that one takes.

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


# -- perf length -------------------------------------------------------------------------------------------------------
# How long a performance test must be: SpeedGun's Algorithm 1.


LONGEST = 1_000_000
_MARGIN = 1.5
"""Times vary: a length that just fits now would later be found too long."""


@dataclass(frozen=True, slots=True)
class Limits:
    """``t_min``: what can be measured well. ``r_min``: repetitions that a measurement of ``t_s`` seconds must hold."""

    t_min: float = 0.005
    t_s: float = 0.5
    r_min: int = 6
    max_tries: int = 20


class Tried(NamedTuple):
    """The mean time of one execution of a random test, with each version; infinite if it did not end in time."""

    old: float
    new: float


class NoLengthError(Exception):
    """No length is right for both versions; ``nearest`` is the one to fall back on."""

    def __init__(self, reason: str, nearest: int) -> None:
        super().__init__(reason)
        self.nearest = nearest


def find_length(attempt: Callable[[int], Tried], limits: Limits, longest: int = LONGEST) -> int:
    """Return the length of suffixes (Algorithm 1, lines 1 to 20). ``attempt`` runs a test of a length.

    The search halves the ratio of the bounds and not their difference: lengths differ by orders of magnitude between
    classes. A time tells how often the test fits into ``t_s`` (equation (1)), so ``attempt`` may measure for less.
    Raises `NoLengthError` by either abort rule (lines 11 and 20).
    """
    low, high = 1, longest + 1  # the lengths that are left: from low to below high
    length = 1
    for _ in range(limits.max_tries):
        if low >= high:
            break
        length = min(max(low, math.isqrt(low * high)), high - 1)
        old, new = attempt(length)
        too_short = min(old, new) <= limits.t_min
        too_long = max(old, new) * limits.r_min * _MARGIN >= limits.t_s
        if too_short and too_long:
            raise NoLengthError(
                f"{length} calls are too short for one version ({min(old, new) * 1e3:.1f} ms) "
                f"and too long for the other ({max(old, new) * 1e3:.1f} ms)", length
            )  # fmt: skip
        if not too_short and not too_long:
            return length
        low, high = (length + 1, high) if too_short else (low, length)
    raise NoLengthError(f"no length is right; the last one tried was {length} calls", length)


def split_length(length: int) -> tuple[int, int]:
    """Return calls to generate, and how often to repeat them: the square root of the length each (section 3.3)."""
    calls = max(1, math.isqrt(length))
    return calls, max(1, round(length / calls))


# -- perf source -------------------------------------------------------------------------------------------------------
# A performance test as plain Python: what runs in the timed region is what a person would have written by hand.


_OWN = "from plait.generate.callables import "


def load_source(test: Test, repeat: int, *, watched: bool = False) -> str:
    """Return the module of a test: ``prefix()`` makes what is shared, each suffix repeats its calls ``repeat`` times.

    Arguments that are no literals are made once, before the clock runs. ``watched`` adds one function per call, by
    which a trial finds out which of them fail. The module needs no plait: callables of ours stand in it as source.
    """
    shared = shared_names(test)
    hoisted: dict[str, str] = {}
    bodies = [[_statement(call, hoisted) for call in suffix] for suffix in test.suffixes]
    parameters = ", ".join([*shared, *hoisted.values(), "repeat"])
    lines = [*_header(test.imports), "", f"REPEAT = {repeat}", "", "", "def prefix():"]
    lines += [f"    {call.source}" for call in test.prefix]
    lines += [f"    {name} = {text}" for text, name in hoisted.items()]
    lines += [f"    return ({', '.join([*shared, *hoisted.values()])},)"]
    for number, body in enumerate(bodies):
        lines += ["", "", f"def suffix_{number}({parameters}):", "    for _ in range(repeat):"]
        lines += [f"        {line}" for line in body]
    lines += ["", "", f"SUFFIXES = [{', '.join(f'suffix_{number}' for number in range(len(bodies)))}]"]
    return "\n".join([*lines, *(_calls(test, bodies, [*shared, *hoisted.values()]) if watched else ()), ""])


def shared_names(test: Test) -> list[str]:
    """Return the variables of the prefix that the suffixes may use: the receiver and the arguments made for them."""
    names = [call.result for call in test.prefix if call.result is not None]
    return list(dict.fromkeys(names))


def _calls(test: Test, bodies: Sequence[Sequence[str]], shared: Iterable[str]) -> list[str]:
    lines = []
    methods = [[call.method for call in suffix] for suffix in test.suffixes]
    for number, body in enumerate(bodies):
        for place, line in enumerate(body):
            lines += ["", "", f"def call_{number}_{place}({', '.join(shared)}):", f"    {line}"]
    listed = ", ".join(
        f"[{', '.join(f'call_{number}_{place}' for place in range(len(body)))}]" for number, body in enumerate(bodies)
    )
    return [*lines, "", "", f"CALLS = [{listed}]", f"METHODS = {methods!r}"]


def _header(imports: Sequence[str]) -> list[str]:
    if not any(line.startswith(_OWN) for line in imports):
        return list(imports)
    # Ours first: a future import must stand at the top of the module.
    own = inspect.getsource(callables).split("\n")
    return [*own, *(line for line in imports if not line.startswith(_OWN))]


def _statement(call: Call, hoisted: dict[str, str]) -> str:
    """Return the call as a statement, with names in place of the arguments that cost time to make."""
    args = tuple(_hoist(text, hoisted) for text in call.args)
    kwargs = tuple((name, _hoist(text, hoisted)) for name, text in call.kwargs)
    return type(call)(call.method, call.form, call.receiver, args, kwargs).expression


def _hoist(text: str, hoisted: dict[str, str]) -> str:
    if is_literal(text) or text.isidentifier() or not _can_be_shared(text):
        return text
    return hoisted.setdefault(text, f"made_{len(hoisted) + 1}")


def _can_be_shared(text: str) -> bool:
    """Return whether repetitions may use the same object; an iterator is used up by the first of them."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.GeneratorExp):
        return False
    called = node.func if isinstance(node, ast.Call) else None
    return not (isinstance(called, ast.Name) and called.id in {"iter", "map", "zip", "filter", "enumerate"})
