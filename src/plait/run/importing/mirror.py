"""The mirror: the standard modules that code under test uses instead of the real ones.

`threading`, `_thread`, `time` and `fcntl` are copies with virtual primitives. `Barrier`, `Timer`, `queue`, `sched` and
`concurrent.futures` are the running interpreter's own source, rewritten, over the virtual primitives: so their
semantics are CPython's. While the mirror is installed, importing any of these names returns the mirrored module. If
code under test can start no processes, the locks and values of `multiprocessing` are virtual as well.
"""

from __future__ import annotations

import _thread as real_underscore
import contextlib
import importlib.util
import inspect
import sys
import threading as real_threading
import time as real_time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plait.generate import callables
from plait.model.site import Site
from plait.run.asked import signals
from plait.run.engine import ENGINE, access
from plait.run.hooks.dynamic import HOOKS
from plait.run.operations import READ, WRITE
from plait.run.primitives import clock, file_lock
from plait.run.primitives import thread as threads
from plait.run.primitives.condition import Condition
from plait.run.primitives.event import Event
from plait.run.primitives.local import local
from plait.run.primitives.lock import Lock, RLock, allocate_lock
from plait.run.primitives.number import next_pool, number
from plait.run.primitives.process_lock import PACKAGE, installed_in_package, process_modules
from plait.run.primitives.semaphore import BoundedSemaphore, Semaphore
from plait.run.primitives.simple_queue import SimpleQueue
from plait.run.primitives.site import SKIPPED, here
from plait.run.rewrite import compile_module, rewrite

_FROM_SOURCE = ("queue", "sched", "concurrent.futures._base", "concurrent.futures.thread", "concurrent.futures")
_CLOCK = (
    "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
    "process_time", "process_time_ns", "thread_time", "thread_time_ns", "sleep",
    "localtime", "gmtime", "ctime", "asctime", "strftime", "clock_gettime", "clock_gettime_ns",
)  # fmt: skip
_IN_PYTHON = {
    "Condition": ("Condition",), "Event": ("Event",), "Semaphore": ("Semaphore",),
    "BoundedSemaphore": ("Semaphore", "BoundedSemaphore"),
}  # fmt: skip
"""The classes that `threading` defines in Python over locks, each with the names that its source needs."""
_REWRITTEN = (
    "Barrier", "Timer", "serialize_iterator", "synchronized_iterator", "concurrent_tee", "_concurrent_tee",
)  # fmt: skip
"""The names of `threading` that are taken from the running interpreter's source; the iterators came with 3.15."""


class Mirror:
    """The mirrored modules, made once per process; ``sites`` takes the places inside the rewritten ones.

    With ``processes``, code under test may start processes: the locks and values that it shares with them stay real.
    """

    def __init__(self, sites: dict[int, Site], cache: Path | None = None, *, processes: bool = True) -> None:
        self._sites = sites
        self._cache = cache
        self.modules: dict[str, types.ModuleType] = {}
        self.modules["time"] = self._time()
        self.modules["_thread"] = self._thread()
        self.modules["threading"] = self._threading()
        if importlib.util.find_spec("fcntl") is not None:
            self.modules["fcntl"] = self._fcntl()
        self.modules["signal"] = signals()
        SKIPPED.update(("threading", callables.__name__))
        callables.StandinStore.announce = staticmethod(_announce)
        with self.installed():
            for name in sorted(_FROM_SOURCE):  # a package before its parts
                self._enter(name)
            for name in _FROM_SOURCE:
                self._fill(name)
        for name in _FROM_SOURCE:
            _keep_exceptions(importlib.import_module(name), self.modules[name])
        SKIPPED.update(_FROM_SOURCE)
        queue: Any = self.modules["queue"]
        queue.SimpleQueue = SimpleQueue  # the C one cannot be scheduled
        futures: Any = self.modules["concurrent.futures"]
        futures.ThreadPoolExecutor = futures.thread.ThreadPoolExecutor  # else it is imported late, and real
        futures.ThreadPoolExecutor._counter = staticmethod(next_pool)
        futures._base.Future.__hash__ = number
        futures._base.id = number  # by which futures are locked
        package: Any = self._copy(importlib.import_module("concurrent"))
        package.futures = futures  # `import concurrent.futures` reads this attribute
        self.modules["concurrent"] = package
        if not processes:
            self.modules.update(process_modules(self.modules["threading"]))

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Let imports find the mirrored modules until the block ends."""
        saved = {name: sys.modules.get(name) for name in (*self.modules, *_FROM_SOURCE)}
        sys.modules.update(self.modules)
        package = sys.modules.get(PACKAGE)
        undo = [] if package is None else installed_in_package(self.modules, package)
        try:
            yield
        finally:
            for each in undo:
                each()
            for name, module in saved.items():
                if module is None:
                    sys.modules.pop(name, None)
                else:
                    sys.modules[name] = module

    def _copy(self, real: types.ModuleType) -> types.ModuleType:
        module = types.ModuleType(real.__name__, real.__doc__)
        module.__dict__.update(real.__dict__)
        return module

    def _time(self) -> types.ModuleType:
        module = self._copy(real_time)
        for name in [each for each in _CLOCK if hasattr(module, each)]:
            setattr(module, name, getattr(clock, name))
        return module

    def _fcntl(self) -> types.ModuleType:
        module: Any = self._copy(importlib.import_module("fcntl"))
        module.flock = file_lock.flock
        return module  # type: ignore[no-any-return]

    def _thread(self) -> types.ModuleType:
        module: Any = self._copy(real_underscore)
        module.allocate_lock = module.allocate = allocate_lock
        module.LockType = module.lock = Lock
        module.RLock = RLock
        module._local = local
        module.get_ident = module.get_native_id = threads.get_ident
        module.start_new_thread = module.start_new = threads.start_new_thread
        module._count = threads.active_count
        if hasattr(module, "start_joinable_thread"):  # from 3.13 on
            module.start_joinable_thread = threads.start_joinable_thread
            module._ThreadHandle = threads.ThreadHandle
        return module  # type: ignore[no-any-return]

    def _threading(self) -> types.ModuleType:
        module: Any = _ThreadingModule("threading", real_threading.__doc__)
        module.__dict__.update(real_threading.__dict__)
        module.Lock = module._allocate_lock = Lock
        module.RLock = module._PyRLock = module._CRLock = RLock
        module.Condition, module.Event, module.local = Condition, Event, local
        module.Semaphore, module.BoundedSemaphore = Semaphore, BoundedSemaphore
        module.Thread, module._DummyThread = threads.Thread, threads.ExistingThread
        module.current_thread, module.currentThread = threads.current_thread, threads.currentThread
        module.main_thread, module.enumerate = threads.main_thread, threads.enumerate_threads
        module.active_count, module.activeCount = threads.active_count, threads.activeCount
        module.get_ident = module.get_native_id = threads.get_ident
        module._time = clock.monotonic
        module._start_new_thread = threads.start_new_thread
        module._register_atexit = lambda function, *args, **named: None
        threads.hooks.modules.append(module)
        module.__dict__["excepthook"] = threads.excepthook
        module.__dict__.update(HOOKS)
        for name in _REWRITTEN:
            if hasattr(real_threading, name):
                self._define(module, name)
        return module  # type: ignore[no-any-return]

    def _define(self, module: types.ModuleType, name: str) -> None:
        """Define a class or function of `threading` by its own source, rewritten."""
        lines, first = inspect.getsourcelines(getattr(real_threading, name))
        source = "\n" * (first - 1) + "".join(lines)  # so that places have their real lines
        tree, sites = rewrite(source, "threading", real_threading.__file__)
        self._sites.update((site.number, site) for site in sites)
        exec(compile(tree, real_threading.__file__, "exec"), module.__dict__)

    def examine(self, module: str, name: str) -> None:
        """Prepare a mirrored class to be tested itself: load its source, if it has one, with its real lines."""
        SKIPPED.discard(module)
        if module == "threading" and name in _IN_PYTHON:
            for each in _IN_PYTHON[name]:
                self._define(self.modules[module], each)

    def _enter(self, name: str) -> None:
        """Put an empty module in place of the real one, so that modules which import each other find it."""
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ImportError(name)
        module = types.ModuleType(name)
        module.__spec__ = spec
        module.__file__ = spec.origin
        module.__package__ = spec.parent
        if spec.submodule_search_locations is not None:
            module.__path__ = list(spec.submodule_search_locations)
        self.modules[name] = sys.modules[name] = module
        package, _, last = name.rpartition(".")
        if package in self.modules:
            setattr(self.modules[package], last, module)

    def _fill(self, name: str) -> None:
        """Execute the module's own source, rewritten, in its mirrored module."""
        module = self.modules[name]
        path = str(module.__file__)
        module.__dict__.update(HOOKS)
        code, sites = compile_module(Path(path).read_bytes(), name, path, self._cache)
        self._sites.update((site.number, site) for site in sites)
        exec(code, module.__dict__)


def _announce(store: object, changes: bool) -> None:
    """Pass a point in front of a use of a stand-in's memory: it is state that threads share."""
    thread = ENGINE.current
    if thread is not None:
        access(thread, ENGINE.heap.loc_of(store, "content"), WRITE if changes else READ, here())


def _keep_exceptions(real: types.ModuleType, mirrored: types.ModuleType) -> None:
    """Keep the real exception classes: code that is not rewritten must be able to catch what code under test raises."""
    for name, value in vars(real).items():
        if isinstance(value, type) and issubclass(value, BaseException) and name in vars(mirrored):
            setattr(mirrored, name, value)


class _ThreadingModule(types.ModuleType):
    """The mirrored `threading`: it observes when code under test replaces the hook for uncaught exceptions."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "excepthook":
            threads.hooks.excepthook = None if value is threads.excepthook else value  # put back: no hook any more
        super().__setattr__(name, value)
