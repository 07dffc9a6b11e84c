"""Reads-from guided sampling: schedules are biased by which write a read shall see (RFF; Wolff and others, 2024).

A *constraint* names two places in the code, a write and a read, and says that the read sees that write (or the initial
value), or that it does not. An execution follows a few constraints: a thread whose next operation would violate one is
held back, a thread whose next operation fulfils one is preferred, and among equals partial-order sampling decides.
Constraints that cannot be fulfilled are given up, so an execution never gets stuck. A constraint does not mention
threads, so a hundred threads are no harder than two.

The pairs of writes and reads of each execution are compared with all earlier ones. If there is a new pair, the
execution's constraints are kept. Later executions start from kept constraints, least used first, and mutate them: add
one, remove one, replace one, or negate one. Pairs that no execution has shown yet are preferred. Acquiring a lock
counts as a read of its last release. Every fourth execution has no constraints, so that everything remains possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from plait.explore.pos import Pos
from plait.explore.shared import Place, lasting_place
from plait.run.operations import ACQUIRE, KEY_READ, LOCAL, READ, TAKE, TIME, TRY, TRY_FAILED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine
    from plait.run.vthread import VThread

_INITIAL = -1  # the site of the initial value, which no thread wrote
_MOST_CONSTRAINTS = 4  # in one execution
MOST_KEPT = 256  # sets of constraints: limits the memory of a search
MOST_PAIRS = 20_000
_FREE_EVERY = 4  # one execution in so many has no constraints

_READS = frozenset({READ, KEY_READ, ACQUIRE, TRY, TRY_FAILED, TAKE})
_NO_WRITES = frozenset({READ, KEY_READ, TRY_FAILED, LOCAL, TIME})
_AVOID, _NEUTRAL, _PREFER = 0, 1, 2


class Constraint(NamedTuple):
    """The read at site ``reader`` of a place sees the write at site ``writer`` (``positive``), or does not."""

    place: Place
    writer: int
    reader: int
    positive: bool = True


class _Beginning:
    """A set of constraints that showed something new, and how often later executions started from it."""

    __slots__ = ("constraints", "used")

    def __init__(self, constraints: tuple[Constraint, ...]) -> None:
        self.constraints = constraints
        self.used = 0


class Rff(Pos):
    """Reads-from guided sampling. It never ends; the same seed gives the same executions."""

    name = "rff"

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._kept = [_Beginning(())]
        self._executions = 0
        self._constraints: tuple[Constraint, ...] = ()
        self._open: list[Constraint] = []  # the constraints of this execution that are not fulfilled yet
        self._last: dict[int, int] = {}  # by root: the site of the last write
        self._known: dict[Place, tuple[set[int], set[int]]] = {}  # by place: the sites of its writes and of its reads
        self._pairs: dict[tuple[Place, int, int], bool] = {}  # whether the read has seen that write
        self._unseen: list[tuple[Place, int, int]] = []
        self._places: dict[int, Place] = {}  # of this execution's roots
        self._shown: dict[tuple[Place, int, int], None] = {}  # the pairs of this execution, in order
        self._signatures: set[int] = set()
        self._followed = 0  # how many entries of the trace were taken in

    def next_prefix(self) -> Sequence[int] | None:
        """Choose and mutate the constraints of the next execution; return an empty prefix."""
        super().next_prefix()
        self._executions += 1
        self._constraints = self._changed() if self._executions % _FREE_EVERY and self._pairs else ()
        self._open = list(self._constraints)
        self._last, self._places, self._shown, self._followed = {}, {}, {}, 0
        return ()

    # -- constraints --------------------------------------------------------------------------------------------

    def _changed(self) -> tuple[Constraint, ...]:
        least = min(each.used for each in self._kept)
        kept = self._random.choice([each for each in self._kept if each.used == least])
        kept.used += 1
        constraints = list(kept.constraints)
        draw = self._random.random()
        if not constraints or (draw < 0.55 and len(constraints) < _MOST_CONSTRAINTS):
            constraints.append(self._drawn())
        elif draw < 0.7:
            constraints.pop(self._random.randrange(len(constraints)))
        elif draw < 0.9:
            constraints[self._random.randrange(len(constraints))] = self._drawn()
        else:
            index = self._random.randrange(len(constraints))
            constraints[index] = constraints[index]._replace(positive=not constraints[index].positive)
        return tuple(dict.fromkeys(constraints))

    def _drawn(self) -> Constraint:
        unseen = self._unseen
        while unseen and self._random.random() < 0.75:
            index = self._random.randrange(len(unseen))
            if not self._pairs[unseen[index]]:
                return Constraint(*unseen[index])
            unseen[index] = unseen[-1]  # an execution has shown it meanwhile
            unseen.pop()
        return Constraint(*self._random.choice(list(self._pairs)))

    # -- one execution ------------------------------------------------------------------------------------------

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread whose operation suits the constraints best; partial-order sampling decides among equals."""
        self._take_in(engine)
        enabled = engine.enabled
        if len(enabled) == 1 or not self._open:
            return super().choose(engine, current)
        self._redraw(engine)
        standing = {engine.threads[number].site for number in enabled}
        return max(enabled, key=lambda number: (self._rank(engine, number, standing), self._urgency(number)))

    def _rank(self, engine: Engine, number: int, standing: set[int]) -> int:
        thread = engine.threads[number]
        loc, mode, site = thread.loc, thread.mode, thread.site
        if mode == LOCAL:
            return _PREFER  # it does not affect other threads, and may lead to an operation that matters
        root, rank = engine.heap.roots[loc], _NEUTRAL
        last, writes = self._last.get(root, _INITIAL), mode not in _NO_WRITES
        for constraint in self._open:
            place, writer, reader, positive = constraint
            if place != self._place(engine, root):
                continue
            if site == reader and mode in _READS:
                if (last == writer) != positive:
                    return _AVOID
                rank = _PREFER
            elif positive and writes and last == writer:
                return _AVOID  # it would overwrite the value to be read
            elif positive and site == writer and reader in standing:
                rank = _PREFER
        return rank

    def _place(self, engine: Engine, root: int) -> Place:
        place = self._places.get(root)
        if place is None:
            place = self._places[root] = lasting_place(engine, root)
        return place

    def _take_in(self, engine: Engine) -> None:
        """Record the pairs of writes and reads since the last call."""
        trace, roots, last = engine.trace, engine.heap.roots, self._last
        for index in range(self._followed, len(trace)):
            thread, loc, mode, site = trace[index][:4]
            if mode in (LOCAL, TIME) or thread < 0:
                continue
            root = roots[loc]
            if mode in _READS:
                pair = (self._place(engine, root), last.get(root, _INITIAL), site)
                self._shown[pair] = None
                if self._open and Constraint(*pair) in self._open:
                    self._open.remove(Constraint(*pair))
            if mode not in _NO_WRITES:
                last[root] = site
        self._followed = len(trace)

    def executed(self, engine: Engine) -> None:
        """Keep the constraints if the execution has shown a new pair or a new set of pairs."""
        self._take_in(engine)
        new = False
        for pair in self._shown:
            self._note(*pair)
            new = new or not self._pairs.get(pair, True)
            self._pairs[pair] = True
        signature = hash(frozenset(self._shown))
        if signature not in self._signatures and len(self._signatures) < MOST_PAIRS:
            self._signatures.add(signature)
            new = True
        if new and self._constraints and len(self._kept) < MOST_KEPT:
            self._kept.append(_Beginning(self._constraints))
        for thread, loc, mode, site, *_ in engine.trace:
            if thread >= 0 and mode not in _NO_WRITES:
                self._note(self._place(engine, engine.heap.roots[loc]), site, None)

    def _note(self, place: Place, writer: int, reader: int | None) -> None:
        """Record sites of a place; each of its writes forms a possible pair with each of its reads."""
        writes, reads = self._known.setdefault(place, ({_INITIAL}, set()))
        if writer not in writes:
            writes.add(writer)
            self._possible([(place, writer, each) for each in sorted(reads)])
        if reader is not None and reader not in reads:
            reads.add(reader)
            self._possible([(place, each, reader) for each in sorted(writes)])

    def _possible(self, pairs: Sequence[tuple[Place, int, int]]) -> None:
        for pair in pairs:
            if pair not in self._pairs and len(self._pairs) < MOST_PAIRS:
                self._pairs[pair] = False
                self._unseen.append(pair)
