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
from plait.run.engine import ENGINE, Engine
from plait.run.operations import COMMUTE, DEPENDS, LOCAL, SAME_KEY, TIME
from program_threads import Op, Run, Shared


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
        tuple(tuple(thread) for thread in threads),
        gil=rng.random() < 0.5,
        any_timeouts=rng.random() < 0.3,
    )
