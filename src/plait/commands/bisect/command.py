"""`plait bisect`: finds the commit that introduced a difference, by running one test on commits in between."""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from plait.commands.bisect.probes import Bisection, Probe, ProbeAnswer, behaviour_probe, speed_probe
from plait.commands.interrupt import Interrupt
from plait.commands.options import SearchOptions
from plait.commands.perf.command import TESTS, THREADS
from plait.commands.perf.measure import MeasureRules as Measuring
from plait.commands.progress import terminal_line
from plait.config import Config
from plait.errors import UsageError
from plait.generate.catalogue import Hints
from plait.model.command_results import BisectResult, CommitRow
from plait.report.bisect_text import bisect_text
from plait.report.layout import fitted, show, terminal_layout
from plait.report.publish import write_json
from plait.subject.name import Subject
from plait.subject.versions.git import History

DEFAULT_BUDGET = 300.0


@dataclass(slots=True)
class BisectOptions(SearchOptions):
    """The options of `plait bisect`. The budget is for finding the test; testing the commits takes extra time."""

    subject: Subject
    good: str
    bad: str = "HEAD"
    _: KW_ONLY
    budget: float = DEFAULT_BUDGET
    perf_threads: int = THREADS
    perf_tests: int = TESTS
    workers: int = 2
    hints: Hints = field(default_factory=Hints)
    nondeterministic: tuple[str, ...] = ()
    hook: Path | None = None
    measuring: Measuring = field(default_factory=Measuring)


def run_bisect(options: argparse.Namespace) -> int:
    """Run the command; return 1 if a commit was found, 0 if the two ends do not differ, 3 without a conclusion."""
    asked = bisect_options(options)
    with Interrupt() as interrupt:
        result = bisect(asked, interrupt, terminal_line(quiet=options.quiet))
    if options.json is None or not write_json(result.as_json(), options.json):
        show(fitted(bisect_text(result, options.path), terminal_layout()))
    if result.stopped_by == "interrupt":
        return 130
    return {"found": 1, "ambiguous": 1, "none": 0}.get(result.verdict, 3)


def bisect_options(options: argparse.Namespace) -> BisectOptions:
    """Return the options from the command line."""
    if options.good is None:
        raise UsageError("--good REV is missing: name a commit that does not have the difference")
    config: Config = options.config
    words = config.subject(options.argument)
    return BisectOptions.read(
        options, Subject.parse(options.argument, path=options.path), options.good, options.bad,
        budget=options.budget or DEFAULT_BUDGET, perf_threads=max(options.threads, THREADS), hints=words.hints,
        nondeterministic=words.nondeterministic, hook=config.hook,
    )  # fmt: skip


def bisect(
    options: BisectOptions, interrupt: Interrupt | None = None, say: Callable[[str], None] = lambda _: None
) -> BisectResult:
    """Find a test that distinguishes the two ends, then the first commit on the bad side."""
    started = time.monotonic()
    history = History.of(options.project.resolve())
    good, bad = history.commit(options.good), history.commit(options.bad)
    commits = history.between(good, bad)
    ends = dataclasses.replace(options, good=good, bad=bad)
    say(f"looking for a difference between {good[:10]} and {bad[:10]}")
    probe: Probe | str | None = behaviour_probe(ends, interrupt)
    # Why there is no conclusion on behaviour; equal speed is then no pass.
    untold = probe if isinstance(probe, str) else ""
    if (probe is None or untold) and not (interrupt is not None and interrupt.requested):
        say("behaviour cannot be told; measuring" if untold else "behaviour does not differ; measuring")
        probe = speed_probe(ends, interrupt)
    versions = {"good": _named(options.good, good), "bad": _named(options.bad, bad)}
    result = BisectResult(
        "bisect", str(options.subject), "none", versions, options.seed, options.model,
        stats={"commits": len(commits), "commits_tried": 0, "commits_skipped": 0},
    )  # fmt: skip
    if isinstance(probe, str) or (probe is None and untold):
        result.verdict = "inconclusive"
        behaviour = f"behaviour cannot be told: {untold}" if untold else "behaviour does not differ"
        speed = f"speed cannot be told: {probe}" if isinstance(probe, str) else "speed does not differ"
        result.notes.append(f"{behaviour}; {speed}")
    elif probe is not None:
        with probe as open_probe:
            bisection = Bisection(commits, lambda commit: _asked(open_probe, history, commit, say))
            bisection.run(lambda: interrupt is not None and interrupt.requested)
        _conclude(result, probe, bisection, history)
    say("")
    stopped = interrupt is not None and interrupt.requested
    result.stopped_by = "interrupt" if stopped else "finding" if result.findings else "budget"
    result.elapsed_s = time.monotonic() - started
    return result


def _named(text: str, commit: str) -> str:
    return commit[:10] if commit.startswith(text) else f"{text} ({commit[:10]})"


def _asked(probe: Probe, history: History, commit: str, say: Callable[[str], None]) -> ProbeAnswer:
    say(f"trying {history.describe(commit)}")
    return probe.answer(commit)


def _conclude(result: BisectResult, probe: Probe, bisection: Bisection, history: History) -> None:
    result.findings = [probe.finding]
    result.verdict = "found" if len(bisection.suspects) == 1 else "ambiguous"
    result.stats |= {"commits_tried": len(bisection.log), "commits_skipped": bisection.skipped}

    def shown(commit: str) -> CommitRow:
        found = history.describe(commit)
        return {"name": found.name, "subject": found.subject, "author": found.author, "date": found.date}

    result.more = {
        "kind": probe.kind, "commit": shown(bisection.suspects[-1]) if result.verdict == "found" else None,
        "suspects": [shown(commit) for commit in bisection.suspects],
        "log": [{**shown(commit), "answer": answer.word, "why": answer.why} for commit, answer in bisection.log],
    }  # fmt: skip
