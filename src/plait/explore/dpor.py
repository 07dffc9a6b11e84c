"""Dynamic partial-order reduction with source sets and sleep sets: one execution per class of equivalent ones.

After every execution each race (i, j) asks for an execution in which the two steps come in the other order. Instead of
adding j's thread blindly, the steps behind i that do not depend on i, followed by j, are looked at as a sequence v: if
some thread that can begin v is tried at i already, that execution will come by itself. Sleep sets keep a sibling branch
from repeating what an earlier one covers: a thread that was tried at a node sleeps in the node's later branches until
somebody performs a step that depends on its own.

Nothing here looks at values or code. Under the GIL model (and where C code looks at several containers at one moment) a
step has several operations, and what it reads first decides
what else it touches: brought before i, step j may depend on steps that it had nothing to do with behind i. So
there all threads are tried where a race begins, and the sleep sets alone keep classes from being repeated.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.explore.progress import fraction
from plait.explore.replay import Divergence, departure
from plait.observe.happens import HappensBefore, Operation, Step, dependent_steps, steps_of
from plait.run.engine import DIVERGED, STOP, Engine, Entry, Pending
from plait.run.operations import LOCAL
from plait.run.vthread import VThread

Sleep = dict[int, tuple[Operation, ...]]


class _Node:
    """A state on the current branch: what can run, what must be tried, what was."""

    __slots__ = ("backtrack", "done", "enabled", "known", "sleep")

    def __init__(self, thread: int, enabled: tuple[int, ...], sleep: Sleep, known: int) -> None:
        self.enabled = enabled
        self.sleep = sleep
        self.known = known  # locations up to this number have it in every execution that comes by here
        self.backtrack = {thread}
        self.done: Sleep = {}  # of the threads to be tried


class Dpor:
    """The search; complete when `next_prefix` returns None."""

    name = "dpor"

    def __init__(self) -> None:
        self.exhausted = False
        self.free = True
        self.redundant = 0
        self.diverged = False
        self.divergence: Divergence | None = None
        self._order = HappensBefore()
        self._nodes: list[_Node] = []
        self._trace: list[Entry] = []
        self._schedule: list[int] = []
        self._base = 0
        self._tried = -1
        self._sleep: Sleep = {}
        self._sleeps: dict[int, Sleep] = {}
        self._seen = 0
        self._started = False
        self._gil = False
        self._nicknames: dict[tuple[str, str | int], int] = {}

    @property
    def claim(self) -> str | None:
        """What is covered for certain."""
        return "all classes of equivalent schedules" if self.exhausted else None

    def progress(self) -> float:
        """The explored fraction of the search; branches may still be added, so that it is rather too high."""
        return fraction((len(node.done), len(node.backtrack.difference(node.sleep))) for node in self._nodes)

    def next_prefix(self) -> Sequence[int] | None:
        """The deepest state with something left to try."""
        if not self._started:
            self._started = True
            return ()
        nodes = self._nodes
        while nodes:
            node = nodes[-1]
            if len(node.backtrack) > len(node.done):
                for thread in sorted(node.backtrack):
                    if thread not in node.done and thread not in node.sleep:
                        return self._branch(node, thread)
            nodes.pop()
        self.exhausted = not self.diverged
        return None

    def _branch(self, node: _Node, thread: int) -> Sequence[int]:
        self._tried = thread
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
                woken = [other for other, pending in sleep.items() if self._wakes(engine, operations, pending)]
                if woken:
                    sleep = {other: pending for other, pending in sleep.items() if other not in woken}
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

    def _wakes(self, engine: Engine, operations: tuple[Operation, ...], pending: tuple[Operation, ...]) -> bool:
        if dependent_steps(operations, pending):
            return True
        if len(pending) == 1 or all(loc >= 0 for _root, loc, _mode in pending):
            return False
        for root, loc, mode in operations:
            for key in ((root, self._nickname(engine, loc), mode), (self._nickname(engine, root), loc, mode)):
                if dependent_steps((key,), pending):
                    return True
            if dependent_steps(((self._nickname(engine, root), self._nickname(engine, loc), mode),), pending):
                return True
        return False

    def _lasting(self, engine: Engine, operations: tuple[Operation, ...], known: int) -> tuple[Operation, ...]:
        """A step's operations in numbers that mean the same in other executions.

        Locations that the step itself touched for the first time will have another number when another thread goes
        first: they go by a nickname that two locations may share, so that a sleeper wakes rather too early.
        """
        def lasting(loc: int) -> int:
            return loc if loc <= known else self._nickname(engine, loc)

        return (operations[0], *((lasting(root), lasting(loc), mode) for root, loc, mode in operations[1:]))

    def _nickname(self, engine: Engine, loc: int) -> int:
        obj, name = engine.heap.locs[loc]
        owner = obj if type(obj) is str else type(obj).__qualname__
        key = (owner, name if type(name) in (str, int) else type(name).__qualname__)
        return self._nicknames.setdefault(key, -1 - len(self._nicknames))

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
        self._gil = engine.gil
        if engine.status == "redundant":
            self.redundant += 1
        trace = engine.trace
        start = self._index(engine, base)
        if engine.status == DIVERGED or self._trace[:start] != trace[:start]:
            self.diverged = True
            self.divergence = departure(self._trace[:start], trace[:start])
            if self._nodes:  # what was learned on this branch does not hold: leave it
                self._nodes[base].done[self._tried] = ()
                return
        self._trace = trace
        order, nodes = self._order, self._nodes
        sleeps = self._sleeps
        known = nodes[base].known if base < len(nodes) else 0
        schedule = self._schedule
        del schedule[base:]
        for number, step in enumerate(steps_of(trace, engine.heap.roots, start), base):
            thread, operations, enabled, _after = step
            if number < len(nodes):
                node = nodes[number]
            else:
                node = _Node(thread, enabled, sleeps.get(number, _EMPTY) if sleeps else _EMPTY, known)
                nodes.append(node)
            if len(operations) == 1:
                node.done[thread] = operations
                loc = operations[0][1]
                if loc > known:
                    known = loc
                elif thread == -1:
                    for waiting in engine.overdue[number]:
                        self._pending(engine, waiting)
            else:
                node.done[thread] = self._lasting(engine, operations, known)
                known = max(known, *(operation[1] for operation in operations))
            schedule.append(thread)
            for race in order.push(step):
                self._reverse(race, number, step)
        if engine.status != "redundant":
            for pending in engine.pending:
                self._pending(engine, pending)

    def _pending(self, engine: Engine, pending: Pending) -> None:
        """A thread that waits for ever also races: with whoever took what it waits for."""
        loc = pending.loc
        if pending.mode == LOCAL:
            return
        order = self._order
        operations = ((engine.heap.roots[loc], loc, pending.mode),)
        step = (pending.thread, operations, (), pending.after)
        for race in order.races(pending.thread, operations, order.clock_of(pending.thread, pending.after)):
            self._reverse(race, len(order.steps), step)

    def _reverse(self, first: int, second: int, step: Step) -> None:
        """Make sure that some branch at step ``first`` brings ``step``, which has the number ``second``, before it.

        Any thread will do that can begin the steps behind ``first`` that do not depend on it, followed by ``step``.
        """
        node = self._nodes[first]
        backtrack = node.backtrack
        order, thread = self._order, step[0]
        if self._gil or len(step[1]) > 1 or len(order.steps[first][1]) > 1:
            backtrack.update(node.enabled)
            return
        if thread in backtrack and order.can_begin(thread, first, second, step):
            return
        initials = [
            other for other in {**order.of_thread, thread: None} if order.can_begin(other, first, second, step)
        ]  # fmt: skip
        if not backtrack.isdisjoint(initials) or not node.sleep.keys().isdisjoint(initials):
            return
        if thread in initials and thread in node.enabled:
            backtrack.add(thread)
            return
        for other in initials:
            if other in node.enabled:
                backtrack.add(other)
                return
        if initials != [thread]:
            backtrack.update(node.enabled)


_EMPTY: Sleep = {}

__all__ = ["Dpor", "Step"]
