"""`plait fix FILE`: the smallest change that is proven to remove a finding, as a diff; written only on request.

The user's files are read once, and copied. Candidates (`plait.subject.mend`) come in ascending size; each is applied to
a copy and has to be proven there (`plait.commands.fix.proof`). The first one that holds is offered.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from plait.commands.check.command import workers_for
from plait.commands.fix.copies import ProjectCopy, copied
from plait.commands.fix.proof import NOT_PROVEN, NOT_TRIED, PROVEN, MendSetting, MendTrial, ProofLimits, Prover
from plait.commands.fix.worker import FixOrder, seen_again
from plait.commands.interrupt import Interrupt
from plait.commands.options import CommandOptions
from plait.commands.progress import terminal_line
from plait.commands.releases import opened
from plait.commands.replay.command import numbered_finding, refuse_foreign, subject_place, version_label
from plait.commands.replay.worker import ReplayOrder
from plait.commands.trust import beyond_data
from plait.errors import FOUND, INCONCLUSIVE, INTERRUPTED, NOTHING_FOUND, UNUSABLE, UsageError
from plait.generate.catalogue import Hints
from plait.judge.oracle.rules import Rules
from plait.model.command_results import FixMore, FixResult, FixStats
from plait.model.files import file_bytes
from plait.model.finding import Finding
from plait.model.reading import Replayable, ResultFile, read_result
from plait.report.fix_text import fix_statement, fix_text
from plait.report.publish import publish_result
from plait.report.sources import name_from
from plait.subject.mend.candidates import Mend, mends, unrelated_methods
from plait.subject.mend.clues import Clues, clues_of
from plait.subject.mend.text import decoded
from plait.subject.name import Subject
from plait.subject.source import files_of
from plait.subject.versions.version import Version
from plait.workers.failures import WorkerError

BUDGET_S = 300.0
TASK_S = 120.0
_MOST_OTHERS = 6  # further findings of the file that each candidate is tried with
HARDLY_LARGER = 2  # lines that a mend may have more than the smallest one, to mend other findings as well
_CODES = {"mended": NOTHING_FOUND, "none": FOUND, "inconclusive": INCONCLUSIVE}


@dataclass(slots=True)
class FixOptions(CommandOptions):
    """The options of `plait fix`, as plain data."""

    file: Path
    finding: int = 1
    _: KW_ONLY
    budget: float | None = BUDGET_S  # seconds for everything; None: no limit
    hints: Hints = field(default_factory=Hints)
    hook: Path | None = None
    limits: ProofLimits | None = None  # else by the budget
    write: bool = False


def run_fix(options: argparse.Namespace) -> int:
    """Run the command: 0 if a proven mend is shown, 1 if none holds, 3 if nothing could be proven in time."""
    file = Path(options.argument)
    result = read_result(file)
    chosen = _chosen(result, options.finding or 1, file)
    result = result.about(chosen)
    words = options.config.subject(chosen.subject or result.subject)
    asked = FixOptions.read(
        options, file, chosen.number, budget=_budget(options), hints=words.hints, hook=options.config.hook,
        write=bool(options.write),
    )  # fmt: skip
    label = version_label(result, chosen)
    subject = _subject(result, chosen, asked.project)
    foreign = () if options.trust else refuse_foreign(result, chosen, subject, label, options)
    with Interrupt() as interrupt:
        found = fix(asked, result, chosen, foreign, interrupt, terminal_line(quiet=options.quiet))
    complete = publish_result(found, options, fix_text, fix_statement)
    if found.stopped_by == "interrupt" and found.verdict != "mended":
        return INTERRUPTED
    code = _CODES[found.verdict]
    return code if complete else code or UNUSABLE


def _budget(options: argparse.Namespace) -> float | None:
    """Return what was asked for; a number of tests takes the place of the default."""
    given: float | None = options.budget
    return BUDGET_S if given is None and options.max_tests is None else given


def _chosen(result: ResultFile, number: int, file: Path) -> Replayable:
    if not result.findings:
        why = "; tests of explore are mended by hand" if result.command == "explore" else ""
        raise UsageError(f"{file} holds no finding with a schedule: there is nothing to mend{why}")
    return numbered_finding(result, number, file)


def _subject(result: ResultFile, chosen: Replayable, path: Path) -> Subject:
    return Subject.parse(chosen.subject or result.subject, path=path)


def fix(
    asked: FixOptions, result: ResultFile, chosen: Replayable, foreign: tuple[str, ...] = (),
    interrupt: Interrupt | None = None, say: Callable[[str], None] = lambda _: None,
) -> FixResult:  # fmt: skip
    """Find the smallest mend of a finding that can be proven; UsageError if the finding does not occur any more."""
    started = time.monotonic()
    label = version_label(result, chosen)
    subject = _subject(result, chosen, asked.project)
    if chosen.old:
        raise UsageError(f"finding {chosen.number} is of the old version: what only that one shows is mended already")
    with _placed(label, subject, result, asked) as version:
        if asked.write and version.kind not in ("worktree", "folder"):
            raise UsageError(f"--write changes files of the work tree, and finding {chosen.number} is of {label}")
        with copied(version, 2) as (original, mended):
            order = fix_order(result, chosen, subject, foreign)
            finding = _shown_now(subject, original, order, asked, chosen, label)
            clues = clues_of(finding)
            texts = _texts(version, subject, clues)
            found = mends(texts, clues, subject.qualname)
            setting = MendSetting(
                subject, str(subject), order, finding, original, mended, asked.seed, result.model, asked.workers,
                asked.allow, asked.hints, stated_rules(result), asked.hook, asked.tests,
                tuple(unrelated_methods(texts, clues, subject.qualname)),
                _others(result, chosen, subject, label, foreign),
            )  # fmt: skip
            prover = Prover(
                setting, asked.limits or ProofLimits.of(asked.budget or BUDGET_S, asked.max_tests), interrupt, say
            )
            trials, stopped = _search(prover, found, asked, started, interrupt)
        made = _result(asked, result, str(subject), finding, version, trials, stopped)
        holds = _holds(trials)
        if asked.write and holds is not None:
            write_mend(version, holds.mend)
            made.more["written"] = True
    say("")
    made.elapsed_s = time.monotonic() - started
    return made


@contextlib.contextmanager
def _placed(label: str, subject: Subject, result: ResultFile, asked: FixOptions) -> Iterator[Version]:
    """Open the version; the module is taken from where it was found then, if that is in the folder at hand."""
    with opened(label, project=asked.project, subject=subject, allow=asked.allow) as version:
        root = subject_place(result, asked.project)
        moved = version.kind == "worktree" and root != asked.project
        yield dataclasses.replace(version, root=root) if moved else version


def fix_order(result: ResultFile, chosen: Replayable, subject: Subject, foreign: tuple[str, ...]) -> FixOrder:
    """Return the order that shows a finding; ``foreign`` modules may be imported if the subject has them."""
    replay = ReplayOrder(chosen.test, chosen.schedule, result.probes, result.rules, foreign)
    name = subject.qualname.rpartition(".")[2] or subject.module
    return FixOrder(replay, name, result.model == "gil", chosen.kind, chosen.exception)


def _others(
    result: ResultFile, chosen: Replayable, subject: Subject, label: str, foreign: tuple[str, ...]
) -> tuple[FixOrder, ...]:
    """Return the other findings of the file in the same class and version, which are not trusted."""
    package = subject.module.partition(".")[0]
    found = [
        each for each in result.findings
        if each is not chosen and (each.subject or result.subject) == (chosen.subject or result.subject)
        and version_label(result, each) == label and each.test.imports == chosen.test.imports
        and beyond_data(each.test, (), [package]) is None
    ]  # fmt: skip
    return tuple(fix_order(result, each, subject, foreign) for each in found[:_MOST_OTHERS])


def stated_rules(result: ResultFile) -> Rules:
    """Return the user's settings for the class at the time of the finding."""
    said = result.rules
    return Rules(said.get("invariant"), tuple(said.get("nondeterministic", ())))


def _shown_now(
    subject: Subject, original: ProjectCopy, order: FixOrder, asked: FixOptions, chosen: Replayable, label: str
) -> Finding:
    """Return the finding with the lines that the code has now."""
    with workers_for(subject, original.version, count=1, allow=asked.allow, hook=asked.hook) as workers:
        try:
            found = workers.attempt(seen_again, order, timeout=TASK_S).result().value
        except WorkerError as error:
            raise UsageError(f"finding {chosen.number} cannot be run again: {error.reason}") from None
    if found is None:
        raise UsageError(
            f"finding {chosen.number} of {asked.file} does not show on version {label} as a violation: there is "
            "nothing to mend"
        )
    name_from(original.version.root, [found])
    if found.guard is None:
        found.guard = chosen.guard
    finding: Finding = found
    return finding


def _texts(version: Version, subject: Subject, clues: Clues) -> dict[str, str]:
    """Return the texts that a mend may change, by their names from the root: all of them really lie below it."""
    root = version.root.resolve()
    found: dict[str, str] = {}
    for place in (*files_of(root, subject.module), *clues.files):
        try:
            path = (root / place).resolve()  # a worker has named it, and code under test was in there
            name = path.relative_to(root).as_posix()
            if path.is_file() and path.suffix == ".py" and name not in found:
                found[name] = decoded(file_bytes(path), name)[0]
        except (OSError, ValueError, UsageError):  # what cannot be read cannot be mended
            continue
    return found


def _search(
    prover: Prover, found: list[Mend], asked: FixOptions, started: float, interrupt: Interrupt | None
) -> tuple[list[MendTrial], str]:
    """Prove candidates in order until one holds or the time is over; return all trials, and what ended the search.

    Where the one that holds leaves other findings as they are, one that is hardly larger may mend them as well.
    """
    trials = [MendTrial(each) for each in found]
    if trials:
        prover.prepare()
    stopped = "exhausted"
    best: MendTrial | None = None
    for number, mend in enumerate(found):
        if best is not None and (not best.left or mend.size[0] > best.mend.size[0] + HARDLY_LARGER):
            stopped = "finding"
            break
        if interrupt is not None and interrupt.requested:
            stopped = "interrupt"
            break
        if asked.budget is not None and time.monotonic() - started > asked.budget:
            stopped = "budget"
            break
        trials[number] = prover.prove(mend)
        best = _holds(trials)
    if best is not None:
        prover.measure(best)
    return trials, "finding" if best is not None and stopped != "interrupt" else stopped


def _holds(trials: list[MendTrial]) -> MendTrial | None:
    """Return the mend to offer: the one that leaves fewest other findings of the class, of these the smallest."""
    proven = [each for each in trials if each.verdict == PROVEN]
    return min(proven, key=lambda each: (each.left, each.mend.size), default=None)


def _result(
    asked: FixOptions, result: ResultFile, name: str, finding: Finding, version: Version, trials: list[MendTrial],
    stopped: str,
) -> FixResult:  # fmt: skip
    holds = _holds(trials)
    is_open = any(each.verdict in (NOT_TRIED, NOT_PROVEN) for each in trials)
    verdict = "mended" if holds is not None else "inconclusive" if is_open else "none"
    cost = holds.evidence["cost"]["ratio"] if holds is not None else None
    stats: FixStats = {
        "candidates": len(trials), "tried": sum(each.verdict != NOT_TRIED for each in trials),
        "proven": sum(each.verdict == PROVEN for each in trials), "cost": cost,
    }  # fmt: skip
    more: FixMore = {"candidates": [each.as_json(number) for number, each in enumerate(trials, 1)]}
    if holds is not None:
        more |= {
            "diff": holds.mend.diff_below(_way_to(version, asked.project)), "mend": holds.mend.title,
            "file": holds.mend.file, "files": [each.file for each in holds.mend.edits], "evidence": holds.evidence,
            "written": False,
        }  # fmt: skip
    if version.kind in ("worktree", "folder"):
        more["root"] = str(version.root)
    return FixResult(
        "fix", name, verdict, {"at": version.label}, asked.seed, result.model, [finding], stats, stopped_by=stopped,
        more=more,
    )  # fmt: skip


def _way_to(version: Version, project: Path) -> str:
    """Return the folder of the project that names of files begin in: `src`, so that the diff applies at the top."""
    below = version.kind in ("worktree", "folder") and version.root.resolve().is_relative_to(project.resolve())
    way = version.root.resolve().relative_to(project.resolve()).as_posix() if below else "."
    return "" if way == "." else way


def write_mend(version: Version, mend: Mend) -> None:
    """Write a mend into the user's files, all of them or none; UsageError if one is not what it was."""
    prepared: list[tuple[Path, Path, bytes]] = []
    written: list[tuple[Path, bytes]] = []
    try:
        for each in mend.edits:
            file = (version.root / each.file).resolve()
            content = file.read_bytes()
            text, encoding = decoded(content, each.file)
            if text != each.before:
                raise _changed(each.file)
            temporary = file.with_name(f".{file.name}.{secrets.token_hex(6)}")
            prepared.append((file, temporary, content))
            with temporary.open("xb") as opened_file:
                opened_file.write(each.after.encode(encoding))
            shutil.copymode(file, temporary)
        for file, temporary, content in prepared:
            if file.read_bytes() != content:
                raise _changed(file.name)
            temporary.replace(file)
            written.append((file, content))
    except (OSError, UsageError) as error:
        for file, content in written:
            file.write_bytes(content)
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{mend.file} cannot be written: {error.strerror or error}") from None
    finally:
        for _file, temporary, _content in prepared:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _changed(name: str) -> UsageError:
    return UsageError(f"{name} has changed since it was read: nothing was written; run plait fix again")
