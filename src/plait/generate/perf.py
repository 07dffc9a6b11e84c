"""Performance tests: many calls of few methods, mainly of changed ones (SpeedGun, sections 3.1 and 3.3).

It has the choice of methods and calls, the search for a length that can be measured, and the source of the module that
is timed.
"""

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
"""Most methods that a test calls besides its first focus method."""
_KINDS = ("mixed", "helped", "single")
"""Kinds of tests, in turn: several focus methods, which may slow each other down; focus methods and unchanged ones,
because some focus methods need a state that only others reach; a single focus method, to attribute a difference."""
_HELPERS_SHARE = 0.25
"""Fraction of a suffix that consists of calls of unchanged methods, in a helped test."""
_TRIES = 12
_PATIENCE = 3
"""Prefixes without a test after which a method is given up; one prefix may have closed the object, for example. The
last one is the constructor call alone."""
_REPEATED = 16
"""Repetitions that a unit must survive: more than a prefix can have prepared for."""
_VARIANTS = 3
_PARTNERS = 5
_SLOW_S = 0.002


class PerformanceTests:
    """A source of performance tests. It is deterministic, given the random source and the outcomes of the calls.

    The paper draws from all methods, and prefers focus methods. Here each test calls a few focus methods and few or no
    others, so that calls of unchanged methods do not dilute a difference in one method.

    A suffix is repeated, so it must not use up its object: a queue would run empty, a semaphore out of permits.
    Suffixes are made of *units*, calls that succeed however often they are repeated: ``get`` alone if that works, else
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
        """Return a test with ``suffixes`` suffixes of about ``calls`` calls, or None if no unit was found.

        ``without`` names methods that are not to be called.
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
        """Return a test of these units, or None if they fail together, e.g. because one closes what others use."""
        test = self._sequences.test(prefix, [self._suffix(units, beside, calls) for _ in range(count)])
        if len(units) + len(beside) > 1:
            calls_made = (*test.prefix, *(call for suffix in test.suffixes for call in suffix), *test.suffixes[0])
            outcomes = self._run(replace(test, prefix=calls_made, suffixes=()))
            if len(outcomes) < len(calls_made) or any(each.status != "ok" for each in outcomes[len(test.prefix) :]):
                return None
        return test

    def _methods(self, without: Collection[str]) -> tuple[list[Method], list[Method]]:
        """Return the usable focus methods and the usable others; if nothing changed, all are focus methods."""
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
        """Return the calls of one suffix: the same number of units of each method, in random order, random variants.

        All suffixes of a test have the same numbers, so that they do the same amount of work.
        """
        size = sum(len(variants[0]) for variants in units) / len(units)
        count = max(1, round(calls / size))
        places = [units[number % len(units)] for number in range(count)]
        for number in range(int(count * _HELPERS_SHARE) if beside else 0):
            places[number] = beside[number % len(beside)]
        self._random.shuffle(places)
        return [draft for variants in places for draft in self._random.choice(variants)]

    def _units(self, prefix: Prefix, method: Method) -> list[Unit]:
        """Return units that end with the method, alone or after one call of a partner, with different arguments.

        Quick ones are preferred: a slow call is mostly one that waits for its time-out.
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
        """Return the partners to try (None means no partner); partners that have helped before come first."""
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
        """Return new calls, or None if they fail when they are repeated after the prefix; and the seconds per call."""
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
# The length of a performance test: SpeedGun's Algorithm 1.


LONGEST = 1_000_000
_MARGIN = 1.5
"""Safety factor: times vary, and a length that just fits during the search may be too long in the measurement."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an execution's time: above ``t_min``, and such that ``r_min`` repetitions fit into ``t_s`` seconds."""

    t_min: float = 0.005
    t_s: float = 0.5
    r_min: int = 6
    max_tries: int = 20


class Tried(NamedTuple):
    """The mean seconds of one execution of a random test on each version; infinite if it did not end in time."""

    old: float
    new: float


class NoLengthError(Exception):
    """No length within the limits was found for both versions; ``nearest`` is the last one tried."""

    def __init__(self, reason: str, nearest: int) -> None:
        super().__init__(reason)
        self.nearest = nearest


def find_length(attempt: Callable[[int], Tried], limits: Limits, longest: int = LONGEST) -> int:
    """Return the length of suffixes (Algorithm 1, lines 1 to 20). ``attempt`` runs a test of the given length.

    The search bisects the logarithm of the length, because lengths differ by orders of magnitude between classes. The
    time of one execution says how often the test fits into ``t_s`` (equation (1)), so ``attempt`` may measure for less
    than ``t_s``. Raises `NoLengthError` by either abort rule (lines 11 and 20).
    """
    low, high = 1, longest + 1  # remaining lengths: low <= length < high
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
    """Return the number of calls to generate and of their repetitions, each about the square root (section 3.3)."""
    calls = max(1, math.isqrt(length))
    return calls, max(1, round(length / calls))


# -- perf source -------------------------------------------------------------------------------------------------------
# A performance test as plain Python: the timed region contains only what a person would have written by hand.


_OWN = "from plait.generate.callables import "


def load_source(test: Test, repeat: int, *, watched: bool = False) -> str:
    """Return the source of a test's module: ``prefix()`` makes the shared objects, suffixes repeat their calls.

    Arguments that are not literals are made once, before the clock starts. ``watched`` adds one function per call, with
    which a trial finds out which calls fail. The module does not import plait: it contains the source of
    `plait.generate.callables` if the test uses it.
    """
    shared = _shared_names(test)
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


def _shared_names(test: Test) -> list[str]:
    """Return the variables that the prefix binds: the receiver, results and arguments."""
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
    # The source of the callables comes first: it begins with a future import, which must be at the top of the module.
    own = inspect.getsource(callables).split("\n")
    return [*own, *(line for line in imports if not line.startswith(_OWN))]


def _statement(call: Call, hoisted: dict[str, str]) -> str:
    """Return the call as a statement, with variables in place of arguments that take time to make."""
    args = tuple(_hoist(text, hoisted) for text in call.args)
    kwargs = tuple((name, _hoist(text, hoisted)) for name, text in call.kwargs)
    return type(call)(call.method, call.form, call.receiver, args, kwargs).expression


def _hoist(text: str, hoisted: dict[str, str]) -> str:
    if is_literal(text) or text.isidentifier() or not _can_be_shared(text):
        return text
    return hoisted.setdefault(text, f"made_{len(hoisted) + 1}")


def _can_be_shared(text: str) -> bool:
    """Return whether all repetitions may use the same object, which is not so for iterators: the first uses them up."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.GeneratorExp):
        return False
    called = node.func if isinstance(node, ast.Call) else None
    return not (isinstance(called, ast.Name) and called.id in {"iter", "map", "zip", "filter", "enumerate"})
