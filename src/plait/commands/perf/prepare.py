"""Performance tests for both versions: write them, try and repair them, and find their length."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plait
from plait.commands.perf.answers import checked_author
from plait.errors import UsageError
from plait.generate.perf import Limits, NoLengthError, Tried, find_length, load_source, split_length
from plait.judge.performance.result import Measured
from plait.model.test import Test
from plait.run.native.pair import SIDES, START_S, Job, Pair, SideError
from plait.run.native.process import NO_ANSWER, NativeError, Process, Stuck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.generate.catalogue import Hints
    from plait.run.native.pair import Place

_WAIT_S = 0.3
_PROBE_S = 0.1
_PATIENCE_S = 4.0
_FIRST_LENGTH = 16
_MOST_REPETITIONS = 30
_STRETCH = 4  # a measurement may take so many times its usual time before a test counts as too slow
_TRIES = 8
_GIVE_UP = 3
"""Tests in which no call of a method could stay, after which it is left alone."""


@contextlib.contextmanager
def author(
    place: Place, subject: str, *, seed: int, hints: Hints, tests: Path | None, until: float = math.inf
) -> Iterator[tuple[Process, list[str]]]:
    """Yield a process that writes tests, and the methods it has found in the version of ``place``.

    It runs on the Python that runs plait, whatever is measured, and answers until a `time.monotonic`.
    """
    home = str(Path(plait.__file__).resolve().parents[1])
    begin = (
        f"import sys; sys.path.insert(1, {home!r}); from plait.run.native.author import author_main; del sys.path[1]; "
        "author_main()"
    )
    process = Process([sys.executable, "-c", begin], allowed=place.allowed, check=checked_author, until=until)
    try:
        try:
            answer = process.ask(
                "open", START_S, root=place.root, extra=list(place.extra), subject=subject, folder=process.work,
                allowed=list(place.allowed), seed=seed, hints=dataclasses.asdict(hints),
                tests=str(tests.resolve()) if tests else None,
            )  # fmt: skip
        except NativeError as error:
            text = str(error).removeprefix("UsageError: ")
            raise UsageError(text if error.kind == "UsageError" else f"{subject} cannot be imported: {text}") from None
        yield process, answer["methods"]
    finally:
        process.close()


class NoTestError(Exception):
    """Not one test works on both versions: the message says which calls failed and how."""


class Workshop:
    """Makes tests one by one. Close it: it keeps a pair of measuring processes at hand."""

    def __init__(
        self, writer: Process, open_pair: Callable[[], Pair], *, threads: int, limits: Limits, focus: list[str],
        until: float = math.inf,
    ) -> None:  # fmt: skip
        self.refusals: Counter[str] = Counter()
        """Why calls and tests had to be dropped, and how often."""
        self.called: Counter[str] = Counter()
        """By method, the calls that were tried beside other threads on both versions."""
        self.returned: Counter[str] = Counter()
        """Those of them that returned every time on both versions: only these are measured."""
        self._writer = writer
        self._open_pair = open_pair
        self._pair = open_pair()
        self._threads = threads
        self._until = until
        self._limits = limits
        self._focus = frozenset(focus)
        self._useless: Counter[str] = Counter()
        self._useful: set[str] = set()
        self._made = 0
        self._stuck = 0
        self.length = _FIRST_LENGTH

    def __enter__(self) -> Workshop:
        return self

    def __exit__(self, *_: object) -> None:
        self._pair.close()

    @property
    def interpreters(self) -> dict[str, dict[str, Any]]:
        """What the measuring processes said about themselves."""
        return self._pair.interpreters

    def find_length(self) -> None:
        """Find out how long tests must be: Algorithm 1, bounded by what a first short test takes."""
        first = self._random_times(_FIRST_LENGTH)
        fits = self._limits.t_s / self._limits.r_min / max(*first, 1e-6)
        longest = max(1, min(1_000_000, round(2 * _FIRST_LENGTH * fits))) if math.isfinite(fits) else _FIRST_LENGTH
        try:
            self.length = find_length(self._random_times, self._limits, longest)
        except NoLengthError as none:
            self.length = none.nearest

    def make(self) -> Measured | None:
        """Return one more test, fit to be measured; None if what was written could not be used."""
        test = self._tried(split_length(self.length))
        return self._fitted(test) if test is not None else None

    def _random_times(self, length: int) -> Tried:
        """Return lines 5 to 7 of Algorithm 1. A class of which no test can be made has no length either."""
        calls, repeat = split_length(length)
        for _ in range(_TRIES):
            test = self._tried((calls, repeat))
            if test is not None:
                return self._times(test, repeat)
        raise NoTestError(self.why_none())

    def why_none(self) -> str:
        """Return one line for a subject that cannot be tested."""
        (reason, _), *_ = self.refusals.most_common(1) or [("no method can be called", 0)]
        return (
            f"no performance test works on both versions: {reason}. Say how to build objects and what to pass: "
            "factories = [...] and values = { ... } under [tool.plait] in pyproject.toml"
        )

    def _tried(self, shape: tuple[int, int]) -> Test | None:
        calls, repeat = shape
        if time.monotonic() > self._until:
            raise NoTestError(f"no performance test was found within the budget{self._most_refused()}")
        without = [name for name, count in self._useless.items() if count >= _GIVE_UP and name not in self._useful]
        try:
            answer = self._writer.ask("next", START_S, calls=calls, suffixes=self._threads, without=without)
            test = None if answer["test"] is None else Test.from_json(answer["test"])
        except Stuck as error:
            raise NoTestError(f"no performance test can be written: {error}{self._most_refused()}") from None
        except NativeError as error:
            raise UsageError(f"no tests can be written: {str(error).removeprefix('UsageError: ')}") from None
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
            text = f"{NO_ANSWER}: {type(error).__name__} in a test"
            raise UsageError(f"no tests can be written: {text}") from None
        if test is None:
            self.refusals["no method can be called"] += 1
            return None
        return self._repaired(test, repeat)

    def _most_refused(self) -> str:
        (reason, _), *_ = self.refusals.most_common(1) or [("", 0)]
        return reason and f" ({reason})"

    def _repaired(self, test: Test, repeat: int) -> Test | None:
        """Return the test without the calls that raise or wait for ever with either version (section 3.3, feedback)."""
        self._made += 1
        name = f"trial {self._made}"
        skipped: set[tuple[int, int]] = set()
        try:
            self._pair.load(name, load_source(test, repeat, watched=True))
            clean = 0
            for turn in range(8):
                side = SIDES[turn % 2]
                answer = self._pair.ask(
                    side, "trial", 60.0, name=name, skipped=[list(each) for each in sorted(skipped)], patience=_WAIT_S
                )
                if "prefix" in answer:
                    shorter = self._with_shorter_prefix(test, answer["prefix"], side, answer["reason"])
                    return self._repaired(shorter, repeat) if shorter is not None else None
                for suffix, call, reason in _among(test, answer["bad"], side):
                    skipped.add((suffix, call))
                    self.refusals[f"{test.suffixes[suffix][call].expression} with the {side} version: {reason}"] += 1
                clean = 0 if answer["bad"] else clean + 1
                if clean == 2:
                    break
        except SideError as error:
            self._note(error)
            return None
        return self._without(test, skipped)

    def _with_shorter_prefix(self, test: Test, place: int, side: str, reason: str) -> Test | None:
        """Return the test without a call of the prefix that raises; None if others may need what it makes."""
        prefix = test.prefix
        if not 0 <= place < len(prefix):  # what is made for the suffixes' arguments
            self.refusals[f"an argument with the {side} version: {reason}"] += 1
            return None
        self.refusals[f"{prefix[place].expression} with the {side} version: {reason}"] += 1
        if prefix[place].result is not None:
            return None
        return dataclasses.replace(test, prefix=(*prefix[:place], *prefix[place + 1 :]))

    def _without(self, test: Test, skipped: set[tuple[int, int]]) -> Test | None:
        kept = [
            tuple(call for number, call in enumerate(suffix) if (index, number) not in skipped)
            for index, suffix in enumerate(test.suffixes)
        ]
        self.called.update(call.method for call in test.calls)
        self.returned.update(call.method for calls in kept for call in calls)
        written, left = {call.method for call in test.calls}, {call.method for calls in kept for call in calls}
        self._useful |= left
        self._useless.update(written - left)
        full = [calls for calls in kept if calls]
        if len(skipped) * 2 > len(test.calls) or (self._focus and not left & self._focus):
            return None
        # A thread without calls takes over those of another, so that the number of threads is what it should be.
        suffixes = tuple(calls or full[index % len(full)] for index, calls in enumerate(kept))
        return dataclasses.replace(test, suffixes=suffixes)

    def _times(self, test: Test, repeat: int) -> Tried:
        """Return the time of one execution with each version."""
        self._made += 1
        job = Job(f"probe {self._made}", load_source(test, repeat), self._threads, repeat)
        try:
            self._pair.load(job.name, job.source)
            found = [self._time(side, job) for side in SIDES]
        except SideError as error:
            self._note(error)
            return Tried(math.inf, math.inf)
        return Tried(*found)

    def _time(self, side: str, job: Job) -> float:
        """Return the time of one execution at best, as others can only add to it.

        A part of it where that is too long.
        """
        repeat = 1
        while repeat < job.repeat:
            whole = self._pair.run(side, dataclasses.replace(job, repeat=repeat), 1, patience=_PATIENCE_S)["whole"][0]
            if whole > self._limits.t_s:
                return whole
            repeat *= 8
        self._pair.run(side, job, 1, patience=_PATIENCE_S)
        return min(self._pair.run(side, job, 5, _PROBE_S, _PATIENCE_S)["whole"])

    def _fitted(self, test: Test) -> Measured | None:
        """Return the test at a length that suits it: methods of one class may differ by orders of magnitude."""
        most = max(len(suffix) for suffix in test.suffixes)

        def shaped(length: int) -> tuple[Test, int]:
            calls = min(most, split_length(length)[0]) if length < self.length else most
            cut = dataclasses.replace(test, suffixes=tuple(suffix[:calls] for suffix in test.suffixes))
            return cut, max(1, round(length / calls))

        def attempt(length: int) -> Tried:
            if self._stuck > before + 1:
                raise NoLengthError("it hangs", length)
            return self._times(*shaped(length))

        before = self._stuck
        first = attempt(self.length)
        slow = max(first)
        length = self.length
        if min(first) <= self._limits.t_min or slow * self._limits.r_min >= self._limits.t_s:
            fits = self._limits.t_s / self._limits.r_min / slow if math.isfinite(slow) else 0.5
            try:
                length = find_length(attempt, self._limits, max(1, min(1_000_000, round(2 * length * fits))))
            except NoLengthError as none:
                length = none.nearest
        cut, repeat = shaped(length)
        if cut.suffixes != test.suffixes:  # what was balanced may have lost its balance
            again = self._repaired(cut, repeat)
            if again is None:
                return None
            cut = again
        return self._ready(cut, repeat, length)

    def _ready(self, test: Test, repeat: int, length: int) -> Measured | None:
        """Return the test with one number of repetitions for both versions (section 4, step 1)."""
        slow = max(self._times(test, repeat))
        if not math.isfinite(slow):
            return None
        repetitions = min(_MOST_REPETITIONS, int(self._limits.t_s / slow))
        if slow * self._limits.r_min <= _STRETCH * self._limits.t_s:  # the slower version may be many times slower
            repetitions = max(repetitions, self._limits.r_min)
        self._made += 1
        source = load_source(test, repeat)
        ready = Measured(f"test {self._made}", test, source, repeat, length, max(1, repetitions), slow)
        if repetitions < self._limits.r_min:
            ready.refuse(f"too few repetitions: one execution takes {slow:.2f} s")
        return ready

    def _note(self, error: SideError) -> None:
        """Remember what went wrong; a process that hangs or is gone gets a successor."""
        self.refusals[f"{error} with the {error.side} version"] += 1
        if isinstance(error.cause, Stuck) or not error.kind:
            self._stuck += 1
            self._pair.close()
            self._pair = self._open_pair()


def _among(test: Test, bad: list[tuple[int, int, str]], side: str) -> list[tuple[int, int, str]]:
    """Return the calls to leave out; raise `SideError` if the test does not have one of them."""
    if all(0 <= suffix < len(test.suffixes) and 0 <= call < len(test.suffixes[suffix]) for suffix, call, _ in bad):
        return bad
    raise SideError(side, NativeError(NO_ANSWER))


def make_tests(shop: Workshop, count: int, seconds: float, stop: Callable[[], bool]) -> list[Measured]:
    """Return up to ``count`` tests within the time, or until ``stop`` says so; `NoTestError` if there is not one."""
    end = time.monotonic() + seconds
    shop.find_length()
    tests: list[Measured] = []
    for _ in range(3 * count):
        made = shop.make()
        if made is not None:
            made.name = f"test {len(tests) + 1}"
            tests.append(made)
        if len(tests) == count or (tests and (time.monotonic() > end or stop())):
            break
    if not tests:
        raise NoTestError(shop.why_none())
    return tests
