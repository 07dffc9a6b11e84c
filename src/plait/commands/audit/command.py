"""`plait audit`: gives every public class and function of a package a verdict with its evidence.

The source is read first: it says which classes there are, what threads may share, and so where to spend the budget (see
`plait.commands.audit.plan`). Then each class, and the functions of each module together, are checked as by
`plait check`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from plait.commands.accepting import apply_baseline, baseline_of, is_new
from plait.commands.audit.package import claims_of
from plait.commands.audit.plan import ENDLESS, Plan, Planned, plan_of
from plait.commands.budget import LONGEST_IMPORT, Budget
from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.commands.interrupt import Interrupt
from plait.commands.options import SearchOptions, clock_or_steps
from plait.commands.progress import duration, terminal_line
from plait.commands.releases import cache_root
from plait.config import Config
from plait.errors import (
    FOUND,
    INCONCLUSIVE,
    INTERRUPTED,
    NO_ANSWER,
    NO_METHODS,
    NOTHING_FOUND,
    UNUSABLE,
    UsageError,
    own_error,
)
from plait.judge.audit import SILENT, UNJUDGED, UNSAFE, Audited, judge_class, judge_functions, supported_level
from plait.judge.oracle.rules import Rules
from plait.model.command_results import AuditMore, AuditResult, AuditStats, CheckResult
from plait.model.finding import Finding
from plait.report.audit import publish_audit
from plait.store.baseline import Found
from plait.store.database import FOLDER
from plait.subject.contract import ATOMIC, IMMUTABLE
from plait.subject.name import Subject
from plait.subject.package.claims import CLAIMED
from plait.subject.package.facts import ModuleFacts, module_facts
from plait.subject.package.listing import Listing, list_package
from plait.subject.package.suspects import changes_after_import
from plait.subject.versions.version import Version, resolve
from plait.workers.pool import WorkerError

DEFAULT_BUDGET = 600.0


@dataclass(slots=True)
class AuditOptions(SearchOptions):
    """The options of `plait audit`."""

    target: str
    at: str = "worktree"
    _: KW_ONLY
    budget: float | None = DEFAULT_BUDGET
    config: Config = field(default_factory=Config)


def run_audit(options: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    asked = audit_options(options)
    baseline = baseline_of(options)
    with Interrupt() as interrupt:
        result, audited = audit(asked, interrupt, terminal_line(quiet=options.quiet, plain=True))
    subjects = {id(each): made.check.subject for made in audited if made.check is not None for each in made.findings}
    found = [Found(each, subjects.get(id(each), result.subject), "check") for each in result.findings]
    looked_at = {(each.check.subject, "check") for each in audited if each.check is not None}
    apply_baseline(baseline, options, result, found, looked_at)
    complete = publish_audit(result, audited, options)
    if result.stopped_by == "interrupt":
        return INTERRUPTED
    if found and not any(map(is_new, result.findings)):
        return NOTHING_FOUND if complete else UNUSABLE
    code = {"findings": FOUND, "inconclusive": INCONCLUSIVE}.get(result.verdict, NOTHING_FOUND)
    return code if complete else code or UNUSABLE


def audit_options(options: argparse.Namespace) -> AuditOptions:
    """Return the options from the command line."""
    return AuditOptions.read(
        options, options.argument, options.at, budget=clock_or_steps(options, DEFAULT_BUDGET), config=options.config,
        store=Path(FOLDER),
    )  # fmt: skip


def audit(
    options: AuditOptions, interrupt: Interrupt | None = None, say: Callable[[str], None] = lambda _: None
) -> tuple[AuditResult, list[Audited]]:
    """Audit a package; raise `UsageError` if there is none of that name."""
    budget = Budget(options.budget)
    with resolve(options.at, project=options.project.resolve(), cache=cache_root()) as version:
        say("reading the source")
        listing = list_package(options.target, version)
        facts = {module.name: module_facts(module) for module in listing.modules}
        plan = plan_of(listing, facts, options.config)
        budget.started = time.monotonic()  # fetching a release does not count
        plan.share(budget.left if options.budget is not None else None)
        _take(plan, options, version, listing, budget, interrupt, say)
        say("")
        audited = [*(each for step in plan.steps for each in step.audited), *plan.silent]
        audited.sort(key=_rank)
        result = _result(options, listing, facts, audited, budget)
        result.notes += plan.wants(budget.elapsed)
        result.versions = {"at": version.label}
        result.more |= claims_of(listing, version, supported_level(audited))
        if version.kind in ("worktree", "folder"):
            result.more["root"] = str(listing.root)
    if interrupt is not None and interrupt.requested:
        result.stopped_by = "interrupt"
        result.notes.append("interrupted: the same command goes on where this one stopped")
    return result, audited


_ORDER = {UNSAFE: 0, UNJUDGED: 1, SILENT: 2}


def _rank(audited: Audited) -> tuple[int, bool, float, str]:
    """Return the sort key of the report: broken promises first, then other unsafe classes and functions."""
    return _ORDER[audited.verdict], audited.claim not in CLAIMED, -audited.score, audited.name


def _take(
    plan: Plan, options: AuditOptions, version: Version, listing: Listing, budget: Budget, interrupt: Interrupt | None,
    say: Callable[[str], None],
) -> None:  # fmt: skip
    planned = [step for step in plan.steps if step.seconds]
    late = [step for step in plan.steps if not step.seconds]
    for number, step in enumerate((*planned, *late), 1):
        ahead = [*planned, *late][number - 1 :]
        if interrupt is not None and interrupt.requested:
            _leave(ahead, "the audit was interrupted before it was checked")
            return
        if plan.is_too_late(budget.left):
            _leave([step], "no time was left for it; give more --budget", wants_time=True)
            continue
        plan.fit(step, budget.left, behind=max(len(planned) - number, 0))
        rest = plan.rest(ahead, budget.left)
        say(f"{number} of {len(ahead) + number - 1}: {step.subject}" + _left(rest))
        _judged(plan, step, options, version, listing, interrupt)
    for step in plan.second_share(budget.left):
        if (interrupt is not None and interrupt.requested) or plan.is_too_late(budget.left):
            return
        say(f"once more: {step.subject}" + _left(min(step.seconds, budget.left)))
        step.seconds = min(step.seconds, round(budget.left, 1))
        _judged(plan, step, options, version, listing, interrupt)


def _left(seconds: float) -> str:
    return "" if seconds == ENDLESS else f" (about {duration(seconds)} left)"


def _judged(
    plan: Plan, step: Planned, options: AuditOptions, version: Version, listing: Listing, interrupt: Interrupt | None
) -> None:
    """Check one class or module, and set the verdicts of what it contains."""
    began = time.monotonic()
    try:
        result = _checked(step, options, version, listing, interrupt)
    except (UsageError, WorkerError) as error:
        about = error.about if isinstance(error, UsageError) else ""
        if about == NO_METHODS and step.facts is not None and step.facts.is_record:
            for each in step.audited:  # its attributes are read and written in one step each
                each.verdict, each.contract = SILENT, IMMUTABLE if step.facts.frozen else ATOMIC
                each.reason = "it has no methods, only attributes"
        else:
            late = about == NO_ANSWER and step.seconds < LONGEST_IMPORT
            _leave([step], _reason_in(str(error), step.subject, version), wants_time=late)
    except MemoryError:
        raise
    except Exception as error:  # an internal error: the other verdicts are kept
        _leave([step], own_error(f"the audit of {step.subject}", error, kept="the others are checked all the same"))
    else:
        if step.subject.qualname:
            judge_class(step.audited[0], result, step.facts)
        else:
            judge_functions(step.audited, result)
    plan.note(step, time.monotonic() - began)


def _reason_in(text: str, subject: Subject, version: Version) -> str:
    """Return an error as a reason, without the subject's name, and with files relative to the import root."""
    own = str(subject)
    return text.removeprefix(f"{own}: ").removeprefix(f"{own} ").replace(f"{version.root}/", "")


def _leave(steps: list[Planned], reason: str, *, wants_time: bool = False) -> None:
    for step in steps:
        for each in step.audited:
            each.reason, each.wants_time = reason, wants_time


def _checked(
    step: Planned, options: AuditOptions, version: Version, listing: Listing, interrupt: Interrupt | None
) -> CheckResult:
    words = options.config.subject(str(step.subject))
    here = version.kind == "worktree" and listing.root.is_relative_to(options.project.resolve())
    shared = options.handed_on(
        CheckOptions, project=listing.root if here else options.project,
        budget=None if step.seconds == ENDLESS else step.seconds,
    )  # fmt: skip
    rules = Rules(words.invariant, words.nondeterministic)
    return check(
        CheckOptions(step.subject, options.at, hints=words.hints, rules=rules, hook=options.config.hook, **shared),
        interrupt,
    )


def _methods(audited: Audited, finding: Finding) -> list[str]:
    """Return the methods or functions of a finding, with their module."""
    return [f"{audited.name.partition(':')[0]}:{name.rpartition('.')[2]}" for name in finding.methods]


def overall_verdict(unsafe: int, silent: int, unjudged: int) -> str:
    """Return the verdict on a package: clean only if at least half of its classes and functions could be judged."""
    if unsafe:
        return "findings"
    return "clean" if silent and silent >= unjudged else "inconclusive"


def _result(
    options: AuditOptions, listing: Listing, facts: dict[str, ModuleFacts], audited: list[Audited], budget: Budget
) -> AuditResult:
    counts = {verdict: sum(each.verdict == verdict for each in audited) for verdict in (UNSAFE, SILENT, UNJUDGED)}
    verdict = overall_verdict(counts[UNSAFE], counts[SILENT], counts[UNJUDGED])
    found = {id(finding): finding for each in audited for finding in each.findings}
    known = {name for each in audited for finding in each.findings for name in _methods(each, finding)}
    for each in audited:  # a suspicion that a finding has proven is dropped
        each.suspects = [one for one in each.suspects if not any(f"{one.module}:{by}" in known for by in one.methods)]
    stats: AuditStats = {
        "classes": sum(each.kind == "class" for each in audited),
        "functions": sum(each.kind == "function" for each in audited),
        "unsafe": counts[UNSAFE], "no_violation": counts[SILENT], "not_judged": counts[UNJUDGED],
        "private": listing.private, "modules": len(listing.modules),
        "lines": sum(module.text.count(b"\n") for module in listing.modules),
    }  # fmt: skip
    more: AuditMore = {
        "subjects": [each.as_json() for each in audited],
        "module_state": [row for each in facts.values() for row in changes_after_import(each)],
        "extensions": listing.extensions,
    }
    return AuditResult(
        "audit", listing.name, verdict, {}, options.seed, options.model, list(found.values()), stats,
        budget.elapsed, "budget" if any(each.wants_time for each in audited) else "exhausted",
        [f"not read: {each}" for each in listing.unreadable], more,
    )  # fmt: skip
