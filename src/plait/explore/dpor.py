"""Dynamic partial-order reduction with source sets and sleep sets: one execution per class of equivalent ones.

After every execution each race (i, j) asks for an execution in which the two steps come in the other order. Instead of
adding j's thread blindly, the steps behind i that do not depend on i, followed by j, are looked at as a sequence v: if
some thread that can begin v is tried at i already, that execution will come by itself. Sleep sets keep a sibling branch
from repeating what an earlier one covers: a thread that was tried at a node sleeps in the node's later branches until
somebody performs a step that depends on its own.

Nothing here looks at values or code. Under the GIL model a step has several operations; the algorithm is the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.observe.happens import HappensBefore, Operation, Step, dependent_steps, steps_of
from plait.run.engine import STOP, Engine, Entry, Pending
from plait.run.operations import LOCAL
from plait.run.vthread import VThread

Sleep = dict[int, tuple[Operation, ...]]


class _Node:
    """A state on the current branch: what can run, what must be tried, what was."""

    __slots__ = ("backtrack", "done", "enabled", "sleep")

    def __init__(self, enabled: tuple[int, ...], sleep: Sleep) -> None:
        self.enabled = enabled
        self.sleep = sleep
        self.backtrack: set[int] = set()
        self.done: Sleep = {}


class Dpor:
    """The search; complete when `next_prefix` returns None."""

    name = "dpor"

    def __init__(self) -> None:
        self.exhausted = False
        self.free = True
        self.redundant = 0
        self.diverged = False
        self._order = HappensBefore()
        self._nodes: list[_Node] = []
        self._trace: list[Entry] = []
        self._schedule: list[int] = []
        self._base = 0
        self._sleep: Sleep = {}
        self._sleeps: dict[int, Sleep] = {}
        self._seen = 0
        self._started = False

    def next_prefix(self) -> Sequence[int] | None:
        """The deepest state with something left to try."""
        if not self._started:
            self._started = True
            return ()
        nodes = self._nodes
        while nodes:
            node = nodes[-1]
            for thread in sorted(node.backtrack):
                if thread not in node.done and thread not in node.sleep:
                    return self._branch(node, thread)
            nodes.pop()
        self.exhausted = not self.diverged
        return None

    def _branch(self, node: _Node, thread: int) -> Sequence[int]:
        self._base = len(self._nodes) - 1
        self._order.truncate(self._base)
        self._sleep = {**node.sleep, **node.done}
        self._sleeps = {}
        self._seen = self._base
        self.free = not self._sleep
        return [*self._schedule[: self._base], thread]

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Only asked while somebody sleeps."""
        sleep = self._sleep
        if engine.step > self._seen:
            done = steps_of(engine.trace[self._index(engine, self._seen) :], engine.heap.roots)
            for _thread, operations, _enabled, _after in done:
                for sleeper in [other for other, pending in sleep.items() if dependent_steps(operations, pending)]:
                    sleep = {other: pending for other, pending in sleep.items() if other != sleeper}
            self._seen = engine.step
            self._sleep = sleep
        if not sleep:
            engine.free = True
            return current.id if current is not None and current.enabled else engine.enabled[0]
        self._sleeps[engine.step] = sleep
        if current is not None and current.enabled and current.id not in sleep:
            return current.id
        for thread in engine.enabled:
            if thread not in sleep:
                return thread
        return STOP

    @staticmethod
    def _index(engine: Engine, step: int) -> int:
        """Where a step begins in the trace."""
        trace = engine.trace
        if len(trace) == engine.step:
            return step
        seen = -1
        for index, entry in enumerate(trace):
            if entry[4] is not None:
                seen += 1
                if seen == step:
                    return index
        return len(trace)

    def executed(self, engine: Engine) -> None:
        """Learn from the part of the execution that is new."""
        base = self._base
        if engine.status == "redundant":
            self.redundant += 1
        trace = engine.trace
        start = self._index(engine, base)
        if self._trace[:start] != trace[:start]:
            self.diverged = True
        self._trace = trace
        order, nodes = self._order, self._nodes
        sleeps = self._sleeps
        for number, step in enumerate(steps_of(trace, engine.heap.roots, start), base):
            thread, operations, enabled, _after = step
            if number < len(nodes):
                node = nodes[number]
            else:
                node = _Node(enabled, sleeps.get(number, _EMPTY))
                nodes.append(node)
                node.backtrack.add(thread)
            node.done[thread] = operations
            races = order.push(step)
            for race in races:
                self._reverse(race, number, thread)
        self._schedule = [step[0] for step in order.steps]
        for pending in engine.pending:
            if pending.mode != LOCAL:
                self._pending(engine, pending)

    def _pending(self, engine: Engine, pending: Pending) -> None:
        """A thread that waits for ever also races: with whoever took what it waits for."""
        loc = pending.loc
        operations = ((engine.heap.roots[loc], loc, pending.mode),)
        clock = self._order.clock_of(pending.thread, pending.after)
        for race in self._order.races(pending.thread, operations, clock):
            self._reverse(race, len(self._order.steps), pending.thread, clock)

    def _reverse(self, first: int, second: int, thread: int, clock: list[int] | None = None) -> None:
        """Make sure that some branch at step ``first`` brings ``second`` (by ``thread``) before it."""
        node = self._nodes[first]
        backtrack = node.backtrack
        if thread in backtrack:
            return
        initials = self._initials(first, second, thread, clock)
        if not backtrack.isdisjoint(initials):
            return
        if thread in initials and thread in node.enabled:
            backtrack.add(thread)
            return
        for other in initials:
            if other in node.enabled:
                backtrack.add(other)
                return
        if initials != {thread}:
            backtrack.update(node.enabled)

    def _initials(self, first: int, second: int, thread: int, clock: list[int] | None) -> set[int]:
        """Threads that can begin the steps behind ``first`` that do not depend on it, followed by ``second``."""
        order = self._order
        steps, clocks, positions = order.steps, order.clocks, order.positions
        owner, position = steps[first][0], positions[first]
        kept: list[int] = []
        initials: set[int] = set()
        seen: set[int] = {owner}
        for number in range(first + 1, second):
            other = steps[number][0]
            mine = clocks[number]
            if mine[owner] >= position or other == -1:
                continue
            if other not in seen:
                seen.add(other)
                if all(mine[steps[k][0]] < positions[k] for k in kept):
                    initials.add(other)
            kept.append(number)
        if thread not in seen:
            mine = clocks[second] if clock is None else clock
            if all(mine[steps[k][0]] < positions[k] for k in kept):
                initials.add(thread)
        return initials


_EMPTY: Sleep = {}

__all__ = ["Dpor", "Step"]
