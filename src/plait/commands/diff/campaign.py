"""One comparison of two versions: analysis, search and explanation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from plait.commands.budget import Budget
from plait.commands.check.evidence import Alone, Conclusion
from plait.commands.check.worker import tasks
from plait.commands.diff import runs, worker
from plait.commands.diff.apart import Apart, Broken, ShownViolation
from plait.commands.diff.checks import Checks, Revealed
from plait.commands.diff.command import changed_pairs, readers
from plait.commands.diff.evidence import WorkDone, conclude_diff
from plait.commands.diff.finding import MOST_LISTED, Minimising, bare_finding, difference_finding
from plait.commands.diff.options import DiffOptions
from plait.commands.diff.runs import known_tests
from plait.commands.diff.search import Counts, DiffSearch
from plait.commands.diff.sides import PATIENCE, Sides
from plait.commands.diff.stages import Comparisons
from plait.commands.diff.worker import Generation
from plait.commands.interrupt import Interrupt
from plait.commands.progress import Progress
from plait.errors import UsageError, guarded, own_error
from plait.explore.capp.partition import Aim
from plait.generate.condiff import CommonInterface, common_interface
from plait.judge.difference.filter import Filter
from plait.judge.difference.outcome import View
from plait.judge.difference.words import described, telling_in
from plait.judge.oracle.causes import code_to_mend
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.rules import Rules, may_wait
from plait.judge.words import shown_result
from plait.model.command_results import DiffMore, DiffResult, DiffStats, SequentialRow, no_comparison
from plait.model.counted import counted
from plait.model.finding import Finding
from plait.model.test import Test
from plait.report.reproducer import OUT, write_diff_reproducer
from plait.report.sources import sources
from plait.store.project import Memory
from plait.subject.changes.change import Change, Side, analyse
from plait.subject.changes.impact_analysis import impact_on_both
from plait.subject.versions.version import Version
from plait.workers.pool import WorkerCrashed, WorkerError, WorkerHung

ALONE_S = 20.0  # seconds to call each method alone, if some have never returned
GRACE = 5.0  # seconds for a test that is running when the budget is used up


class DiffCampaign:
    """One comparison of two open versions whose worker processes are running: search and explanation."""

    def __init__(
        self, sides: Sides, options: DiffOptions, old: Version, new: Version, *, interrupt: Interrupt | None = None,
        started: float | None = None, change: Change | None = None, memory: Memory | None = None,
    ) -> None:  # fmt: skip
        self._options = options
        self._sides = sides
        self._labels = {"old": old.label, "new": new.label}
        self._root = new.root if new.kind in ("worktree", "folder") else None
        self._roots = {False: old.root, True: new.root}
        self._started = time.monotonic() if started is None else started
        self._interrupt = interrupt
        self._memory = memory
        # A change-aware search depends on the whole change: its results cannot be reused for another change.
        kept = memory is not None and memory.keeps and options.capp in (None, "none")
        self._comparisons = Comparisons(memory, options, old, new) if memory is not None and kept else None
        self._name = str(options.subject)
        self._change = analyse(options.subject, old, new) if change is None else change
        self._common: CommonInterface | None = None
        self._pairs: tuple[tuple[str, str], ...] = ()
        self._search: DiffSearch | None = None
        self._generation: Generation | None = None
        aim = None if options.capp in (None, "none") else Aim(str(options.capp), impact_on_both(old, new))
        self._checks = Checks(
            sides, gil=options.model == "gil", timed=options.max_tests is None, order=options.schedule, aim=aim
        )
        rules = Rules(nondeterministic=options.nondeterministic)
        self._apart = Apart(sides, (), rules, gil=options.model == "gil")
        self._revealed: list[Revealed | Broken] = []  # new behaviour comes first
        self.minimal: Revealed | ShownViolation | None = None  # the first of these, minimised
        self._found_s: float | None = None
        self._ready_s = 0.0
        self._findings: list[Finding] = []
        self._kept: bool | None = None
        self._outcomes: DiffMore = {}
        self._stopped_by = "budget"
        self._notes: list[str] = list(self._change.notes)

    def run(self) -> DiffResult:
        """Search, explain the findings, and store them; tests that revealed a difference in earlier runs come first."""
        options, memory = self._options, self._memory
        known = {} if memory is None else known_tests(memory)
        wall = None if options.max_tests is not None else options.budget
        budget = Budget(wall, options.max_tests, started=time.monotonic())
        with Progress(f"diff {options.subject}", budget, quiet=options.quiet) as self._progress:
            self._search = search = self._prepared(tuple(known))
            if search is not None:
                new: Revealed | Broken | None = None
                with self._keeping_findings(search):
                    new = search.run()
                self._take(search, new)
        result = self._result()
        # A run with an internal error is not stored as done, so that the next one tries again.
        if memory is not None and not result.own_errors:
            kept_run = partial(runs.keep, memory, options.as_key(), result, known, self._revealing, self._last)
            guarded("remembering", kept_run, result.notes, kept="a later run begins anew")
        result.elapsed_s = time.monotonic() - self._started
        return result

    @property
    def _revealing(self) -> frozenset[Test]:
        """The tests that showed a difference, before they were minimised."""
        return frozenset(self._search.revealing) if self._search is not None and self._revealed else frozenset()

    @property
    def _last(self) -> Test | None:
        """The test that ended the search."""
        return self._revealed[0].test if self._revealed and self._stopped_by == "finding" else None

    def _prepared(self, known: tuple[Test, ...]) -> DiffSearch | None:
        """Return the search, or None if there is nothing to compare. It begins with the ``known`` tests."""
        options = self._options
        try:
            patience = PATIENCE if options.max_tests is not None else min(PATIENCE, options.budget)
            interfaces = self._sides.both(tasks.interface_of, self._name, patience=patience).values()
        except (WorkerCrashed, WorkerHung) as error:
            where = f" at {error.where}" if error.where else ""
            raise UsageError(f"{self._name} cannot be imported: {error.reason}{where}") from None
        self._common = common_interface(*interfaces)
        interface = self._common.interface
        names = [method.name for method in interface.methods if not options.hints.leaves_out(method.name)]
        self._pairs = tuple(changed_pairs(self._change, names))
        self._ready_s = time.monotonic() - self._started
        if options.max_tests is None:
            self._sides.until = self._started + self._ready_s + options.budget + GRACE
        if not self._pairs:
            self._stopped_by = "exhausted"
            return None
        paired = tuple(name for name in names if any(name in pair for pair in self._pairs))
        changed = tuple(one for one, other in self._pairs if one == other)
        generation = Generation(interface, paired, options.seed, options.hints, options.tests, changed=changed)
        made = self._sides.both(worker.objects, generation)
        generation = replace(generation, objects=frozenset.intersection(*made.values()))
        view = View(public=frozenset(names), masked=frozenset(options.nondeterministic))
        self._generation = generation
        search = DiffSearch(
            self._sides, generation, self._pairs, Filter(self._change) if options.filter else None, view,
            readers(probes_of(interface)), self._checks, self._apart, self._over, options.threads, options.max_tests,
            known, self._comparisons, options.budget,
        )  # fmt: skip
        self._apart.probes = search.probes
        self._apart.rules = replace(self._apart.rules, waiting=may_wait(interface))
        return search

    @contextmanager
    def _keeping_findings(self, search: DiffSearch) -> Iterator[None]:
        """Turn an internal error that ends the search into a note if there is a finding, so that it is kept."""
        try:
            yield
        except (UsageError, MemoryError):
            raise
        except Exception as error:
            if search.vanished is None:
                raise
            self._notes.append(own_error("searching", error, kept="the search ended here"))

    def _take(self, search: DiffSearch, new: Revealed | Broken | None) -> None:
        """Explain what the search has found: ``new`` behaviour, and behaviour that only the old version had."""
        self._sides.until = None
        if new is not None:
            self._stopped_by = "finding"
        elif search.exhausted and self._stopped_by == "budget" and not self._late():
            self._stopped_by = "exhausted"
        if search.found_at is not None:
            self._found_s = search.found_at - self._started
        self._revealed = [each for each in (new, search.vanished) if each is not None]
        for each in tuple(self._revealed):
            if isinstance(each, Broken):
                self._explain_broken(each)
            else:
                if each is self._revealed[0] and not self._options.filter:
                    self._kept = self._would_keep(each)
                self._explain(each)

    def _would_keep(self, revealed: Revealed) -> bool:
        """Return whether the filter would have kept the test. It must never discard one that shows a difference."""
        (old, _), (new, _) = self._sides.both(worker.observe_tests, (revealed.test,), revealed.view).values()
        return Filter(self._change).decide(old[0], new[0]).keep

    def _over(self) -> bool:
        if self._search is not None:
            self._progress.show(tests=self._search.counts.tests, executions=self._schedules)
        if self._interrupt is not None and self._interrupt.requested:
            self._stopped_by = "interrupt"
            return True
        counted, most = self._schedules + self._checks.recalled, self._options.max_schedules
        if most is not None and counted >= most:
            return True
        return self._late()

    @property
    def _schedules(self) -> int:
        return self._checks.schedules + self._apart.schedules

    def _late(self) -> bool:
        """Return whether the search has used up its budget.

        Fetching and importing the versions does not count.
        """
        searched = time.monotonic() - self._started - self._ready_s
        return self._options.max_tests is None and searched >= self._options.budget

    def _interrupted(self) -> bool:
        return self._interrupt is not None and self._interrupt.requested

    def _explain(self, revealed: Revealed) -> None:
        if not self._options.explain:
            return
        assert self._search is not None
        counted = (self._checks.checks, self._checks.inconclusive)
        given = frozenset(text for texts in self._options.hints.values.values() for text in texts)
        minimising = Minimising(self._sides, self._checks, given, self._interrupted)
        kept = "the difference is shown with the test as it was found"
        minimal = guarded("minimising", lambda: minimising.minimise(revealed), self._notes, revealed.test, kept)
        minimal = minimal or revealed
        self._checks.checks, self._checks.inconclusive = counted
        finding = self._explained(minimal, tuple(self._search.recent))
        if self._options.reproduce:
            self._reproduce(finding, lambda: self._reproducer(finding, minimal))
        self._keep(finding)
        sources = self._sources(finding)
        if len(self._findings) > 1:
            self._outcomes["sources"] = {**sources, **self._outcomes["sources"]}
            return
        self.minimal = minimal
        probes = [call.expression for call in minimal.view.probes]
        telling = telling_in((*minimal.old.outcomes, *minimal.new.outcomes))
        self._outcomes = {
            "outcomes": {
                name: [described(each, minimal.test, probes, telling) for each in list(explored.outcomes)[:MOST_LISTED]]
                for name, explored in (("old", minimal.old), ("new", minimal.new))
            },
            "outcomes_complete": {"old": minimal.old.exhausted, "new": minimal.new.exhausted},
            "sources": sources,
        }

    def _explained(self, minimal: Revealed, seen: tuple[Test, ...]) -> Finding:
        """Return the finding for a minimal test, without details if it cannot be explained."""

        def explain() -> Finding:
            return difference_finding(
                minimal, self._sides, self._change, self._own_name, seen, self._labels, self._notes
            )

        finding = guarded("explaining", explain, self._notes, minimal.test, "the difference is shown without details")
        return bare_finding(minimal, self._own_name) if finding is None else finding

    def _reproducer(self, finding: Finding, minimal: Revealed) -> str:
        version: Side = "old" if minimal.difference.only_new else "new"
        allowed = minimal.old.outcomes if version == "old" else minimal.new.outcomes
        return write_diff_reproducer(finding, self._name, self._root, minimal.view, allowed=allowed, version=version)

    def _reproduce(self, finding: Finding, write: Callable[[], str]) -> None:
        """Write a regression test; if that fails, the finding is kept without one."""
        try:
            finding.reproducer = write()
        except OSError as error:
            self._notes.append(f"a regression test in {OUT} cannot be written ({error.strerror or error})")
        except Exception as error:
            kept = "the difference has no regression test"
            self._notes.append(own_error("reproducing", error, finding.test, kept))

    def _explain_broken(self, broken: Broken) -> None:
        if not self._options.explain:
            return
        assert self._search is not None
        kept = "the difference is shown with the test as it was found"
        asked = partial(self._apart.minimise, broken, self._interrupted)
        minimal = guarded("minimising", asked, self._notes, broken.test, kept) or broken
        finding = self._apart.finding(minimal, self._own_name, tuple(self._search.recent))
        if finding is None:
            self._revealed.remove(broken)
            self._stopped_by = "budget" if self._stopped_by == "finding" else self._stopped_by
            self._notes.append("a test that broke one version did not do so every time, and is not reported")
            return
        if self._options.reproduce:
            self._reproduce(finding, lambda: self._apart.reproducer(finding, minimal, self._name, self._root))
        sources = {**self._sources(finding), **self._outcomes.get("sources", {})}
        self._outcomes |= {"sources": sources, "rules": self._apart.rules.as_json()}
        self._keep(finding)
        if len(self._findings) == 1:
            self.minimal = ShownViolation(minimal, self._apart.probes, self._apart.rules)

    def _keep(self, finding: Finding) -> None:
        """Add a finding, with the code to mend if the new version needs it."""
        if finding.only_new:
            kept = "the difference does not name the code to mend"
            finding.mend = guarded("grouping", lambda: code_to_mend(finding), self._notes, finding.test, kept) or ""
        self._findings.append(finding)

    @property
    def _own_name(self) -> str:
        return self._options.subject.qualname or self._options.subject.module

    def _sources(self, finding: Finding) -> dict[str, Any]:
        new = bool(finding.only_new)
        changed = self._change.changed_lines("new" if new else "old")
        before = self._roots[False] if new else None

        def read() -> dict[str, Any]:
            return sources(finding.interleaving, self._roots[new], before=before, changed=changed)

        return guarded("reading sources", read, self._notes, finding.test, "the difference is shown without them") or {}

    # -- result -----------------------------------------------------------------------------------------------------

    def _result(self) -> DiffResult:
        """Return the result of the comparison; if combining it fails, return the findings alone."""
        notes: list[str] = []
        whole = guarded(
            "summing up", self._whole_result, notes, kept="the findings are shown without what was compared"
        )
        if whole is not None:
            return whole
        verdict = "difference" if self._revealed else "inconclusive"
        return DiffResult(
            "diff", self._name, verdict, versions=dict(self._labels), seed=self._options.seed,
            model=self._options.model, findings=self._findings, stats={**no_comparison(), "methods": {}},
            stopped_by=self._stopped_by, notes=[*notes, *self._notes],
            more={"changed": [], "added": [], "removed": []}, reason=notes[0],
        )  # fmt: skip

    def _whole_result(self) -> DiffResult:
        options, search = self._options, self._search
        sequential = search.sequential if search is not None else []
        verdict = "difference" if self._revealed else "sequential-difference" if sequential else "none"
        end = Conclusion("", (), {}) if self._generation is None else self._conclusion(verdict, self._generation)
        verdict = "inconclusive" if end.reason else verdict
        if search is not None:
            self._notes += [*search.losses, *search.notes, *search.left_out, *self._checks.notes, *self._apart.notes]
        self._notes += self._common.notes if self._common is not None else []
        if search is not None and search.counts.known:
            self._notes.append(
                f"not explored again: {search.counts.known} of {counted(search.counts.tests, 'test')}, whose code has "
                "not changed since an earlier run"
            )
        if self._checks.inconclusive:
            self._notes.append(f"too large to be compared completely: {counted(self._checks.inconclusive, 'test')}")
        return DiffResult(
            "diff", self._name, verdict, versions=dict(self._labels), seed=options.seed, model=options.model,
            findings=self._findings, stats={**self._stats(), "methods": end.methods},
            stopped_by=self._stopped_by, reason=end.reason,
            notes=list(dict.fromkeys(each for each in (end.reason, *self._notes, *end.notes) if each)),
            more={
                **self._outcomes,
                "sequential": [_sequential(each) for each in sequential], **self._more(),
            },
        )  # fmt: skip

    def _conclusion(self, verdict: str, generation: Generation) -> Conclusion:
        """Return why a search without findings is no evidence, if it is none, and the counts of each method."""
        search, checks = self._search, self._checks
        counts = search.counts if search is not None else Counts()
        paired = dict.fromkeys(name for pair in self._pairs for name in pair)
        sides: list[Alone] = []
        if verdict == "none" and self._stopped_by != "interrupt" and checks.calls.missing(paired):
            with suppress(WorkerError, UsageError):
                asked = self._sides.both(worker.call_alone, self._name, generation, patience=ALONE_S)
                sides = list(asked.values())
        done = WorkDone(
            counts.tests, counts.filtered, counts.known, counts.unchecked, checks.checks, checks.inconclusive,
            checks.lost, checks.diverged, in_time=not self._late(),
            losses=tuple(search.losses) if search is not None else (),
            left_out=tuple(search.left_out) if search is not None else (),
        )  # fmt: skip
        end = conclude_diff(generation.interface, self._pairs, self._change.direct_methods, checks.calls, sides, done)
        return end if verdict == "none" and self._stopped_by != "interrupt" else Conclusion("", (), end.methods)

    def _stats(self) -> DiffStats:
        search, checks = self._search, self._checks
        counts = search.counts if search is not None else None
        drt = None if self._found_s is None else round(self._found_s - self._ready_s, 3)
        return {
            "changed_methods": len(self._change.changed_methods), "changed_pairs": len(self._pairs),
            "tests_generated": counts.tests if counts else 0, "tests_filtered": counts.filtered if counts else 0,
            "tests_known": counts.known if counts else 0, "tests_repeated": counts.repeated if counts else 0,
            "tests_unchecked": counts.unchecked if counts else 0,
            "tests_sequentially_different": counts.sequential if counts else 0, "checks": checks.checks,
            "tests_judged_apart": self._apart.tests,
            "inconclusive": checks.inconclusive, "schedules": self._schedules,
            "generate_s": round(counts.generate_s, 3) if counts else 0.0,
            "filter_s": round(counts.filter_s, 3) if counts else 0.0, "check_s": round(checks.check_s, 3),
            "setup_s": round(self._ready_s, 3), "difference_revealing_s": drt,
        }  # fmt: skip

    def _more(self) -> DiffMore:
        change = self._change
        return {
            "changed": sorted(change.changed_methods),
            "revealing": self._revealed[0].test.as_lines() if self._revealed else None,
            "filter_keeps": self._kept,
            "added": sorted(self._common.added) if self._common else [],
            "removed": sorted(self._common.removed) if self._common else [],
            **({"root": str(self._root)} if self._root is not None else {}),
        }


def _sequential(each: Any) -> SequentialRow:
    found = each.difference
    return {
        "test": {"prefix": [call.source for call in each.test.prefix], "suffixes": each.test.as_lines()["suffixes"]},
        "call": found.call, "old": shown_result(found.old), "new": shown_result(found.new),
    }  # fmt: skip
