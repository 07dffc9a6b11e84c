"""`plait perf`: which of two versions of a class is faster when many threads use it (SpeedGun, Pradel et al.).

Tests are written once, by a process that has the new version loaded; both versions run them on real threads, in
processes of their own that take turns. The statistics are those of `plait.judge.performance.verdict`.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import sys
import time
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from plait.commands.interrupt import Interrupt
from plait.commands.options import CommandOptions
from plait.commands.perf.answers import checked_load
from plait.commands.perf.measure import MeasureRules, Rounds, contention
from plait.commands.perf.prepare import NoTestError, Workshop, author, make_tests
from plait.commands.progress import terminal_line
from plait.commands.releases import opened
from plait.errors import UsageError, own_error
from plait.generate.catalogue import Hints
from plait.generate.perf import Limits
from plait.judge.performance.result import Comparison
from plait.judge.performance.statistics import mean
from plait.judge.performance.verdict import is_decided, nature, rounds_needed, verdict, winner
from plait.model.result import note_confinement
from plait.model.test import MOST_CALLING
from plait.report.perf import publish_perf
from plait.report.perf_script import Origin, write_script
from plait.run.native import kernel, load, locks
from plait.run.native.machine import BUSY, cpus
from plait.run.native.pair import Pair, Place, SideError
from plait.run.native.process import NativeError
from plait.subject.changes.change import analyse
from plait.subject.name import Subject
from plait.subject.versions.version import Version

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from plait.judge.performance.result import Measured
    from plait.subject.changes.change import Change

_T = TypeVar("_T")
BUDGET_S = 120.0
THREADS = 8
TESTS = 6
CURVE = (1, 2, 4, 8, 16)
_CURVE_TESTS = 2
_WORTHWHILE = 50
_CURVE_ROUNDS = 5
_OVERTIME_S = 3.0
"""Seconds behind the budget until which a process may answer: what is in the middle of something comes to its end."""
_PREPARE, _MEASURE, _CURVE = 0.25, 0.75, 0.93
"""The ends of the parts of the work, as shares of the budget."""


@dataclass(slots=True)
class PerfOptions(CommandOptions):
    """The options of `plait perf`.

    ``pythons`` are the interpreters of the old and the new version (default: this one); ``curve`` lists the numbers of
    threads to compare besides ``threads``; without any, only the verdict is wanted, and locks are not watched either.
    """

    subject: str
    old: str = "HEAD"
    new: str = "worktree"
    _: KW_ONLY
    budget: float = BUDGET_S
    max_tests: int = TESTS
    threads: int = THREADS
    curve: tuple[int, ...] = CURVE
    scope: str = "whole"
    pythons: tuple[str, ...] = ()
    hints: Hints = field(default_factory=Hints)
    imports: tuple[Path, ...] = ()
    limits: Limits = field(default_factory=Limits)
    rules: MeasureRules = field(default_factory=MeasureRules)
    out: Path | None = None


def run_perf(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    asked = perf_options(options)
    quiet = getattr(options, "quiet", False)
    with Interrupt() as interrupt:
        found = compare_speed(asked, lambda: interrupt.requested, terminal_line(quiet=quiet))
    publish_perf(found, options, short=quiet)
    return 130 if found.stopped_by == "interrupt" else found.exit_code


def perf_options(options: argparse.Namespace) -> PerfOptions:
    """Return the command line's words as options."""
    config = options.config
    given = {name: getattr(options, name, None) for name in ("python", "curve", "scope", "delta")}
    pythons = tuple(given["python"] or ())
    if len(pythons) > 2:
        raise UsageError("--python: give one interpreter for both versions, or two")
    rules = MeasureRules(delta=_percent(given["delta"])) if given["delta"] else MeasureRules()
    return PerfOptions.read(
        options, options.argument, options.old, options.new, budget=options.budget or BUDGET_S,
        max_tests=options.max_tests or TESTS, curve=_counts(given["curve"]) if given["curve"] else CURVE,
        scope=given["scope"] or "whole", pythons=pythons, hints=config.subject(options.argument).hints,
        imports=(config.hook.parent.resolve(),) if config.hook else (), rules=rules, out=Path("plait-out"),
    )  # fmt: skip


def _percent(text: str) -> float:
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise UsageError(f"--delta: {text!r} is no percentage such as 5")
    return value


def _counts(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--curve: {text!r} is no list of thread counts such as 1,2,4,8")
    if max(map(int, parts)) > MOST_CALLING:
        raise UsageError(f"--curve: {text!r} has more than {MOST_CALLING} threads, which is the most")
    return tuple(sorted({int(part) for part in parts}))


def compare_speed(
    options: PerfOptions, stop: Callable[[], bool] = lambda: False, say: Callable[[str], None] = lambda _: None
) -> Comparison:
    """Measure both versions and judge; `UsageError` if a version is not available or no test works on both."""
    started = time.monotonic()
    subject = Subject.parse(options.subject, path=options.project)
    with contextlib.ExitStack() as stack:
        versions = {
            side: stack.enter_context(opened(text, project=options.project, subject=subject, allow=options.allow))
            for side, text in (("old", options.old), ("new", options.new))
        }
        found = Comparison(
            str(subject), versions["old"].label, versions["new"].label, options.seed, threads=options.threads,
            delta=options.rules.delta, confidence=options.rules.confidence, scope=options.scope,
        )  # fmt: skip
        try:
            _PerfCampaign(options, subject, versions, found, started, stop, say).run()
        except NativeError as error:
            raise UsageError(f"{subject} cannot be measured: {error}") from None
    say("")
    found.elapsed_s = time.monotonic() - started
    return found


class _PerfCampaign:
    """One comparison, step by step."""

    def __init__(
        self, options: PerfOptions, subject: Subject, versions: dict[str, Version], found: Comparison, started: float,
        stop: Callable[[], bool], say: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._options = options
        self._subject = subject
        self._versions = versions
        self._found = found
        self._started = started
        self._stop = stop
        self._say = say
        self._chance = Random(options.seed)
        self._cpus = cpus(max((options.threads, *options.curve)))
        self._script, self._kernel = Path(load.__file__).read_text(encoding="utf-8"), kernel.kernel_source()
        pythons = [_interpreter(each) for each in options.pythons or (sys.executable,)]
        self._places = {
            side: Place(
                str(version.root), (subject.module,), tuple(str(each) for each in (*version.extra, *options.imports)),
                python, options.allow,
            )
            for (side, version), python in zip(versions.items(), (pythons[0], pythons[-1]), strict=True)
        }  # fmt: skip

    def _pair(self, hash_seed: int, profile: str | None = None) -> Pair:
        pair = Pair(
            self._places, self._script, hash_seed=hash_seed, cpus=self._cpus, profile=profile, kernel=self._kernel,
            check=checked_load, until=self._at(1.0) + _OVERTIME_S,
        )  # fmt: skip
        for told in pair.interpreters.values():
            note_confinement(told.get("layers"))
        return pair

    def _at(self, share: float) -> float:
        return self._started + share * self._options.budget

    def run(self) -> None:
        options, found = self._options, self._found
        self._say("writing tests")
        try:
            found.tests = self._tests()
        except NoTestError as none:
            found.reason = str(none)
            return
        rounds = Rounds(
            partial(self._pair), options.rules, self._chance, threads=options.threads, scope=options.scope,
            stop=self._stop, say=self._say,
        )  # fmt: skip
        until = self._at(_MEASURE if options.curve else _CURVE)
        kept = "what was measured before it counts"
        ended = self._attempt("measuring", lambda: rounds.measure(found.tests, until), kept) or "budget"
        if rounds.left_out:
            made = len(found.tests)
            found.notes.append(f"{len(rounds.left_out)} of {made} tests left out: the budget has no time for them")
            found.tests = [each for each in found.tests if each not in rounds.left_out]
        self._judge(rounds, ended)
        if found.conclusive and options.curve and ended not in ("load", "interrupt"):
            kept = "the verdict stands"
            self._say("measuring other numbers of threads")
            self._attempt("measuring other numbers of threads", lambda: self._scale(rounds), kept)
            self._say("watching locks")
            self._attempt("watching locks", self._contend, kept)
        self._machine(rounds)
        found.stopped_by = {"load": "budget"}.get(ended, ended)
        if options.out is not None:
            self._write_script(options.out)

    def _attempt(self, stage: str, act: Callable[[], _T], kept: str) -> _T | None:
        """Return what ``act`` returns; None, and a note, for an error that only plait can be to blame for."""
        try:
            return act()
        except (UsageError, NativeError, MemoryError):
            raise
        except Exception as error:
            self._found.notes.append(own_error(stage, error, kept=kept))
            return None

    def _write_script(self, folder: Path) -> None:
        """Write the script that measures again; the verdict stands without one."""
        found = self._found
        origins = {side: _origin(version) for side, version in self._versions.items()}
        try:
            found.script = str(write_script(found, self._places, origins, folder))
        except OSError as error:
            found.notes.append(f"a script in {folder} cannot be written ({error.strerror or error})")
        except Exception as error:
            found.notes.append(own_error("writing the script", error, kept="the verdict stands without one"))

    def _tests(self) -> list[Measured]:
        """Write tests for what changed, with the new version at hand."""
        options, found = self._options, self._found
        try:
            change: Change | None = analyse(self._subject, self._versions["old"], self._versions["new"])
        except UsageError as error:  # a class without source can be measured all the same
            change = None
            found.notes.append(f"what changed is not known: {error}")
        place = self._places["new"]
        until = self._at(1.0) + _OVERTIME_S
        with author(
            place, str(self._subject), seed=options.seed, hints=options.hints, tests=options.tests, until=until
        ) as (writer, methods):
            if change is not None:
                found.focus = [name for name in methods if change.touches(name)]
                gone = [name for name in methods if name.partition(".")[0] in change.added_methods]
                writer.ask("focus", 10.0, methods=found.focus, excluded=gone)
            else:
                writer.ask("focus", 10.0, methods=[], excluded=[])
            try:
                shop = Workshop(
                    writer, lambda: self._pair(0), threads=options.threads, limits=options.limits, focus=found.focus,
                    until=until,
                )  # fmt: skip
            except SideError as error:
                label = self._versions[error.side].label
                raise UsageError(f"version {label}: {self._subject.module} cannot be measured: {error}") from None
            with shop:
                self._check_files(shop.interpreters)
                try:
                    tests = make_tests(shop, options.max_tests, _PREPARE * options.budget, self._stop)
                finally:
                    found.calls = {name: (count, shop.returned[name]) for name, count in sorted(shop.called.items())}
                if not any(each.reason is None for each in tests):
                    found.notes.append(f"dropped: {'; '.join(text for text, _ in shop.refusals.most_common(2))}")
        return tests

    def _check_files(self, interpreters: dict[str, dict[str, Any]]) -> None:
        """Make sure that each version's own file was imported, and remember the interpreters."""
        self._found.machine["interpreters"] = {
            side: {key: value for key, value in told.items() if key != "files"} | {"exe": self._places[side].python}
            for side, told in interpreters.items()
        }
        for side, told in interpreters.items():
            version = self._versions[side]
            file = told["files"][0]
            inside = file is not None and Path(file).resolve().is_relative_to(version.root.resolve())
            if version.kind != "worktree" and not inside:
                raise UsageError(
                    f"version {version.label}: {self._subject.module} is imported from {file} and not from the version"
                )

    def _judge(self, rounds: Rounds, ended: str) -> None:
        options, found = self._options, self._found
        for each in found.tests:
            found.decide(each, options.rules.sigma_acceptable, options.rules.m_min)
        found.verdict = verdict(found.winners)
        if ended == "load" or (found.verdict == "inconclusive" and rounds.heavy > rounds.quiet):
            found.verdict = "inconclusive"
            found.reason = f"the machine is too busy: {_wanted(rounds)}"
        elif found.verdict == "inconclusive":
            reasons = [each.reason for each in found.tests if each.reason]
            found.reason = max(reasons, key=reasons.count) if reasons else "no test could be measured"
        self._attempt("summing up", lambda: self._note_means(rounds), "the verdict stands")
        open_ = [
            each.series(options.scope) for each in found.conclusive
            if not is_decided(each.series(options.scope), found.delta, found.confidence)
        ]  # fmt: skip
        if open_:
            width = options.rules.delta / 2
            needed = max(rounds_needed(series, width, found.confidence) for series in open_)
            done = max(len(series) for series in open_)
            if needed > done:
                more = math.ceil(needed / done)
                buys = f"about {more} times" if more <= _WORTHWHILE else "a quieter machine, rather than more of"
                found.notes.append(
                    f"{len(open_)} of {len(found.tests)} tests are close to the threshold; {buys} the measuring time "
                    f"would tell differences of {width:.1%} apart".replace("%", " %")
                )

    def _note_means(self, rounds: Rounds) -> None:
        """Say so if only the slower executions differ, which on a quiet machine is not the doing of others."""
        found = self._found
        quiet = not rounds.loads or mean(rounds.loads) < BUSY
        means = verdict([winner(each.means, found.delta, found.confidence) for each in found.conclusive])
        if quiet and found.verdict == "none" and means in ("regression", "improvement"):
            found.notes.append(f"typical executions do not differ, but with the slow ones counted in it is a {means}")

    def _scale(self, rounds: Rounds) -> None:
        options, found = self._options, self._found
        tests = found.winning()[:_CURVE_TESTS]
        counts = sorted({*options.curve, 1, options.threads})
        found.curve = rounds.curve(tests, counts, _CURVE_ROUNDS, self._at(_CURVE))
        points = {each.threads: each for each in found.curve}
        if found.verdict in ("regression", "improvement") and {1, options.threads} <= points.keys():
            found.nature = nature(points[1], points[options.threads], found.delta)

    def _contend(self) -> None:
        source = Path(locks.__file__).read_text(encoding="utf-8")
        try:
            found = contention(
                lambda: self._pair(0, profile=source), self._found.winning()[:_CURVE_TESTS], self._options.threads
            )
        except NativeError as error:  # code that insists on the interpreter's own locks
            self._found.notes.append(f"locks could not be watched: {error}")
            return
        self._found.locks = found

    def _machine(self, rounds: Rounds) -> None:
        found = self._found
        found.machine |= {
            "cpus": self._cpus, "others_per_cpu": mean(rounds.loads) if rounds.loads else None, "rounds": rounds.rounds,
            "measurements": rounds.quiet, "measurements_discarded": rounds.heavy,
        }  # fmt: skip
        if found.reason == "" and rounds.loads and mean(rounds.loads) > BUSY:
            found.notes.append(f"{_wanted(rounds)}; on a quiet machine intervals are narrower")


def _interpreter(text: str) -> str:
    """Return the whole path of an interpreter, because processes start elsewhere."""
    found = shutil.which(text)
    if found is None:
        raise UsageError(f"--python: there is no program {text!r}")
    return str(Path(found).absolute())


def _wanted(rounds: Rounds) -> str:
    count = os.cpu_count() or 1
    return f"on average {mean(rounds.loads) * count:.1f} other processes wanted its {count} CPUs"


def _origin(version: Version) -> Origin:
    """Return where a script without plait finds the version again."""
    if version.kind == "revision" and version.tree is not None:
        commit = version.label.rpartition("(")[2].rstrip(")")
        return Origin(str(version.origin), commit, version.root.relative_to(version.tree).as_posix())
    return Origin(str(version.root))
