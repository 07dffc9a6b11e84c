"""`plait replay FILE`: run the findings of a file again and show them, at once, step by step or in the debugger."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from plait.commands.check.command import workers_for
from plait.commands.releases import cache_root
from plait.commands.replay.debug import debug
from plait.commands.replay.worker import Replayed, ReplayOrder, replay_finding
from plait.commands.trust import ask_for_trust, beyond_data, foreign_imports, is_untrusted_release
from plait.errors import UsageError
from plait.model.finding import AccessStep
from plait.model.foreign import harmless
from plait.model.reading import Replayable, ResultFile, read_result
from plait.report.interleaving import KEYS, ShownStep, shown_steps, step_text, table
from plait.report.layout import SCREEN, prose, show, terminal_layout
from plait.report.sources import sources
from plait.subject.name import Subject
from plait.subject.versions.version import Version, resolve

TIMES = 10
TIMEOUT = 120.0
_COMMIT = re.compile(r".* \(([0-9a-f]{10})\)")  # how a result file names a revision


def run_replay(options: argparse.Namespace) -> int:
    """Run the command: return 1 if some finding occurs again, 0 if none does."""
    file = Path(options.argument)
    result = read_result(file)
    if not result.findings:
        advice = "; the report of a test says how to replay it with pytest" if result.command == "explore" else ""
        raise UsageError(f"{file} holds no finding with a schedule: there is nothing to replay{advice}")
    chosen = result.findings[:1] if options.step or options.pdb else result.findings
    if options.finding is not None:
        chosen = (numbered_finding(result, options.finding, file),)
    shown = [_replay(result, finding, options) for finding in chosen]
    return 1 if any(shown) else 0


def numbered_finding(result: ResultFile, number: int, file: Path) -> Replayable:
    """Return the finding that reports call by this number; UsageError if there is none, or it has no schedule."""
    if number > result.total:
        raise UsageError(f"{file} has no finding {number}: it holds {result.total}")
    chosen = next((each for each in result.findings if each.number == number), None)
    if chosen is None:
        able = ", ".join(str(each.number) for each in result.findings)
        raise UsageError(f"finding {number} of {file} has no schedule to replay; those that have one: {able}")
    return chosen


def _replay(file: ResultFile, finding: Replayable, options: argparse.Namespace) -> bool:
    result = file.about(finding)
    label = version_label(result, finding)
    place = subject_place(result, options.path) if label == "worktree" else options.path
    subject = Subject.parse(finding.subject or result.subject, path=place)
    foreign = () if options.trust else refuse_foreign(result, finding, subject, label, options)
    order = ReplayOrder(finding.test, finding.schedule, result.probes, result.rules, foreign)
    with resolve(label, project=place, cache=cache_root(), subject=subject) as version:
        show([*prose(finding.summary, terminal_layout(), "bad"), []])
        if options.pdb:
            return debug(subject, version, order, tuple(options.allow), options.config.hook)
        answer = _answer(subject, version, order, options)
        layout = terminal_layout(full=options.full)
        suffixes = enumerate(finding.test.suffixes, 1)
        names = {number: "; ".join(call.source for call in suffix) for number, suffix in suffixes}
        if options.step:
            taken = shown_steps(answer.rows, answer.race)
            _step_through(taken, sources(answer.rows), names, sys.stdin, sys.stdout)
        else:
            show(table(answer.rows, names=names, racing=answer.race, layout=layout, height=SCREEN))
    print()
    return _conclude(answer, result, finding, label)


def refuse_foreign(
    result: ResultFile, finding: Replayable, subject: Subject, label: str, options: argparse.Namespace
) -> tuple[str, ...]:
    """Refuse tests that are more than data; return imports that are safe if the subject has the same ones."""
    file, hook = options.argument, options.config.hook
    own = [subject.module.partition(".")[0], *([] if hook is None else [hook.stem])]
    if is_untrusted_release(label, cache_root()):
        ask_for_trust(f"install {label.removeprefix('pypi:')}", file)
    invariant = result.rules.get("invariant")
    if invariant is not None and invariant != options.config.subject(str(subject)).invariant:
        ask_for_trust(f"evaluate {invariant!r:.80}, which the settings do not hold", file)
    line = beyond_data(finding.test, result.probes, own)
    if line is not None:
        ask_for_trust(f"run {line!r:.80}", file)
    return foreign_imports(finding.test, own)


def _answer(subject: Subject, version: Version, order: ReplayOrder, options: argparse.Namespace) -> Replayed:
    allow, hook = tuple(options.allow), options.config.hook
    with workers_for(subject, version, count=1, allow=allow, hook=hook) as workers:
        found: Replayed = workers.attempt(replay_finding, order, TIMES, timeout=TIMEOUT).result().value
    return found


def subject_place(result: ResultFile, path: Path) -> Path:
    """Return the folder in which the subject was found then, if it is inside of ``path``; else ``path``."""
    try:
        root = None if result.root is None else result.root.resolve()
        is_below = root is not None and root.is_dir() and root.is_relative_to(path.resolve())
    except (OSError, ValueError):  # a file may say anything
        return path
    return root if is_below and root is not None else path


def version_label(result: ResultFile, finding: Replayable) -> str:
    """Return the version to take: the one that shows the finding, a revision by the commit it was."""
    side = "old" if finding.old else "new"
    label = result.versions.get(side) or result.versions.get("at") or "worktree"
    commit = _COMMIT.fullmatch(label)
    return commit[1] if commit else label


def _conclude(answer: Replayed, result: ResultFile, finding: Replayable, label: str) -> bool:
    for line in (*answer.waiting, *answer.results):
        show(prose(line, terminal_layout(), indent=2))
    if finding.kind == "difference" or result.command == "diff":
        # it takes two versions to judge; steps that are the same, with the same values, have the same end
        again = not finding.rows or _essence(answer.rows) == _essence(finding.rows)
    else:
        again = answer.kind is not None and finding.kind in ("", answer.kind)
    if answer.lost is not None:
        again = False
        print(harmless(f"The code has moved too far for this schedule: {answer.lost}."))
    elif again:
        print(harmless(f"Replayed {answer.same} of {TIMES} times with the same steps, version {label}."))
    else:
        kind = finding.kind or "violation"
        print(harmless(f"The schedule still runs on version {label}, but shows no {kind} any more."))
    print()
    return again


def _essence(steps: Sequence[AccessStep]) -> list[tuple[Any, ...]]:
    """Return the operation of a step, without its line number."""
    return [(step.thread, step.access, step.value) for step in steps]


# -- replay step -------------------------------------------------------------------------------------------------------
# `plait replay --step`: forward and back through an interleaving, on a terminal or through a pipe of keys.


FORWARD, BACK, FIRST, LAST, QUIT = "forward", "back", "first", "last", "quit"
_KEYS = {
    "n": FORWARD, " ": FORWARD, "\r": FORWARD, "\n": FORWARD, "l": FORWARD, "j": FORWARD, "p": BACK, "b": BACK,
    "h": BACK, "k": BACK, "g": FIRST, "G": LAST, "q": QUIT, "\x03": QUIT, "\x04": QUIT,
}  # fmt: skip
_ARROWS = {"C": FORWARD, "B": FORWARD, "D": BACK, "A": BACK, "H": FIRST, "F": LAST}
_CLEAR = "\x1b[2J\x1b[H"


def _step_through(
    steps: Sequence[ShownStep], sources: Mapping[str, Any], names: Mapping[int, str], keys: TextIO, out: TextIO
) -> None:
    """Show the first step, then the step that each key selects, until a key quits or the keys end."""
    if not steps:
        print("nothing that threads share was touched: there are no steps", file=out)
        return
    screen = out.isatty()
    at = 0

    def draw() -> None:
        shown = step_text(steps, at, sources, names, terminal_layout(stream=out).width)
        lines = [*shown, "", *([KEYS] if screen else [])]
        out.write((_CLEAR if screen else "") + "\n".join(lines) + "\n")
        out.flush()

    with _each_key(keys):  # before anything is shown: a key that is pressed early counts as well
        draw()
        for move in moves(keys):
            if move == QUIT:
                return
            wanted = {FORWARD: at + 1, BACK: at - 1, FIRST: 0, LAST: len(steps) - 1}[move]
            at = max(0, min(len(steps) - 1, wanted))
            draw()


def moves(keys: TextIO) -> Iterator[str]:
    """Yield the meanings of the pressed keys; unknown keys are ignored."""
    typed = _typed(keys)
    for key in typed:
        if key == "\x1b":
            if next(typed, "") in ("[", "O") and (arrow := next(typed, "")) in _ARROWS:
                yield _ARROWS[arrow]
        elif key in _KEYS:
            yield _KEYS[key]


def _typed(keys: TextIO) -> Iterator[str]:
    """Yield single characters; on a terminal each as soon as it is typed."""
    while key := os.read(keys.fileno(), 1).decode("utf-8", "replace") if keys.isatty() else keys.read(1):
        yield key


@contextlib.contextmanager
def _each_key(keys: TextIO) -> Iterator[None]:
    if sys.platform == "win32" or not keys.isatty():
        yield
        return
    import termios  # noqa: PLC0415 - not on every platform
    import tty  # noqa: PLC0415

    before = termios.tcgetattr(keys)
    try:
        tty.setcbreak(keys, termios.TCSANOW)
        yield
    finally:
        termios.tcsetattr(keys, termios.TCSADRAIN, before)
