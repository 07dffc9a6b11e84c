"""The virtual counterparts of real thread primitives that exist already when code comes under control.

Examples are a lock made at import time, a queue in a module's variable, and a class derived from `threading.Thread`.
Each real object has one counterpart, which is made at the first request. So a lock and the conditions over it still
belong together.
"""

from __future__ import annotations

import sys
import types
from functools import partial
from typing import TYPE_CHECKING, Any

from plait.run.foreign_time import kept_method
from plait.run.primitives.lock import Lock, RLock

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.run.importing.mirror import Mirror

_QUEUES = ("Queue", "LifoQueue", "PriorityQueue")


class Counterparts:
    """The counterparts made so far, by the real objects."""

    def __init__(self, mirror: Mirror) -> None:
        self._of: dict[int, Any] = {}
        self._real: list[Any] = []  # kept alive: an id must not name two of them
        self._makers: dict[type, Callable[[Any], Any]] = {}
        for name, virtual in mirror.modules.items():
            real = sys.modules.get(name)
            if real is not None and real is not virtual:
                self._pair(real, virtual)
        self._learn_makers(mirror.modules)

    def _pair(self, real: types.ModuleType, virtual: types.ModuleType) -> None:
        self._remember(real, virtual)
        for attribute, value in vars(real).items():
            counterpart = vars(virtual).get(attribute)
            if (
                counterpart is not None
                and counterpart is not value
                and (callable(value) or isinstance(value, types.ModuleType))
            ):
                self._remember(value, counterpart)

    def _remember(self, real: Any, counterpart: Any) -> Any:
        if id(real) not in self._of:
            self._of[id(real)] = counterpart
            self._real.append(real)
        return self._of[id(real)]

    def _learn_makers(self, virtual: dict[str, Any]) -> None:
        threading: Any = sys.modules["threading"]
        queue: Any = sys.modules.get("queue")
        mirrored: Any = virtual["threading"]
        makers = self._makers
        makers[types.BuiltinMethodType] = kept_method
        makers[type(threading.Lock())] = _lock
        makers[type(threading.RLock())] = makers[threading._PyRLock] = lambda _real: RLock()
        makers[threading.Condition] = lambda real: mirrored.Condition(self.of(real._lock) or real._lock)
        makers[threading.Event] = lambda real: _event(mirrored.Event(), real)
        makers[threading.Semaphore] = lambda real: mirrored.Semaphore(real._value)
        makers[threading.BoundedSemaphore] = lambda real: _bounded(mirrored.BoundedSemaphore, real)
        makers[threading.Barrier] = lambda real: mirrored.Barrier(real._parties, real._action, real._timeout)
        makers[threading.local] = lambda real: _local(mirrored.local(), real)
        if queue is not None:
            for name in _QUEUES:
                makers[getattr(queue, name)] = partial(_queue, getattr(virtual["queue"], name))
            makers[queue.SimpleQueue] = lambda real: _simple_queue(virtual["queue"].SimpleQueue(), real)

    def of(self, value: Any) -> Any:
        """Return the counterpart of a real module, class, function or primitive; None for anything else."""
        found = self._of.get(id(value))
        if found is not None:
            return found
        maker = self._makers.get(type(value))
        made = None if maker is None else maker(value)
        return None if made is None else self._remember(value, made)


def _lock(real: Any) -> Lock:
    counterpart = Lock()
    if real.locked():
        counterpart.acquire()
    return counterpart


def _event(counterpart: Any, real: Any) -> Any:
    if real.is_set():
        counterpart.set()
    return counterpart


def _bounded(kind: Any, real: Any) -> Any:
    counterpart = kind(real._initial_value)
    for _ in range(real._initial_value - real._value):
        counterpart.acquire()
    return counterpart


def _local(counterpart: Any, real: Any) -> Any:
    for name, value in vars(real).items():
        setattr(counterpart, name, value)
    return counterpart


def _queue(kind: Any, real: Any) -> Any:
    counterpart = kind(real.maxsize)
    counterpart.queue.extend(real.queue)
    counterpart.unfinished_tasks = real.unfinished_tasks
    return counterpart


def _simple_queue(counterpart: Any, real: Any) -> Any:
    waiting = [real.get_nowait() for _ in range(real.qsize())]
    for item in waiting:
        real.put(item)
        counterpart.put(item)
    return counterpart
