"""``plait explore TEST``: explores an existing multithreaded test, at changed code first.

The test runs under pytest in its own process, with the plug-in of `plait.pytest_plugin.explore` and the requested
version. This module makes both versions available, determines what the change impacts, and turns the account that the
process writes into the result.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.commands.accepting import apply_baseline, baseline_of, is_new
from plait.commands.explore.account import LONGEST_OUTPUT, read_account_lines, read_accounts
from plait.errors import FOUND, INCONCLUSIVE, NOTHING_FOUND, STOPPED, UNUSABLE, UsageError
from plait.model.choices import DEFAULT_HEURISTIC, SEARCHES
from plait.model.command_results import ExploreResult, ExploreStats
from plait.model.counted import counted
from plait.model.finding import AccessStep, Finding
from plait.model.result import note_confinement
from plait.model.schedule import Schedule
from plait.report.explore_text import explore_statement, explore_text
from plait.report.publish import publish_result
from plait.report.sources import name_from, sources, steps_of_finding
from plait.run.importing.world import cache_folder
from plait.run.native.kernel import DISK
from plait.run.native.process import excess, memory_share, overfull, passed_on, processor_time
from plait.run.native.stillness import waits
from plait.store.baseline import Found
from plait.subject.changes.impact import Impact, impact_as_json
from plait.subject.changes.impact_analysis import impact_between
from plait.subject.versions.git import Repository
from plait.subject.versions.version import Version, import_root, resolve
from plait.workers.blackbox import tail
from plait.workers.session import COMMAND, ConfinementOrder

if TYPE_CHECKING:
    import argparse

SECONDS = 60.0
SCHEDULES = 10_000
BOUND = 2
SEARCH = "auto"
OVERTIME = 3.0  # seconds in addition to the budget, after which pytest is killed
# Pytest warns of this in projects that use plait.
LOADED = "ignore:Module already imported so cannot be rewritten; plait"
_COLLECTION = 120.0  # seconds that pytest may take until the first test, if the machine is busy
_IMPORTING = 8.0  # seconds in addition to the budget that it may take if it gets processor time
LOOK, LOOKS = 0.05, 10  # seconds between two looks at the process; looks at which it must be waiting
_STUCK = "it has not ended within its budget, nor could it be interrupted: it is in a call of C code that "
_WAITED, _COMPUTED = _STUCK + "waits for ever", _STUCK + "computes on and on"


def run_explore(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    baseline = baseline_of(options)
    result = explore_test(options)
    found = [Found(each, result.subject, "explore") for each in result.findings]
    apply_baseline(baseline, options, result, found, [(result.subject, "explore")])
    complete = publish_result(result, options, explore_text, explore_statement)
    if result.findings and not any(map(is_new, result.findings)):
        return NOTHING_FOUND if complete else UNUSABLE
    code = {"failure": FOUND, "pass": NOTHING_FOUND}.get(result.verdict, INCONCLUSIVE)
    return code if complete else code or UNUSABLE  # the requested output could not be written


def explore_test(options: argparse.Namespace) -> ExploreResult:
    """Run the tests that ``options.argument`` names; raise `UsageError` if there are none, or pytest does not end."""
    started = time.monotonic()
    if options.schedule in ("native", "active"):
        raise UsageError(
            f"explore controls every execution: --schedule {options.schedule} is not one of its searches; choose "
            f"one of {', '.join(SEARCHES)}"
        )
    project = options.path.resolve()
    with contextlib.ExitStack() as stack:
        new = stack.enter_context(resolve(options.new, project=project, cache=cache_folder().parent))
        node = _node(options.argument, project, new)  # before the versions are compared, which takes time
        old = _before(options, project, stack)
        impact = Impact() if old is None else impact_between(old, new)
        told = _account(node, project, new, impact, options)
        result = _result(told, options, old, new, impact)
        inside = _inside(new, project)
        name_from(inside, result.findings)
        result.more["sources"] = sources(steps_of_finding(result.findings), inside)
    result.elapsed_s = time.monotonic() - started
    return result


def _before(options: argparse.Namespace, project: Path, stack: contextlib.ExitStack) -> Version | None:
    """Return the old version; None if none was named and there is no repository to take HEAD from."""
    if options.old == "HEAD" and Repository.find(project) is None:
        return None
    return stack.enter_context(resolve(options.old, project=project, cache=cache_folder().parent))


def _node(text: str, project: Path, new: Version) -> str:
    """Return the node id of TEST, which may be given as ``module:function``."""
    if "::" not in text and ":" in text:
        module, _, function = text.partition(":")
        inside = _inside(new, project)
        folder = import_root(inside, new.tree or inside, module) or import_root(project, project, module)
        if folder is None:
            raise UsageError(f"{text}: there is no module {module!r}; check the name, or --path")
        base = folder.joinpath(*module.split("."))
        file = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
        return f"{file}::{function.replace('.', '::')}"
    path, _, rest = text.partition("::")
    inside = _inside(new, project)
    found = next((each for each in (inside / path, project / path, Path(path)) if each.exists()), None)
    if found is None:
        raise UsageError(f"{text}: there is no file {path!r}; write tests/test_x.py::test_y or module:function")
    return f"{found.resolve()}::{rest}" if rest else str(found.resolve())


def _inside(new: Version, project: Path) -> Path:
    """Return the folder with the tests of a version: of the revision itself, otherwise of the project."""
    return (new.project or new.root) if new.kind == "revision" else project


def _account(
    node: str, project: Path, new: Version, impact: Impact, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Run pytest, and read the account that the plug-in wrote."""
    budget = options.budget or SECONDS
    with tempfile.TemporaryDirectory(prefix="plait-session-") as folder:
        points, account = Path(folder) / "impact.json", Path(folder) / "account.json"
        points.write_text(json.dumps(impact_as_json(impact)), encoding="utf-8")
        parallel = _in_parallel(node, options.workers)
        folders = [*(() if new.kind == "worktree" else (str(new.root),)), *map(str, new.extra)]
        order = ConfinementOrder(folder, list(options.allow), folders, bool(parallel))
        command = [
            sys.executable, *COMMAND, order.as_text(), node, "-q", "--no-header", "-p", "no:cacheprovider",
            "-p", "no:randomly", "-W", LOADED, "--plait", "--plait-impact", str(points), "--plait-result", str(account),
            "--plait-capp", options.capp or DEFAULT_HEURISTIC, "--plait-schedule", options.schedule or SEARCH,
            "--plait-bound", str(BOUND), "--plait-schedules", str(options.max_schedules or SCHEDULES),
            "--plait-seconds", str(budget), "--plait-budget", str(budget), "--plait-seed", str(options.seed),
            "--plait-model", options.model, "--plait-allow", ",".join(options.allow),
            *parallel,
        ]  # fmt: skip
        calm = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}  # otherwise imports would write files
        environment = {**passed_on(os.environ, options.allow), **calm}
        said = Path(folder) / "output.txt"
        ended = _run_pytest(command, _inside(new, project), environment, said, account, budget + OVERTIME)
        if account.exists():
            told, layers = read_accounts(account)
            note_confinement(layers)
        else:
            told = _accounts_so_far(Path(f"{account}.lines"), ended)
        lines = [line for line in tail(said, LONGEST_OUTPUT).splitlines() if line.strip()]
    if not told:
        if ended not in (None, _WAITED, _COMPUTED):
            raise UsageError(f"{node}: {ended}")
        if ended is not None:
            limit = min(_COLLECTION, budget + _IMPORTING)
            raise UsageError(f"{node}: pytest has not begun with any test within {limit:.0f} s")
        errors = [line for line in lines if line.startswith(("E ", "ERROR")) and not line.endswith("%]")]
        shown = [line for line in errors if STOPPED in line] or errors
        if not shown and any(" 0 without threads of their own" in line for line in lines):
            raise UsageError(f"{node}: pytest ran no test: it finds none there")
        if any(line.endswith("ModuleNotFoundError: No module named 'pytest'") for line in lines):
            raise UsageError(f"{node}: `plait explore` needs pytest: pip install 'plait[pytest]'")
        shown = shown or lines[-1:]
        raise UsageError(f"{node}: pytest ran no test: {shown[0].removeprefix('E ').strip() if shown else 'no output'}")
    return list(told)


def _run_pytest(
    command: list[str], folder: Path, environment: dict[str, str], output: Path, account: Path, seconds: float
) -> str | None:
    """Run pytest with all processes it starts, until it ends, the account is complete, or the time is up.

    The time begins with the first test. Return None if it ended or the account is complete; otherwise what pytest was
    doing when it was killed.
    """
    start = time.monotonic()
    wanted = min(_COLLECTION, seconds - OVERTIME + _IMPORTING)
    end, begun = start + wanted, False
    with output.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            idle = looks = 0
            while process.poll() is None:
                # If the process is waiting when its time is up, it is observed until that is certain: it may have begun
                # to wait just now, and on a busy machine most of its time may have passed before.
                late = time.monotonic() > end and (not idle or idle > LOOKS)
                if late and (begun or idle or not _starved(process.pid, wanted, start)):
                    return _WAITED if idle > LOOKS else _COMPUTED
                if not begun and Path(f"{account}.lines").exists():
                    end, begun = time.monotonic() + seconds, True
                too_much = _too_much(process.pid)
                looks += 1
                if not too_much and looks % LOOKS == 0:
                    too_much = overfull(str(account.parent), DISK)
                if too_much:
                    return too_much
                idle = idle + 1 if waits(process.pid) else 0
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(1.0 if account.exists() else LOOK)
                    continue
                if account.exists():  # why it does not end does not matter then
                    return None
        finally:
            _kill(process)
    return None


def _starved(process: int, wanted: float, start: float) -> bool:
    """Return whether a process that wants to run got too little processor time to be blamed for being late."""
    return time.monotonic() < start + _COLLECTION and processor_time(process) < wanted / 2


def _too_much(process: int) -> str:
    """Return which limit a process or one of its children exceeds; empty if none."""
    children: list[str] = []
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    share = memory_share(max(1, len(children)))
    return next(filter(None, (excess(each, share) for each in (process, *map(int, children)))), "")


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _accounts_so_far(file: Path, ended: str | None) -> list[dict[str, Any]]:
    """Return the accounts of a process that was killed, completed by the test that was running."""
    if not file.exists() or ended is None:
        return []
    told, started = read_account_lines(file)
    complete = {each["test"] for each in told}
    for name in [each for each in started if each not in complete]:
        text = ended
        each: dict[str, Any] = {"test": name, "ran": "not under control", "why": text, "outcome": "skipped"}
        if ended == _WAITED:
            each.update(outcome="failed", ran="OS threads", schedules=0, search="OS threads", failure={
                "kind": "hang", "summary": f"hangs: {text}", "details": [], "exception": None, "preemptions": 0,
                "schedule": None, "interleaving": [], "reachable": {}, "confirmed_on_threads": True,
                "text": f"hangs: {text}", "token": None, "names": {},
            })  # fmt: skip
        told.append(each)
    return told


def _in_parallel(node: str, workers: int | None) -> list[str]:
    """Return the options with which pytest-xdist, if installed, distributes several tests over processes."""
    several = "::" not in node or "[" not in node
    if workers is None or workers == 1 or not several or importlib.util.find_spec("xdist") is None:
        return []
    return ["-n", str(workers)]


def _result(
    told: list[dict[str, Any]], options: argparse.Namespace, old: Version | None, new: Version, impact: Impact
) -> ExploreResult:
    ran = [each for each in told if each["ran"] != "not under control"]
    failed = [each for each in told if each["outcome"] == "failed"]
    bounds = {each.get("preemption_bound") for each in ran}
    exhausted = bool(ran) and all(each.get("exhausted", False) for each in ran)
    stats: ExploreStats = {
        "tests": len(ran), "schedules": sum(each["schedules"] for each in ran),
        "transitions": sum(each.get("transitions") or 0 for each in ran), "impacted_points": len(impact),
        "preemption_bound": bounds.pop() if len(bounds) == 1 else None, "exhausted": exhausted,
        "search": ran[0]["search"] if ran else None,
        "threads": max((each.get("threads", 0) for each in ran), default=0),
    }  # fmt: skip
    left = [each for each in told if each not in ran]
    notes = [bug for each in told for bug in each.get("bugs", ())]
    notes += [f"{each['test']} was not explored: {each.get('why', '?')}" for each in left]
    notes += [
        f"{each['test']} ran on OS threads ({counted(each['schedules'], 'time')}): {each['why']}"
        for each in ran if each["ran"] == "OS threads"
    ]  # fmt: skip
    notes += [f"{each['test']} was explored on {each['backend']}" for each in ran if "backend" in each]
    notes += [f"{each['test']} starts no thread" for each in ran if each["ran"] == "one thread"]
    if old is None:
        notes.append("there is no old version to compare with (no git repository): schedules come in the usual order")
    elif not impact.points:
        notes.append(f"nothing differs from {old.label}: schedules come in the usual order")
    reason = "" if failed else _no_evidence(ran, left)
    notes = [*([reason] if reason else []), *notes]
    return ExploreResult(
        "explore", options.argument, "failure" if failed else "inconclusive" if reason else "pass",
        versions={"old": "none" if old is None else old.label, "new": new.label},
        seed=options.seed, model=options.model, stats=stats,
        findings=[_finding(each) for each in failed if "failure" in each],
        stories=[{"text": each["failure"]["text"], **each["failure"].get("story", {})}
                 for each in failed if "failure" in each],
        stopped_by="finding" if failed else "exhausted" if exhausted else "budget", notes=[*notes, *impact.notes],
        reason=reason,
        more={"tests": [{key: value for key, value in each.items() if key != "failure"} for each in told],
              "impact": [str(point) for point in sorted(impact.points, key=str)],
              "stories": [each["failure"]["text"] for each in failed if "failure" in each],
              "failed": [_again(options.argument, each["test"]) for each in failed if "failure" in each]},
    )  # fmt: skip


def _no_evidence(ran: list[dict[str, Any]], left: list[dict[str, Any]]) -> str:
    """Return why tests without a failure are no evidence; empty if at least one of them had concurrent threads."""
    if any(each["ran"] != "one thread" for each in ran):
        return ""
    if ran:
        return (
            f"{'the test' if len(ran) == 1 else f'none of {len(ran)} tests'} "
            f"{'starts no' if len(ran) == 1 else 'starts a'} thread: there is one schedule only. Name a test that "
            "starts threads, or use plait check on the class that it tests"
        )
    return f"no test could be explored: {left[0].get('why', '?') if left else 'pytest ran none'}"


def _again(asked: str, test: str) -> str:
    """Return the name of one of the tests for the command line, relative to the current folder."""
    file, _, _rest = asked.partition("::")
    return f"{file}::{test.partition('::')[2]}" if file.endswith(".py") and "::" in test else test


def _finding(told: dict[str, Any]) -> Finding:
    failure = told["failure"]
    steps, race = ([AccessStep.from_json(row) for row in failure.get(key, ())] for key in ("interleaving", "race"))
    return Finding(
        failure["kind"], failure["summary"], list(dict.fromkeys(step.function for step in steps if step.function)),
        exception=failure["exception"], preemptions=failure["preemptions"],
        schedule=None if failure["schedule"] is None else Schedule.from_json(failure["schedule"]),
        interleaving=steps, race=race or None, reachable=failure["reachable"],
        confirmed_on_threads=failure["confirmed_on_threads"], detail="\n".join(failure["details"]), node=told["test"],
    )  # fmt: skip
