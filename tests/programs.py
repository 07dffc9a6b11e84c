"""Small random concurrent programs, and what they can show under every schedule.

A program is data: threads are lists of operations over a handful of shared fields, containers and primitives. It runs
straight on the hooks and primitives, the way rewritten code does, so that the searches can be compared with brute force
on thousands of shapes that nobody would write by hand. An outcome is all that a program can tell: what every
thread read, the state it leaves, how its threads and the execution ended.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from plait.observe.happens import steps_of
from plait.run import hooks
from plait.run.engine import ENGINE, Engine
from plait.run.operations import COMMUTE, DEPENDS, LOCAL, SAME_KEY, TIME
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
        hooks.marker()
        self.block(self.ops)

    def block(self, ops: tuple[Op, ...]) -> None:
        for op in ops:
            getattr(self, op[0])(*op[1:])

    # -- fields

    def _get(self, name: str) -> Any:
        return getattr(hooks.read(self.shared, name, 1), name)

    def _set(self, name: str, value: Any) -> None:
        setattr(hooks.write(self.shared, name, 2), name, value)

    def read(self, name: str) -> None:
        self.log.append(self._get(name))

    def write(self, name: str, value: int) -> None:
        self._set(name, value)

    def add(self, name: str, amount: int) -> None:
        self._set(name, self._get(name) + amount)

    def add_slowly(self, name: str, amount: int) -> None:
        value = self._get(name)
        hooks.marker()
        self._set(name, value + amount)

    def copy(self, source: str, target: str) -> None:
        self._set(target, self._get(source) + 100)

    def when(self, name: str, value: int, then: tuple[Op, ...], otherwise: tuple[Op, ...]) -> None:
        self.block(then if self._get(name) == value else otherwise)

    def marker(self) -> None:
        hooks.marker()

    # -- containers

    def dict_get(self, key: int) -> None:
        d = self.shared.d
        self.log.append(d.get(hooks.call(d, "get", 3, key)))

    def dict_set(self, key: int, value: int) -> None:
        d = self.shared.d
        d[hooks.write_key(d, key, 4)] = value

    def dict_add(self, key: int) -> None:
        d = self.shared.d
        value = d.get(hooks.call(d, "get", 3, key)) or 0
        d[hooks.write_key(d, key, 4)] = value + 1

    def dict_del(self, key: int) -> None:
        d = self.shared.d
        try:
            del d[hooks.delete_key(d, key, 5)]
        except KeyError:
            self.log.append("KeyError")

    def dict_check_del(self, key: int) -> None:
        d = self.shared.d
        if key in hooks.member(d, key, 6):
            del d[hooks.delete_key(d, key, 5)]

    def dict_default(self, key: int, value: int) -> None:
        d = self.shared.d
        self.log.append(d.setdefault(hooks.call(d, "setdefault", 7, key), value))

    def dict_pop(self, key: int) -> None:
        d = self.shared.d
        self.log.append(d.pop(hooks.call(d, "pop", 8, key), None))

    def dict_len(self) -> None:
        self.log.append(len(hooks.whole(self.shared.d, 9)))

    def dict_iterate(self) -> None:
        try:
            for key in hooks.iterate(self.shared.d, 10):
                self.log.append(key)
        except RuntimeError as error:
            self.log.append(str(error))

    def dict_clear(self) -> None:
        d = self.shared.d
        hooks.call_bare(d, "clear", 11).clear()

    def list_append(self, value: int) -> None:
        items = self.shared.l
        items.append(hooks.call(items, "append", 12, value))

    def list_pop(self) -> None:
        items = self.shared.l
        if hooks.whole(items, 13):
            try:
                self.log.append(hooks.call_bare(items, "pop", 14).pop())
            except IndexError:
                self.log.append("IndexError")

    def list_get(self, index: int) -> None:
        items = self.shared.l
        try:
            self.log.append(items[hooks.read_key(items, index, 15)])
        except IndexError:
            self.log.append("IndexError")

    def list_set(self, index: int, value: int) -> None:
        items = self.shared.l
        try:
            items[hooks.write_key(items, index, 16)] = value
        except IndexError:
            self.log.append("IndexError")

    def list_iterate(self) -> None:
        for value in hooks.iterate(self.shared.l, 17):
            self.log.append(value)

    def set_add(self, value: int) -> None:
        s = self.shared.s
        s.add(hooks.call(s, "add", 18, value))

    def set_discard(self, value: int) -> None:
        s = self.shared.s
        s.discard(hooks.call(s, "discard", 19, value))

    def set_check_add(self, value: int) -> None:
        s = self.shared.s
        if value in hooks.member(s, value, 20):
            self.log.append("there")
        else:
            s.add(hooks.call(s, "add", 18, value))

    def set_len(self) -> None:
        self.log.append(len(hooks.whole(self.shared.s, 21)))

    def set_copy(self) -> None:
        s = self.shared.s
        self.log.append(tuple(sorted(hooks.call_bare(s, "copy", 22).copy())))

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


@dataclass(frozen=True)
class Program:
    """Threads as lists of operations; `prepare` and `outcome` belong to one execution at a time."""

    threads: tuple[tuple[Op, ...], ...]
    gil: bool = False
    any_timeouts: bool = False
    _state: list[Any] = field(default_factory=list, compare=False, repr=False)

    def prepare(self) -> list[Callable[[], None]]:
        """A fresh shared state and one body for each thread."""
        shared = Shared()
        logs: dict[str, list[Any]] = {}
        self._state[:] = [shared, logs]
        return [Run(shared, ops, f"t{number}", logs) for number, ops in enumerate(self.threads, 1)]

    def outcome(self, engine: Engine) -> Any:
        """All that the execution showed."""
        shared, logs = self._state
        values = (shared.x, shared.y, shared.z, tuple(shared.d.items()), tuple(shared.l), tuple(sorted(shared.s)))
        seen = tuple((name, tuple(log)) for name, log in sorted(logs.items()))
        errors = tuple(f"{thread.id}: {thread.error!r}" for thread in engine.threads if thread.error is not None)
        return engine.status, seen, values, errors

    def run(self, strategy: Any, limit: int = 100_000, *, each: Callable[[Engine], None] | None = None) -> Search:
        """Explore with a strategy until it ends, or until ``limit`` executions."""
        engine = ENGINE
        saved = engine.gil, engine.any_timeouts
        engine.gil, engine.any_timeouts = self.gil, self.any_timeouts
        outcomes: set[Any] = set()
        count = redundant = 0
        try:
            while count < limit:
                prefix = strategy.next_prefix()
                if prefix is None:
                    break
                status = engine.execute(
                    self.prepare, prefix, strategy, free=getattr(strategy, "free", False),
                    finish=lambda: outcomes.add(self.outcome(engine)) if engine.status != "redundant" else None,
                )  # fmt: skip
                strategy.executed(engine)
                count += 1
                redundant += status == "redundant"
                if each is not None and status != "redundant":
                    each(engine)
        finally:
            engine.gil, engine.any_timeouts = saved
        return Search(outcomes, count, redundant, strategy.exhausted)


@dataclass
class Search:
    """What one search of a program found."""

    outcomes: set[Any]
    executions: int
    redundant: int
    exhausted: bool


def mazurkiewicz_class(engine: Engine) -> Any:
    """A canonical form of the execution's class: for every step what it does and which dependent steps precede it.

    Written against the definition (pairs of dependent operations), not against the vector clocks it checks.
    """
    locs, roots = engine.heap.locs, engine.heap.roots

    def label(loc: int) -> Any:
        obj, name = locs[loc]
        return type(obj).__name__, name if isinstance(name, (str, int)) else "whole"

    steps = steps_of(engine.trace, roots)
    counts: dict[int, int] = {}
    events: list[tuple[int, int]] = []
    form: dict[tuple[int, int], Any] = {}
    for number, (thread, operations, _enabled, after) in enumerate(steps):
        counts[thread] = counts.get(thread, 0) + 1
        event = (thread, counts[thread])
        before = {events[step] for step in after or ()}
        for earlier in range(number):
            other = steps[earlier]
            if thread == -1 or other[0] == -1 or (other[0] != thread and _dependent(other[1], operations)):
                before.add(events[earlier])
        labels = tuple((label(loc), mode) for _root, loc, mode in operations)
        form[event] = (labels, frozenset(before))
        events.append(event)
    ends = tuple((pending.thread, label(pending.loc), pending.mode) for pending in engine.pending)
    return engine.status, frozenset(form.items()), ends


def _dependent(first: Any, second: Any) -> bool:
    for root, loc, mode in first:
        for other_root, other_loc, other_mode in second:
            if TIME in (mode, other_mode):
                return True
            if root == other_root and LOCAL not in (mode, other_mode):
                relation = DEPENDS[mode][other_mode]
                if relation != COMMUTE and (relation != SAME_KEY or loc == other_loc):
                    return True
    return False


# -- the generator --------------------------------------------------------------------------------------------------

FIELDS = ("x", "y", "z")
LOCKS = ("lock", "other", "rlock")


def _fields(rng: random.Random) -> Op:
    name, other = rng.choice(FIELDS[:2]), rng.choice(FIELDS)
    return rng.choice([
        ("read", name), ("write", name, rng.randint(1, 3)), ("add", name, 1), ("add_slowly", name, 1),
        ("copy", name, other), ("marker",),
        ("when", name, 0, (("write", other, 7),), (("read", other),)),
        ("when", name, 1, (("add", name, 1),), ()),
    ])  # fmt: skip


def _containers(rng: random.Random) -> Op:
    key, value = rng.randint(0, 1), rng.randint(1, 3)
    return rng.choice([
        ("dict_get", key), ("dict_set", key, value), ("dict_add", key), ("dict_del", key), ("dict_check_del", key),
        ("dict_default", key, value), ("dict_pop", key), ("dict_len",), ("dict_iterate",), ("dict_clear",),
        ("list_append", value), ("list_pop",), ("list_get", key), ("list_set", key, value), ("list_iterate",),
        ("set_add", key), ("set_discard", key), ("set_check_add", key), ("set_len",), ("set_copy",),
    ])  # fmt: skip


def _plain(rng: random.Random) -> Op:
    return _fields(rng) if rng.random() < 0.6 else _containers(rng)


def _some(rng: random.Random, most: int = 2) -> tuple[Op, ...]:
    return tuple(_plain(rng) for _ in range(rng.randint(0, most)))


def _locks(rng: random.Random) -> Op:
    name = rng.choice(LOCKS)
    kind = rng.random()
    if kind < 0.45:
        inner = _some(rng) if rng.random() < 0.7 else (("hold", rng.choice(LOCKS), _some(rng, 1)),)
        return ("hold", name, inner)
    if kind < 0.6:
        return ("try_hold", name, _some(rng, 1))
    if kind < 0.75:
        return ("hold_within", name, rng.choice([0.5, 1.0]), _some(rng, 1))
    if kind < 0.83:
        return ("acquire", name)
    if kind < 0.92:
        return ("release", name)
    return ("locked", rng.choice(LOCKS[:2]))


def _semaphores(rng: random.Random) -> Op:
    name = rng.choice(("sem", "bounded"))
    kind = rng.random()
    if kind < 0.4:
        return ("hold", name, _some(rng, 1))
    if kind < 0.55:
        return ("try_hold", name, _some(rng, 1))
    if kind < 0.7:
        return ("hold_within", name, rng.choice([0.5, 1.0]), _some(rng, 1))
    return (rng.choice(("acquire", "release")), name)


def _signals(rng: random.Random) -> Op:
    timeout = rng.choice([None, None, 1.0, 0.5])
    name, value = rng.choice(FIELDS[:2]), rng.randint(1, 2)
    return rng.choice([
        ("cond_wait", timeout), ("cond_until", name, value, timeout), ("cond_notify", name, value, True),
        ("cond_notify", name, value, False), ("hold", "cond", _some(rng, 1)),
        ("event_set",), ("event_set",), ("event_clear",), ("event_wait", timeout), ("event_is_set",),
    ])  # fmt: skip


def _time(rng: random.Random) -> Op:
    return rng.choice([("sleep", 1.0), ("sleep", 0.5), ("time",)])


_KINDS: tuple[tuple[Callable[[random.Random], Op], ...], ...] = (
    (_fields,), (_fields, _containers), (_containers,), (_locks, _fields), (_locks, _plain), (_semaphores, _fields),
    (_signals, _fields), (_signals, _locks), (_locks, _semaphores, _signals), (_time, _locks, _signals, _fields),
    (_plain, _locks, _semaphores, _signals, _time),
)  # fmt: skip


def _ops(rng: random.Random, kinds: tuple[Callable[[random.Random], Op], ...], most: int) -> tuple[Op, ...]:
    return tuple(rng.choice(kinds)(rng) for _ in range(rng.randint(1, most)))


def random_program(seed: int) -> Program:
    """The program with this number: the same one for ever."""
    rng = random.Random(seed)
    kinds = rng.choice(_KINDS)
    count = rng.choice((2, 2, 3))
    most = 3 if count == 2 else 2
    threads = [list(_ops(rng, kinds, most)) for _ in range(count)]
    if rng.random() < 0.25:
        parent = rng.choice(threads[: 2 if count == 2 else 1])
        child = ("start", _ops(rng, kinds, 2))
        after = [("join", rng.choice([None, None, 1.0]))] if rng.random() < 0.6 else [("alive",)]
        parent[:] = [child, *parent[:1], *after] if rng.random() < 0.7 else [*parent[:1], child, *after]
        threads = threads[:2]
    return Program(
        tuple(tuple(thread) for thread in threads), gil=rng.random() < 0.5, any_timeouts=rng.random() < 0.3,
    )
