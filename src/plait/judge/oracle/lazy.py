"""Accepts executions by single orders of whole calls, before all orders of a test have been run.

What one order of whole calls does is correct, whatever the others do. So an execution is compared with the orders that
have been run so far. If it fits none, the order in which its calls seem to have taken effect is run and compared. Only
if that does not fit either, all orders are run (`plait.judge.oracle.specification`), and they judge every execution
from then on. This judge never rejects an execution, and accepts none that all orders together would reject:

- An order counts only if it ended and no call waited in it. Such orders are always part of the specification, even if a
  call consists of several parts (an argument that is made, a ``with`` block) and all of them follow one another.
- The execution must have ended as well, without threads of the class, with the same results, identities and final
  state.
- Whatever all orders together would declare undetermined is masked there, and masking makes more executions fit, not
  fewer.

An execution whose trace shows that it is equivalent to whole calls one after the other (`plait.observe.whole`) is not
even observed: it is such an order. This assumes that threads communicate only by what is in the trace. The reduction
that chooses the executions assumes the same. To notice code that breaks the assumption, the first executions of every
test and a sample of the others are observed and compared all the same: if something passes that plait does not see,
they fit no order, and all orders judge from then on.

`tests/judge/oracle/test_lazy.py` compares this judge with the judgement by all orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from plait.explore.runner import execute, model
from plait.explore.serial import Serial
from plait.judge.oracle.safety import Examination
from plait.judge.oracle.specification import Observed, observe, whole_calls
from plait.model.test import MAX_ORDERS, count_orders
from plait.observe.whole import in_turns
from plait.run.engine import DEADLOCK, ENGINE, FINISHED_RUN, HANG, Engine
from plait.run.operations import ACQUIRE, TRY
from plait.run.testbed import Done, Testbed, is_nested
from plait.run.vthread import VThread

OBSERVED, EVERY = 2, 16  # executions of a test that are always compared: the first ones, then every so many
_UNJUDGED = frozenset({FINISHED_RUN, DEADLOCK, HANG})  # no other status can be judged


class LazyJudge:
    """The orders of one test that have been run so far, under one rule for time-outs."""

    def __init__(self, examination: Examination) -> None:
        self._bed = examination.bed
        self._rules = examination.rules
        self._orders: dict[tuple[Any, ...], list[Observed]] = {}  # by what they show
        self._tried: set[tuple[int, ...]] = set()
        self._left: tuple[Observed, list[tuple[int, ...]]] | None = None  # fits no order yet; orders to try
        self._judged = 0

    def begin(self) -> bool:
        """Run the first order; return False if this test needs all orders from the start."""
        test = self._bed.test
        lengths = [len(suffix) for suffix in test.suffixes]
        named = self._rules.nondeterministic if self._rules is not None else ()
        if (
            count_orders(lengths) > MAX_ORDERS
            or any(map(is_nested, test.calls))
            or any(call.method in named for call in test.calls)
        ):
            return False
        first = ENGINE.bodies[0] if ENGINE.bodies else 1
        order = self._run(tuple(first + thread for thread, length in enumerate(lengths) for _ in range(length)))
        return order is not None

    def fits(self) -> bool:
        """Return whether the execution that has just ended is known to be correct.

        Call this from the engine's ``finish``. If the answer is no, call `settle` after the execution.
        """
        self._left = None
        if ENGINE.status not in _UNJUDGED:
            return True
        if ENGINE.status != FINISHED_RUN or ENGINE.class_threads():
            return False
        self._judged += 1
        if self._judged > OBSERVED and self._judged % EVERY and in_turns(ENGINE, self._bed.done):
            return True
        seen = observe(self._bed, self._rules)
        for order in self._orders.get(_shown(seen), ()):
            if _allows(seen, order):
                return True
        self._left = (seen, list(self._guesses()))
        return False

    def settle(self) -> bool:
        """Return whether an order that has not been run yet shows that the last execution is correct."""
        if self._left is None:
            return False
        seen, guesses = self._left
        for order in guesses:
            done = self._run(order)
            if done is not None and _shown(done) == _shown(seen) and _allows(seen, done):
                return True
        return False

    def _guesses(self) -> Iterator[tuple[int, ...]]:
        """Yield thread orders in which the calls may have taken effect: by first lock taken, and by last access."""
        done = self._bed.done
        for order in (sorted(done, key=_first_lock), sorted(done, key=_end)):
            threads = tuple(each.number for each in order)
            if threads not in self._tried:
                yield threads

    def _run(self, threads: tuple[int, ...]) -> Observed | None:
        """Run the calls in this order of their threads; None if the order does not count or was run before."""
        if threads in self._tried:
            return None
        self._tried.add(threads)
        serial = _Wanted(threads, self._bed)
        serial.next_prefix()
        seen: list[Observed] = []
        with model(gil=False), whole_calls(self._bed):
            execute(self._bed.prepare, (), serial, finish=lambda: seen.append(observe(self._bed, self._rules)))
        simple = not (serial.lost or serial.overtaken or serial.hurried or ENGINE.time.timed or ENGINE.class_threads())
        if simple and seen[0].status == FINISHED_RUN and not any(each.waited for each in self._bed.done):
            self._orders.setdefault(_shown(seen[0]), []).append(seen[0])
            return seen[0]
        return None


class _Wanted(Serial):
    """One order, given by the threads of the calls; ``lost`` is set if the next thread cannot begin a call."""

    def __init__(self, threads: Sequence[int], bed: Testbed) -> None:
        super().__init__(())
        self.lost = False
        self._threads = iter(threads)
        self._bed = bed

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose as `Serial.choose` does, but let a thread inside a call continue even where its wait could end early.

        Otherwise other calls could begin while an argument is made, or inside the block of a ``with``. To continue is
        one of the choices there, so the order is part of the specification. Orders with a wait that could end early do
        not count in any case (`LazyJudge._run`).
        """
        if current is not None and current.enabled and current.id in self._bed.running:
            return current.id
        return super().choose(engine, current)

    def _branch(self, engine: Engine, options: Sequence[int]) -> int:
        self._moment += 1
        wanted = next(self._threads, None)
        if wanted is not None and wanted in options:
            return wanted
        self.lost = True
        return options[0]


def _shown(seen: Observed) -> tuple[Any, ...]:
    """Return what must be equal in an execution and in an order of whole calls."""
    return (seen.results, seen.identity, seen.state)


def _allows(seen: Observed, order: Observed) -> bool:
    """Return whether the execution's own order of calls, and the invariant, permit an order that shows the same."""
    return not seen.before & order.behind and (seen.holds or not order.holds)


def _first_lock(done: Done) -> int:
    for number in range(done.start, done.end):
        entry = ENGINE.trace[number]
        if entry[0] == done.number and entry[2] in (ACQUIRE, TRY):
            return number
    return _end(done)


def _end(done: Done) -> int:
    """Return the index of a call's last access in the trace."""
    for number in range(done.end - 1, done.start - 1, -1):
        entry = ENGINE.trace[number]
        if entry[0] == done.number and entry[1]:
            return number
    return done.end
