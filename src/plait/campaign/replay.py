"""`plait replay FILE`: run the findings of a result file again and show them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from plait.campaign.check import cache_root, workers_for
from plait.campaign.replay_tasks import replay
from plait.errors import UsageError
from plait.model.reading import Replayable, ResultFile, read_result
from plait.report.table import as_text, table
from plait.subject.name import Subject
from plait.subject.version import resolve

TIMES = 10
TIMEOUT = 120.0


def run(options: argparse.Namespace) -> int:
    """The command: 1 if some finding shows again, 0 if none does."""
    file = Path(options.argument)
    result = read_result(file)
    if not result.findings:
        raise UsageError(f"{file} holds no finding with a schedule: there is nothing to replay")
    shown = [_replay(result, finding, options) for finding in result.findings]
    return 1 if any(shown) else 0


def _replay(result: ResultFile, finding: Replayable, options: argparse.Namespace) -> bool:
    subject = Subject.parse(finding.subject or result.subject, path=options.path)
    label = result.versions.get("new") or result.versions.get("at") or "worktree"
    with (
        resolve(label, project=options.path, cache=cache_root(), subject=subject) as version,
        workers_for(subject, version, count=1, allow=tuple(options.allow)) as workers,
    ):
        future = workers.attempt(replay, finding.test, finding.schedule, result.probes, TIMES, timeout=TIMEOUT)
        answer: dict[str, Any] = future.result().value
    again = answer["lost"] is None and finding.kind in (answer["kind"], "difference")
    print(finding.summary)
    print()
    suffixes = enumerate(finding.test.suffixes, 1)
    names = {number: "; ".join(call.source for call in suffix) for number, suffix in suffixes}
    print(as_text(table(answer["rows"], names=names)))
    print()
    for line in (*answer["waiting"], *answer["results"]):
        print(f"  {line}")
    if answer["lost"] is not None:
        print(f"The code has moved too far for this schedule: {answer['lost']}.")
    elif again:
        print(f"Replayed {answer['same']} of {TIMES} times with the same steps, version {label}.")
    else:
        print(f"The schedule still runs on version {label}, but shows no {finding.kind} any more.")
    print()
    return again
