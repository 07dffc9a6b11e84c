"""Change-aware preemption prioritisation: the searches of CAPP's Figure 4 (section 3.2).

A *transition* is an edge of the tree of schedules: a schedule up to some step, and the thread to continue with. The
search holds two sets of transitions, ``toExplore`` for this iteration and ``nextToExplore`` for the next one (line 10);
a heuristic decides to which of them a transition belongs. The first set is explored completely before the second.
Nothing is dropped: a heuristic changes the order of the exploration, not its result.

The engine executes a program again instead of restoring a state. An execution begins with the schedule of the picked
transition (lines 24-27) and then continues with one of the transitions it has just found (the one that a stack would
pick next) until the program ends. The order within a set defines the search: a stack (dfs), a queue (bfs), or a queue
per number of preemptions (icb, with a bound as the pruning condition of line 31). Stateful search ends an execution at
a known state (lines 28 and 36) and leaves out what `plait.explore.guarded` finds unnecessary (line 31).
"""

from __future__ import annotations

from collections import deque
from random import Random
from typing import TYPE_CHECKING, NamedTuple, Protocol

from plait.explore.canonical import States
from plait.explore.capp.partition import Prioritizer
from plait.explore.guarded import Guarded, Withheld
from plait.explore.strategy import choices, preemptions
from plait.run.engine import DIVERGED, STOP

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from plait.run.engine import Engine
    from plait.run.vthread import VThread

BOUNDED = ("icb", "delay")  # the searches that support a bound on preemptions


class Edge(NamedTuple):
    """A transition: ``length`` steps of a schedule, then ``thread``.

    ``preemptions`` counts all preemptions on the way, ``chosen`` only those that the search chose: where a heuristic
    keeps a single thread to bring it to impacted code, continuing with that thread is not a choice. ``delays`` counts
    the steps at which a thread other than the preferred one continued, whether that was a preemption or not.
    """

    schedule: list[int]
    length: int
    thread: int
    chosen: int = 0
    preemptions: int = 0
    delays: int = 0


class Frontier(Protocol):
    """An ordered set of transitions (``toExplore``)."""

    def add(self, edges: Sequence[Edge]) -> None:
        """Add the transitions of one state, the preferred one first."""
        ...

    def pick(self) -> Edge | None:
        """Remove and return the next transition; None if the set is empty."""
        ...


class Stack:
    """A set in depth-first order."""

    def __init__(self) -> None:
        self._edges: list[Edge] = []

    def add(self, edges: Sequence[Edge]) -> None:
        """See `Frontier.add`."""
        self._edges.extend(reversed(edges))

    def pick(self) -> Edge | None:
        """Remove and return the transition added last."""
        return self._edges.pop() if self._edges else None


class Queue:
    """A set in breadth-first order."""

    def __init__(self) -> None:
        self._edges: deque[Edge] = deque()

    def add(self, edges: Sequence[Edge]) -> None:
        """See `Frontier.add`."""
        self._edges.extend(edges)

    def pick(self) -> Edge | None:
        """Remove and return the transition added first."""
        return self._edges.popleft() if self._edges else None


class Levels:
    """A set ordered by delays, then by age: permutations of the threads that wait for their turn come late."""

    def __init__(self) -> None:
        self._levels: list[deque[Edge]] = []

    def add(self, edges: Sequence[Edge]) -> None:
        """See `Frontier.add`."""
        for edge in edges:
            self._put(edge, edge.delays)

    def _put(self, edge: Edge, number: int) -> None:
        while len(self._levels) <= number:
            self._levels.append(deque())
        self._levels[number].append(edge)

    def pick(self) -> Edge | None:
        """Remove and return the oldest of the transitions with the fewest delays."""
        return next((level.popleft() for level in self._levels if level), None)


class WorkQueues(Levels):
    """Fewest preemptions first: the work queues of iterative context bounding (its Algorithm 1).

    Transitions without a further preemption are explored depth first; others wait in the order of their discovery.
    """

    def __init__(self) -> None:
        super().__init__()
        self._level = 0
        self._stack: list[Edge] = []

    def add(self, edges: Sequence[Edge]) -> None:
        """See `Frontier.add`."""
        for edge in edges:
            if edge.chosen > self._level:
                self._put(edge, edge.chosen)
        self._stack.extend(edge for edge in reversed(edges) if edge.chosen <= self._level)

    def pick(self) -> Edge | None:
        """Remove and return the deepest transition of this level, else the oldest of the next one."""
        if self._stack:
            return self._stack.pop()
        edge = super().pick()
        if edge is not None:
            self._level = edge.chosen
        return edge


_FRONTIERS: dict[str, type[Stack | Queue | Levels]] = {
    "dfs": Stack, "bfs": Queue, "icb": WorkQueues, "delay": Levels, "stateful": Stack, "stateful-bfs": Queue,
}  # fmt: skip


class Capp:
    """A search under a heuristic; ``priority`` None is the paper's BASIC, ``seed`` None the default order.

    ``transitions`` counts the states that a stateful search reached, known ones included: its cost (section 4.4). The
    cost of a stateless search is its executions. ``iterations`` counts how often postponed transitions became current.
    """

    def __init__(
        self,
        search: str = "icb",
        priority: Prioritizer | None = None,
        *,
        bound: int | None = None,
        seed: int | None = None,
    ) -> None:
        make = _FRONTIERS[search]
        self.name = search if priority is None else f"{search}+{priority.name}"
        self.exhausted = self.diverged = self.free = False
        self.bound = bound
        self.transitions = 0
        self.iterations = 1
        self._search = search
        self._priority = priority
        self._random = None if seed is None else Random(seed)
        self._now: Frontier = make()
        self._later: Frontier = make()
        self._make = make
        self._states = States() if search.startswith("stateful") else None
        self._guarded = None if self._states is None else Guarded(self._states)
        self._explored: set[Hashable] = set()
        self._edge = self._here = Edge([], 0, -1)
        self._schedule: list[int] = []
        self._script: Sequence[int] = ()
        self._started = self._fresh = False

    @property
    def claim(self) -> str | None:
        """The set of schedules that the search has covered; None if it has not ended."""
        if not self.exhausted:
            return None
        what = "all schedules" if self._states is None else "all reachable states"
        return what if self.bound is None else f"{what} with at most {preemptions(self.bound)}"

    @property
    def states(self) -> int:
        """The number of states that a stateful search has seen."""
        return len(self._explored)

    def next_prefix(self) -> Sequence[int] | None:
        """Pick a transition and return its schedule; if none is left, take the postponed ones (lines 23-25, 38-41)."""
        if self._started:
            edge = self._now.pick()
            if edge is None:
                self._now, self._later = self._later, self._make()
                edge = self._now.pick()
                if edge is None:
                    self.exhausted = not self.diverged
                    return None
                self.iterations += 1
            self._edge = edge
        self._started = self._fresh = True
        self._here = self._edge
        schedule, length, thread, *_ = self._edge
        self._script = [*schedule[:length], thread] if thread != -1 else ()
        self._schedule = []
        if self._priority is not None:
            self._priority.begin()
        return self._script if self._states is None else ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread to continue with, and add the other transitions to the two sets (lines 26-36)."""
        states, guarded, step = self._states, self._guarded, engine.step
        if states is None or guarded is None:
            fresh = step >= len(self._script)
            return self._expand(engine, engine.trace[-1][0] if step else -1) if fresh else self._script[step]
        if self._fresh:
            self._fresh = False
            states.begin(engine)
            guarded.begin()
        self._take_in(engine, states, guarded)
        number = self._script[step] if step < len(self._script) else self._stateful_step(engine, states, guarded)
        if number in engine.enabled:
            states.about_to_step(engine.threads[number])
        return number

    def _take_in(self, engine: Engine, states: States, guarded: Guarded) -> None:
        """Take in what happened since the last call; add the transitions that must be explored after all."""
        states.update()
        for schedule, length, thread, prioritised in guarded.update(engine):
            (self._now if prioritised else self._later).add([Edge(schedule, length, thread)])

    def _stateful_step(self, engine: Engine, states: States, guarded: Guarded) -> int:
        """Return the next thread of a stateful search (lines 28-36); skip states with only one necessary transition."""
        enabled = engine.enabled
        if len(enabled) == 1:
            return enabled[0]
        last = engine.trace[-1][0] if engine.step else -1
        if last in enabled and (withheld := guarded.withheld(engine, engine.threads[last])) is not None:
            others = [number for number in enabled if number != last]
            kept = others if self._priority is None else self._priority.partition(engine, [last, *others], last)
            withheld += [Withheld(self._schedule, engine.step, number, number in kept) for number in others]
            return last
        self.transitions += 1
        if self._is_known(states.key()):
            return STOP
        return self._expand(engine, last)

    def _is_known(self, key: Hashable) -> bool:
        if key in self._explored:
            return True
        self._explored.add(key)
        return False

    def _expand(self, engine: Engine, last: int) -> int:
        """Return the thread to continue with from a new state (lines 30-35)."""
        enabled, step = engine.enabled, engine.step
        if len(enabled) == 1:
            return enabled[0]
        running = last in enabled
        threads = self._within_bound(self._ordered(enabled, last), last, running)
        kept: Sequence[int] = threads
        if self._priority is not None and running and len(threads) > 1:
            kept = self._priority.partition(engine, threads, last)
        edges = {number: self._edge_to(number, step, last if running else -1, kept) for number in threads}
        number = min(kept, key=lambda each: edges[each].chosen) if self._search == "icb" else kept[0]
        if self._search == "stateful-bfs" and step:
            number = STOP
        within = [edge for thread, edge in edges.items() if thread != number]
        if self.bound is not None:  # line 31
            cost = {edge.thread: edge.chosen if edge.thread in kept else edge.preemptions for edge in within}
            within = [edge for edge in within if cost[edge.thread] <= self.bound]
        self._now.add([edge for edge in within if edge.thread in kept])  # line 34
        self._later.add([edge for edge in within if edge.thread not in kept])  # line 35
        if number != STOP:
            self._here = edges[number]
        return number

    def _within_bound(self, threads: list[int], last: int, running: bool) -> list[int]:
        """Return the threads that the bound allows; in the first iteration any that reach impacted code are allowed."""
        if self.bound is None or not running or self._here.preemptions < self.bound:
            return threads
        return threads if self._priority is not None and self.iterations == 1 else [last]

    def _edge_to(self, number: int, step: int, last: int, kept: Sequence[int]) -> Edge:
        """Return the transition from the current state; ``last`` is -1 if no thread is preempted."""
        here, forced = self._here, len(kept) == 1 and number == kept[0]
        switched = last not in (-1, number)
        return Edge(
            self._schedule, step, number, here.chosen + (switched and not forced), here.preemptions + switched,
            here.delays + (number != kept[0]),
        )  # fmt: skip

    def _ordered(self, enabled: Sequence[int], last: int) -> list[int]:
        """Return the running thread and then the others by number, or a random order if there is a seed."""
        ordered = [last, *(number for number in enabled if number != last)] if last in enabled else list(enabled)
        if self._random is not None:
            self._random.shuffle(ordered)
        return ordered

    def executed(self, engine: Engine) -> None:
        """Complete the schedule that the transitions found in this execution begin with."""
        self._schedule.extend(choices(engine))
        if self._states is None or self._guarded is None:
            self.transitions += engine.step - max(len(self._script) - 1, 0)
        elif not self._fresh:
            self._take_in(engine, self._states, self._guarded)  # `choose` is not called after the last step
        if engine.status == DIVERGED:
            self.diverged = True
