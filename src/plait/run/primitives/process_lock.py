"""The locks, conditions, events and values of `multiprocessing`, for the threads of one process.

The real ones are semaphores of the system: a thread waits for them in C, and no other virtual thread could run
meanwhile. Code under test may not start processes, so only the threads of this process use them, and they behave like
their counterparts in `threading`. The classes here are those, with other names of arguments and other errors of a
release.

`process_modules` makes the two modules that `multiprocessing` takes these classes from.
"""

from __future__ import annotations

import importlib
import itertools
import types
from collections.abc import Callable
from functools import partial
from importlib.machinery import PathFinder
from typing import Any

from plait.run.engine import ENGINE, access
from plait.run.operations import READ, WRITE
from plait.run.primitives.condition import Condition
from plait.run.primitives.event import Event
from plait.run.primitives.lock import Lock, RLock
from plait.run.primitives.semaphore import BoundedSemaphore, Semaphore
from plait.run.primitives.site import place_of_primitive

PACKAGE = "multiprocessing"
_TOO_OFTEN = "semaphore or lock released too many times"


class ProcessLock(Lock, mirrored=True):
    """`multiprocessing.Lock`: any thread may release it."""

    __slots__ = ("__dict__",)

    def __init__(self, *, ctx: Any = None) -> None:
        super().__init__()

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Mirror `multiprocessing.Lock.acquire`."""
        return super().acquire(bool(block), _seconds(block, timeout))

    def release(self) -> None:
        """Mirror `multiprocessing.Lock.release`."""
        try:
            super().release()
        except RuntimeError:
            raise ValueError(_TOO_OFTEN) from None


class ProcessRLock(RLock):
    """`multiprocessing.RLock`: the owner may take it again; only the owner may release it."""

    __slots__ = ("__dict__",)

    def __init__(self, *, ctx: Any = None) -> None:
        super().__init__()

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Mirror `multiprocessing.RLock.acquire`."""
        return super().acquire(bool(block), _seconds(block, timeout))

    def release(self) -> None:
        """Mirror `multiprocessing.RLock.release`."""
        if self.holder is not ENGINE.thread and not ENGINE.thread.dying:
            raise AssertionError("attempt to release recursive lock not owned by thread")
        super().release()


class ProcessSemaphore(Semaphore):
    """`multiprocessing.Semaphore`."""

    def __init__(self, value: int = 1, *, ctx: Any = None) -> None:
        super().__init__(value)

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Mirror `multiprocessing.Semaphore.acquire`."""
        return super().acquire(bool(block), _limit(block, timeout))

    __enter__ = acquire  # type: ignore[assignment]

    def release(self) -> None:  # type: ignore[override]
        """Mirror `multiprocessing.Semaphore.release`."""
        super().release()

    def get_value(self) -> int:
        """Mirror `multiprocessing.Semaphore.get_value`."""
        return self._value

    def locked(self) -> bool:
        """Mirror `multiprocessing.Semaphore.locked`, which came with 3.14."""
        return self._value == 0


class ProcessBoundedSemaphore(ProcessSemaphore, BoundedSemaphore):
    """`multiprocessing.BoundedSemaphore`: releasing it more often than it was acquired is an error."""

    def _check(self, n: int) -> None:
        if self._count + n > self._initial_value:
            raise ValueError(_TOO_OFTEN)


class ProcessCondition(Condition):
    """`multiprocessing.Condition`."""

    def __init__(self, lock: Any = None, *, ctx: Any = None) -> None:
        super().__init__(ProcessRLock() if lock is None else lock)


class ProcessEvent(Event):
    """`multiprocessing.Event`."""

    def __init__(self, *, ctx: Any = None) -> None:
        super().__init__()


_CLASSES: dict[str, type] = {
    "Lock": ProcessLock, "RLock": ProcessRLock, "Semaphore": ProcessSemaphore,
    "BoundedSemaphore": ProcessBoundedSemaphore, "Condition": ProcessCondition, "Event": ProcessEvent,
}  # fmt: skip


def _seconds(block: bool, timeout: float | None) -> float:
    """Return a time-out as `threading.Lock` takes it; a negative one means not to wait."""
    return -1 if not block or timeout is None else max(timeout, 0)


def _limit(block: bool, timeout: float | None) -> float | None:
    """Return a time-out as `threading.Semaphore` takes it; a negative one means not to wait."""
    return None if not block or timeout is None else max(timeout, 0)


def process_modules(threading: types.ModuleType) -> dict[str, types.ModuleType]:
    """Return the modules in which `multiprocessing` looks for its locks and shared values, by name.

    `Barrier` is that of the mirrored ``threading``: a class in Python over a condition, there as here.
    """
    found: dict[str, types.ModuleType] = {}
    locks = types.ModuleType(f"{PACKAGE}.synchronize")
    vars(locks).update(_CLASSES, Barrier=_barrier(threading), __all__=[*_CLASSES], SEM_VALUE_MAX=2**31 - 1)
    vars(locks).update(SemLock=_base(), RECURSIVE_MUTEX=0, SEMAPHORE=1, sem_unlink=lambda _name: None)
    for module in (locks, _SharedValues(f"{PACKAGE}.sharedctypes")):
        module.__spec__ = None
        module.__package__ = PACKAGE
        found[module.__name__] = module
    return found


def _base() -> type:
    """Return what stands for the base class of the real locks, which packages look at and patch when imported."""

    class SemLock:
        """`multiprocessing.synchronize.SemLock`, of which no lock here is made."""

        _rand = itertools.count(1)

        @staticmethod
        def _make_name() -> str:
            return f"/mp-{next(SemLock._rand)}"

    return SemLock


def _barrier(threading: Any) -> type:
    class ProcessBarrier(threading.Barrier):  # type: ignore[misc]
        """`multiprocessing.Barrier`."""

        def __init__(
            self, parties: int, action: Callable[[], object] | None = None, timeout: float | None = None, *,
            ctx: Any = None,
        ) -> None:  # fmt: skip
            super().__init__(parties, action, timeout)

    return ProcessBarrier


class _SharedValues(types.ModuleType):
    """`multiprocessing.sharedctypes`, from its own source, which is executed at the first use.

    `Value` and `Array` are objects of `ctypes` in memory that processes share: a file of the system. Threads need none.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "Value" in vars(self):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        package = importlib.import_module(PACKAGE)
        # By its path: by its name, this module itself would be found.
        spec = PathFinder.find_spec(self.__name__, package.__path__)
        assert spec is not None
        assert spec.loader is not None
        self.__file__ = spec.origin
        spec.loader.exec_module(self)
        space: Any = vars(self)
        space["_new_value"] = lambda kind: kind()
        space["make_property"] = _guarded_field
        space["Synchronized"].value = _guarded_field("value")
        for each in ("value", "raw"):
            setattr(space["SynchronizedString"], each, _guarded_field(each))
        return getattr(self, name)


def _guarded_field(name: str) -> property:
    """Return the property of a shared value that reads and writes a field under the value's lock."""

    def read(shared: Any) -> Any:
        with shared._lock:
            _pass_point(shared, name, READ)
            return getattr(shared._obj, name)

    def write(shared: Any, value: Any) -> None:
        with shared._lock:
            _pass_point(shared, name, WRITE)
            setattr(shared._obj, name, value)

    return property(read, write)


def _pass_point(shared: Any, name: str, mode: int) -> None:
    thread = ENGINE.current
    if thread is not None:
        access(thread, ENGINE.heap.loc_of(shared, name), mode, place_of_primitive())


def installed_in_package(modules: dict[str, types.ModuleType], package: Any) -> list[Callable[[], None]]:
    """Make the modules attributes of `multiprocessing`, as an import does; return a function that undoes this."""
    undo: list[Callable[[], None]] = []
    for name, module in modules.items():
        parent, _, last = name.rpartition(".")
        if parent != PACKAGE:
            continue
        if last in vars(package):
            undo.append(partial(setattr, package, last, vars(package)[last]))
        else:
            # Code under test may have removed it, or imported the package again, by then.
            undo.append(partial(vars(package).pop, last, None))
        setattr(package, last, module)
    return undo
