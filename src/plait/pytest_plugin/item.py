"""Run a pytest test under the engine: set-up, call and tear-down are the body of a virtual thread.

The fixtures of the test function run again in every execution. Fixtures of wider scope run once, as in pytest; changes
of their values by an execution are undone by `plait.run.importing.modulestate`.
"""

from __future__ import annotations

import atexit
import contextvars
import functools
import gc
import math
import sys
import threading
import time
import unittest
import warnings
from _thread import get_ident
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.fixtures import FixtureDef
from _pytest.logging import caplog_records_key
from _pytest.outcomes import Failed, Skipped
from _pytest.tmpdir import tmppath_result_key

from plait.explore.runner import model
from plait.judge.handwritten.trial import Trial
from plait.model.outcome import Deadlock, Finished, Hang
from plait.observe.places import PLACES
from plait.pytest_plugin.deaths import Deaths, is_own_hook
from plait.pytest_plugin.outside import StuckError
from plait.run.asked import virtual_identity
from plait.run.endings import DIVERGED
from plait.run.engine import ENGINE, access
from plait.run.fibers import OURS
from plait.run.foreign_time import is_rewritten, virtual_clocks
from plait.run.foreign_waits import open_descriptors
from plait.run.importing.adopt import Adopter
from plait.run.importing.codes import Library
from plait.run.importing.futures import standard_users
from plait.run.importing.importer import mirrored_imports
from plait.run.importing.loggers import Loggers
from plait.run.importing.mirror import Mirror
from plait.run.importing.modulestate import ModuleState
from plait.run.importing.patches import shared_patches
from plait.run.importing.world import cache_folder
from plait.run.operations import WRITE
from plait.run.primitives.site import place_of_primitive
from plait.run.primitives.thread import hooks
from plait.run.vthread import FINISHED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from plait.pytest_plugin.outside import Watchdog

_BODY = 1  # the thread that runs the test itself
LONGER = 20  # times the steps of a test's first execution is too long for another one
LEAST_STEPS = 2_000
SPARE_STEPS = 80_000  # that a test's first execution may have besides the engine's 20,000: then it is too long
ALONE = 1_000  # steps after which a thread that others wait for without being blocked is said to run alone


class Equipment:
    """The objects that all tests of a process share, made for the first test."""

    _made: Equipment | None = None

    def __init__(self) -> None:
        cache = cache_folder()
        self.mirror = Mirror(PLACES, cache)
        self.library = Library(PLACES, cache)

    @classmethod
    def get(cls) -> Equipment:
        """Return the equipment of this process."""
        if cls._made is None:
            cls._made = cls()
        return cls._made


class _Chain:
    """Stands for a next test with the same parents, so that pytest tears down the test alone."""

    def __init__(self, item: pytest.Item) -> None:
        self._nodes = item.listchain()[:-1]

    def listchain(self) -> list[Any]:
        """Return what must stay set up."""
        return self._nodes


class ItemTrial(Trial):
    """Executions of one test.

    A thread that dies of an exception fails the test, unless `plait.pytest_plugin.deaths` says that somebody expects it
    (``dying`` is true: whatever anybody expects). So do threads that are no daemons and wait for ever when the test is
    over (unless ``leftover``). A thread that runs on for ever while others could run shows an unfair schedule, not a
    fault: such executions are cut.
    """

    def __init__(
        self, item: Any, call: Callable[[], object], *, seed: int = 0, dying: bool = False, leftover: bool = False
    ) -> None:
        super().__init__(None, [self.protocol], None, seed=seed)
        self.reseed = True
        self.threads = 0  # the most threads of an execution
        self.outcome_of_call: BaseException | None = None
        self._item = item
        self._call = call
        self._dying = dying
        self._leftover = leftover
        self._first = True
        self.finished = 0  # executions that came to their end
        self.left_standing = False  # an execution ended while threads of it stood in the middle
        self.livelocked = False  # an execution hangs, and would do so for ever
        self.deaths = Deaths()
        self.adopter: Adopter | None = None  # what has brought the test's modules under control
        self._descriptors: int | None = None  # open when the first execution began
        self.watchdog: Watchdog | None = None

    def prepare(self) -> list[Callable[[], object]]:
        """See `Trial.prepare`; what the test warns of belongs to this execution."""
        self._stop_if_stuck()
        self._close_what_is_left()
        self.deaths.begin()
        # The body stands for the main thread, so that it sees the context variables that wider fixtures have set.
        return [functools.partial(contextvars.copy_context().run, body) for body in super().prepare()]

    def _close_what_is_left(self) -> None:
        """Let the last execution's objects close their files: the numbers of the next ones depend on that."""
        number = len(open_descriptors())
        if self._descriptors is None:
            self._descriptors = number
        elif number > self._descriptors:
            collect_quietly()

    def _stop_if_stuck(self) -> None:
        if self.watchdog is not None:
            self.watchdog.check()

    def snapshot(self, objects: Iterable[Any] = ()) -> ModuleState:
        """Return a snapshot of the test's modules as they are now, and of further objects."""
        adopter, item = self.adopter, self._item
        modules = [] if adopter is None else adopter.modules
        cells = [] if adopter is None else [cell for _name, cell in adopter.cells]
        state = ModuleState(modules, cells, objects, [item, item.config, item.session])
        state.behind.append(Loggers().restore)
        return state

    def protocol(self) -> None:
        """Set the test up, call it and tear it down, as pytest would."""
        self.outcome_of_call = None
        item = self._item
        try:
            subtests = Subtests()
            try:
                set_up(item)
                subtests.take_over(item)
                self._call()
                _raise_unittest_failure(item)
                subtests.raise_failure()
            except StuckError:
                with suppress(Exception, Skipped, Failed):  # a fixture may miss what the test had still to do
                    tear_down(item)
                raise
            finally:
                tear_down(item)
        except pytest.skip.Exception as error:  # no failure, whatever the schedule
            self.outcome_of_call = error

    def leaves_something(self) -> bool:
        """Return whether an execution has ended while threads of it stood in the middle."""
        # A replay that could not follow its schedule is not judged: only the engine knows of it.
        return self.left_standing or ENGINE.status == DIVERGED

    def finish(self) -> None:
        """Judge the execution: the test itself, and how its threads ended."""
        self._stop_if_stuck()  # one that was stopped keeps what it has: to clear that away may wait as well
        self.left_standing = self.left_standing or any(thread.state != FINISHED for thread in ENGINE.threads[1:])
        if ENGINE.uncontrolled:
            raise StuckError(ENGINE.uncontrolled)
        self._excuse()
        super().finish()
        self.finished += 1
        self.threads = max(self.threads, len(ENGINE.threads) - 1)
        outcome = self.outcome
        self.livelocked = self.livelocked or ENGINE.spinning.livelocked
        if self._first:
            self._first = False
            ENGINE.spare_steps = 0
            ENGINE.max_steps = max(min(ENGINE.max_steps, max(LEAST_STEPS, LONGER * ENGINE.step)), 2 * ENGINE.step)
        elif isinstance(outcome, Hang) and _is_unfair(outcome):
            self.outcome, self.error = Finished(), None
        if self._leftover and isinstance(outcome, Deadlock) and all(wait.thread != _BODY for wait in outcome.waits):
            self.outcome, self.error = Finished(), None

    def _excuse(self) -> None:
        """Forget the errors of threads that the test, its project or the settings expect."""
        for thread in ENGINE.threads[_BODY + 1 :]:
            error = thread.error
            if error is None or isinstance(error, KeyboardInterrupt | SystemExit):
                continue
            if not self.deaths.knows(error):
                self.deaths.died_unraisably(error, thread.name)
            if self._dying or self.deaths.accepted(error):
                thread.error = None


def _is_unfair(hang: Hang) -> bool:
    """Return whether an execution is so long because one thread ran on while others could have run.

    It may still do so when the steps are over; or the others came too late for it to end, which it otherwise would.
    """
    could = any(pending.enabled and pending.thread != hang.thread for pending in ENGINE.pending)
    if could and all(entry[0] == hang.thread for entry in ENGINE.trace[-ALONE:]):
        return True
    longest = run = 0
    last = -1
    for thread, _loc, _mode, _site, enabled, _after in ENGINE.trace:
        if enabled is not None:
            run = run + 1 if thread == last and len(enabled) > 1 else 0
            last = thread
            longest = max(longest, run)
    return 2 * longest > ENGINE.step and not ENGINE.spinning.livelocked


class Subtests:
    """Stands for pytest's own, which reports every part of a test at once: here a part that fails fails the test."""

    def __init__(self) -> None:
        self._error: BaseException | None = None

    def take_over(self, item: Any) -> None:
        """Take over what one execution of a test has left."""
        if "subtests" in getattr(item, "funcargs", ()):
            item.funcargs["subtests"] = self
        if hasattr(item, "addSubTest"):
            item.addSubTest = self._ended

    @contextmanager
    def test(self, msg: str | None = None, **named: Any) -> Iterator[None]:
        """Open a part of a test, as `pytest.Subtests.test` does: the test goes on after a part that failed."""
        try:
            yield
        except pytest.skip.Exception:
            pass
        except Exception as error:
            self._ended(None, (msg, named), error)

    def _ended(self, _case: Any, _test: Any, failure: Any) -> None:
        error = failure[1] if isinstance(failure, tuple) else getattr(failure, "value", failure)
        if self._error is None and not isinstance(error, unittest.SkipTest | pytest.skip.Exception):
            self._error = error

    def raise_failure(self) -> None:
        """Raise the first failure."""
        if self._error is not None:
            raise self._error


def set_up(item: Any) -> None:
    """Set up the test's own fixtures, and wider ones that are not there yet."""
    if item in item.session._setupstate.stack:  # an execution was left in the middle: its threads wait for ever
        with suppress(Exception, Skipped, Failed):
            tear_down(item)
    _forget_logs(item)
    item._initrequest()
    item.session._setupstate.setup(item)


def _forget_logs(item: Any) -> None:
    """Drop what earlier executions have logged from ``caplog`` and from the report."""
    plugin = item.config.pluginmanager.get_plugin("logging-plugin")
    if plugin is not None:
        for handler in (plugin.caplog_handler, plugin.report_handler):
            handler.reset()
        records = item.stash.get(caplog_records_key, None)
        if records is not None:
            records["call"] = plugin.caplog_handler.records


def tear_down(item: Any) -> None:
    """Tear down the test's own fixtures."""
    item.stash.setdefault(tmppath_result_key, {})  # ``tmp_path`` takes it away each time, pytest fills it once
    try:
        item.session._setupstate.teardown_exact(_Chain(item))
    finally:
        _forget_fixtures(item)


def _forget_fixtures(item: Any) -> None:
    """Drop what an end in the middle has left of the test's own fixtures: pytest would not set them up again."""
    asked = getattr(getattr(item, "_request", None), "_fixture_defs", {})
    for definition in {*_fixtures(item), *asked.values()}:
        if definition.scope == "function":
            definition.cached_result = None
            definition._finalizers.clear()


def _raise_unittest_failure(item: Any) -> None:
    """Raise the failures that a `unittest.TestCase` keeps for the report."""
    failures = item.__dict__.pop("_excinfo", None)
    if failures:
        raise failures[0].value


@contextmanager
def controlled_item(item: Any, trial: ItemTrial) -> Iterator[Adopter]:
    """Put the test's module, the project modules it uses, fixtures and conftest files under control."""
    equipment = Equipment.get()
    adopter = Adopter(equipment.mirror, PLACES, library=equipment.library)
    adopter.tests = True
    with ExitStack() as stack:
        stack.callback(setattr, ENGINE, "max_steps", ENGINE.max_steps)
        stack.callback(setattr, ENGINE, "spare_steps", 0)
        ENGINE.spare_steps = SPARE_STEPS
        stack.enter_context(unraised(trial))
        stack.enter_context(trial.deaths.watched())
        stack.enter_context(_thread_ends(trial.deaths))
        stack.enter_context(virtual_identity())
        stack.callback(setattr, hooks, "main", hooks.main)
        hooks.main = _BODY
        stack.callback(ENGINE.time.start_at, ENGINE.time.epoch, ENGINE.time.monotonic)
        # Modules and wide fixtures have read the real clocks: time under control does not lie before that.
        ENGINE.time.start_at(float(math.ceil(time.time())), float(math.ceil(time.monotonic())))
        stack.callback(setattr, ENGINE, "leavable", False)
        ENGINE.leavable = True
        stack.enter_context(adopter.released())
        stack.enter_context(mirrored_imports(equipment.mirror.modules))
        stack.enter_context(_forgotten_exits())
        stack.enter_context(_mirrored_importorskip(equipment.mirror.modules))
        stack.enter_context(_records_in_order(item))
        stack.enter_context(standard_users(equipment.mirror.modules))
        adopter.adopt_standard()
        adopter.adopt([item.module.__name__, *_conftests(item)])
        wide = []
        for definition in _fixtures(item):
            _adopt_fixture(adopter, definition, stack)
            if definition.scope != "function" and definition.cached_result is not None:
                wide.append(definition.cached_result[0])
        wide += _adopt_parameters(adopter, item, stack)
        stack.enter_context(virtual_clocks())
        stack.enter_context(shared_patches(equipment.mirror.modules))
        trial.adopter = adopter
        state = trial.snapshot([*adopter.objects, *wide])
        stack.enter_context(model(gil=False, any_timeouts=False, modules=state))
        yield adopter


@contextmanager
def _forgotten_exits() -> Iterator[None]:
    """Take back what executions register with `atexit`: they would do so in every schedule, with virtual objects."""
    register = atexit.register
    registered: list[Any] = []

    def noted(func: Any, /, *args: Any, **named: Any) -> Any:
        if ENGINE.thread.id > 0 and get_ident() in OURS:
            registered.append(func)
        return register(func, *args, **named)

    atexit.register = noted
    try:
        yield
    finally:
        atexit.register = register
        for func in registered:
            atexit.unregister(func)


@contextmanager
def _mirrored_importorskip(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    """Let ``pytest.importorskip("threading")`` in rewritten code give ``modules["threading"]``, as `import` does."""
    real = pytest.importorskip

    @functools.wraps(real)
    def importorskip(modname: str, *args: Any, **named: Any) -> Any:
        found = real(modname, *args, **named)
        return modules.get(modname, found) if is_rewritten(sys._getframe(1).f_globals) else found

    holders = [vars(module) for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
    holders = [space for space in holders if space.get("importorskip") is real]
    for space in holders:
        space["importorskip"] = importorskip
    try:
        yield
    finally:
        for space in holders:
            space["importorskip"] = real


@contextmanager
def _records_in_order(item: Any) -> Iterator[None]:
    """Let threads that log be switched before it if the test asks for ``caplog``, whose records have an order."""
    plugin = item.config.pluginmanager.get_plugin("logging-plugin")
    if plugin is None or "caplog" not in item.fixturenames:
        yield
        return
    handler = plugin.caplog_handler
    handle = handler.handle

    def handled(record: Any) -> Any:
        thread = ENGINE.thread
        if thread.id > 0 and get_ident() in OURS:
            # Not in `emit`: the handler's real lock is held there.
            access(thread, ENGINE.heap.whole(handler.records), WRITE, place_of_primitive())
        return handle(record)

    handler.handle = handled
    try:
        yield
    finally:
        del handler.handle


@contextmanager
def unraised(trial: ItemTrial) -> Iterator[None]:
    """Drop warnings about objects of interrupted executions, such as coroutines that were never awaited."""
    before = sys.unraisablehook

    def hook(told: Any, /) -> None:
        if not trial.leaves_something() and not isinstance(told.exc_value, Warning):
            before(told)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        if trial.leaves_something() or sys.exception() is not None:
            ENGINE.heap.clear()
            collect_quietly()
        sys.unraisablehook = before


def collect_quietly() -> None:
    """Collect garbage, without a warning of what was left open."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


@contextmanager
def _thread_ends(deaths: Deaths) -> Iterator[None]:
    """Report threads that die to the hook that the project has set before the test, else to `Deaths`."""
    before = hooks.excepthook, hooks.unhandled
    hooks.unhandled = deaths.died
    if is_own_hook(threading.excepthook):
        hooks.excepthook = threading.excepthook
    try:
        yield
    finally:
        hooks.excepthook, hooks.unhandled = before


def _adopt_parameters(adopter: Adopter, item: Any, stack: ExitStack) -> list[Any]:
    """Adopt what a parametrised test is given, and return it: executions leave their traces there as in modules."""
    given: dict[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    for name, value in list(given.items()):
        adopted = adopter.adopt_function(value)
        if adopted is not value:
            given[name] = adopted
            stack.callback(given.__setitem__, name, value)
    return list(given.values())


def _conftests(item: Any) -> list[str]:
    """Return the names of the loaded conftest modules and of the test's plug-in modules in the project."""
    found = []
    for plugin in item.config.pluginmanager.get_plugins():
        file = getattr(plugin, "__file__", None)
        if file is not None and Path(file).name == "conftest.py":
            found += [name for name, module in list(sys.modules.items()) if module is plugin]
    return found


def _fixtures(item: Any) -> list[FixtureDef[Any]]:
    return [definition for known in item._fixtureinfo.name2fixturedefs.values() for definition in known]


def _adopt_fixture(adopter: Adopter, definition: Any, stack: ExitStack) -> None:
    """Adopt the function of a fixture, and the value that one of wider scope has already."""
    function = definition.func
    adopted = adopter.adopt_function(function)
    if adopted is not function:
        definition.func = adopted
        stack.callback(setattr, definition, "func", function)
    if definition.scope != "function" and definition.cached_result is not None:
        result = definition.cached_result
        value = adopter.adopt_function(result[0])
        if value is not result[0]:
            definition.cached_result = (value, *result[1:])
            stack.callback(setattr, definition, "cached_result", result)
