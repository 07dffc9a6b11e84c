"""What a reproducer file calls: runs its test in a process of its own and fails if the fault is still there.

The schedule is replayed first. If it shows nothing (the code is sound now, or has moved too far), all schedules of the
test are explored up to a limit, so that a test that passes says more than "the old schedule no longer fits".
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

EXPLORED = 2000


def assert_safe(
    subject: str,
    *,
    imports: Sequence[str],
    prefix: Sequence[str],
    threads: Sequence[Sequence[str]],
    schedule: Sequence[dict[str, Any]],
    afterwards: Sequence[str] = (),
    path: str | Path | None = None,
    model: str = "free-threaded",
    timeouts: str = "idle",
    rules: Mapping[str, Any] | None = None,
) -> None:
    """Raise AssertionError with the interleaving if the calls do together what no order of them does."""
    order = {
        "subject": subject, "path": str(path) if path is not None else None, "imports": list(imports),
        "prefix": list(prefix), "threads": [list(calls) for calls in threads], "afterwards": list(afterwards),
        "rules": dict(rules or {}),
        "schedule": {"format": 1, "model": model, "timeouts": timeouts, "segments": list(schedule)},
    }  # fmt: skip
    _in_child(order)


def assert_outcomes(
    subject: str,
    *,
    imports: Sequence[str],
    prefix: Sequence[str],
    threads: Sequence[Sequence[str]],
    allowed: Mapping[str, str],
    schedule: dict[str, Any],
    view: dict[str, Any],
    path: str | Path | None = None,
) -> None:
    """Raise AssertionError if the calls, over all interleavings, can do what is not ``allowed``.

    Outcomes have short names, so that a file stays readable; ``view`` says what counts as an outcome.
    """
    _in_child({
        "subject": subject, "path": str(path) if path is not None else None, "imports": list(imports),
        "prefix": list(prefix), "threads": [list(calls) for calls in threads], "allowed": dict(allowed),
        "schedule": schedule, "view": view,
    })  # fmt: skip


def _in_child(order: dict[str, Any]) -> None:
    """Run a reproducer's test in a fresh process: the code under test is imported rewritten there."""
    subject = order["subject"]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "plait.reproduce"], input=json.dumps(order), capture_output=True, text=True, check=False,
        env=environment,
    )  # fmt: skip
    if done.returncode == 0:
        return
    if done.returncode == 1:
        raise AssertionError(done.stdout.strip())
    raise RuntimeError(f"{subject} could not be run: {(done.stderr or done.stdout).strip()[-2000:]}")


def _run(order: dict[str, Any]) -> int:
    """In the child process: 1 if a violation shows, with its description printed."""
    from plait.judge.oracle.examine import examine
    from plait.judge.oracle.explain import record_schedule
    from plait.judge.oracle.rules import Rules
    from plait.judge.oracle.safety import Examination
    from plait.judge.oracle.summary import summary
    from plait.model.schedule import Schedule
    from plait.model.test import Call, Test
    from plait.observe.places import PLACES
    from plait.observe.recording import as_row
    from plait.report.diff_reproduce import outcome_failure
    from plait.report.interleaving import as_text, table
    from plait.run.importing.world import World
    from plait.subject.name import Subject

    root = Path(order["path"]) if order["path"] is not None else Path.cwd()
    subject = Subject.parse(order["subject"], path=root)
    world = World(PLACES)
    world.load(subject.module, file=subject.file, roots=[root])
    world.snapshot()
    if "allowed" in order:
        with world.entered():
            said = outcome_failure(order)
        print(said or "")
        return 1 if said else 0
    test = Test.from_lines(order["imports"], order["prefix"], order["threads"])
    probes = tuple(Call.from_line(line) for line in order["afterwards"])
    schedule = Schedule.from_json(order["schedule"])
    with world.entered():
        said = order["rules"]
        rules = Rules(said.get("invariant"), tuple(said.get("nondeterministic", ())), tuple(said.get("waiting", ())))
        examination = Examination(test, PLACES, probes, rules)
        violation, _lost = examination.replay(schedule)
        if violation is None:
            examined = examine(examination, systematic=EXPLORED, sampled=0)
            violation, schedule = examined.violation, examined.schedule or schedule
        if violation is None:
            return 0
        print(summary(violation, test, subject.qualname, examination.specification))
        moments, _pairs, waiting = record_schedule(examination, schedule)
        print(as_text(table([as_row(moment) for moment in moments])))
        print("\n".join(waiting))
    return 1


if __name__ == "__main__":
    sys.exit(_run(json.load(sys.stdin)))
