"""Bisection that skips commits which cannot be tested, and the probes that judge a commit."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import (
    TYPE_CHECKING,
    Literal,
    Protocol,
    Self,
)

from plait.commands.check.command import workers_for
from plait.commands.diff import worker
from plait.commands.diff.apart import ShownViolation
from plait.commands.diff.checks import (
    EXECUTIONS,
    LONGER,
    SAMPLED,
    SECONDS,
    Revealed,
)
from plait.commands.diff.command import diff
from plait.commands.diff.options import DiffOptions
from plait.commands.diff.sides import PATIENCE
from plait.commands.interrupt import Interrupt
from plait.commands.perf.answers import checked_load
from plait.commands.perf.command import PerfOptions, compare_speed
from plait.commands.perf.measure import Rounds
from plait.commands.releases import cache_root
from plait.errors import UsageError
from plait.judge.difference.apart import Judged
from plait.judge.performance.result import Comparison, Measured
from plait.judge.performance.verdict import Series
from plait.model.finding import Finding
from plait.report.reproducer import OUT
from plait.run.native import kernel, load
from plait.run.native.machine import cpus
from plait.run.native.pair import Pair, Place
from plait.run.native.process import NativeError
from plait.subject.versions.version import Version, resolve
from plait.workers.pool import WorkerError, Workers

if TYPE_CHECKING:
    from plait.commands.bisect.command import BisectOptions


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """The answer on a commit: ``good``, ``bad`` or ``skip``, and why."""

    word: Literal["good", "bad", "skip"]
    why: str = ""


@dataclass(slots=True)
class Bisection:
    """A search in ``commits``, oldest first. The commit before them is known to be good, the last one to be bad."""

    commits: list[str]
    ask: Callable[[str], ProbeAnswer]
    log: list[tuple[str, ProbeAnswer]] = field(default_factory=list)
    suspects: list[str] = field(default_factory=list)
    """The result: the first bad commit, preceded by those that could not be tested."""

    @property
    def skipped(self) -> int:
        """The number of commits that could not be tested."""
        return sum(answer.word == "skip" for _, answer in self.log)

    def run(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Test the commit nearest to the middle until none is left between good and bad."""
        low, high = 0, len(self.commits) - 1  # the first bad commit is in this range, both ends included
        unusable: set[int] = set()
        while not stopped():
            open_ = [number for number in range(low, high) if number not in unusable]
            if not open_:
                break
            middle = (low + high) / 2 - 0.5
            number = min(open_, key=lambda each: (abs(each - middle), each))
            answer = self.ask(self.commits[number])
            self.log.append((self.commits[number], answer))
            if answer.word == "skip":
                unusable.add(number)
            elif answer.word == "good":
                low = number + 1
            else:
                high = number
        self.suspects = self.commits[low : high + 1]


# -- probes ------------------------------------------------------------------------------------------------------------
# A probe distinguishes good commits from bad ones: by their behaviour under threads, or by their speed.


_PER_COMMIT = 60.0  # seconds to measure one commit


class Probe(Protocol):
    """Judges commits while it is open."""

    kind: str
    finding: Finding

    def answer(self, commit: str) -> ProbeAnswer:
        """Return whether a commit is on the good or on the bad side."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def behaviour_probe(options: BisectOptions, interrupt: Interrupt | None) -> Probe | str | None:
    """Return a probe for what `plait diff` finds between the ends; None if it finds nothing, a text if inconclusive."""
    kept: list[Revealed | ShownViolation] = []
    asked = DiffOptions(
        options.subject, options.good, options.bad, hints=options.hints, nondeterministic=options.nondeterministic,
        hook=options.hook, **options.handed_on(DiffOptions, budget=options.budget * 0.4),
    )  # fmt: skip
    result = diff(asked, interrupt, kept.append)
    if not result.findings or not kept:
        return result.reason if result.verdict == "inconclusive" else None
    found, finding = kept[0], result.findings[0]
    if isinstance(found, Revealed):
        return _BehaviourProbe(options, finding, found)
    return _ViolationProbe(options, finding, found)


class _ViolationProbe:
    """Judges a commit by itself: whether the minimal test violates the orders of whole calls there.

    This is for versions that differ already when calls run one after another, so that outcomes cannot be compared.
    """

    kind = "behaviour"

    def __init__(self, options: BisectOptions, finding: Finding, shown: ShownViolation) -> None:
        self.finding = finding
        self._options = options
        self._shown = shown

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: there is nothing to close."""

    def answer(self, commit: str) -> ProbeAnswer:
        """Return ``bad`` if the commit does as the bad end: it violates, or does not if only the good end violates."""
        options, shown = self._options, self._shown
        try:
            with _workers(options, commit) as workers:
                judged: Judged = workers.attempt(
                    worker.judge, shown.broken.test, shown.probes, shown.rules, options.model == "gil",
                    timeout=PATIENCE,
                ).result().value  # fmt: skip
        except (UsageError, WorkerError) as error:
            return ProbeAnswer("skip", str(error))
        except Exception as error:  # importing the code, or building the test, raises
            return ProbeAnswer("skip", f"{type(error).__name__}: {error}")
        wanted = shown.broken.judged.violation
        breaks = judged.violation is not None and wanted is not None and judged.violation.cause == wanted.cause
        if not breaks and not judged.clean:
            return ProbeAnswer("skip", "the test does something else here")
        return ProbeAnswer("bad" if breaks == (shown.broken.side == "new") else "good")


@contextlib.contextmanager
def _workers(options: BisectOptions, commit: str) -> Iterator[Workers]:
    """Start a worker with the code of a commit."""
    with (
        resolve(commit, project=options.project, cache=cache_root(), subject=options.subject) as version,
        workers_for(options.subject, version, count=1, allow=options.allow, hook=options.hook) as workers,
    ):
        yield workers


class _BehaviourProbe:
    """Explores the minimal test of a difference on a commit, and compares the outcomes."""

    kind = "behaviour"

    def __init__(self, options: BisectOptions, finding: Finding, revealed: Revealed) -> None:
        self.finding = finding
        self._options = options
        self._revealed = revealed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: there is nothing to close."""

    def answer(self, commit: str) -> ProbeAnswer:
        """Return ``bad`` if the commit shows an outcome of the bad end alone.

        If the bad end has no such outcome, return ``bad`` if the commit shows none of the good end's alone.
        """
        options, found = self._options, self._revealed
        try:
            with _workers(options, commit) as workers:
                explored, _ = workers.attempt(
                    worker.outcomes, found.test, found.view, EXECUTIONS * LONGER, SAMPLED, SECONDS * LONGER, None,
                    options.model == "gil", timeout=PATIENCE,
                ).result().value  # fmt: skip
        except (UsageError, WorkerError) as error:
            return ProbeAnswer("skip", str(error))
        except Exception as error:  # importing the code, or building the test, raises
            return ProbeAnswer("skip", f"{type(error).__name__}: {error}")
        only_new, only_old = found.difference.only_new, found.difference.only_old
        seen = set(explored.outcomes)
        known = seen & {*found.old.outcomes, *found.new.outcomes}
        if not known:
            return ProbeAnswer("skip", "the test does something else here")
        if only_new:
            return ProbeAnswer("bad" if seen.intersection(only_new) else "good")
        if seen.intersection(only_old):
            return ProbeAnswer("good")
        return ProbeAnswer("bad") if explored.exhausted else ProbeAnswer("skip", "too large to explore completely")


def speed_probe(options: BisectOptions, interrupt: Interrupt | None) -> Probe | str | None:
    """Return a probe for the test with the largest difference in speed between the ends.

    None if there is no difference, a text if that is inconclusive.
    """
    file = options.subject.file
    found = compare_speed(
        PerfOptions(
            f"{file}:{options.subject.qualname}" if file is not None else str(options.subject), options.good,
            options.bad, threads=options.perf_threads, curve=(), hints=options.hints,
            imports=(options.hook.parent.resolve(),) if options.hook else (), rules=options.measuring, out=OUT,
            **options.handed_on(PerfOptions, budget=options.budget * 0.5, max_tests=options.perf_tests),
        ), lambda: interrupt is not None and interrupt.requested,
    )  # fmt: skip
    if found.verdict == "inconclusive":
        return found.reason
    return None if found.verdict == "none" else _SpeedProbe(options, found, interrupt)


class _SpeedProbe:
    """Measures commits against the good end with one test."""

    kind = "speed"

    def __init__(self, options: BisectOptions, found: Comparison, interrupt: Interrupt | None) -> None:
        self.finding = found.as_result().findings[0]
        self._options = options
        self._found = found
        self._interrupt = interrupt
        self._stack = ExitStack()
        self._good: Version | None = None

    def __enter__(self) -> Self:
        self._good = self._stack.enter_context(self._version(self._options.good))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _version(self, commit: str) -> contextlib.AbstractContextManager[Version]:
        return resolve(commit, project=self._options.project, cache=cache_root(), subject=self._options.subject)

    def answer(self, commit: str) -> ProbeAnswer:
        """Return ``bad`` if the speed differs from the good end's in the same direction by at least half the factor."""
        options, found = self._options, self._found
        assert self._good is not None
        measured = _afresh(found.winning()[0])
        try:
            with self._version(commit) as version:
                places = {side: self._place(each) for side, each in (("old", self._good), ("new", version))}
                script, layers = Path(load.__file__).read_text(encoding="utf-8"), kernel.kernel_source()
                chosen = cpus(options.perf_threads)
                rounds = Rounds(
                    lambda number: Pair(
                        places, script, hash_seed=number, cpus=chosen, kernel=layers, check=checked_load
                    ),
                    options.measuring, Random(options.seed), threads=options.perf_threads, scope=found.scope,
                    stop=self._stopped(),
                )  # fmt: skip
                rounds.measure([measured], time.monotonic() + _PER_COMMIT)
        except (UsageError, NativeError) as error:
            return ProbeAnswer("skip", str(error))
        series = measured.series(found.scope)
        if measured.reason is not None or len(series) < options.measuring.m_min:
            return ProbeAnswer("skip", measured.reason or "the machine is too busy to measure")
        whole = found.winning()[0].series(found.scope).speedup(found.confidence).mean
        here = series.speedup(found.confidence).mean
        # On a logarithmic scale, half of a factor is its square root.
        is_bad = here < whole**0.5 if whole < 1 else here > whole**0.5
        return ProbeAnswer("bad" if is_bad else "good", f"{here:.2f} times the speed of the good end")

    def _stopped(self) -> Callable[[], bool]:
        return lambda: self._interrupt is not None and self._interrupt.requested

    def _place(self, version: Version) -> Place:
        options = self._options
        imports = [str(options.hook.parent.resolve())] if options.hook else []
        return Place(
            str(version.root), (options.subject.module,), (*map(str, version.extra), *imports), allowed=options.allow
        )


def _afresh(measured: Measured) -> Measured:
    """Return a copy of the test without measurements."""
    fresh = copy.copy(measured)
    fresh.whole, fresh.suffix, fresh.means, fresh.reason = Series(), Series(), Series(), None
    return fresh
