"""The proof of a mend: what must hold before it is offered.

A candidate is applied to a copy of the project. It must pass these stages:

1. No schedule of the finding's test shows a violation any more.
2. Calls that run one after another have the same results as before.
3. A new `plait check` finds neither this cause, nor anything that the original does not show as well.
4. The project's own tests that passed still pass.
5. The second look: longer checks with other seeds, with three threads if calls wait, and a comparison with the original
   (`plait diff`), whose tests aim at the changed methods.

Finally, the cost of the mend is measured.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from plait.commands.budget import LONGEST_IMPORT
from plait.commands.check.command import check, workers_for
from plait.commands.check.options import CheckOptions
from plait.commands.check.worker.stream import StreamOptions
from plait.commands.check.worker.tasks import interface_of
from plait.commands.diff.command import diff
from plait.commands.diff.options import DiffOptions
from plait.commands.fix.copies import ProjectCopy
from plait.commands.fix.owntests import SuiteRun, files_about, run_tests
from plait.commands.fix.worker import (
    FixOrder,
    InOrder,
    explore_to_bound,
    first_difference,
    in_order,
    seen_again,
    violation_of,
    written_tests,
)
from plait.commands.interrupt import Interrupt
from plait.commands.perf.command import PerfOptions, compare_speed
from plait.errors import PlaitBugError, UsageError
from plait.generate.catalogue import Hints
from plait.judge.oracle.rules import Rules, may_wait
from plait.model.command_results import CheckResult
from plait.model.finding import Finding
from plait.model.fingerprint import fingerprint_of
from plait.model.test import Test
from plait.subject.mend.candidates import Mend
from plait.subject.mend.clues import clues_of
from plait.subject.name import Subject
from plait.workers.failures import WorkerError
from plait.workers.pool import Workers

TASK_S = 120.0  # seconds for one task of a worker
_STALL_S = 20.0
COMPARED = 40  # tests whose calls run one after another in both versions
_LEAST_S, _MOST_S = 5.0, 60.0  # of one check, which gets a twelfth of the budget; in the second look, twice as much
AGAIN = 100  # tests at least in each check of the second look, where tests bound it
_TESTS_S = 120.0  # for the project's own tests
_LEAST_PERF_S, _PERF_S = 2.0, 20.0
PROVEN, REJECTED, NOT_PROVEN, NOT_TRIED = "proven", "rejected", "not proven", "not tried"


@dataclass(slots=True)
class ProofLimits:
    """The limits of a proof: for each check, and seconds for the measurement (0: none)."""

    check_s: float | None = 20.0
    max_tests: int | None = None
    perf_s: float = _PERF_S
    tests_s: float = _TESTS_S
    compared: int = COMPARED  # tests whose calls run one after another
    again_tests: int = AGAIN

    @classmethod
    def of(cls, budget: float, max_tests: int | None) -> ProofLimits:
        """Return what a budget leaves for each part; a number of tests bounds checks instead."""
        check_s = min(_MOST_S, max(_LEAST_S, budget / 12))
        return cls(None if max_tests is not None else check_s, max_tests, min(_PERF_S, max(_LEAST_PERF_S, budget / 12)))

    @property
    def again(self) -> ProofLimits:
        """The limits of each check of the second look."""
        seconds = None if self.check_s is None else min(_MOST_S, 2 * self.check_s)
        tests = None if self.max_tests is None else max(self.max_tests, self.again_tests)
        return replace(self, check_s=seconds, max_tests=tests)


class CheckRound(NamedTuple):
    """One check of a candidate: with which seed, how many threads, and without which methods."""

    seed: int
    threads: int = 2
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class MendTrial:
    """One candidate, its result and the reason."""

    mend: Mend
    verdict: str = NOT_TRIED
    reason: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """Findings that a fresh check still had, and the original as well."""
        looks = (self.evidence.get(name, {}) for name in ("checked", "checked_again"))
        return max(len(look.get("as_before", ())) for look in looks)

    def as_json(self, number: int) -> dict[str, Any]:
        """Return plain data."""
        lines, all_lines = self.mend.size
        return {
            "number": number, "title": self.mend.title, "family": self.mend.family, "file": self.mend.file,
            "size": lines, "lines": all_lines, "verdict": self.verdict, "reason": self.reason,
            "evidence": self.evidence,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Counterexample:
    """A test that a mend must not fail: it has shown the fault in another way, or a fault that a candidate brought."""

    order: FixOrder
    is_new: bool = False


@dataclass(slots=True)
class MendSetting:
    """The data that all candidates of a finding share."""

    subject: Subject
    name: str  # as users write it
    order: FixOrder
    finding: Finding
    original: ProjectCopy
    mended: ProjectCopy
    seed: int = 0
    model: str = "both"
    workers: int = 1
    allow: tuple[str, ...] = ()
    hints: Hints = field(default_factory=Hints)
    rules: Rules = field(default_factory=Rules)
    hook: Path | None = None
    values: Path | None = None  # the project's tests, read for values
    unrelated: tuple[str, ...] = ()  # methods that have nothing to do with the finding
    others: tuple[FixOrder, ...] = ()  # further findings of the file, which may be of the same cause


class Prover:
    """Proves candidates one by one, each in a copy of its own."""

    def __init__(
        self, setting: MendSetting, limits: ProofLimits, interrupt: Interrupt | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._setting = setting
        self._limits = limits
        self._interrupt = interrupt
        self._say = say
        self._tests: list[Test] = []
        self._unrelated: tuple[str, ...] = ()
        self._counterexamples = [_Counterexample(each) for each in setting.others]
        self._before: list[InOrder] = []
        self._suite: list[Path] = []
        self._suite_before = SuiteRun()
        self._waits = False  # whether calls of the class wait

    @contextlib.contextmanager
    def _workers(self, copy: ProjectCopy) -> Iterator[Workers]:
        setting = self._setting
        with workers_for(
            setting.subject, copy.version, count=1, allow=setting.allow, hook=setting.hook, tests=setting.values,
            import_s=LONGEST_IMPORT,
        ) as workers:  # fmt: skip
            yield workers

    @staticmethod
    def _ask(workers: Workers, task: Callable[..., Any], *args: Any) -> Any:
        return workers.attempt(task, *args, timeout=TASK_S, stall=_STALL_S).result().value

    def prepare(self) -> None:
        """See what calls give in the original, one after another, and which of the project's tests pass there."""
        setting = self._setting
        test = setting.finding.test
        assert test is not None
        asked = StreamOptions(setting.order.subject, seed=setting.seed, rules=setting.rules)
        self._say("looking at the original")
        with self._workers(setting.original) as workers:
            try:
                more = self._ask(
                    workers, written_tests, setting.name, asked, setting.hints, setting.values, self._limits.compared
                )
            except WorkerError:
                more = []
            self._tests = [test, *more]
            interface = self._ask(workers, interface_of, setting.name)
            methods = [each.name for each in interface.methods]
            self._waits = bool(may_wait(interface))
            self._unrelated = tuple(each for each in setting.unrelated if each in methods)
            self._before = self._ask(workers, in_order, setting.order, self._tests)
        base = setting.original.base
        self._suite = [file.relative_to(base) for file in files_about(setting.subject, base)]
        if self._suite:
            self._say("running the project's tests")
            self._suite_before = self._run_suite(setting.original)

    def _run_suite(self, copy: ProjectCopy) -> SuiteRun:
        files = [copy.base / file for file in self._suite]
        version, allow = copy.version, self._setting.allow
        return run_tests(files, copy.base, version.root, version.extra, allow, self._limits.tests_s)

    def prove(self, mend: Mend) -> MendTrial:
        """Return the trial of one candidate."""
        trial = MendTrial(mend)
        self._setting.mended.apply(mend)
        try:
            for stage in (
                self._explore, self._compare, self._check, self._own_tests, self._check_again, self._no_new_behaviour,
            ):  # fmt: skip
                if not stage(trial):
                    return trial
                if self._interrupt is not None and self._interrupt.requested:
                    trial.verdict, trial.reason = NOT_PROVEN, "interrupted"
                    return trial
            trial.verdict = PROVEN
        except WorkerError as error:
            trial.verdict, trial.reason = REJECTED, f"its process ended: {error.reason}"
        except UsageError as error:
            trial.verdict, trial.reason = REJECTED, str(error)
        except PlaitBugError as error:
            trial.verdict, trial.reason = NOT_PROVEN, str(error).splitlines()[0]
        finally:
            self._setting.mended.undo(mend)
        return trial

    def _explore(self, trial: MendTrial) -> bool:
        setting = self._setting
        self._say(f"exploring: {trial.mend.title}")
        with self._workers(setting.mended) as workers:
            seen = self._ask(workers, explore_to_bound, setting.order, setting.finding.preemptions)
            if seen.shown:
                trial.verdict, trial.reason = REJECTED, f"its test does not pass: {seen.shown}"
                return False
            trial.evidence["explored"] = {"schedules": seen.executions, "claim": seen.claim}
            if not seen.claim:
                trial.verdict, trial.reason = NOT_PROVEN, "its test has too many schedules to see all of them"
                return False
            if not self._passes(workers, trial):
                return False
            after = self._ask(workers, in_order, setting.order, self._tests)
        trial.evidence["compared"] = self._same(after)
        return True

    def _passes(self, workers: Workers, trial: MendTrial) -> bool:
        """Try the tests that other candidates, or the original, have failed: a check would need long to meet them."""
        setting = self._setting
        for each in self._counterexamples:
            found: Finding | None = self._ask(workers, seen_again, each.order)
            if found is not None and (each.is_new or same_fault(found, setting.finding, setting.name)):
                said = "it brings a new fault" if each.is_new else "another test shows the same fault"
                trial.verdict, trial.reason = REJECTED, f"{said}: {found.summary}"
                return False
        return True

    def _fails(self, trial: MendTrial, finding: Finding, *, is_new: bool) -> None:
        said = "it brings a new fault" if is_new else "a fresh check meets the same fault"
        trial.verdict, trial.reason = REJECTED, f"{said}: {finding.summary}"
        if finding.test is not None and finding.schedule is not None:
            self._counterexamples.append(_Counterexample(self._order_of(finding), is_new))

    def _order_of(self, finding: Finding) -> FixOrder:
        assert finding.test is not None
        assert finding.schedule is not None
        order = self._setting.order
        replay = replace(order.replay, test=finding.test, schedule=finding.schedule, foreign=())
        return replace(order, replay=replay, kind=finding.kind, exception=finding.exception)

    def _same(self, after: list[InOrder]) -> dict[str, Any]:
        found = [
            difference
            for test, one, other in zip(self._tests, self._before, after, strict=False)
            if (difference := first_difference(one, other, [call.source for call in test.calls])) is not None
        ]
        usable = sum(one.complete and other.complete for one, other in zip(self._before, after, strict=False))
        return {"tests": usable, "differences": found[:3]}

    def _compare(self, trial: MendTrial) -> bool:
        differences = trial.evidence["compared"]["differences"]
        if differences:
            trial.verdict, trial.reason = REJECTED, f"it does something else: {differences[0]}"
        return not differences

    def _check(self, trial: MendTrial) -> bool:
        """Check the methods that have to do with the finding, where these are not all, then the whole class."""
        self._say(f"checking: {trial.mend.title}")
        setting = self._setting
        told = _nothing_told()
        for left_out in dict.fromkeys((self._unrelated, ())):
            first = CheckRound(setting.seed, left_out=left_out)
            if not self._only_as_before(trial, self._checked(first, self._limits), told):
                return False
        trial.evidence["checked"] = told
        if not told["tests"]:
            trial.verdict, trial.reason = NOT_PROVEN, "the check could not run a test within its budget"
            return False
        return True

    def _only_as_before(self, trial: MendTrial, result: CheckResult, told: dict[str, Any]) -> bool:
        """Return whether a check found nothing that the mend should have removed or introduced; record the rest."""
        setting = self._setting
        for finding in result.findings:
            is_same = same_fault(finding, setting.finding, setting.name)
            if is_same or not self._was_there(finding):
                self._fails(trial, finding, is_new=not is_same)
                return False
            if finding.summary not in told["as_before"]:
                told["as_before"].append(finding.summary)
        told["tests"] += result.stats.get("tests", 0)
        told["schedules"] += result.stats.get("schedules", 0)
        told["seconds"] = round(told["seconds"] + result.elapsed_s, 1)
        told["verdict"] = "violation" if told["as_before"] else result.verdict
        return True

    def second_checks(self) -> list[CheckRound]:
        """Return the checks of the second look: other tests around what changed, of everything, and more threads."""
        seed = self._setting.seed
        found = [CheckRound(seed + 1, left_out=self._unrelated), CheckRound(seed), CheckRound(seed + 2)]
        if self._waits or self._setting.finding.kind in ("deadlock", "hang"):
            found.insert(1, CheckRound(seed + 3, threads=3, left_out=self._unrelated))
        return found

    def _check_again(self, trial: MendTrial) -> bool:
        """Check with new tests: a mend that fails only in these does not hold either."""
        self._say(f"checking again: {trial.mend.title}")
        told = _nothing_told()
        told["threads"] = 2
        told["seeds"] = []
        for each in self.second_checks():
            if not self._only_as_before(trial, self._checked(each, self._limits.again), told):
                return False
            told["threads"] = max(told["threads"], each.threads)
            told["seeds"].append(each.seed)
            if self._interrupt is not None and self._interrupt.requested:
                break
        trial.evidence["checked_again"] = told
        return True

    def _no_new_behaviour(self, trial: MendTrial) -> bool:
        """Compare with the original: an outcome that only the mend has must be one of its whole calls."""
        self._say(f"comparing with the original: {trial.mend.title}")
        setting, limits = self._setting, self._limits.again
        versions = (setting.original.version, setting.mended.version)
        asked = DiffOptions(
            setting.subject, *(f"dir:{each.root}" for each in versions), project=setting.mended.base,
            budget=limits.check_s or TASK_S, max_tests=limits.max_tests, seed=setting.seed, model=setting.model,
            workers=setting.workers, allow=setting.allow, hints=setting.hints, hook=setting.hook, tests=setting.values,
            nondeterministic=setting.rules.nondeterministic, reproduce=False, versions=versions,
        )  # fmt: skip
        result = diff(asked, self._interrupt)
        new = [each for each in result.findings if each.only_new and each.test is not None]
        for finding in new:
            assert finding.test is not None
            order = setting.order
            asked_again = replace(order, replay=replace(order.replay, test=finding.test, foreign=()), kind="")
            with self._workers(setting.mended) as workers:
                shown = self._ask(workers, violation_of, asked_again)
            # Calls that waited for ever come further now, to faults that were there behind them: as in a check, only a
            # test in which the original showed nothing can blame the mend.
            if shown is not None and not self._shows_something(asked_again):
                trial.verdict, trial.reason = REJECTED, f"it brings a new fault: {finding.summary}"
                return False
        counts = {"tests": result.stats["checks"], "schedules": result.stats["schedules"], "new": len(new)}
        trial.evidence["behaviour"] = counts
        return True

    def _checked(self, each: CheckRound, limits: ProofLimits) -> CheckResult:
        setting = self._setting
        copy = setting.mended
        hints = replace(setting.hints, exclude=(*setting.hints.exclude, *each.left_out))
        return check(
            CheckOptions(
                setting.subject, f"dir:{copy.version.root}", project=copy.base, seed=each.seed, threads=each.threads,
                budget=limits.check_s, max_tests=limits.max_tests, model=setting.model, workers=setting.workers,
                allow=setting.allow, hints=hints, rules=setting.rules, hook=setting.hook, tests=setting.values,
                version=copy.version,
            ),
            self._interrupt,
        )  # fmt: skip

    def _was_there(self, finding: Finding) -> bool:
        """Return whether the original shows the same in the same test: only what it does not is the mend's doing."""
        if finding.test is None or finding.schedule is None:
            return False
        return self._shows_something(self._order_of(finding))

    def _shows_something(self, order: FixOrder) -> bool:
        """Return whether the original shows a violation in a test, of the kind that the order names if it names one."""
        with self._workers(self._setting.original) as workers:
            shown = self._ask(workers, violation_of, order)
        return shown is not None

    def _own_tests(self, trial: MendTrial) -> bool:
        before = self._suite_before
        if not self._suite:
            trial.evidence["own_tests"] = {"files": 0, "reason": "the project has none that name the class"}
            return True
        if before.reason:
            trial.evidence["own_tests"] = {"files": len(self._suite), "reason": f"not run: {before.reason}"}
            return True
        self._say(f"running the project's tests: {trial.mend.title}")
        after = self._run_suite(self._setting.mended)
        broken = sorted(after.failed - before.failed)
        trial.evidence["own_tests"] = {
            "files": len(self._suite),
            "passed": after.passed,
            "failed_before": len(before.failed),
            "broken": broken[:5],
        }
        if after.reason or broken:
            said = after.reason or f"{broken[0]} fails"
            trial.verdict, trial.reason = REJECTED, f"the project's tests do not pass any more: {said}"
            return False
        return True

    def measure(self, trial: MendTrial) -> None:
        """Say in a trial what its mend costs when several threads call, as a ratio, or why that cannot be measured."""
        if self._limits.perf_s <= 0:
            trial.evidence["cost"] = {"ratio": None, "reason": "not measured"}
            return
        self._say(f"measuring: {trial.mend.title}")
        self._setting.mended.apply(trial.mend)
        try:
            self._measure(trial, self._limits.perf_s)
        finally:
            self._setting.mended.undo(trial.mend)

    def _measure(self, trial: MendTrial, seconds: float) -> None:
        setting = self._setting
        old, new = setting.original.version, setting.mended.version
        hook = () if setting.hook is None else (setting.hook.parent.resolve(),)
        try:
            found = compare_speed(
                PerfOptions(
                    setting.name, f"dir:{old.root}", f"dir:{new.root}", project=setting.mended.base, budget=seconds,
                    seed=setting.seed, max_tests=2, curve=(), allow=setting.allow, hints=setting.hints,
                    imports=(*new.extra, *hook), tests=setting.values,
                ),
                lambda: self._interrupt is not None and self._interrupt.requested,
            )  # fmt: skip
        except (UsageError, Exception) as error:  # a mend that holds is offered without its price
            trial.evidence["cost"] = {"ratio": None, "reason": " ".join(str(error).split())[:200]}
            return
        ratio = found.speedup if found.verdict != "inconclusive" else None
        reason = "" if ratio else found.reason or "no test could be measured"
        trial.evidence["cost"] = {"ratio": round(1 / ratio, 3) if ratio else None, "reason": reason}


def _nothing_told() -> dict[str, Any]:
    return {"tests": 0, "schedules": 0, "verdict": "none", "seconds": 0.0, "as_before": []}


def same_fault(finding: Finding, other: Finding, subject: str) -> bool:
    """Return whether two findings are of one cause: the same code interrupted, or the same methods stuck.

    The symptom does not matter: code that is not atomic may raise in one schedule and return a wrong result in another.
    """
    if fingerprint_of(finding, subject) == fingerprint_of(other, subject):
        return True
    if finding.gap is not None and other.gap is not None:
        shared = set(clues_of(finding).attributes) & set(clues_of(other).attributes)
        return bool(shared) and finding.gap.function == other.gap.function
    stuck = finding.kind == other.kind and finding.kind in ("deadlock", "hang")
    return stuck and set(finding.methods) == set(other.methods)
