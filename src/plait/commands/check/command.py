"""`plait check`: from a class name to thread-safety violations, or to a statement of what was covered.

Streams of tests run in worker processes, chunk by chunk (see `plait.commands.check.worker.stream`). With
``--max-tests``, chunks and findings depend neither on the number of workers nor on the speed of the machine; with a
wall-clock budget only the number of chunks does. The modules of the campaign are imported while the worker processes
start, because both take equally long.
"""

from __future__ import annotations

import argparse
import linecache
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from plait.commands.accepting import apply_baseline, baseline_of, is_new
from plait.commands.budget import LONGEST_IMPORT, Budget
from plait.commands.check.options import DEFAULT_BUDGET, CheckOptions, check_options
from plait.commands.interrupt import Interrupt
from plait.commands.progress import Progress
from plait.commands.releases import opened
from plait.errors import FOUND, INCONCLUSIVE, INTERRUPTED, NOTHING_FOUND, UNUSABLE, guarded
from plait.explore.capp.partition import Aim
from plait.judge.contract import hold_to
from plait.model.command_results import CheckResult
from plait.report.check_text import check_text
from plait.report.publish import publish
from plait.report.sources import name_from, sources, steps_of_finding
from plait.store.baseline import Found
from plait.store.project import Memory, memory_name, remembering
from plait.store.receipts import Receipt
from plait.subject.changes.impact_analysis import impact_between
from plait.subject.changes.units import Program
from plait.subject.contract import Contract, stated_in
from plait.subject.interface.concurrent import mentions_threads
from plait.subject.name import Subject
from plait.subject.source import Module, Source, files_of
from plait.subject.versions.version import Version
from plait.workers.cluster import Cluster, open_workers
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

if TYPE_CHECKING:
    from plait.commands.check.campaign import Campaign

_PARALLEL_S, _PARALLEL_OVERTIME = 60.0, 4.0
"""Seconds for trying findings on parallel threads: at most, and at least if the budget is used up."""


def run_check(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    asked = check_options(options)
    baseline = baseline_of(options)
    receipt: Receipt[CheckResult] = Receipt()
    with Interrupt() as interrupt:
        result = check(asked, interrupt, receipt)
    found = [Found(each, result.subject, "check") for each in result.findings]
    apply_baseline(baseline, options, result, found, [(result.subject, "check")])
    complete = publish(result, options, asked.project)
    if receipt.result is not None and complete:
        kept = receipt.result
        guarded("remembering", lambda: receipt.leave(options, _code(kept), partial(check_text, kept)), [])
    return _code(result) if complete else _code(result) or UNUSABLE  # the requested output could not be written


def _code(result: CheckResult) -> int:
    if result.stopped_by == "interrupt":
        return INTERRUPTED
    if result.findings:
        return FOUND if any(map(is_new, result.findings)) else NOTHING_FOUND
    return INCONCLUSIVE if result.verdict == "inconclusive" or not result.stats["tests"] else NOTHING_FOUND


@contextmanager
def workers_for(
    subject: Subject, version: Version, *, count: int, allow: tuple[str, ...] = (), hook: Path | None = None,
    cluster: Cluster | None = None, tests: Path | None = None, rewritten: bool = True,
    import_s: float = LONGEST_IMPORT,
) -> Iterator[Workers]:  # fmt: skip
    """Start worker processes that have one version of the subject, and can import the user's hook file."""
    spec = WorkerSpec(
        module=subject.module, qualname=subject.qualname, file=subject.file if version.kind == "worktree" else None,
        roots=(version.root, *([hook.resolve().parent] if hook is not None else ())), paths=tuple(version.extra),
        allow=frozenset(allow), rewritten=rewritten, load_timeout=import_s,
    )  # fmt: skip
    with open_workers(spec, count, cluster, tests) as workers:
        yield workers


def check(
    options: CheckOptions, interrupt: Interrupt | None = None, receipt: Receipt[CheckResult] | None = None
) -> CheckResult:
    """Look for violations until the budget is used up; if nothing has changed since an earlier run, only replay."""
    budget = Budget.of(options.budget, options.max_tests, options.max_schedules, default=DEFAULT_BUDGET)
    asked = budget.started
    with (
        _version(options) as version,
        remembering(
            options.store, memory_name("check", options.kept_as, options.project), options.subject, (version,),
            options.hook, options.tests, fresh=options.fresh, findings_only=options.capp not in (None, "none"),
        ) as memory,
        Progress(f"check {options.name}", budget, quiet=options.quiet) as progress,
    ):  # fmt: skip
        options = _promised(options, version)
        budget.started = time.monotonic()  # fetching a release does not count: the budget is for the search
        if options.order == "native":
            result = _native(options, version, budget, interrupt)
        else:
            aim = _aim(options, version)

            @cache
            def begin() -> Campaign:
                from plait.commands.check.campaign import Campaign  # noqa: PLC0415 - see above

                return Campaign(options, budget, memory, interrupt, progress, aim)

            known = _again(options, version, budget, memory, begin)
            if known is None:
                # The processes start first; the modules of the campaign are imported meanwhile.
                with _workers(options, version, budget, options.workers) as workers, begin().keeping_findings():
                    begin().run(workers)
                result = _remembered(begin(), options, memory)
            else:
                result = known
            if receipt is not None and not memory.known():  # a known finding has to be replayed in every run
                again = known or _again(options, version, budget, memory, begin)
                receipt.note(
                    again and _placed(again, version, options.subject), memory, options.store, options.subject,
                    ((options.at, version),), options.hook, options.tests,
                )  # fmt: skip
        if result.findings and result.stopped_by != "interrupt" and sysconfig.get_config_var("Py_GIL_DISABLED"):
            guarded(
                "trying parallel threads", lambda: _in_parallel(result, options, version, budget, memory, interrupt),
                result.notes,
            )  # fmt: skip
        _placed(result, version, options.subject)
        hold_to(result, options.hints.contract)
    result.elapsed_s = time.monotonic() - asked
    return result


def _promised(options: CheckOptions, version: Version) -> CheckOptions:
    """Return the options with the contract that docstrings state, except where the settings state another one."""
    module, qualname = _home(options.subject, version)
    stated = stated_in(module, qualname) if module is not None else Contract()
    given = options.hints.contract
    if not stated:
        return options
    levels, source = {**stated.levels, **given.levels}, given.source or stated.source
    return replace(options, hints=replace(options.hints, contract=Contract(levels, source)))


def _home(subject: Subject, version: Version) -> tuple[Module | None, str]:
    """Return the module that defines the class, and its name there, if the subject only re-exports it."""
    source = Source(version.root, package=subject.module.partition(".")[0])
    module = source.module(subject.module)
    if module is None or not subject.qualname:
        return module, subject.qualname
    found = Program(source, subject.module).classes_named(module, subject.qualname)
    return (source.module(found[0].module), found[0].name) if found else (module, subject.qualname)


def _version(options: CheckOptions) -> AbstractContextManager[Version]:
    """Return the version to check: opened already, or to be opened here."""
    if options.version is not None:
        return nullcontext(options.version)
    return opened(options.at, project=options.project, subject=options.subject, allow=options.allow)


def _placed(result: CheckResult, version: Version, subject: Subject) -> CheckResult:
    """Add to the result where its code is, and return it."""
    result.versions = {"at": version.label}
    linecache.checkcache()
    name_from(version.root, result.findings)
    result.more["sources"] = sources(steps_of_finding(result.findings), version.root)
    if version.kind in ("worktree", "folder"):
        result.more["root"] = str(version.root)
    if result.findings:
        claims = guarded("reading documents", lambda: _claims(subject, version), result.notes)
        result.more["mentions_threads"] = claims is not False
    return result


def _claims(subject: Subject, version: Version) -> bool:
    """Return whether the code or the documentation of a subject mentions threads."""
    named = [Path(each) for each in files_of(version.root, subject.module)] if subject.file is None else [subject.file]
    module, _qualname = _home(subject, version)
    if module is not None and module.is_own:
        named.append(version.root / module.file)
    files = [each for each in named if each.is_file()]
    return mentions_threads(files, version.root, subject.module.partition(".")[0])


def _aim(options: CheckOptions, version: Version) -> Aim | None:
    """Return the changed code at which executions preempt first; None without ``--capp``."""
    if options.capp in (None, "none"):
        return None
    with opened(options.old, project=options.project, subject=options.subject, allow=options.allow) as old:
        return Aim(str(options.capp), impact_between(old, version))


def _workers(
    options: CheckOptions, version: Version, budget: Budget, count: int, *, rewritten: bool = True
) -> AbstractContextManager[Workers]:
    return workers_for(
        options.subject, version, count=count, allow=options.allow, hook=options.hook, cluster=options.cluster,
        tests=options.tests, rewritten=rewritten, import_s=budget.import_s,
    )  # fmt: skip


def _native(options: CheckOptions, version: Version, budget: Budget, interrupt: Interrupt | None) -> CheckResult:
    """Check on OS threads. Nothing is stored, because another run would have another result."""
    with (
        _workers(options, version, budget, options.workers, rewritten=False) as native,
        _workers(options, version, budget, 1) as controlled,
    ):
        from plait.commands.check.native import NativeCampaign  # noqa: PLC0415 - see above

        campaign = NativeCampaign(options, budget, native, controlled, interrupt)
        campaign.run()
    return campaign.result()


def _in_parallel(
    result: CheckResult, options: CheckOptions, version: Version, budget: Budget, memory: Memory,
    interrupt: Interrupt | None,
) -> None:  # fmt: skip
    """Add to each finding whether threads that really run in parallel show it."""
    from plait.commands.check.parallel import see_in_parallel  # noqa: PLC0415 - see above

    # A limit of tests leaves time unlimited.
    deadline = time.monotonic() + min(_PARALLEL_S, max(budget.left, _PARALLEL_OVERTIME))

    def over() -> bool:
        return time.monotonic() > deadline or (interrupt is not None and interrupt.requested)

    with (
        _workers(options, version, budget, 1, rewritten=False) as native,
        _workers(options, version, budget, 1) as controlled,
    ):
        result.notes += see_in_parallel(
            result.findings, options.name, options.rules, controlled, native, memory, over, fresh=options.fresh
        )


def _remembered(campaign: Campaign, options: CheckOptions, memory: Memory) -> CheckResult:
    """Return the result of a finished search, and store it for the next run."""
    result = campaign.result()
    # A run with an internal error is not stored as done, so that the next one tries again.
    if result.stopped_by != "interrupt" and not result.own_errors:
        guarded("remembering", lambda: _keep(result, campaign, options, memory), result.notes)
    return result


def _keep(result: CheckResult, campaign: Campaign, options: CheckOptions, memory: Memory) -> None:
    """Store the result and coverage of the run."""
    from plait.commands.check.known import content_of  # noqa: PLC0415 - see above

    memory.keep_run(options.as_key(), content_of(result, campaign.replays, time.time()))
    memory.keep_coverage({" | ".join(row["methods"]): row["covered"] for row in result.more["pairs"]})


def _again(
    options: CheckOptions, version: Version, budget: Budget, memory: Memory, begin: Callable[[], Campaign]
) -> CheckResult | None:
    """Return the stored result of the same run of the same code, if its findings still replay; otherwise None."""
    content = memory.run(options.as_key())
    if content is None:
        return None
    if memory.known():
        with _workers(options, version, budget, 1) as workers:
            begin().replay(workers)
    from plait.commands.check.known import result_of_known  # noqa: PLC0415 - see above

    return result_of_known(content, options.name, options.seed, options.model, begin().replays)
