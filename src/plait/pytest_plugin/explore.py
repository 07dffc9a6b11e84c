"""``pytest --plait``: every test that starts threads is run under many schedules, changed code first.

A test runs under control in place of its plain run: within pytest's own protocol, so that marks, captured output, time
limits and reports stay what they are. A test that cannot be controlled runs plainly, and the summary says why.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import inspect
import json
import os
import shlex
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.outcomes import Failed, Skipped

from plait.errors import UsageError, guarded, own_error
from plait.explore.capp.partition import prioritizer
from plait.explore.registry import make_search
from plait.explore.runner import model
from plait.judge.handwritten.search import only_without_gil, search
from plait.judge.handwritten.trial import Failure
from plait.judge.handwritten.verdict import Verdict
from plait.judge.minimise.schedules import simplify
from plait.model.choices import DEFAULT_HEURISTIC, HEURISTICS, MODELS, SEARCHES
from plait.model.counted import counted
from plait.model.outcome import Divergence, Finished
from plait.model.schedule import Schedule
from plait.pytest_plugin.item import (
    Equipment,
    ItemTrial,
    controlled_item,
    tear_down,
)
from plait.pytest_plugin.native import NativeRuns, NotEndedError, native_failure
from plait.pytest_plugin.outside import (
    BUDGET,
    LastResort,
    Outside,
    OutsideActs,
    StuckError,
    Watchdog,
)
from plait.report.layout import as_text, terminal_layout
from plait.report.story import story_data, story_lines
from plait.run.asked import IDENTITY, keeps_locals
from plait.run.engine import ENGINE, HANG
from plait.run.foreign_locks import virtual_process_locks
from plait.run.foreign_waits import virtual_waits
from plait.run.importing.adopt import is_foreign, is_standard
from plait.run.importing.world import cache_folder
from plait.scenario import (
    InterleavingError,
    fill,
    raise_for_failure,
    with_failure,
)
from plait.subject.changes.impact import Impact, impact_from_json
from plait.subject.changes.impact_analysis import impact_between
from plait.subject.versions.version import resolve
from plait.workers.session import confine_session, confined_to, layers_in_force

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator


EXPLORED, ALONE, NATIVE, PLAIN = "explored", "one thread", "OS threads", "not under control"
_VARIES = "not deterministic"
_MOST_VARIED = 3  # times that a test is explored again because its executions varied
_POSTLUDE = 1.5  # seconds beside a test's own, to make what was found smaller
_KILLED = 2.5  # seconds behind these after which a process that nothing interrupts is killed
_LEAST_SECONDS = 1.0
_NATIVE_RUNS = 10
_ENDS = ("fail", "allow")


class Settings:
    """The settings of the command line, the configuration file and a test's marker; the last one wins."""

    def __init__(self, config: pytest.Config) -> None:
        self.search = _asked(config, "schedule") or "auto"
        self.capp = _asked(config, "capp") or DEFAULT_HEURISTIC
        self.bound = _number(_asked(config, "bound"), 2)
        self.schedules = _number(_asked(config, "schedules"), 50)
        self.seconds = float(_asked(config, "seconds") or 60)
        self.seed = _number(_asked(config, "seed"), 0)
        self.model = _asked(config, "model") or "both"
        self.thread_exceptions = _asked(config, "thread_exceptions") or "fail"
        self.leftover_threads = _asked(config, "leftover_threads") or "fail"
        self.random_order = False
        self.replay: Schedule | None = None
        token = _asked(config, "replay")
        if token:
            try:
                self.replay = Schedule.from_token(token)
            except UsageError as error:
                raise pytest.UsageError(f"--plait-replay: {error}") from None
        self.check()

    def check(self) -> None:
        """Raise `pytest.UsageError` for invalid values."""
        for name, value, known in (
            ("schedule", self.search, SEARCHES), ("capp", self.capp, (*HEURISTICS, "none")),
            ("model", self.model, MODELS), ("thread-exceptions", self.thread_exceptions, _ENDS),
            ("leftover-threads", self.leftover_threads, _ENDS),
        ):  # fmt: skip
            if value not in known:
                raise pytest.UsageError(f"--plait-{name} {value!r} is not known; there are {', '.join(known)}")

    def marked(self, item: pytest.Item) -> Settings:
        """Return the settings with those of the test's markers."""
        own = object.__new__(Settings)
        own.__dict__.update(self.__dict__)
        names = {"schedule": "search", "max_executions": "schedules", "max_seconds": "seconds", "strategy": "search"}
        for marker in reversed(list(item.iter_markers("plait"))):
            for key, value in marker.kwargs.items():
                name = names.get(key, key)
                if name not in own.__dict__:
                    raise pytest.UsageError(f"{item.nodeid}: the plait marker has no {key}= for --plait")
                own.__dict__[name] = value
        own.check()
        return own


def _asked(config: pytest.Config, name: str) -> Any:
    return config.getoption(f"plait_{name}") or config.getini(f"plait_{name}") or None


def _allowed(config: pytest.Config) -> frozenset[str] | None:
    """Return the acts that are allowed; None allows as much as any run of pytest."""
    text = config.getoption("plait_allow")
    return None if text is None else frozenset(filter(None, text.split(",")))


def _number(value: Any, default: int) -> int:
    if value is None:
        return default
    if not str(value).isdecimal():
        raise pytest.UsageError(f"{value!r} is no whole number")
    return int(value)


class Explorer:
    """The plug-in object that is registered for ``--plait``."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.settings = Settings(config)
        self.impact = _impact(config)
        self._told: list[dict[str, Any]] = []
        self._outside = Outside(_allowed(config), confined_to())
        self._looked_at = set(sys.modules)
        self._locals = False
        self._threaded: set[Any] = set()  # modules of which a test has needed OS threads: the next ones begin with them
        self._planned = self._begun = 0
        self._end: float | None = None  # of the time for all tests
        self._deadline = 0.0  # of the test that runs
        self._last_resort = LastResort(config)
        self._left: list[threading.Thread] = []  # threads of tests that never end
        self._status = 0

    # -- tests --------------------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Confine the process by the kernel, if requested, before the modules of the tests are imported.

        The controlling process of pytest-xdist is left out: it starts processes, and runs no test.
        """
        config, allowed = self._config, _allowed(self._config)
        handed_out = hasattr(config, "workerinput")
        hands_out = config.getoption("numprocesses", None) and not handed_out
        if allowed is not None and not hands_out:
            folders = [str(session.config.rootpath), str(config.invocation_params.dir)]
            confine_session(folders, allowed, parent=os.getppid() if handed_out else None)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the exploration in the place of each test's own run."""
        for item in items:
            reason = _out_of_reach(item)
            if reason is None:
                self._planned += 1
                item.runtest = functools.partial(self._run, item, item.runtest)  # type: ignore[method-assign]
            else:
                item.stash[_ACCOUNT] = {"test": item.nodeid, "ran": PLAIN, "why": reason}
        if self._planned:
            Equipment.get()  # so that no test pays for it with its own time

    def _run(self, item: Any, call: Callable[[], object]) -> None:
        __tracebackhide__ = True
        settings = self.settings.marked(item)
        self._deadline = time.perf_counter() + self._time_for(settings)
        self._arm()
        try:
            verdict = self._run_in_time(item, call, settings)
        finally:
            self._last_resort.at(None)
        # Out of reach of the last resort: it ends the process, and a failure that is found must be reported.
        if verdict is not None:
            if not verdict.passed:
                account = item.stash[_ACCOUNT]
                account["failure"] = self._told_failure(verdict, account)
            raise_for_failure(verdict)

    @contextlib.contextmanager
    def _preparing(self) -> Iterator[None]:
        """Take the time to bring modules under control: that of all tests if it is limited, else nobody's.

        The first test of a large project would have used up its own time before it began.
        """
        if self._end is not None:
            yield
            return
        began = time.perf_counter()
        self._last_resort.at(None)
        try:
            yield
        finally:
            self._deadline += time.perf_counter() - began
            self._arm()

    def _arm(self) -> None:
        """Set the moment at which a process that nothing can interrupt is ended.

        Whoever comes here after the deadline was interrupted, and gets the time to clear away what is left.
        """
        self._last_resort.at(max(self._deadline, time.perf_counter()) + _POSTLUDE + _KILLED)

    def _run_in_time(self, item: Any, call: Callable[[], object], settings: Settings) -> Verdict | None:
        """Return the verdict, or None if none is due: the test has run without control, or has been skipped."""
        __tracebackhide__ = True
        with contextlib.suppress(Exception, Failed, Skipped):  # a fixture may miss what the test has not made
            tear_down(item)  # pytest has set it up without control; every execution does it again
        trial, verdict = self._repeatedly(item, call, settings)
        account = item.stash[_ACCOUNT]
        if account.get("stopped_acts"):
            pytest.skip(account["why"])
        if account["ran"] == PLAIN:
            self._natively(trial, settings, account)
        elif isinstance(trial.outcome_of_call, pytest.skip.Exception):
            raise trial.outcome_of_call
        else:
            return verdict
        return None

    def _repeatedly(
        self, item: Any, call: Callable[[], object], settings: Settings
    ) -> tuple[ItemTrial, Verdict | None]:
        """Explore the test; repeat this once if it may help.

        It may help to use an OS thread for each virtual thread. If executions varied, it may help to begin again:
        caches of classes and modules, which the first executions have filled, no longer vary. One may hide another.
        """
        backend = "threads" if self._os_threads_are_needed() or item.module in self._threaded else "auto"
        varied = 0
        while True:
            account: dict[str, Any] = {"test": item.nodeid, "ran": PLAIN, "impacted_points": len(self.impact)}
            if backend == "threads":
                account["backend"] = f"OS threads under control: {IDENTITY}"
            item.stash[_ACCOUNT] = account
            trial = self._trial(item, call, settings)
            verdict = self._explored(item, trial, settings, account, backend=backend)
            why = account.get("why", "")
            if why == IDENTITY and backend == "auto":
                backend = "threads"
                self._threaded.add(item.module)
            elif why.startswith(_VARIES) and varied < _MOST_VARIED and time.perf_counter() < self._deadline:
                varied += 1
            else:
                return trial, verdict

    def _os_threads_are_needed(self) -> bool:
        """Return whether an installed package that the tests have imported keeps something for each OS thread."""
        for name, module in list(sys.modules.items()):
            if name not in self._looked_at:
                self._looked_at.add(name)
                file = getattr(module, "__file__", None) or ""
                if is_foreign(file) and not is_standard(file) and keeps_locals(module):
                    self._locals = True
        return self._locals

    @staticmethod
    def _trial(item: Any, call: Callable[[], object], settings: Settings) -> ItemTrial:
        return ItemTrial(
            item, call, seed=settings.seed, dying=settings.thread_exceptions == "allow",
            leftover=settings.leftover_threads == "allow",
        )  # fmt: skip

    def _time_for(self, settings: Settings) -> float:
        """Return the seconds for the next test: its own limit, or its share of what all tests have together."""
        budget = self._config.getoption("plait_budget")
        if budget is None:
            return settings.seconds
        now = time.perf_counter()
        if self._end is None:
            self._end = now + float(budget)
        processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))  # each has all tests and runs its share
        left = max(1, -(-self._planned // processes) - self._begun)
        self._begun += 1
        return max(_LEAST_SECONDS, min(settings.seconds, (self._end - now) / left))

    def _explored(
        self, item: Any, trial: ItemTrial, settings: Settings, account: dict[str, Any], *, backend: str = "auto"
    ) -> Verdict | None:
        started = time.perf_counter()
        try:
            ENGINE.backend = backend
            with ExitStack() as stack:
                with self._preparing():
                    adopter = stack.enter_context(controlled_item(item, trial))
                deadline = self._deadline
                outside = stack.enter_context(self._outside.watched())
                stack.enter_context(virtual_waits(outside.others_may_answer))
                stack.enter_context(virtual_process_locks())
                stack.callback(self._arm)
                with Watchdog(deadline + _POSTLUDE, controlled=True, seen=outside).watching() as watchdog:
                    trial.watchdog = watchdog
                    verdict = _explore(trial, settings, self.impact, account, deadline)
                    trial.watchdog = None
                verdict.left = list(dict.fromkeys(adopter.left))
        except StuckError as error:
            account["why"] = error.why
            if error.why != BUDGET or not trial.finished:
                return None
            verdict = _unfinished(trial, settings, account, time.perf_counter() - started)
        except Exception as error:  # the test is not to blame, and must not suffer
            account["why"] = f"plait cannot handle it: {type(error).__name__}: {error}"
            account["bugs"] = [own_error("exploring", error, kept=f"{item.nodeid} is run on OS threads")]
            return None
        finally:
            ENGINE.backend = "auto"
            account["seconds"] = round(time.perf_counter() - started, 3)
        account["threads"] = trial.threads
        acts = sorted(outside.acts)
        if outside.stopped:
            _note_stopped(account, outside)
            return verdict
        if verdict.confirmed_on_threads is False and backend == "auto":
            account["why"] = IDENTITY  # one thread or many makes a difference, in the same schedule
        elif isinstance(verdict.outcome, Divergence):
            account["why"] = f"{_VARIES}: {verdict.outcome.details()[-1]}"
            account["details"] = verdict.outcome.details()
        elif _is_too_long(verdict.kind, verdict.executions, trial):
            account["why"] = "it is too long: " + verdict.outcome.summary()
        elif acts and not verdict.passed:
            account["why"] = f"it uses {', '.join(acts)}"
        elif outside.collected and verdict.executions == 1 and not verdict.passed:  # in the plain order already
            account["why"] = "it waits for objects to die, which live until an execution ends"
        elif trial.threads < 2 and not verdict.passed:  # no schedule can be the reason
            account["why"] = "it has one thread and fails under control"
            account["details"] = [verdict.outcome.summary()]
        else:
            account["ran"] = EXPLORED if trial.threads > 1 else ALONE
            if verdict.passed:
                account["statement"] = verdict.statement()
        return verdict

    @staticmethod
    def _told_failure(verdict: Verdict, account: dict[str, Any]) -> dict[str, Any]:
        """Return what a report shows of a failure, its bare form if that cannot be made."""
        bugs: list[str] = account.setdefault("bugs", [])
        kept = f"{account['test']} fails; it is shown in one line"
        return guarded("reporting", lambda: _failure(verdict), bugs, kept=kept) or {
            "kind": verdict.kind, "summary": verdict.outcome.summary(), "details": [], "exception": None,
            "preemptions": verdict.preemptions, "token": None, "schedule": None, "interleaving": [],
            "reachable": verdict.reachable, "confirmed_on_threads": None, "text": verdict.outcome.summary(),
            "names": {},
        }  # fmt: skip

    def _natively(self, trial: ItemTrial, settings: Settings, account: dict[str, Any]) -> None:
        """Run on OS threads what cannot be controlled; raises what the test raises."""
        __tracebackhide__ = True
        account.pop("backend", None)
        self._arm()
        run = NativeRuns(trial, dying=settings.thread_exceptions == "allow",
                         leftover=settings.leftover_threads == "allow")  # fmt: skip
        state = trial.snapshot()  # later tests must not find threads in it, which no schedule could move
        started = time.perf_counter()
        try:
            with self._outside.watched(everybody=True) as outside:
                end = max(self._deadline, started + _LEAST_SECONDS)
                run.repeat(end, min(settings.schedules, _NATIVE_RUNS), outside)
        except NotEndedError as error:
            account["why"] = f"{account['why']}; {error}"
            pytest.skip(account["why"])
        except (Exception, Failed) as error:
            if outside.stopped:
                _note_stopped(account, outside)
                pytest.skip(account["why"])
            account["ran"], account["failure"] = NATIVE, native_failure(error, account.get("threads", trial.threads))
            raise
        finally:
            self._left += run.left
            state.restore()
            account["seconds"] = round(account["seconds"] + time.perf_counter() - started, 3)
            account.update(search="OS threads", schedules=run.runs, exhausted=False)
        account["ran"] = NATIVE
        if isinstance(trial.outcome_of_call, pytest.skip.Exception):
            raise trial.outcome_of_call

    # -- reports ------------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
        """Attach the account to the report, also in the processes of pytest-xdist."""
        with _without_collector():
            report: Any = yield
        if call.when == "call" and _ACCOUNT in item.stash:
            report.plait = item.stash[_ACCOUNT]
            if call.excinfo is not None and isinstance(call.excinfo.value, InterleavingError):
                again = f"Replay it: pytest {shlex.quote(item.nodeid)} --plait --plait-replay {{}}"
                told = story_data(call.excinfo.value.verdict)
                report.longrepr = as_text(story_lines(told, terminal_layout(), again=again))
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Collect the accounts."""
        if hasattr(report, "plait") and type(report) is pytest.TestReport:  # a part of a test has the test's account
            self._told.append({**report.plait, "outcome": report.outcome})
            self._note(self._told[-1])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print what ran controlled, what did not and why."""
        write = terminalreporter.write_line
        explored = [told for told in self._told if told["ran"] == EXPLORED]
        alone = sum(told["ran"] == ALONE for told in self._told)
        terminalreporter.section("plait")
        schedules = sum(told["schedules"] for told in explored)
        whole = sum(told["exhausted"] for told in explored)
        write(
            f"{counted(len(explored), 'test')} with threads explored ({counted(schedules, 'schedule')}; every schedule "
            f"within the bounds was tried for {whole}), {alone} without threads of their own, "
            f"{counted(len(self.impact), 'place')} that the change can influence"
        )
        cut = sum(told.get("cut", 0) for told in explored)
        if cut:
            write(f"cut, because one thread kept all others from running: {counted(cut, 'schedule')}")
        for note in self.impact.notes:
            write(f"note: {note}")
        why = Counter(told["backend"] for told in explored if "backend" in told)
        for reason, count in why.most_common():
            write(f"explored on {reason.replace(': ', f': {count} (', 1)})")
        why = Counter(told.get("why", "?") for told in self._told if told["ran"] == PLAIN)
        for reason, count in why.most_common():
            write(f"not under control, run plainly: {count} ({reason})")
        why = Counter(told.get("why", "?") for told in self._told if told["ran"] == NATIVE)
        for reason, count in why.most_common():
            write(f"not under control, run on OS threads: {count} ({reason})")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Record the test that begins, for a parent that has to end this process."""
        self._note({"started": nodeid})

    def _note(self, line: dict[str, Any]) -> None:
        target = self._config.getoption("plait_result")
        if target and not hasattr(self._config, "workerinput"):
            with Path(f"{target}.lines").open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> Generator[None]:
        """Write the result file, if one is asked for; the summary of the terminal is a part of this step."""
        with _without_collector():
            self._write_result(exitstatus)
            return (yield)

    def _write_result(self, exitstatus: int) -> None:
        self._status = int(exitstatus)
        target = self._config.getoption("plait_result")
        if target and not hasattr(self._config, "workerinput"):
            whole = Path(f"{target}.whole")
            told = {"tests": self._told, "layers": layers_in_force()}
            whole.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
            whole.replace(target)  # complete as soon as it is there
            Path(f"{target}.lines").unlink(missing_ok=True)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """End the process although threads of its tests, no daemons, never end."""
        if any(thread.is_alive() for thread in self._left) and not hasattr(self._config, "workerinput"):
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self._status)


_ACCOUNT = pytest.StashKey[dict[str, Any]]()


def _impact(config: pytest.Config) -> Impact:
    """Return the points of the change: from a file, or between the version given and the project as it is."""
    file, old = config.getoption("plait_impact"), _asked(config, "old")
    if file:
        return impact_from_json(json.loads(Path(file).read_text(encoding="utf-8")))
    if not old:
        return Impact()
    project, cache = config.rootpath, cache_folder().parent
    try:
        with ExitStack() as stack:
            before = stack.enter_context(resolve(old, project=project, cache=cache))
            now = stack.enter_context(resolve("worktree", project=project, cache=cache))
            return impact_between(before, now)
    except UsageError as error:
        raise pytest.UsageError(f"--plait-old: {error}") from None


def _out_of_reach(item: Any) -> str | None:
    """Return why a test cannot be run under control; empty if it can."""
    if not isinstance(item, pytest.Function):
        return "no test function"
    if inspect.iscoroutinefunction(item.function) and not _is_run_by_a_plugin(item):
        return "it is asynchronous"
    if "plait" in item.fixturenames or any("threads" in marker.kwargs for marker in item.iter_markers("plait")):
        return "it explores by itself"
    return None


def _is_run_by_a_plugin(item: Any) -> bool:
    """Return whether a plug-in runs an asynchronous test, in a loop of its own, as pytest's `runtest` calls it."""
    marked = any(item.iter_markers("anyio")) or any(item.iter_markers("asyncio"))
    return marked or "Asyncio" in type(item).__name__ or "anyio_backend" in item.fixturenames  # where all tests are


def _note_stopped(account: dict[str, Any], outside: OutsideActs) -> None:
    account["stopped_acts"] = outside.stopped
    first = outside.stopped[0]
    account["why"] = f"stopped at {first['call']}: --allow {first['act']} lets tests do that"


def _unfinished(trial: ItemTrial, settings: Settings, account: dict[str, Any], elapsed: float) -> Verdict:
    """Return a pass as far as the search came before the time was over, in the middle of a schedule."""
    account.update(search=settings.search, schedules=trial.finished, exhausted=False)
    bound = f"Stopped (time limit) after {counted(trial.finished, 'execution')}: what is left is not known."
    return Verdict(Finished(), trial.finished, elapsed, False, bound, settings.search, settings.model)


def _explore(trial: ItemTrial, settings: Settings, impact: Impact, account: dict[str, Any], deadline: float) -> Verdict:
    if settings.replay is not None:
        return _replayed(trial, settings.replay, settings.model, account)
    order = settings.seed if settings.random_order else None
    strategy = make_search(settings.search, prioritizer(settings.capp, impact), settings.bound, settings.seed, order)
    with model(gil=settings.model == "gil", any_timeouts=False):
        found = search(trial, strategy, max_executions=settings.schedules, max_seconds=_until(deadline))
    done = found.exploration
    account.update(
        search=strategy.name, schedules=done.executions, transitions=getattr(strategy, "transitions", None),
        exhausted=done.exhausted, preemption_bound=getattr(strategy, "bound", None), stopped=done.ended,
        cut=done.statuses[HANG],
    )  # fmt: skip
    verdict = Verdict(
        Finished(), done.executions, done.elapsed, done.exhausted, done.statement(), strategy.name, settings.model,
        shared=found.shared,
    )  # fmt: skip
    if found.divergence is not None:
        verdict.outcome = found.divergence
    elif found.failure is not None and _is_too_long(found.failure.outcome.kind, done.executions, trial):
        verdict.outcome = found.failure.outcome  # no smaller form, and no other build, would end
    elif found.failure is not None:
        try:
            _tell(trial, verdict, found.failure, settings, impact, account, deadline)
        except StuckError as error:  # if the time is over, what was found is told as it is
            if error.why != BUDGET:
                verdict.confirmed_on_threads = False
        if verdict.passed:
            verdict.outcome, verdict.schedule = found.failure.outcome, found.failure.schedule
            verdict.preemptions = found.failure.preemptions
        verdict.names[1] = "the test"
    return verdict


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Run no finalizers of what executions have left in cycles: reports parse source, and plug-ins import.

    On 3.11 neither is possible while a finalizer parses as well, as one that shows a traceback does.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _is_too_long(kind: str, executions: int, trial: ItemTrial) -> bool:
    """Return whether the very first execution did not end within its steps, although it was at work."""
    return kind == "hang" and executions == 1 and not trial.livelocked


def _tell(
    trial: ItemTrial, verdict: Verdict, failure: Failure, settings: Settings, impact: Impact, account: dict[str, Any],
    deadline: float,
) -> None:  # fmt: skip
    """Put the smallest form of a failure into the verdict, and who can meet it; our own errors cost no more."""

    def step(stage: str, act: Callable[[], Any], kept: str) -> Any:
        notes: list[str] = []
        try:
            return act()
        except (StuckError, MemoryError):
            raise
        except Exception as error:
            notes.append(own_error(stage, error, kept=f"{account['test']} {kept}"))
            return None
        finally:
            account.setdefault("bugs", []).extend(notes)

    until = max(deadline, time.perf_counter() + _POSTLUDE / 4)
    smaller = step("minimising", lambda: simplify(trial, failure, until=until), "fails; its schedule is shown as found")
    step("explaining", lambda: with_failure(trial, verdict, smaller or failure), "fails; it is shown without its steps")
    verdict.reachable = step(
        "finding out which builds can fail", lambda: _reach(trial, failure, settings, impact, deadline), "fails"
    ) or {"gil": None, "free-threaded": True}


def _replayed(trial: ItemTrial, schedule: Schedule, model: str, account: dict[str, Any]) -> Verdict:
    """Return one schedule, the token of an earlier failure."""
    verdict = Verdict(Finished(), 1, 0.0, False, "One schedule, replayed.", "replay", model)
    fill(verdict, trial.record(schedule))
    account.update(search="replay", schedules=1, transitions=None, exhausted=False, preemption_bound=None)
    return verdict


def _until(deadline: float) -> float:
    return max(0.0, deadline - time.perf_counter())


def _reach(
    trial: ItemTrial, failure: Failure, settings: Settings, impact: Impact, deadline: float
) -> dict[str, bool | None]:
    """Return which builds can show a failure that was found."""
    if settings.model == "gil":
        return {"gil": True, "free-threaded": True}
    if settings.model == "free-threaded":
        return {"free-threaded": True}
    searches = (
        make_search(settings.search, prioritizer(settings.capp, impact), settings.bound, settings.seed, None),
        make_search("dpor", None, None, settings.seed, None),
    )
    seconds = max(_POSTLUDE / 4, _until(deadline)) / len(searches)
    most = max(settings.schedules, 200)
    with model(gil=False, any_timeouts=False):
        today, _shown = only_without_gil(trial, failure, searches, max_executions=most, max_seconds=seconds)
    return {"gil": today, "free-threaded": True}


def _failure(verdict: Verdict) -> dict[str, Any]:
    schedule = verdict.schedule
    return {
        "kind": verdict.kind, "summary": verdict.outcome.summary(), "details": verdict.outcome.details(),
        "exception": type(verdict.error).__name__ if verdict.error is not None else None,
        "preemptions": verdict.preemptions, "token": verdict.token,
        "schedule": None if schedule is None else schedule.as_json(),
        "interleaving": [step.as_json() for step in verdict.rows],
        "race": [step.as_json() for step in verdict.race], "reachable": verdict.reachable,
        "confirmed_on_threads": verdict.confirmed_on_threads, "text": str(InterleavingError(verdict)),
        "names": {str(number): name for number, name in verdict.names.items()}, "story": story_data(verdict),
    }  # fmt: skip
