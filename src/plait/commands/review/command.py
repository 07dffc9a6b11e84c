"""`plait review`: every class meant for several threads that a git change touches, compared, checked and measured."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from plait.commands.accepting import apply_baseline, baseline_of, is_new
from plait.commands.budget import Budget
from plait.commands.interrupt import Interrupt
from plait.commands.options import SearchOptions, clock_or_steps
from plait.commands.perf.command import CURVE, TESTS, THREADS
from plait.commands.perf.measure import MeasureRules as Measuring
from plait.commands.progress import terminal_line
from plait.commands.releases import cache_root
from plait.commands.review.steps import Shares, Steps
from plait.config import Config
from plait.judge.review import ClassReview, mark_cause
from plait.model.command_results import ReviewResult
from plait.model.fingerprint import fingerprint_of
from plait.report.review import publish_review
from plait.store.baseline import Found
from plait.store.database import FOLDER
from plait.subject.changes.locks import lock_changes
from plait.subject.changes.survey import Survey, TouchedClass
from plait.subject.versions.git import History
from plait.subject.versions.version import Version, resolve

DEFAULT_BUDGET = 180.0


@dataclass(slots=True, kw_only=True)
class ReviewOptions(SearchOptions):
    """The options of `plait review`; ``measuring`` are the rules of the performance tests."""

    base: str | None = None
    new: str = "worktree"
    budget: float | None = DEFAULT_BUDGET
    perf_threads: int = THREADS
    perf_tests: int = TESTS
    curve: tuple[int, ...] = CURVE
    workers: int = 2
    config: Config = field(default_factory=Config)
    measuring: Measuring = field(default_factory=Measuring)


def run_review(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    asked = review_options(options)
    baseline = baseline_of(options)
    with Interrupt() as interrupt:
        result, classes = review(asked, interrupt, terminal_line(quiet=options.quiet))
    found = [
        Found(finding, made.name, made.step_of(finding))
        for made in classes for each in made.brought() for finding in (each.finding, *each.also)
    ]  # fmt: skip
    apply_baseline(baseline, options, result, found, _looked_at(classes), _seen(classes))
    for made in classes:
        for each in made.brought():
            mark_cause(each)
    publish_review(result, classes, options)
    if result.stopped_by == "interrupt":
        return 130
    if found and not any(is_new(each.finding) for each in found):
        return 0
    return {"findings": 1, "inconclusive": 3}.get(result.verdict, 0)


def _looked_at(classes: list[ClassReview]) -> list[tuple[str, str]]:
    """Return the classes and steps that a review has taken."""
    steps = [(made, name) for made in classes for name in ("diff", "check", "perf")]
    return [(made.name, name) for made, name in steps if getattr(made, name) is not None]


def _seen(classes: list[ClassReview]) -> set[str]:
    """Return the fingerprints of everything that was found, also of what was there before or has the same cause."""
    every = [
        (finding, made.name) for made in classes for step in (made.diff, made.check, *made.explored)
        if step is not None for finding in step.findings
    ]  # fmt: skip
    return {fingerprint_of(finding, name) for finding, name in every}


def review_options(options: argparse.Namespace) -> ReviewOptions:
    """Return the command line's words as options."""
    return ReviewOptions.read(
        options, base=options.base, new=options.new, budget=clock_or_steps(options, DEFAULT_BUDGET),
        perf_threads=max(options.threads, THREADS), config=options.config, store=Path(FOLDER),
    )  # fmt: skip


def review(
    options: ReviewOptions, interrupt: Interrupt | None = None, say: Callable[[str], None] = lambda _: None
) -> tuple[ReviewResult, list[ClassReview]]:
    """Review what changed; UsageError when there is no repository or no such base."""
    budget = Budget(options.budget)
    project = options.project.resolve()
    history = History.of(project)
    tip = None if options.new == "worktree" else history.commit(options.new)
    base, name = history.base(options.base, tip or "HEAD")
    with contextlib.ExitStack() as stack:
        versions = [resolve(text, project=project, cache=cache_root()) for text in (base, tip or "worktree")]
        old, new = (stack.enter_context(each) for each in versions)
        old, new = (_labelled(each, text) for each, text in ((old, name), (new, options.new)))
        changed = history.changed_files(base, tip)
        config = options.config
        survey = Survey(old, new, (*config.review, *config.subjects), config.review_exclude)
        say("looking for classes that threads share")
        classes = [_class(each, old, new) for each in survey.touched(changed)]
        Steps(options, old, base, tip or "worktree", Shares(budget), interrupt, say).take(classes)
    say("")
    result = _result(options, history, old, new, classes, budget)
    result.notes += survey.notes
    if not changed:
        result.notes.append(f"nothing differs from {old.label}; --base REV reviews what changed since REV")
    if interrupt is not None and interrupt.requested:
        result.stopped_by = "interrupt"
        result.notes.append("interrupted: not everything that was planned has been done")
    return result, classes


def _labelled(version: Version, name: str) -> Version:
    """Return the version under the name that the user gave it, and not only under the commit's."""
    named = version.kind == "revision" and not version.label.startswith(name[:10])
    return dataclasses.replace(version, label=f"{name} ({version.label})") if named else version


def _class(touched: TouchedClass, old: Version, new: Version) -> ClassReview:
    place = new.at(touched.subject)
    top = new.tree or new.root
    prefix = place.root.relative_to(top).as_posix() if place.root.is_relative_to(top) else ""
    made = ClassReview(touched, "" if prefix == "." else prefix)
    if touched.change is not None:
        made.locks = lock_changes(touched.change, old.at(touched.subject), place)
    return made


def _result(
    options: ReviewOptions, history: History, old: Version, new: Version, classes: list[ClassReview], budget: Budget
) -> ReviewResult:
    results = {
        each.name: {
            "diff": None if each.diff is None else each.diff.stats,
            "check": None if each.check is None else each.check.stats,
            "perf": None if each.perf is None else each.perf.as_result().stats,
            "explore": [one.stats for one in each.explored],
        }
        for each in classes
    }  # fmt: skip
    found = sum(len(each.brought()) for each in classes)
    untold = bool(classes) and all(each.verdict == "inconclusive" for each in classes)
    return ReviewResult(
        "review", history.repository.top.name, "findings" if found else "inconclusive" if untold else "clean",
        {"old": old.label, "new": new.label}, options.seed, options.model,
        stats={"classes": len(classes), "findings": found, "results": results}, elapsed_s=budget.elapsed,
        stopped_by="budget" if budget.left <= 0 else "exhausted", more={"repository": str(history.repository.top)},
    )  # fmt: skip
