"""What a reproducer file calls: runs its test in a process of its own and fails if the fault is still there.

The schedule is replayed first. If it shows nothing (the code is sound now, or has moved too far), all schedules of the
test are explored up to a limit, so that a test that passes says more than "the old schedule no longer fits".
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.errors import UsageError

if TYPE_CHECKING:
    from plait.model.test import Test
    from plait.run.importing.world import World
    from plait.run.work_folder import WorkFolder

EXPLORED, EXPLORED_OUTCOMES = 2000, 3000
SHOWN = 3  # a child's exit code; 1 is that of a Python that broke off


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
    if done.returncode == SHOWN:
        raise AssertionError(done.stdout.strip())
    raise RuntimeError(f"{subject} could not be run: {(done.stderr or done.stdout).strip()[-2000:]}")


def _run(order: dict[str, Any]) -> int:
    """Replay, in the child process: `SHOWN` for a violation, or if the code that could show one is gone."""
    from plait.observe.places import PLACES
    from plait.run.engine import ENGINE
    from plait.run.importing.world import World, find_in
    from plait.subject.name import Subject

    root = Path(order["path"]).absolute() if order["path"] is not None else Path.cwd()
    with _own_folder() as folder:
        try:
            subject = Subject.parse(order["subject"], path=root)
            world = World(PLACES)
            module = world.load(subject.module, file=subject.file, roots=[root])
            if subject.qualname:
                find_in(module, subject.qualname)
        except (ImportError, OSError, UsageError) as error:
            return _gone(order["subject"], str(error))
        world.snapshot()
        folder.keep()
        assert ENGINE.modules is not None
        ENGINE.modules.behind.append(folder.remove_left)
        return _test(order, world, subject.qualname)


def _test(order: dict[str, Any], world: World, owner: str) -> int:
    """Run the test itself; see `_run`."""
    from plait.model.test import Test

    test = Test.from_lines(order["imports"], order["prefix"], order["threads"])
    with world.entered():
        gone = _missing(order, test)
        if gone:
            return _gone(order["subject"], gone)
        said = _difference(order, test) if "allowed" in order else _violation(order, test, owner)
        if not said and _is_apart(test):
            calls = " and ".join(f"`{'; '.join(call.source for call in suffix)}`" for suffix in test.suffixes)
            return _gone(order["subject"], f"{calls} touch nothing any more that threads could share")
    print(said)
    return SHOWN if said else 0


@contextlib.contextmanager
def _own_folder() -> Iterator[WorkFolder]:
    """Run the test in an empty folder, as the worker did that found it; nothing is left in the project."""
    from plait.run.work_folder import WorkFolder

    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="plait-") as name:
        os.chdir(name)
        try:
            yield WorkFolder(Path(name))
        finally:
            os.chdir(before)


def _gone(subject: str, why: str) -> int:
    print(f"{why}. The test of {subject} shows nothing any more: adapt it to the code, or delete it.")
    return SHOWN


def _missing(order: dict[str, Any], test: Test) -> str:
    """Return what the test needs and the code no longer has; empty if it can run."""
    from plait.judge.oracle.presence import UNBUILT, missing_name
    from plait.judge.oracle.safety import Examination
    from plait.model.schedule import Schedule
    from plait.observe.places import PLACES

    try:
        examination = Examination(test, PLACES)
        examination.replay(Schedule(()))
    except (ImportError, NameError) as error:
        return str(error)
    except UNBUILT as error:
        return f"the objects of the test cannot be made: {error}"
    bed = examination.bed
    modules = {name: value for name, value in bed.space.items() if type(value) is types.ModuleType}
    calls = [call.expression for call in (*test.prefix, *test.calls)]
    looks = [*order.get("afterwards", ()), *order.get("view", {}).get("afterwards", ())]
    return missing_name([*calls, *looks], {**modules, **bed.values})


def _is_apart(test: Test) -> bool:
    """Return whether no two threads touch the same thing, not even a lock: then the test can show nothing."""
    from plait.judge.oracle.safety import Examination
    from plait.model.schedule import Schedule
    from plait.observe.places import PLACES
    from plait.run.engine import ENGINE

    examination = Examination(test, PLACES)
    examination.replay(Schedule(()))
    threads = {done.number for done in examination.bed.done}
    touched = {(thread, loc) for thread, loc, *_rest in ENGINE.trace if loc and thread in threads}
    return len(threads) > 1 and len(touched) == len({loc for _thread, loc in touched})


def _violation(order: dict[str, Any], test: Test, owner: str) -> str:
    """Return a violation with its interleaving; empty if there is none."""
    from plait.judge.oracle.examine import examine
    from plait.judge.oracle.explain import record_schedule
    from plait.judge.oracle.rules import Rules
    from plait.judge.oracle.safety import Examination
    from plait.judge.oracle.summary import summary
    from plait.model.schedule import Schedule
    from plait.model.test import Call
    from plait.observe.places import PLACES
    from plait.observe.recording import as_step
    from plait.report.interleaving import table
    from plait.report.layout import as_text

    probes = tuple(Call.from_line(line) for line in order["afterwards"])
    schedule = Schedule.from_json(order["schedule"])
    given = order["rules"]
    rules = Rules(given.get("invariant"), tuple(given.get("nondeterministic", ())), tuple(given.get("waiting", ())))
    examination = Examination(test, PLACES, probes, rules)
    violation, _lost = examination.replay(schedule)
    if violation is None:
        examined = examine(examination, systematic=EXPLORED, sampled=0)
        violation, schedule = examined.violation, examined.schedule or schedule
    if violation is None:
        return ""
    moments, _pairs, waiting = record_schedule(examination, schedule)
    drawn = as_text(table([as_step(moment) for moment in moments]))
    return "\n".join([summary(violation, test, owner, examination.specification), drawn, *waiting])


def _difference(order: dict[str, Any], test: Test) -> str:
    """Return an outcome that is not allowed, with an interleaving that leads to it; empty if there is none."""
    from plait.judge.difference.behaviour import explore_outcomes
    from plait.judge.difference.explain import replay_outcome
    from plait.judge.difference.outcome import Outcome, View
    from plait.judge.oracle.explain import record_schedule
    from plait.judge.oracle.safety import Examination
    from plait.model.schedule import Schedule
    from plait.observe.places import PLACES
    from plait.observe.recording import as_step
    from plait.report.interleaving import table
    from plait.report.layout import as_text
    from plait.report.reproducer import in_words, outcome_digest
    from plait.run.testbed import Testbed

    class Allowed:
        """Outcomes by their short names."""

        def __contains__(self, outcome: object) -> bool:
            return isinstance(outcome, Outcome) and outcome_digest(outcome) in order["allowed"]

    view, schedule, allowed = View.from_json(order["view"]), Schedule.from_json(order["schedule"]), Allowed()
    outcome, _lost = replay_outcome(test, view, schedule)
    if outcome in allowed:
        found = explore_outcomes(Testbed(test, PLACES), view, limit=EXPLORED_OUTCOMES, allowed=allowed)
        others = [(each, shown.schedule) for each, shown in found.outcomes.items() if each not in allowed]
        if not others:
            return ""
        outcome, schedule = others[0]
    moments, _pairs, waiting = record_schedule(Examination(test, PLACES), schedule)
    names = {thread: "; ".join(call.source for call in suffix) for thread, suffix in enumerate(test.suffixes, 1)}
    lines = [
        f"not among what is allowed: {in_words(outcome, test, view)}",
        "allowed is:", *(f"    {text}" for text in list(order["allowed"].values())[:12]), "",
        as_text(table([as_step(moment) for moment in moments if moment.site.line], names=names)), *waiting,
    ]  # fmt: skip
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(_run(json.load(sys.stdin)))
