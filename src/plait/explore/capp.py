"""Change-aware preemption prioritisation: the searches of CAPP's Figure 4 (section 3.2).

A *transition* is an edge of the tree of schedules: a schedule up to some step, and the thread to go on with. The search
holds two sets of them, ``toExplore`` for this iteration and ``nextToExplore`` for the next one (line 10); a heuristic
decides to which of them a transition belongs. All transitions of the first come before any of the second, and nothing
is dropped: the order changes, what is explored in the end does not.

The engine executes a program again instead of restoring a state, so an execution begins with the schedule of the picked
transition (lines 24-27) and then goes on with one of the transitions it has just met (what a stack would pick next)
until the program ends. The order within a set is the search: a stack (dfs), a queue (bfs), or a stack per number of
preemptions (icb, with a bound as pruning condition of line 31). Stateful search ends an execution at a known state
(lines 28 and 36).
"""

from __future__ import annotations

from collections import deque
from random import Random
from typing import TYPE_CHECKING, Protocol

from plait.explore.canonical import States
from plait.explore.capp_partition import Prioritizer
from plait.explore.strategy import choices, preemptions
from plait.run.engine import DIVERGED, STOP

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from plait.run.engine import Engine
    from plait.run.vthread import VThread

SEARCHES = ("dfs", "bfs", "icb", "stateful", "stateful-bfs")
Edge = tuple[list[int], int, int, int]  # a schedule, how much of it to keep, the thread to go on with, preemptions


class Frontier(Protocol):
    """A set of transitions with an order (``toExplore``)."""

    def add(self, edges: Sequence[Edge]) -> None:
        """Transitions of one state, the preferred one first."""
        ...

    def pick(self) -> Edge | None:
        """The next one, taken out."""
        ...


class Stack:
    """Depth first."""

    def __init__(self) -> None:
        self._edges: list[Edge] = []

    def add(self, edges: Sequence[Edge]) -> None:
        """See `Frontier.add`."""
        self._edges.extend(reversed(edges))

    def pick(self) -> Edge | None:
        """The latest."""
        return self._edges.pop() if self._edges else None


class Queue:
    """Breadth first."""

    def __init__(self) -> None:
        self._edges: deque[Edge] = deque()

    def add(self, edges: Sequence[Edge]) -> None:
        """See `Frontier.add`."""
        self._edges.extend(edges)

    def pick(self) -> Edge | None:
        """The earliest."""
        return self._edges.popleft() if self._edges else None


class Levels:
    """Fewest preemptions first, the latest of them first."""

    def __init__(self) -> None:
        self._levels: list[list[Edge]] = []

    def add(self, edges: Sequence[Edge]) -> None:
        """See `Frontier.add`."""
        for edge in reversed(edges):
            while len(self._levels) <= edge[3]:
                self._levels.append([])
            self._levels[edge[3]].append(edge)

    def pick(self) -> Edge | None:
        """The latest of the cheapest."""
        return next((level.pop() for level in self._levels if level), None)


_FRONTIERS: dict[str, type[Stack | Queue | Levels]] = {
    "dfs": Stack, "bfs": Queue, "icb": Levels, "stateful": Stack, "stateful-bfs": Queue,
}  # fmt: skip


class Capp:
    """One search under one heuristic; ``priority`` None is the paper's BASIC, ``seed`` None the default order.

    ``transitions`` counts the steps that were new, the price of a stateful search; the price of a stateless one is its
    executions. ``iterations`` says how often the postponed transitions became the current ones.
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
        self._explored: set[Hashable] = set()
        self._edge: Edge = ([], 0, -1, 0)
        self._schedule: list[int] = []
        self._script: Sequence[int] = ()
        self._spent = 0
        self._started = self._fresh = False

    @property
    def claim(self) -> str | None:
        """What is covered for certain."""
        if not self.exhausted:
            return None
        what = "all schedules" if self._states is None else "all reachable states"
        return what if self.bound is None else f"{what} with at most {preemptions(self.bound)}"

    @property
    def states(self) -> int:
        """How many states a stateful search has seen."""
        return len(self._explored)

    def next_prefix(self) -> Sequence[int] | None:
        """Lines 23-25 and 38-41: pick a transition; postponed ones become current when no other is left."""
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
        schedule, length, thread, self._spent = self._edge
        self._script = [*schedule[:length], thread] if thread != -1 else ()
        self._schedule = []
        if self._priority is not None:
            self._priority.begin()
        return self._script if self._states is None else ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Lines 26-36 for one state: the transition to go on with; the others are put into the two sets."""
        enabled = engine.enabled
        states, step = self._states, engine.step
        if states is not None:
            if self._fresh:
                states.begin(engine)
            states.update()
        self._fresh = False
        if step < len(self._script):
            number = self._script[step]
        else:
            if states is not None and self._is_known(states.key()):
                return STOP
            number = self._expand(engine, engine.trace[-1][0] if step else -1)
        if states is not None and number in enabled:
            states.about_to_step(engine.threads[number])
        return number

    def _is_known(self, key: Hashable) -> bool:
        if key in self._explored:
            return True
        self._explored.add(key)
        return False

    def _expand(self, engine: Engine, last: int) -> int:
        enabled, step = engine.enabled, engine.step
        ordered = list(enabled) if len(enabled) == 1 else self._ordered(enabled, last)
        running = last in enabled
        price = {number: self._spent + (running and number != last) for number in ordered}
        if self.bound is not None:  # line 31
            ordered = [number for number in ordered if price[number] <= self.bound]
        kept: Sequence[int] = ordered
        if self._priority is not None and running and len(ordered) > 1:
            kept = self._priority.partition(engine, ordered, last)
        if self._search == "stateful-bfs" and step:
            number = STOP
        else:
            number = min(kept, key=price.__getitem__) if self._search == "icb" else kept[0]
        if len(ordered) > 1 or number == STOP:
            edges = [(self._schedule, step, other, price[other]) for other in ordered if other != number]
            self._now.add([edge for edge in edges if edge[2] in kept])  # line 34
            self._later.add([edge for edge in edges if edge[2] not in kept])  # line 35
        if number != STOP:
            self._spent = price[number]
        return number

    def _ordered(self, enabled: Sequence[int], last: int) -> list[int]:
        """The running thread and then the others by number, or any order where it is to be random."""
        ordered = [last, *(number for number in enabled if number != last)] if last in enabled else list(enabled)
        if self._random is not None:
            self._random.shuffle(ordered)
        return ordered

    def executed(self, engine: Engine) -> None:
        """The schedule is known now that the transitions met on the way begin with."""
        self._schedule.extend(choices(engine))
        self.transitions += engine.step - max(len(self._script) - 1, 0)
        if engine.status == DIVERGED:
            self.diverged = True
