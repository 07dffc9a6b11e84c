"""`plait replay FILE`: run the findings of a file again and show them, at once, step by step or in the debugger."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from plait.campaign.check import workers_for
from plait.campaign.releases import cache_root
from plait.campaign.replay_debug import debug
from plait.campaign.replay_step import step_through
from plait.campaign.replay_tasks import Order, replay
from plait.errors import UsageError
from plait.model.reading import Replayable, ResultFile, read_result
from plait.report.sources import sources
from plait.report.steps import steps
from plait.report.table import table
from plait.report.terminal import show
from plait.subject.name import Subject
from plait.subject.version import Version, resolve

TIMES = 10
TIMEOUT = 120.0
_COMMIT = re.compile(r".* \(([0-9a-f]{10})\)")  # how a result file names a revision


def run(options: argparse.Namespace) -> int:
    """The command: 1 if some finding shows again, 0 if none does."""
    file = Path(options.argument)
    result = read_result(file)
    if not result.findings:
        advice = "; the report of a test says how to replay it with pytest" if result.command == "explore" else ""
        raise UsageError(f"{file} holds no finding with a schedule: there is nothing to replay{advice}")
    shown = [_replay(result, finding, options) for finding in _chosen(result, options, file)]
    return 1 if any(shown) else 0


def _chosen(result: ResultFile, options: argparse.Namespace, file: Path) -> tuple[Replayable, ...]:
    if options.finding is None:
        return result.findings[:1] if options.step or options.pdb else result.findings
    if options.finding > result.total:
        raise UsageError(f"{file} has no finding {options.finding}: it holds {result.total}")
    chosen = tuple(each for each in result.findings if each.number == options.finding)
    if not chosen:
        able = ", ".join(str(each.number) for each in result.findings)
        raise UsageError(f"finding {options.finding} of {file} has no schedule to replay; those that have one: {able}")
    return chosen


def _replay(result: ResultFile, finding: Replayable, options: argparse.Namespace) -> bool:
    label = _label(result, finding)
    place = _place(result, options.path) if label == "worktree" else options.path
    subject = Subject.parse(finding.subject or result.subject, path=place)
    order = Order(finding.test, finding.schedule, result.probes, result.rules)
    with resolve(label, project=place, cache=cache_root(), subject=subject) as version:
        print(finding.summary, end="\n\n")
        if options.pdb:
            return debug(subject, version, order, tuple(options.allow), options.config.hook)
        answer = _answer(subject, version, order, options)
        suffixes = enumerate(finding.test.suffixes, 1)
        names = {number: "; ".join(call.source for call in suffix) for number, suffix in suffixes}
        if options.step:
            taken = steps(answer["rows"], answer["race"])
            step_through(taken, sources(answer["rows"]), names, sys.stdin, sys.stdout)
        else:
            show(table(answer["rows"], names=names))
    print()
    return _conclude(answer, result, finding, label)


def _answer(subject: Subject, version: Version, order: Order, options: argparse.Namespace) -> dict[str, Any]:
    allow, hook = tuple(options.allow), options.config.hook
    with workers_for(subject, version, count=1, allow=allow, hook=hook) as workers:
        found: dict[str, Any] = workers.attempt(replay, order, TIMES, timeout=TIMEOUT).result().value
    return found


def _place(result: ResultFile, path: Path) -> Path:
    """Where the subject was found then, if that is in the folder that is asked for; else that folder."""
    try:
        is_below = result.root is not None and result.root.is_dir() and result.root.is_relative_to(path.resolve())
    except (OSError, ValueError):  # a file may say anything
        return path
    return result.root if is_below and result.root is not None else path


def _label(result: ResultFile, finding: Replayable) -> str:
    """The version to take: the one that shows the finding, a revision by the commit it was."""
    side = "old" if finding.old else "new"
    label = result.versions.get(side) or result.versions.get("at") or "worktree"
    commit = _COMMIT.fullmatch(label)
    return commit[1] if commit else label


def _conclude(answer: dict[str, Any], result: ResultFile, finding: Replayable, label: str) -> bool:
    for line in (*answer["waiting"], *answer["results"]):
        print(f"  {line}")
    if finding.kind == "difference" or result.command == "diff":
        # it takes two versions to judge; steps that are the same, with the same values, have the same end
        again = not finding.rows or _essence(answer["rows"]) == _essence(finding.rows)
    else:
        again = answer["kind"] is not None and finding.kind in ("", answer["kind"])
    if answer["lost"] is not None:
        again = False
        print(f"The code has moved too far for this schedule: {answer['lost']}.")
    elif again:
        print(f"Replayed {answer['same']} of {TIMES} times with the same steps, version {label}.")
    else:
        print(f"The schedule still runs on version {label}, but shows no {finding.kind or 'violation'} any more.")
    print()
    return again


def _essence(rows: Any) -> list[tuple[Any, ...]]:
    """What a step does, wherever its line stands now."""
    return [(row.get("thread"), row.get("access"), row.get("value")) for row in rows]
