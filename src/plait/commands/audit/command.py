"""`plait audit`: every public class and function of a package, with a verdict and the evidence behind it.

The source is read first: it says what there is, what threads may share, and so where the budget goes. Then each class,
and the functions of each module together, are checked as `plait check` does it. Every share of the budget is fixed
before the first check: a run that was interrupted finds its checks in the store when it is started again. Shares change
only where checks take longer than theirs (those behind keep the least they need), and what is left over at the end goes
to those that had none.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from plait.commands.accepting import apply_baseline, baseline_of, is_new
from plait.commands.audit.package import claims_of
from plait.commands.budget import Budget
from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.commands.interrupt import Interrupt
from plait.commands.options import SearchOptions, clock_or_steps
from plait.commands.progress import duration, terminal_line
from plait.commands.releases import cache_root
from plait.config import Config
from plait.errors import FOUND, INCONCLUSIVE, INTERRUPTED, NOTHING_FOUND, UNUSABLE, UsageError, own_error
from plait.judge.audit import SILENT, UNJUDGED, UNSAFE, Audited, judge_class, judge_functions, supported_level
from plait.judge.oracle.rules import Rules
from plait.model.command_results import AuditMore, AuditResult, AuditStats, CheckResult
from plait.model.finding import Finding
from plait.report.audit import publish_audit
from plait.store.baseline import Found
from plait.store.database import FOLDER
from plait.subject.contract import IMMUTABLE
from plait.subject.name import Subject
from plait.subject.package.facts import ClassFacts, ModuleFacts, module_facts, whole_class
from plait.subject.package.listing import Listing, PublicClass, PublicFunction, list_package
from plait.subject.package.suspects import changes_after_import, class_suspects, module_suspects
from plait.subject.versions.version import Version, resolve
from plait.workers.pool import WorkerError

DEFAULT_BUDGET = 600.0
LEAST = 4.0
"""Seconds without which a check is not begun: its processes would hardly have started."""
_ENDLESS = float("inf")
_HIGHEST = 24.0  # a score above this gets no more than this one


@dataclass(slots=True)
class AuditOptions(SearchOptions):
    """What `plait audit` was asked for."""

    target: str
    at: str = "worktree"
    _: KW_ONLY
    budget: float | None = DEFAULT_BUDGET
    config: Config = field(default_factory=Config)


@dataclass(slots=True)
class _Planned:
    """One check: of a class, or of all public functions of a module."""

    subject: Subject
    audited: list[Audited]
    facts: ClassFacts | None
    seconds: float = 0.0

    @property
    def score(self) -> float:
        return sum(each.score for each in self.audited)


def run_audit(options: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    asked = audit_options(options)
    baseline = baseline_of(options)
    with Interrupt() as interrupt:
        result, audited = audit(asked, interrupt, terminal_line(quiet=options.quiet))
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
    """Return the command line's words as options."""
    return AuditOptions.read(
        options, options.argument, options.at, budget=clock_or_steps(options, DEFAULT_BUDGET), config=options.config,
        store=Path(FOLDER),
    )  # fmt: skip


def audit(
    options: AuditOptions, interrupt: Interrupt | None = None, say: Callable[[str], None] = lambda _: None
) -> tuple[AuditResult, list[Audited]]:
    """Audit a package; UsageError if there is none of that name."""
    budget = Budget(options.budget)
    with resolve(options.at, project=options.project.resolve(), cache=cache_root()) as version:
        say("reading the source")
        listing = list_package(options.target, version)
        facts = {module.name: module_facts(module) for module in listing.modules}
        steps, silent = _steps(listing, facts)
        _share(steps, budget.left if options.budget is not None else None)
        _take(steps, options, version, listing, budget, interrupt, say)
        say("")
        audited = [*(each for step in steps for each in step.audited), *silent]
        audited.sort(key=lambda each: (_ORDER[each.verdict], -each.score, each.name))
        result = _result(options, listing, facts, audited, budget)
        result.versions = {"at": version.label}
        result.more |= claims_of(listing, version, supported_level(audited))
        if version.kind in ("worktree", "folder"):
            result.more["root"] = str(listing.root)
    if interrupt is not None and interrupt.requested:
        result.stopped_by = "interrupt"
        result.notes.append("interrupted: the same command goes on where this one stopped")
    return result, audited


_ORDER = {UNSAFE: 0, UNJUDGED: 1, SILENT: 2}


def _steps(listing: Listing, facts: dict[str, ModuleFacts]) -> tuple[list[_Planned], list[Audited]]:
    """Return what is to be checked, the most suspect first, and what threads can do nothing to."""
    steps, silent = [], []
    for public in listing.classes:
        made = Audited(public.name, "class", _shown(public, listing), public.line)
        known = whole_class(facts, public.module, public.qualname)
        if public.silent:
            made.verdict, made.contract = SILENT, IMMUTABLE
            made.reason = f"{public.silent}, which has no state that threads could share"
            silent.append(made)
            continue
        own = facts[public.module].classes.get(public.qualname)  # what is inherited is looked for where it stands
        made.suspects = class_suspects(public.module, own) if own is not None else []
        steps.append(_Planned(Subject(public.module, public.qualname, None), [made], known))
    for module in dict.fromkeys(each.module for each in listing.functions):
        suspects = module_suspects(facts[module])
        made_of = []
        for function in (each for each in listing.functions if each.module == module):
            made = Audited(f"{module}:{function.name}", "function", _shown(function, listing), function.line)
            made.suspects = [each for each in suspects if function.name in each.methods]
            made_of.append(made)
        steps.append(_Planned(Subject(module, ""), made_of, None))
    return sorted(steps, key=lambda each: (-each.score, str(each.subject))), silent


def _shown(public: PublicClass | PublicFunction, listing: Listing) -> str:
    return public.file.relative_to(listing.root).as_posix()


def _share(steps: list[_Planned], seconds: float | None) -> None:
    """Give each check its seconds: everybody a little, and the rest by suspicion. Zero is "no time"."""
    if seconds is None:
        for step in steps:
            step.seconds = _ENDLESS
        return
    affordable = steps[: int(seconds // LEAST)]
    left = seconds - LEAST * len(affordable)
    weights = [1.0 + min(step.score, _HIGHEST) for step in affordable]
    for step, weight in zip(affordable, weights, strict=True):
        step.seconds = round(LEAST + left * weight / sum(weights), 1)


def _fit(step: _Planned, left: float, *, behind: int) -> None:
    """Lower a share so that those behind it keep the least they need; a check without one gets the least."""
    if step.seconds != _ENDLESS:
        step.seconds = round(max(LEAST, min(step.seconds, left - LEAST * behind)), 1)


def _take(
    steps: list[_Planned], options: AuditOptions, version: Version, listing: Listing, budget: Budget,
    interrupt: Interrupt | None, say: Callable[[str], None],
) -> None:  # fmt: skip
    planned = [step for step in steps if step.seconds]
    late = [step for step in steps if not step.seconds]
    for number, step in enumerate((*planned, *late), 1):
        if interrupt is not None and interrupt.requested:
            _leave([*planned, *late][number - 1 :], "the audit was interrupted before it was checked")
            return
        if budget.left < LEAST:
            _leave([step], "no time was left for it; give more --budget")
            continue
        _fit(step, budget.left, behind=max(len(planned) - number, 0))
        rest = min(budget.left, sum(each.seconds for each in [*planned, *late][number - 1 :]))
        say(f"{number} of {len(steps)}: {step.subject}" + ("" if rest == _ENDLESS else f" ({duration(rest)} left)"))
        try:
            result = _checked(step, options, version, listing, interrupt)
        except (UsageError, WorkerError) as error:
            _leave([step], str(error))
        except MemoryError:
            raise
        except Exception as error:  # of our own: what the others have found stands
            _leave([step], own_error(f"the audit of {step.subject}", error, kept="the others are checked all the same"))
        else:
            if step.subject.qualname:
                judge_class(step.audited[0], result, step.facts)
            else:
                judge_functions(step.audited, result)


def _leave(steps: list[_Planned], reason: str) -> None:
    for step in steps:
        for each in step.audited:
            each.reason = reason


def _checked(
    step: _Planned, options: AuditOptions, version: Version, listing: Listing, interrupt: Interrupt | None
) -> CheckResult:
    words = options.config.subject(str(step.subject))
    here = version.kind == "worktree" and listing.root.is_relative_to(options.project.resolve())
    shared = options.handed_on(
        CheckOptions, project=listing.root if here else options.project,
        budget=None if step.seconds == _ENDLESS else step.seconds,
    )  # fmt: skip
    rules = Rules(words.invariant, words.nondeterministic)
    return check(
        CheckOptions(step.subject, options.at, hints=words.hints, rules=rules, hook=options.config.hook, **shared),
        interrupt,
    )


def _methods(audited: Audited, finding: Finding) -> list[str]:
    """Return the methods or functions of a finding, with their module."""
    return [f"{audited.name.partition(':')[0]}:{name.rpartition('.')[2]}" for name in finding.methods]


def _result(
    options: AuditOptions, listing: Listing, facts: dict[str, ModuleFacts], audited: list[Audited], budget: Budget
) -> AuditResult:
    counts = {verdict: sum(each.verdict == verdict for each in audited) for verdict in (UNSAFE, SILENT, UNJUDGED)}
    judged = counts[UNSAFE] + counts[SILENT]
    verdict = "findings" if counts[UNSAFE] else "clean" if judged else "inconclusive"
    found = {id(finding): finding for each in audited for finding in each.findings}
    known = {name for each in audited for finding in each.findings for name in _methods(each, finding)}
    for each in audited:  # what is proven is no longer a suspicion
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
        budget.elapsed, "budget" if any("no time" in each.reason for each in audited) else "exhausted",
        [f"not read: {each}" for each in listing.unreadable], more,
    )  # fmt: skip
