"""ReplWorkers: replicated workers that share a pool of work, here the adaptive quadrature of x*x - x from 0 to 10.

A worker that finds no work counts itself as blocked. When all are, the coordinator ends the computation. `take`
counts before it takes the lock: two workers can lose a count, and then nobody ends the computation.
"""

import threading

Interval = tuple[float, float]


class Barrier:
    """Lets threads go on when all of them have arrived; can be used again."""

    def __init__(self, parties: int) -> None:
        self.changed = threading.Condition()
        self.parties = parties
        self.arrived = 0
        self.round = 0

    def wait(self) -> None:
        """Arrive, and wait for the others."""
        with self.changed:
            self.arrived = self.arrived + 1
            if self.arrived == self.parties:
                self.arrived = 0
                self.round = self.round + 1
                self.changed.notify_all()
                return
            arrived_in = self.round
            while self.round == arrived_in:
                self.changed.wait()


class Coordinator:
    """The pool of work, the sum of the results, and the end of the computation."""

    def __init__(self, num_workers: int, work: list[Interval]) -> None:
        self.changed = threading.Condition()
        self.barrier = Barrier(num_workers + 1)
        self.num_workers = num_workers
        self.work = list(work)
        self.blocked_takers = 0
        self.done = False
        self.total = 0.0

    def take(self, most: int) -> list[Interval]:
        """Up to `most` intervals, as soon as there are any; none when the computation has ended."""
        blocked = self.blocked_takers
        self.blocked_takers = blocked + 1
        if self.blocked_takers == self.num_workers:
            with self.changed:
                self.changed.notify_all()
        with self.changed:
            while len(self.work) == 0 and not self.done:
                self.changed.wait()
            blocked = self.blocked_takers
            self.blocked_takers = blocked - 1
            taken = self.work[:most]
            del self.work[:most]
            return taken

    def add(self, intervals: list[Interval]) -> None:
        """Put new work into the pool."""
        with self.changed:
            self.work.extend(intervals)
            self.changed.notify_all()

    def add_result(self, area: float) -> None:
        """Add to the sum."""
        with self.changed:
            self.total = self.total + area

    def execute(self) -> float:
        """Let the workers begin, wait until all are blocked, end the computation; the sum."""
        self.barrier.wait()
        with self.changed:
            while self.blocked_takers != self.num_workers:
                self.changed.wait()
            self.done = True
            self.changed.notify_all()
        self.barrier.wait()
        return self.total


class Worker:
    """Halves intervals until the area under the curve is known well enough."""

    def __init__(self, coordinator: Coordinator, epsilon: float) -> None:
        self.coordinator = coordinator
        self.epsilon = epsilon

    def run(self) -> None:
        """Work until there is nothing left."""
        self.coordinator.barrier.wait()
        taken = self.coordinator.take(1)
        while len(taken) > 0:
            for interval in taken:
                self.process(interval)
            taken = self.coordinator.take(1)
        self.coordinator.barrier.wait()

    def process(self, interval: Interval) -> None:
        """Add the interval's area to the sum, or its halves to the work."""
        left, right = interval
        middle = (left + right) / 2
        whole = trapezium(left, right)
        halves = trapezium(left, middle) + trapezium(middle, right)
        if abs(whole - halves) < self.epsilon:
            self.coordinator.add_result(halves)
        else:
            self.coordinator.add([(left, middle), (middle, right)])


def trapezium(left: float, right: float) -> float:
    """The area under the straight line between two points of the curve."""
    return (right - left) * (left * left - left + right * right - right) / 2
