"""Dynamic partial-order reduction with source sets and sleep sets: one execution per class of equivalent ones.

After each execution, every race (i, j) asks for an execution in which the two steps come in the other order. The search
does not simply add j's thread at i. It takes v, the sequence of steps after i that do not depend on i, followed by j:
if a thread that can come first in v is already tried at i, that branch includes the other order. Sleep sets keep a
branch from repeating what an earlier sibling covers: a thread that was tried at a node sleeps in the node's later
branches until another thread performs a step that depends on the sleeper's next step.

The search sees operations, not values or code. Under the GIL model (and where C code reads several containers at one
moment) a step has several operations, and what it reads first decides what else it touches: moved before i, step j may
depend on steps that it was independent of after i. Therefore all threads are tried where such a race begins, and the
sleep sets alone prevent repeated classes.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.explore.progress import fraction
from plait.explore.replay import Departure, departure
from plait.observe.happens import HappensBefore, Operation, Step, dependent_steps, steps_of
from plait.run.engine import DIVERGED, REDUNDANT, STOP, Engine, Entry, Pending
from plait.run.heap import Heap
from plait.run.operations import LOCAL
from plait.run.vthread import VThread

Sleep = dict[int, tuple[Operation, ...]]


class _Node:
    """A state on the current branch at which a race begins: the enabled threads, those to try, and those tried."""

    __slots__ = ("backtrack", "done", "enabled", "sleep")

    def __init__(self, thread: int, operations: tuple[Operation, ...], enabled: tuple[int, ...], sleep: Sleep) -> None:
        self.enabled = enabled
        self.sleep = sleep
        self.backtrack = {thread}
        self.done: Sleep = {thread: operations}  # the tried ones of ``backtrack``, with the operations of their step


class Dpor:
    """The search; complete when `next_prefix` returns None.

    Invariants between two executions:

    - The current branch is `_schedule`; `_nodes` has a node for a step only if another thread may be tried there.
    - A node's ``backtrack`` grows while its branch is explored and never shrinks; ``done`` are the threads in it that
      were tried. The search is complete when the two are equal at every node, apart from sleeping threads.
    - A thread is in ``sleep`` only together with the operations of its next step: it wakes up when another thread
      performs a step that depends on these. If the operations are not known, the thread may not sleep, or a class would
      be lost.
    - Completeness is compared with depth-first search on random programs (tests/explore/test_agreement.py), and "one
      execution per class" with exact counts (tests/explore/test_counts.py). Optimisations must keep both.
    """

    name = "dpor"

    def __init__(self) -> None:
        self.exhausted = False
        self.free = True
        self.redundant = 0
        self.diverged = False
        self.divergence: Departure | None = None
        self._order = HappensBefore()
        self._nodes: list[_Node | None] = []  # by step; None while no other thread is to be tried there
        self._asleep: list[Sleep] = [_EMPTY]  # by step, and after the last one as far as any thread sleeps
        self._trace: list[Entry] = []
        self._schedule: list[int] = []
        self._base = 0  # the step at which the current execution left the branch; everything before it is known
        self._tried = -1  # the thread that is tried at that step
        self._sleep: Sleep = _EMPTY  # the sleep set of the state before step `_seen`
        self._watched: set[int] | None = None  # the roots whose steps can wake a sleeper; None: any root
        self._seen = 0
        self._started = False
        self._gil = False
        self._heap = Heap()  # of the current execution
        self._known: list[int] = []  # by step, as far as computed: the highest location number up to there
        self._nicknames: dict[tuple[str, str | int], int] = {}

    @property
    def claim(self) -> str | None:
        """The set of schedules that the search has covered; None if it has not ended."""
        return "all classes of equivalent schedules" if self.exhausted else None

    def progress(self) -> float:
        """Return the explored fraction of the search: an upper bound, because branches may still be added."""
        nodes = [node for node in self._nodes if node is not None]
        return fraction((len(node.done), len(node.backtrack.difference(node.sleep))) for node in nodes)

    def next_prefix(self) -> Sequence[int] | None:
        """Return the schedule to the deepest state with an untried thread, followed by that thread."""
        if not self._started:
            self._started = True
            return ()
        # Search from the end: the next execution then shares as much as possible with the last one, and a node that is
        # popped has been explored completely and can be forgotten.
        nodes = self._nodes
        while nodes:
            node = nodes[-1]
            if node is not None and len(node.backtrack) > len(node.done):
                for thread in sorted(node.backtrack):
                    if thread not in node.done and thread not in node.sleep:
                        return self._branch(node, thread)
            nodes.pop()
        self.exhausted = not self.diverged
        return None

    def _branch(self, node: _Node, thread: int) -> Sequence[int]:
        self._tried = thread
        base = self._base = self._seen = len(self._nodes) - 1
        self._order.truncate(base)
        del self._schedule[base:], self._asleep[base + 1 :], self._known[base:]
        sleep = {**node.sleep, **node.done}
        if self.diverged:
            # A thread whose branch diverged has no operations: it is not known what would wake it, so it cannot sleep.
            sleep = {other: operations for other, operations in sleep.items() if operations}
        self._fall_asleep(sleep)
        return [*self._schedule, thread]

    # -- sleep sets ---------------------------------------------------------------------------------------------

    def _fall_asleep(self, sleep: Sleep) -> None:
        self._sleep = sleep
        watched = {0}  # the location at which an advance of the clock is recorded
        for pending in sleep.values():
            if len(pending) > 1:
                self._watched = None
                return
            watched.add(pending[0][0])
        self._watched = watched

    def _wake(self, engine: Engine) -> None:
        """Wake the sleepers whose next steps depend on the steps performed since the last call."""
        self._heap = engine.heap
        sleep, watched, asleep = self._sleep, self._watched, self._asleep
        steps = steps_of(engine.trace, engine.heap.roots, self._index(engine, self._seen))
        for _thread, operations, _enabled, _after in steps:
            if watched is None or len(operations) > 1 or operations[0][0] in watched:
                awake = [other for other, pending in sleep.items() if self._wakes(operations, pending)]
                if awake:
                    sleep = {other: pending for other, pending in sleep.items() if other not in awake}
                    if not sleep:
                        break
            asleep.append(sleep)
        self._seen = engine.step
        self._sleep = sleep

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the running thread if it is enabled and awake, else the first such thread; `STOP` if all sleep."""
        if self._sleep and engine.step > self._seen:
            self._wake(engine)
        sleep = self._sleep
        if current is not None and current.enabled and current.id not in sleep:
            return current.id
        for thread in engine.enabled:
            if thread not in sleep:
                return thread
        return STOP

    def _wakes(self, operations: tuple[Operation, ...], pending: tuple[Operation, ...]) -> bool:
        """Return whether a step wakes a thread whose next step performs the operations ``pending``."""
        if dependent_steps(operations, pending):
            return True
        # In ``pending``, a location, its root, or both may be nicknames (`_lasting`).
        if len(pending) == 1 or all(loc >= 0 for _root, loc, _mode in pending):
            return False
        for root, loc, mode in operations:
            for key in ((root, self._nickname(loc), mode), (self._nickname(root), loc, mode)):
                if dependent_steps((key,), pending):
                    return True
            if dependent_steps(((self._nickname(root), self._nickname(loc), mode),), pending):
                return True
        return False

    def _lasting(self, number: int) -> tuple[Operation, ...]:
        """Return a step's operations with location numbers that are valid in every execution that reaches the step.

        A location that the step itself touches first would get another number if another thread ran first. It is
        replaced by a nickname. Two locations may share a nickname, so a sleeper may wake too early, but never too late.
        """
        steps = self._order.steps
        operations = steps[number][1]
        if len(operations) == 1:
            return operations
        highest = self._known
        for _thread, done, _enabled, _after in steps[len(highest) : number]:
            highest.append(max(highest[-1] if highest else 0, *(loc for _root, loc, _mode in done)))
        known = highest[number - 1] if number else 0

        def lasting(loc: int) -> int:
            return loc if loc <= known else self._nickname(loc)

        return (operations[0], *((lasting(root), lasting(loc), mode) for root, loc, mode in operations[1:]))

    def _nickname(self, loc: int) -> int:
        obj, name = self._heap.locs[loc]
        owner = obj if type(obj) is str else type(obj).__qualname__
        key = (owner, name if type(name) in (str, int) else type(name).__qualname__)
        return self._nicknames.setdefault(key, -1 - len(self._nicknames))

    @staticmethod
    def _index(engine: Engine, step: int) -> int:
        """Return the index in the trace at which a step begins."""
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

    # -- races --------------------------------------------------------------------------------------------------

    def executed(self, engine: Engine) -> None:
        """Learn from the part of the execution that is new."""
        base = self._base
        self._gil = engine.gil
        self._heap = engine.heap
        if engine.status == REDUNDANT:
            self.redundant += 1
        trace = engine.trace
        start = self._index(engine, base)
        branching = self._nodes[base] if self._nodes else None
        if (
            engine.status == DIVERGED
            or (branching is not None and start == len(trace))
            or self._trace[:start] != trace[:start]
        ):
            # The same prefix led to another execution: the code under test depends on something that plait does not
            # control. The search continues, but can no longer claim to be complete.
            self.diverged = True
            self.divergence = departure(self._trace[:start], trace[:start])
            if branching is not None:  # what was learned on this branch is not valid: leave the branch
                branching.done[self._tried] = ()
                return
        self._trace = trace
        if self._sleep and engine.step > self._seen:
            self._wake(engine)
        order, nodes = self._order, self._nodes
        steps = steps_of(trace, engine.heap.roots, start)
        self._schedule += [step[0] for step in steps]
        total = base + len(steps)
        nodes += [None] * (total - len(nodes))
        self._asleep += [_EMPTY] * (total - len(self._asleep))
        # A thread that was waiting when the clock advanced has a pending operation that was impossible. It races
        # with the step that prevented it (the acquisition of the lock that the thread wants): in the other order the
        # time-out need not fire. The race is computed as of that moment: after the steps before the advance, and before
        # the steps that follow it.
        if engine.time.overdue:
            for number in sorted(engine.time.overdue):
                if number >= base:
                    self._learn(steps[len(order.steps) - base : number - base])
                    for waiting in engine.time.overdue[number]:
                        self._pending(engine, waiting)
            steps = steps[len(order.steps) - base :]
        self._learn(steps)
        if branching is not None:
            branching.done[self._tried] = self._lasting(base)
        if engine.status != REDUNDANT:
            for pending in engine.pending:
                self._pending(engine, pending)

    def _learn(self, steps: Sequence[Step]) -> None:
        pushed = self._order.steps
        for first, second in self._order.extend(steps):
            self._reverse(first, second, pushed[second])

    def _pending(self, engine: Engine, pending: Pending) -> None:
        """Add the races of an operation that was never performed with the steps that prevented it."""
        loc = pending.loc
        if pending.mode == LOCAL:
            return
        order = self._order
        operations = ((engine.heap.roots[loc], loc, pending.mode),)
        step = (pending.thread, operations, (), pending.after)
        for race in order.races(pending.thread, operations, order.past_of(pending.thread, pending.after)):
            self._reverse(race, len(order.steps), step)

    def _at(self, number: int) -> _Node:
        """Return the node of a step; create it when the first race begins there."""
        node = self._nodes[number]
        if node is None:
            thread, _operations, enabled, _after = self._order.steps[number]
            node = self._nodes[number] = _Node(thread, self._lasting(number), enabled, self._asleep[number])
        return node

    def _reverse(self, first: int, second: int, step: Step) -> None:
        """Ensure that a branch at step ``first`` performs ``step``, which has the number ``second``, before it.

        The branch may start with any thread that can come first in the sequence of steps after ``first`` that do not
        depend on it, followed by ``step``.
        """
        node = self._nodes[first] or self._at(first)
        backtrack = node.backtrack
        order, thread = self._order, step[0]
        # A step with several operations (see the module docstring): try all enabled threads, so that no class is lost.
        if self._gil or len(step[1]) > 1 or len(order.steps[first][1]) > 1:
            backtrack.update(node.enabled)
            return
        # The thread of the step itself is checked first, because it usually can begin; the others cost a look at
        # each thread. The order of the checks decides which branch is added, and so the number of executions.
        begins, owner = order.can_begin(thread, first, second, step), order.steps[first][0]
        if begins and (thread in backtrack or thread in node.sleep):
            return
        if len(backtrack) > 1 or node.sleep:
            for other in (*backtrack, *node.sleep):
                if other not in (owner, thread) and order.can_begin(other, first, second, step):
                    return
        if begins and thread in node.enabled:
            backtrack.add(thread)
            return
        others = [other for other in order.of_thread if other != thread and order.can_begin(other, first, second, step)]
        for other in others:
            if other in node.enabled:
                backtrack.add(other)
                return
        # No thread that can begin is enabled here. Some enabled thread will enable one of them; try all of these.
        if others or not begins:
            backtrack.update(node.enabled)


_EMPTY: Sleep = {}

__all__ = ["Dpor", "Step"]
