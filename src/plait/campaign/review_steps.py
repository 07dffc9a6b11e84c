"""The steps of a review, for one class after the other: compare, check, measure, explore."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from plait.campaign import review_tasks
from plait.campaign.check import check, workers_for
from plait.campaign.check_options import CheckOptions, kept_as
from plait.campaign.diff import diff
from plait.campaign.diff_options import DiffOptions
from plait.campaign.explore import explore
from plait.campaign.interrupt import Interrupt
from plait.campaign.memory import memory_name, remembered
from plait.campaign.perf import PerfOptions, compare
from plait.campaign.review_shares import LEAST, Shares
from plait.campaign.review_tests import tests_of
from plait.campaign.workers import WorkerError
from plait.errors import UsageError, own_error
from plait.judge.review import ClassReview
from plait.judge.rules import Rules
from plait.model.finding import Finding
from plait.report.publish import OUT
from plait.run.native import NativeError
from plait.subject.version import Version

if TYPE_CHECKING:
    from plait.campaign.review import ReviewOptions

AGAIN = 20.0  # seconds to look for a violation in the old version
MOST_TESTS = 6  # existing tests that are explored for one class
_WORDS = {
    "diff": "comparing behaviour", "check": "checking the new version", "explore": "exploring existing tests",
    "perf": "measuring",
}  # fmt: skip


class Steps:
    """Takes the steps that there is time for; ``base`` and ``tip`` are the names of the versions."""

    def __init__(
        self, options: ReviewOptions, old: Version, base: str, tip: str, shares: Shares,
        interrupt: Interrupt | None, say: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._options = options
        self._old = old
        self._base = base
        self._tip = tip
        self._shares = shares
        self._interrupt = interrupt
        self._say = say

    def take(self, classes: list[ClassReview]) -> None:
        """All steps for all classes: behaviour first, then, with the time that is left, speed.

        Steps that begin with what earlier runs have found come before all others.
        """
        known = remembered(self._options.store)
        planned = [(made, step) for made in classes for step in self._planned(made) if step != "perf"]
        planned += [(made, step) for made in classes for step in self._planned(made) if step == "perf"]
        planned.sort(key=lambda each: self._kept_as(*each) not in known)
        self._shares.plan(*(step for _, step in planned))
        for number, (made, step) in enumerate(planned, 1):
            if self._stopped():
                return
            self._say(f"{number} of {len(planned)}: {made.name}, {_WORDS[step]}")
            self._take(made, step)
        for made in classes:
            made.notes += made.untold

    def _kept_as(self, made: ClassReview, step: str) -> str:
        """What findings of a step are kept under."""
        name = f"{made.touched.subject} {self._called()}" if step == "diff" else kept_as(made.name, self._options.new)
        return memory_name(step, name, self._options.project)

    def _called(self) -> str:
        """The comparison, whatever the commits that the words stand for at present."""
        return f"since {self._options.base or 'the main branch'}, {self._options.new}"

    def _planned(self, made: ClassReview) -> list[str]:
        change = made.touched.change
        wanted = {
            "diff": change is not None, "check": True, "explore": bool(self._tests(made)),
            "perf": change is not None and bool(change.changed_methods),
        }  # fmt: skip
        return [step for step, is_wanted in wanted.items() if is_wanted]

    def _take(self, made: ClassReview, step: str) -> None:
        """What goes wrong in a step is noted, and the others are taken all the same."""
        seconds = self._shares.begin(step)
        if seconds is None:
            made.notes.append(f"no {step}: less than {LEAST[step]:.0f} s were left for it (--budget gives more)")
            return
        action: Callable[[ClassReview, float], None] = getattr(self, f"_{step}")
        try:
            action(made, seconds)
        except (UsageError, WorkerError, NativeError) as error:
            made.notes.append(f"{step}: {error}")
            made.problem = made.problem or str(error)
        except MemoryError:
            raise
        except Exception as error:  # of our own: what other steps have found stands
            made.notes.append(own_error(f"{step} of {made.name}", error, kept="the other steps are taken all the same"))
            made.problem = made.problem or made.notes[-1]

    def _tests(self, made: ClassReview) -> list[str]:
        return tests_of(made.touched.subject, self._options.tests)

    def _stopped(self) -> bool:
        return self._interrupt is not None and self._interrupt.requested

    def _clock(self, seconds: float) -> float | None:
        """Limits by steps replace the clock."""
        by_steps = self._options.max_tests is not None or self._options.max_schedules is not None
        return None if by_steps else seconds

    def _diff(self, made: ClassReview, seconds: float) -> None:
        options = self._options
        words = options.config.subject(made.name)
        made.diff = diff(
            DiffOptions(
                made.touched.subject, self._base, self._tip, options.project, options.seed, seconds, options.max_tests,
                options.max_schedules, options.model, options.threads, options.workers, True, options.allow,
                words.hints, words.nondeterministic, options.config.hook, options.tests, store=options.store,
                called=self._called(),
            ), self._interrupt,
        )  # fmt: skip
        made.notes += made.diff.more.get("remembered", [])

    def _check(self, made: ClassReview, seconds: float) -> None:
        options = self._options
        words = options.config.subject(made.name)
        made.check = check(
            CheckOptions(
                made.touched.subject, self._tip, options.project, options.seed, self._clock(seconds), options.max_tests,
                options.max_schedules, options.model, options.threads, options.workers, allow=options.allow,
                hints=words.hints, rules=Rules(words.invariant, words.nondeterministic), hook=options.config.hook,
                tests=options.tests, store=options.store, called=options.new,
            ), self._interrupt,
        )  # fmt: skip
        made.notes += made.check.more["remembered"]
        if made.touched.change is not None and made.check.findings:
            self._look_back(made, made.check.findings)

    def _look_back(self, made: ClassReview, findings: list[Finding]) -> None:
        """Tell what the change has brought from what was there before."""
        assert made.check is not None
        probes, rules = tuple(made.check.more["probes"]), made.check.more["rules"]
        subject = made.touched.subject
        options = self._options
        with workers_for(
            subject, self._old.at(subject), count=options.workers, allow=options.allow, hook=options.config.hook
        ) as workers:
            asked = [
                (each, workers.attempt(review_tasks.violation, each.test, probes, rules, timeout=AGAIN))
                for each in findings if each.test is not None
            ]  # fmt: skip
            for finding, future in asked:
                try:
                    seen = future.result().value
                except (WorkerError, Exception):  # noqa: S112 - a test that the old version cannot run is new
                    continue
                if seen == (finding.kind, finding.exception):
                    made.before.append(finding)

    def _perf(self, made: ClassReview, seconds: float) -> None:
        options = self._options
        file = made.touched.subject.file
        subject = f"{file}:{made.touched.subject.qualname}" if file is not None else made.name
        made.perf = compare(
            PerfOptions(
                subject, self._base, self._tip, options.project, seconds, options.seed, options.perf_threads,
                options.perf_tests, options.curve if seconds >= 60 else (1,), allow=options.allow,
                hints=options.config.subject(made.name).hints,
                imports=(options.config.hook.parent.resolve(),) if options.config.hook else (),
                examples=options.tests, rules=options.measuring, out=Path(OUT),
            ), self._stopped,
        )  # fmt: skip
        if made.perf.verdict == "inconclusive" and made.perf.reason:
            made.notes.append(f"speed: {made.perf.reason}")

    def _explore(self, made: ClassReview, seconds: float) -> None:
        tests = self._tests(made)
        until = time.monotonic() + seconds
        for number, test in enumerate(tests[:MOST_TESTS]):
            left = (until - time.monotonic()) / (min(len(tests), MOST_TESTS) - number)
            if self._stopped() or left < 1:
                made.notes.append(f"{len(tests) - number} of {len(tests)} existing tests were not explored: no time")
                return
            result = explore(self._asked(test, self._base, self._tip, left))
            for finding in result.findings:
                finding.summary = f"{self._shown(test)}: {finding.summary}"
            made.explored.append(result)
            if result.verdict == "failure" and self._fails_before(test, left):
                made.before += result.findings
        if len(tests) > MOST_TESTS:
            made.notes.append(f"{len(tests) - MOST_TESTS} of {len(tests)} existing tests were not explored")

    def _shown(self, test: str) -> str:
        """A node id as the user would write it."""
        file, _, rest = test.partition("::")
        here = self._options.project.resolve()
        path = Path(file).resolve()
        return f"{path.relative_to(here).as_posix() if path.is_relative_to(here) else file}::{rest}"

    def _fails_before(self, test: str, seconds: float) -> bool:
        """Whether a test that fails now has failed in the old version."""
        file, _, rest = test.partition("::")
        there = self._old.tree, self._old.origin
        if there[0] is None or there[1] is None or not Path(file).resolve().is_relative_to(there[1]):
            return False
        then = there[0] / Path(file).resolve().relative_to(there[1])
        if not then.is_file():
            return False
        try:
            relative = then.relative_to(self._old.project or there[0])
            return explore(self._asked(f"{relative}::{rest}", self._base, self._base, seconds)).verdict == "failure"
        except (UsageError, ValueError):
            return False

    def _asked(self, test: str, old: str, new: str, seconds: float) -> argparse.Namespace:
        options = self._options
        return argparse.Namespace(
            argument=test, old=old, new=new, path=options.project, budget=seconds,
            max_schedules=options.max_schedules, capp=None, schedule=None, seed=options.seed, model=options.model,
            allow=options.allow, workers=1,
        )  # fmt: skip
