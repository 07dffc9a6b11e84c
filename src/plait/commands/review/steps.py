"""One budget for many classes, and for several steps with each of them."""

from __future__ import annotations

import argparse
import ast
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from plait.commands.budget import Budget
from plait.commands.check.command import check, workers_for
from plait.commands.check.options import CheckOptions, kept_as
from plait.commands.check.worker import tasks
from plait.commands.diff.command import diff
from plait.commands.diff.options import DiffOptions
from plait.commands.explore.command import explore_test
from plait.commands.interrupt import Interrupt
from plait.commands.perf.command import PerfOptions, compare_speed
from plait.errors import UsageError, own_error
from plait.judge.oracle.rules import Rules
from plait.judge.review import ClassReview
from plait.model.files import file_text, parse_source
from plait.model.finding import Finding
from plait.model.folders import files_below
from plait.report.reproducer import OUT
from plait.run.native.process import NativeError
from plait.store.project import memory_name, remembered
from plait.subject.versions.version import Version
from plait.workers.pool import WorkerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.commands.review.command import ReviewOptions
    from plait.subject.name import Subject


WEIGHTS = {"diff": 0.3, "check": 0.25, "explore": 0.1, "perf": 0.35}
LEAST = {"diff": 3.0, "check": 3.0, "explore": 3.0, "perf": 15.0}
"""The least seconds with which a step is begun; with fewer it could not reach a conclusion."""
ENOUGH = {"diff": 60.0, "check": 60.0, "explore": 30.0, "perf": 120.0}
"""Seconds for a step when the clock is no limit."""


@dataclass(slots=True)
class Shares:
    """Distributes the remaining time, by weight, among the remaining steps.

    So time that a step does not need is passed on to all later ones.
    """

    budget: Budget
    _open: list[str] = field(default_factory=list)

    def plan(self, *steps: str) -> None:
        """Announce steps that will be taken."""
        self._open += steps

    def begin(self, step: str) -> float | None:
        """Return the seconds for a planned step; None if there are too few to begin."""
        every = sum(WEIGHTS[each] for each in self._open)
        self._open.remove(step)
        if self.budget.wall is None:
            return ENOUGH[step]
        mine = self.budget.left * WEIGHTS[step] / every
        return mine if mine >= LEAST[step] else None


# -- review steps ------------------------------------------------------------------------------------------------------
# The steps of a review, for one class after the other: compare, check, measure, explore.


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
        """Take all steps for all classes: behaviour first, then speed in the time that is left.

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
        """Return the store key of a step's findings."""
        name = f"{made.touched.subject} {self._called()}" if step == "diff" else kept_as(made.name, self._options.new)
        return memory_name(step, name, self._options.project)

    def _called(self) -> str:
        """Return the comparison, whatever the commits that the words stand for at present."""
        return f"since {self._options.base or 'the main branch'}, {self._options.new}"

    def _planned(self, made: ClassReview) -> list[str]:
        change = made.touched.change
        wanted = {
            "diff": change is not None, "check": True, "explore": bool(self._tests(made)),
            "perf": change is not None and bool(change.changed_methods),
        }  # fmt: skip
        return [step for step, is_wanted in wanted.items() if is_wanted]

    def _take(self, made: ClassReview, step: str) -> None:
        """Run a step; an error in it becomes a note, and the other steps still run."""
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
        return _tests_of(made.touched.subject, self._options.tests)

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
                made.touched.subject, self._base, self._tip, hints=words.hints, nondeterministic=words.nondeterministic,
                hook=options.config.hook, called=self._called(), **options.handed_on(DiffOptions, budget=seconds),
            ), self._interrupt,
        )  # fmt: skip
        made.notes += made.diff.more.get("remembered", [])

    def _check(self, made: ClassReview, seconds: float) -> None:
        options = self._options
        words = options.config.subject(made.name)
        made.check = check(
            CheckOptions(
                made.touched.subject, self._tip, hints=words.hints,
                rules=Rules(words.invariant, words.nondeterministic), hook=options.config.hook, called=options.new,
                **options.handed_on(CheckOptions, budget=self._clock(seconds)),
            ), self._interrupt,
        )  # fmt: skip
        made.notes += made.check.more["remembered"]
        if made.touched.change is not None and made.check.findings:
            self._look_back(made, made.check.findings)

    def _look_back(self, made: ClassReview, findings: list[Finding]) -> None:
        """Separate the findings that the change introduced from those that existed before."""
        assert made.check is not None
        probes, rules = tuple(made.check.more["probes"]), made.check.more["rules"]
        subject = made.touched.subject
        options = self._options
        with workers_for(
            subject, self._old.at(subject), count=options.workers, allow=options.allow, hook=options.config.hook
        ) as workers:
            asked = [
                (each, workers.attempt(tasks.violation, each.test, probes, rules, timeout=AGAIN))
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
        made.perf = compare_speed(
            PerfOptions(
                subject, self._base, self._tip, threads=options.perf_threads,
                curve=options.curve if seconds >= 60 else (1,), hints=options.config.subject(made.name).hints,
                imports=(options.config.hook.parent.resolve(),) if options.config.hook else (),
                rules=options.measuring, out=OUT,
                **options.handed_on(PerfOptions, budget=seconds, max_tests=options.perf_tests),
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
            result = explore_test(self._asked(test, self._base, self._tip, left))
            for finding in result.findings:
                finding.summary = f"{self._shown(test)}: {finding.summary}"
            made.explored.append(result)
            if result.verdict == "failure" and self._fails_before(test, left):
                made.before += result.findings
        if len(tests) > MOST_TESTS:
            made.notes.append(f"{len(tests) - MOST_TESTS} of {len(tests)} existing tests were not explored")

    def _shown(self, test: str) -> str:
        """Return a node id as the user would write it."""
        file, _, rest = test.partition("::")
        here = self._options.project.resolve()
        path = Path(file).resolve()
        return f"{path.relative_to(here).as_posix() if path.is_relative_to(here) else file}::{rest}"

    def _fails_before(self, test: str, seconds: float) -> bool:
        """Return whether a test that fails now has failed in the old version."""
        file, _, rest = test.partition("::")
        there = self._old.tree, self._old.origin
        if there[0] is None or there[1] is None or not Path(file).resolve().is_relative_to(there[1]):
            return False
        then = there[0] / Path(file).resolve().relative_to(there[1])
        if not then.is_file():
            return False
        try:
            relative = then.relative_to(self._old.project or there[0])
            return (
                explore_test(self._asked(f"{relative}::{rest}", self._base, self._base, seconds)).verdict == "failure"
            )
        except (UsageError, ValueError):
            return False

    def _asked(self, test: str, old: str, new: str, seconds: float) -> argparse.Namespace:
        options = self._options
        return argparse.Namespace(
            argument=test, old=old, new=new, path=options.project, budget=seconds,
            max_schedules=options.max_schedules, capp=None, schedule=None, seed=options.seed, model=options.model,
            allow=options.allow, workers=1,
        )  # fmt: skip


# -- review tests ------------------------------------------------------------------------------------------------------
# Existing tests that start threads and use a class.


_THREADS = re.compile(r"\b(threading|_thread|concurrent\.futures|ThreadPool\w*)\b")


def _tests_of(subject: Subject, folder: Path | None) -> list[str]:
    """Node ids of the tests below ``folder`` that name the class, in files that import its module and start threads."""
    if folder is None:
        return []
    name = subject.qualname.partition(".")[0]
    package = subject.module.partition(".")[0]
    found = []
    for file in map(Path, files_below(folder, ".py")):
        if not (file.name.startswith("test_") or file.name.endswith("_test.py")):
            continue
        try:
            text = file_text(file, "replace")
        except OSError:
            continue
        if name not in text or package not in text or not _THREADS.search(text):
            continue
        try:
            tree = parse_source(text)
        except SyntaxError:
            continue
        found += [f"{file}::{test}" for test in _users(tree, name)]
    return found


def _users(tree: ast.Module, name: str) -> Iterator[str]:
    """Yield test functions that mention the name, or a helper or fixture of the file that does."""
    known = {name}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    grown = True
    while grown:
        more = {node.name for node in functions if not node.name.startswith("test") and _names(node) & known}
        grown = not more <= known
        known |= more
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and _names(node) & known:
            yield node.name
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test") and _names(inner) & known:
                    yield f"{node.name}::{inner.name}"


def _names(node: ast.FunctionDef) -> set[str]:
    """Return names and attributes used in a function, and its parameters, which may be fixtures."""
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    used |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    return used | {argument.arg for argument in node.args.args}
