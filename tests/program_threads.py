"""How one thread of a random program runs: straight on the hooks and primitives, the way rewritten code does."""

from __future__ import annotations

from typing import Any

from plait.run.hooks import access
from plait.run.primitives import clock
from plait.run.primitives.condition import Condition
from plait.run.primitives.event import Event
from plait.run.primitives.lock import Lock, RLock
from plait.run.primitives.semaphore import BoundedSemaphore, Semaphore
from plait.run.primitives.thread import Thread

Op = tuple[Any, ...]


class Shared:
    """What the threads of a program share."""

    def __init__(self) -> None:
        self.x = 0
        self.y = 0
        self.z = 0
        self.d: dict[int, int] = {1: 10}
        self.l: list[int] = [5]
        self.s: set[int] = {1}
        self.lock = Lock()
        self.other = Lock()
        self.rlock = RLock()
        self.cond = Condition(Lock())
        self.sem = Semaphore(1)
        self.bounded = BoundedSemaphore(2)
        self.event = Event()


class Run:
    """One thread's interpreter."""

    def __init__(self, shared: Shared, ops: tuple[Op, ...], name: str, logs: dict[str, list[Any]]) -> None:
        self.shared = shared
        self.ops = ops
        self.name = name
        self.logs = logs
        self.log = logs.setdefault(name, [])
        self.children: list[Thread] = []

    def __call__(self) -> None:
        access.marker()
        self.block(self.ops)

    def block(self, ops: tuple[Op, ...]) -> None:
        for op in ops:
            getattr(self, op[0])(*op[1:])

    # -- fields

    def _get(self, name: str) -> Any:
        return getattr(access.read(self.shared, name, 1), name)

    def _set(self, name: str, value: Any) -> None:
        setattr(access.write(self.shared, name, 2), name, value)

    def read(self, name: str) -> None:
        self.log.append(self._get(name))

    def write(self, name: str, value: int) -> None:
        self._set(name, value)

    def add(self, name: str, amount: int) -> None:
        self._set(name, self._get(name) + amount)

    def add_slowly(self, name: str, amount: int) -> None:
        value = self._get(name)
        access.marker()
        self._set(name, value + amount)

    def copy(self, source: str, target: str) -> None:
        self._set(target, self._get(source) + 100)

    def when(self, name: str, value: int, then: tuple[Op, ...], otherwise: tuple[Op, ...]) -> None:
        self.block(then if self._get(name) == value else otherwise)

    def marker(self) -> None:
        access.marker()

    # -- containers

    def dict_get(self, key: int) -> None:
        d = self.shared.d
        self.log.append(d.get(access.call(d, "get", 3, key)))

    def dict_set(self, key: int, value: int) -> None:
        d = self.shared.d
        d[access.write_key(d, key, 4)] = value

    def dict_add(self, key: int) -> None:
        d = self.shared.d
        value = d.get(access.call(d, "get", 3, key)) or 0
        d[access.write_key(d, key, 4)] = value + 1

    def dict_del(self, key: int) -> None:
        d = self.shared.d
        try:
            del d[access.delete_key(d, key, 5)]
        except KeyError:
            self.log.append("KeyError")

    def dict_check_del(self, key: int) -> None:
        d = self.shared.d
        if key in access.member(d, key, 6):
            del d[access.delete_key(d, key, 5)]

    def dict_default(self, key: int, value: int) -> None:
        d = self.shared.d
        self.log.append(d.setdefault(access.call(d, "setdefault", 7, key), value))

    def dict_pop(self, key: int) -> None:
        d = self.shared.d
        self.log.append(d.pop(access.call(d, "pop", 8, key), None))

    def dict_len(self) -> None:
        self.log.append(len(access.whole(self.shared.d, 9)))

    def dict_iterate(self) -> None:
        try:
            for key in access.iterate(self.shared.d, 10):
                self.log.append(key)
        except RuntimeError as error:
            self.log.append(str(error))

    def dict_clear(self) -> None:
        d = self.shared.d
        access.call_bare(d, "clear", 11).clear()

    def list_append(self, value: int) -> None:
        items = self.shared.l
        items.append(access.call(items, "append", 12, value))

    def list_pop(self) -> None:
        items = self.shared.l
        if access.whole(items, 13):
            try:
                self.log.append(access.call_bare(items, "pop", 14).pop())
            except IndexError:
                self.log.append("IndexError")

    def list_get(self, index: int) -> None:
        items = self.shared.l
        try:
            self.log.append(items[access.read_key(items, index, 15)])
        except IndexError:
            self.log.append("IndexError")

    def list_set(self, index: int, value: int) -> None:
        items = self.shared.l
        try:
            items[access.write_key(items, index, 16)] = value
        except IndexError:
            self.log.append("IndexError")

    def list_iterate(self) -> None:
        for value in access.iterate(self.shared.l, 17):
            self.log.append(value)

    def set_add(self, value: int) -> None:
        s = self.shared.s
        s.add(access.call(s, "add", 18, value))

    def set_discard(self, value: int) -> None:
        s = self.shared.s
        s.discard(access.call(s, "discard", 19, value))

    def set_check_add(self, value: int) -> None:
        s = self.shared.s
        if value in access.member(s, value, 20):
            self.log.append("there")
        else:
            s.add(access.call(s, "add", 18, value))

    def set_len(self) -> None:
        self.log.append(len(access.whole(self.shared.s, 21)))

    def set_copy(self) -> None:
        s = self.shared.s
        self.log.append(tuple(sorted(access.call_bare(s, "copy", 22).copy())))

    # -- primitives

    def hold(self, name: str, ops: tuple[Op, ...]) -> None:
        with getattr(self.shared, name):
            self.block(ops)

    def try_hold(self, name: str, ops: tuple[Op, ...]) -> None:
        lock = getattr(self.shared, name)
        got = lock.acquire(blocking=False)
        self.log.append(got)
        if got:
            self.block(ops)
            lock.release()

    def hold_within(self, name: str, timeout: float, ops: tuple[Op, ...]) -> None:
        lock = getattr(self.shared, name)
        got = lock.acquire(timeout=timeout)
        self.log.append(got)
        if got:
            self.block(ops)
            lock.release()

    def acquire(self, name: str) -> None:
        getattr(self.shared, name).acquire()

    def release(self, name: str) -> None:
        try:
            getattr(self.shared, name).release()
        except (RuntimeError, ValueError) as error:
            self.log.append(str(error))

    def locked(self, name: str) -> None:
        self.log.append(getattr(self.shared, name).locked())

    def cond_wait(self, timeout: float | None) -> None:
        with self.shared.cond:
            self.log.append(self.shared.cond.wait(timeout))

    def cond_until(self, name: str, value: int, timeout: float | None) -> None:
        with self.shared.cond:
            self.log.append(self.shared.cond.wait_for(lambda: self._get(name) == value, timeout))

    def cond_notify(self, name: str, value: int, everybody: bool) -> None:
        with self.shared.cond:
            self._set(name, value)
            if everybody:
                self.shared.cond.notify_all()
            else:
                self.shared.cond.notify()

    def event_set(self) -> None:
        self.shared.event.set()

    def event_clear(self) -> None:
        self.shared.event.clear()

    def event_wait(self, timeout: float | None) -> None:
        self.log.append(self.shared.event.wait(timeout))

    def event_is_set(self) -> None:
        self.log.append(self.shared.event.is_set())

    # -- threads and time

    def start(self, ops: tuple[Op, ...]) -> None:
        child = Thread(target=Run(self.shared, ops, f"{self.name}.{len(self.children)}", self.logs))
        self.children.append(child)
        child.start()

    def join(self, timeout: float | None) -> None:
        if self.children:
            self.children[-1].join(timeout)

    def alive(self) -> None:
        if self.children:
            self.log.append(self.children[-1].is_alive())

    def sleep(self, seconds: float) -> None:
        clock.sleep(seconds)

    def time(self) -> None:
        self.log.append(clock.monotonic())
