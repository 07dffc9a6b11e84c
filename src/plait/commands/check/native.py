"""`plait check --schedule native`: runs each test once on OS threads, as CovCon and ConTeGe do.

The operating system chooses the schedules. So a search without findings is weak evidence, and no two searches are
alike. A violation is searched again under control, which gives the finding its interleaving; if that fails, the
violation is reported as observed.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, Any

from plait.commands.check.worker.native import (
    Cause,
    NativeOptions,
    NativeSearch,
    cause_of,
    explain_shown,
    native_search,
)
from plait.model.command_results import CheckMore, CheckResult, CheckStats
from plait.model.finding import Finding
from plait.model.test import Test
from plait.workers.failures import WorkerCrashed, WorkerHung

if TYPE_CHECKING:
    from plait.commands.budget import Budget
    from plait.commands.check.options import CheckOptions
    from plait.commands.interrupt import Interrupt
    from plait.workers.pool import Workers

_ROUND = 6.0  # seconds for one search; then another one starts with another seed
GRACE = 4.0  # seconds for running searches after the budget is used up
_EXPLAIN = 90.0  # seconds for finding one violation again under control
_SPREAD = 7919  # difference between the seeds of two searches


class NativeCampaign:
    """Runs searches in ``native`` workers and explanations in ``controlled`` ones, until the budget is used up."""

    def __init__(
        self, options: CheckOptions, budget: Budget, native: Workers, controlled: Workers, interrupt: Interrupt | None
    ) -> None:
        self._options = options
        self._native = native
        self._controlled = controlled
        self._budget = budget
        self._interrupt = interrupt
        self._name = options.name
        self._known: set[Cause] = set()
        self._findings: list[Finding] = []
        self._pairs: dict[tuple[str, ...], tuple[int, int]] = {}
        self._tests = 0
        self._first: tuple[float, int] | None = None
        self._searches = 0
        self._notes: list[str] = []

    def run(self) -> None:
        """Search and explain until the budget is used up."""
        running = {self._search() for _ in range(self._native.count)}
        explaining: dict[Future[Any], tuple[Test, str]] = {}
        while running or explaining:
            done, _ = wait({*running, *explaining}, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in done:
                if future in explaining:
                    self._explained(future, *explaining.pop(future))
                    continue
                running.discard(future)
                violation = self._searched(future)
                if violation is not None:
                    explaining[self._explain(*violation)] = violation
                if not self._over():
                    running.add(self._search())
            if self._over() and running:
                late = wait(running, timeout=GRACE).not_done
                running -= late
                for future in late:
                    future.cancel()
            if self._interrupt is not None and self._interrupt.requested:
                break

    def _over(self) -> bool:
        if self._interrupt is not None and self._interrupt.requested:
            return True
        return self._budget.is_over(tests=self._tests, schedules=self._tests)

    def _search(self) -> Future[Any]:
        options = self._options
        limits = [limit for limit in (options.max_tests, options.max_schedules) if limit is not None]
        tests = max(1, min(limits) - self._tests) if limits else None
        asked = NativeOptions(
            options.generate, options.seed + _SPREAD * self._searches, options.threads, tests, frozenset(self._known)
        )
        self._searches += 1
        seconds = max(0.5, min(_ROUND, self._budget.left))
        return self._native.submit(
            native_search, self._name, asked, options.hints, options.tests, seconds, timeout=seconds + 60.0
        )

    def _searched(self, future: Future[Any]) -> tuple[Test, str] | None:
        try:
            found: NativeSearch = future.result().value
        except (WorkerCrashed, WorkerHung) as error:
            self._notes.append(f"a search ended early: {error.reason}")
            return None
        self._tests += found.tests
        for row in found.pairs:
            tried, covered = self._pairs.get(tuple(row["methods"]), (0, 0))
            self._pairs[tuple(row["methods"])] = (tried + row["tried"], covered + row["covered"])
        if found.test is None or found.shown is None or cause_of(found.test, found.shown) in self._known:
            return None
        self._known.add(cause_of(found.test, found.shown))
        self._first = self._first or (round(self._budget.elapsed, 2), self._tests)
        return found.test, found.shown

    def _explain(self, test: Test, shown: str) -> Future[Any]:
        subject = self._options.subject.qualname.rpartition(".")[2] or self._options.subject.module
        return self._controlled.submit(
            explain_shown, self._name, subject, test, shown, self._options.rules, timeout=_EXPLAIN
        )

    def _explained(self, future: Future[Any], test: Test, shown: str) -> None:
        try:
            finding = future.result().value
        except (WorkerCrashed, WorkerHung):
            finding = None
        if finding is None:
            finding = _as_seen(self._name, test, shown)
        if all(finding.summary != known.summary for known in self._findings):
            self._findings.append(finding)

    def result(self) -> CheckResult:
        """Return what was found and covered."""
        options = self._options
        elapsed = max(self._budget.elapsed, 1e-9)
        covered = sum(done > 0 for _tried, done in self._pairs.values())
        interrupted = self._interrupt is not None and self._interrupt.requested
        stats: CheckStats = {
            "tests": self._tests, "schedules": self._tests, "executions_per_s": round(self._tests / elapsed, 1),
            "method_pairs": len(self._pairs), "method_pairs_covered": covered,
            "iroots_discovered": 0, "iroots_exposed": 0, "profiles": 0, "active_tests": 0,
            "seconds_to_first": self._first and self._first[0], "tests_to_first": self._first and self._first[1],
        }  # fmt: skip
        more: CheckMore = {
            "pairs": [
                {"methods": list(pair), "tried": tried, "covered": done}
                for pair, (tried, done) in sorted(self._pairs.items())
            ],
            "coverage_over_time": [], "rules": options.rules.as_json(), "probes": [],
        }  # fmt: skip
        self._notes.append(
            "executions on OS threads are not controlled: another run may find more or less, and only exceptions and "
            "deadlocks count as in the paper"
        )
        return CheckResult(
            "check", self._name, "violation" if self._findings else "none", seed=options.seed, model=options.model,
            findings=self._findings, stats=stats, stopped_by="interrupt" if interrupted else "budget",
            notes=list(dict.fromkeys(self._notes)), more=more,
        )  # fmt: skip


def _as_seen(name: str, test: Test, shown: str) -> Finding:
    """Return the finding for a violation that was observed on OS threads but not found again under control."""
    subject = name.rpartition(":")[2].rpartition(".")[2]
    methods = sorted({call.method for call in test.calls})
    what = "wait for each other" if shown == "deadlock" else f"raise {shown}"
    listed = " and ".join(f"`{method}`" for method in methods)
    return Finding(
        "deadlock" if shown == "deadlock" else "exception",
        f"{subject}: {listed} at the same time can {what}: seen on OS threads, and in no schedule tried under control",
        sorted({f"{subject}.{name}" for call in test.calls for name in call.methods}),
        test=test, exception=None if shown == "deadlock" else shown, confirmed_on_threads=True,
    )  # fmt: skip
